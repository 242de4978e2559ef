/** A few pools of declared factories, found as the pool index finds them, so that a check can try their calls. */
import type { ChainDefinition } from '../chains/chain.js'
import type { DeclaredPool, DeclaredVenue } from '../domain/declared-venue.js'
import type { Hex } from '../domain/primitives.js'
import type { ReadCall } from '../domain/state.js'
import { declaredEvents } from '../protocols/declared/index.js'
import { declaredSlug, entryOf, withDeclaredVenues } from '../protocols/declared/venue.js'
import type { Pool } from '../protocols/pool.js'
import { depthOf } from '../protocols/pool-events.js'
import { inRanges } from '../rpc/node/log-ranges.js'
import type { Upstream } from '../rpc/node/upstream.js'
import { sourcesOf } from './sources.js'

/** Pools of a factory that are tried, and the oldest among which they are looked for. */
const mostTried = 3
const mostSeen = 64
const mostBlocks = 100_000n
const mostRequests = 256

/**
 * The venue with the oldest pools of its factory that hold something, where it has one; with the oldest, where none does.
 *
 * @returns a sentence, where no pool was found.
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE; what `call` throws is taken for nothing.
 */
export async function withPoolsOfFactory(
  chain: ChainDefinition,
  venue: DeclaredVenue,
  nodes: {
    readonly upstream: Pick<Upstream, 'logs'>
    readonly head: bigint
    call(call: ReadCall): Promise<Hex>
  },
): Promise<DeclaredVenue | string> {
  const { factory, ...rest } = venue
  if (!factory) return venue
  const own = withDeclaredVenues({ ...chain, venues: {} }, [venue])
  const { [declaredSlug]: parameters = {} } = own.venues
  const found = await oldestPools(own, BigInt(factory.fromBlock), nodes)
  if (typeof found === 'string') return `The factory of ${venue.name}: ${found}`
  const isFilled = await Promise.all(
    found.map(async (pool) => {
      const calls = declaredEvents.depthCalls?.(pool, parameters) ?? []
      const depths = await Promise.all(
        calls.map(async (call) => {
          const value = await nodes.call(call).catch((): Hex => '0x')
          return depthOf(call, { ok: true, value })
        }),
      )
      return depths.every((depth) => depth !== null && depth > 0n)
    }),
  )
  const filled = found.filter((_pool, place) => isFilled[place])
  const tried = (filled.length > 0 ? filled : found).slice(0, mostTried)
  const pools = tried.flatMap((pool): DeclaredPool[] => {
    const declared = entryOf(parameters, pool)?.declared
    return declared && venue.pools.every(({ id }) => id !== declared.id) ? [declared] : []
  })
  return { ...rest, pools: [...venue.pools, ...pools] }
}

async function oldestPools(
  chain: ChainDefinition,
  from: bigint,
  { upstream, head }: { readonly upstream: Pick<Upstream, 'logs'>; readonly head: bigint },
): Promise<Pool[] | string> {
  const { sources, read } = sourcesOf(chain)
  const filter = {
    address: sources.map(({ address }) => address),
    topics: [sources.map(({ topic }) => topic)],
  }
  const found: Pool[] = []
  const limits = { mostBlocks, mostRequests }
  const ranges = inRanges({ from, to: head }, limits, (range) =>
    upstream.logs({ ...range, ...filter }),
  )
  for await (const part of ranges) {
    if (!part.ok) {
      if (found.length > 0) break
      return `no pool was found up to block ${part.from}: ${part.message}.`
    }
    found.push(...part.value.flatMap((log) => read(log)))
    if (found.length >= mostSeen) break
  }
  if (found.length === 0) return `no event up to block ${head} tells of a pool.`
  return found.slice(0, mostSeen)
}
