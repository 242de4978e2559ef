/** The engine's methods that list tokens, positions and protocols. */
import type { PositionSnapshot, PositionStore } from '../catalog/position-store.js'
import type { ChainDefinition } from '../chains/chain.js'
import { untilAborted } from '../domain/abort.js'
import type { Engine } from '../domain/engine.js'
import type { Listing } from '../domain/metadata.js'
import type { Token } from '../domain/primitives.js'
import type { Unreadable } from '../protocols/pool.js'
import { protocols } from '../protocols/registry.js'
import type { Archive } from '../rpc/archive/archive.js'
import { type CollectParts, collectPositions } from './collect-positions.js'
import { createListings } from './listings.js'
import type { Pins } from './pins.js'
import { createPositionCache } from './position-cache.js'
import { aggregatorsOn, protocolRecords, serviceActionRecords } from './protocol-records.js'

export interface MetadataParts {
  readonly chains: readonly ChainDefinition[]
  readonly archive: Pick<Archive, 'pin'>
  readonly pins: Pick<Pins, 'at'>
  readonly store: PositionStore
  /** Snapshots older than this are renewed. */
  readonly maxAgeSeconds: number
  /** Aborted when the service stops: reads that fail after that are not reported. */
  readonly stopping: AbortSignal
  /** Runs a task on leased forks of the block until `stopping` is aborted. */
  readonly run: CollectParts['run']
  /** @throws ForkrouteError UNKNOWN_CHAIN. */
  chainOf(chainId: number): ChainDefinition
  /** Slugs of exchanges that are not listed as such. */
  readonly disabledAggregators: readonly string[]
  /** Of all token lists, whichever chains are configured. */
  readonly tokens: readonly Token[]
  /** Base tokens of a chain. */
  tokensOf(chainId: number): readonly Token[]
  onProblem(error: unknown): void
}

export function createMetadata(
  parts: MetadataParts,
): Pick<Engine, 'aggregators' | 'listings' | 'protocols' | 'serviceActions'> {
  const { archive, pins, run, chainOf } = parts
  const reaches = new Map<number, number>()
  const onProblem = (error: unknown) => {
    if (!parts.stopping.aborted) parts.onProblem(error)
  }

  async function collect(
    chainId: number,
    previous: PositionSnapshot | null,
  ): Promise<PositionSnapshot> {
    const pin = await pins.at(chainId, undefined)
    const takenAt = Math.floor(Date.now() / 1_000)
    const collected = await collectPositions(
      { chain: chainOf(chainId), pinAt: (number) => archive.pin(chainId, number), run },
      pin,
      previous,
      reaches.get(chainId) ?? null,
    )
    if (collected.reach !== null) reaches.set(chainId, collected.reach)
    if (collected.unreadable.length) onProblem(unreadableError(chainId, collected.unreadable))
    const { number: blockNumber, hash: blockHash } = pin
    return { chainId, blockNumber, blockHash, takenAt, positions: collected.positions }
  }

  const cache = createPositionCache({
    store: parts.store,
    maxAgeSeconds: parts.maxAgeSeconds,
    collect,
    isOfChain: async ({ chainId, blockNumber, blockHash }) =>
      (await archive.pin(chainId, blockNumber)).hash === blockHash,
    onProblem,
    clock: () => Date.now() / 1_000,
  })
  const listings = createListings(parts.store, parts.tokensOf)
  const records = protocolRecords(protocols, parts.chains, parts.tokens)

  return {
    async listings({ chainId, baseOnly = false }, { signal }) {
      const wanted = chainId === undefined ? parts.chains : [chainOf(chainId)]
      if (baseOnly) {
        const known = wanted.map(async (chain) => listings.of(chain, await cache.known(chain.id)))
        return merged(await untilAborted(Promise.all(known), signal))
      }
      const failures: unknown[] = []
      const lists = await Promise.all(
        wanted.map(async (chain) => {
          try {
            return listings.of(chain, await untilAborted(cache.of(chain.id), signal))
          } catch (error) {
            signal.throwIfAborted()
            failures.push(error)
            return listings.of(chain, null)
          }
        }),
      )
      if (failures.length && failures.length === wanted.length) throw failures[0]
      for (const failure of failures) onProblem(failure)
      return merged(lists)
    },
    aggregators: (chainId) =>
      aggregatorsOn(chainId === undefined ? parts.chains : [chainOf(chainId)]).filter(
        (slug) => !parts.disabledAggregators.includes(slug),
      ),
    protocols: () => records,
    serviceActions: () => serviceActionRecords,
  }
}

/** Lists of all chains become one, sorted by id. */
function merged(lists: readonly (readonly Listing[])[]): readonly Listing[] {
  const [first = [], ...others] = lists
  return others.length ? lists.flat().sort((a, b) => a.id - b.id) : first
}

/** One line for the log. */
function unreadableError(chainId: number, unreadable: readonly Unreadable[]): Error {
  const first = unreadable.slice(0, 3)
  const said = first.map((one) => `${one.protocol} ${one.subject}: ${one.message}`).join('; ')
  return new Error(
    `${unreadable.length} parts of the positions of chain ${chainId} could not be read, such as ${said}`,
  )
}
