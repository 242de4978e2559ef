/**
 * What deliveries over lanes have cost and taken of late, of bridges whose events tell it. A day is read in ranges of blocks
 * that end where a whole number of them ends, so that nothing is read again for each block.
 */
import { LRUCache } from 'lru-cache'
import type { Lane } from '../../bridges/bridge.js'
import { bridgeBySlug } from '../../bridges/registry.js'
import type { ChainDefinition } from '../../chains/chain.js'
import { untilAborted } from '../../domain/abort.js'
import type { LaneHistories, LaneHistory } from '../../domain/bridges/lane-history.js'
import type { CallContext } from '../../domain/engine.js'
import { zip } from '../../domain/lists.js'
import type { BlockPin } from '../../domain/primitives.js'
import type { PastBlocks } from '../../routing/crosschain/lane-history-task.js'
import type { TaskRunner } from '../task-runner.js'

/** What is read of each chain. */
const daySeconds = 86_400
/** After so long it is read again. */
const rangeSeconds = 6 * 3_600
/** Many nodes give the events of so many blocks in one request. */
const rangeBlocks = 10_000
/** Blocks at the end of the chain that others may still replace. */
const unsettledBlocks = 128n
/** Pairs of chains, bridges and ranges. */
const maxRemembered = 1_000
/** A request waits no longer for them, and takes what is configured. */
const readWithinMs = 5_000
/** After so long nodes that failed are asked again. */
const againAfterMs = 60_000

export interface LanesAt {
  readonly lanes: readonly Lane[]
  readonly source: ChainDefinition
  readonly destination: ChainDefinition
  readonly pins: readonly [source: BlockPin, destination: BlockPin]
}

type Told = LaneHistories['bySymbol']

export class PastLanes {
  readonly #tasks: Pick<TaskRunner, 'runAt'>
  readonly #known = new LRUCache<string, Promise<Told>>({ max: maxRemembered })

  constructor(tasks: Pick<TaskRunner, 'runAt'>) {
    this.#tasks = tasks
  }

  /** The lanes with their histories, where they are known. Background work takes what is configured. */
  async of(asked: LanesAt, context: CallContext): Promise<readonly Lane[]> {
    const { lanes } = asked
    if (context.isBackground) return lanes
    const slugs = [...new Set(lanes.map(({ bridge }) => bridge))]
    const told = slugs.filter((slug) => bridgeBySlug(slug)?.past)
    const found = new Map<string, Told>()
    await Promise.all(
      told.map(async (slug) => found.set(slug, await this.#ofBridge(slug, asked, context))),
    )
    return lanes.map((lane) => {
      const history: LaneHistory | undefined = found.get(lane.bridge)?.[lane.symbol]
      return history ? { ...lane, history } : lane
    })
  }

  async #ofBridge(bridge: string, asked: LanesAt, context: CallContext): Promise<Told> {
    const { source, destination, pins } = asked
    const which = { bridge, sourceChainId: source.id, destinationChainId: destination.id }
    if (context.laneHistories) return context.laneHistories(which)?.bySymbol ?? {}
    const days = [lastDay(source, pins[0]), lastDay(destination, pins[1])] as const
    if (days.some(({ to }) => to < 0n)) return {}
    const key = [bridge, source.id, days[0].to, destination.id, days[1].to].join(' ')
    let told = this.#known.get(key)
    if (!told) {
      told = this.#read(bridge, { ...asked, days }, context)
      this.#known.set(key, told)
      // Where it was not to be read, it is not kept for as long.
      told.catch(() => this.#known.set(key, Promise.resolve({}), { ttl: againAfterMs }))
    }
    const bySymbol = await untilAborted(told, context.signal).catch((error: unknown) => {
      if (context.signal.aborted) throw error
      return {}
    })
    if (Object.keys(bySymbol).length > 0) context.onLaneHistories?.({ ...which, bySymbol })
    return bySymbol
  }

  async #read(
    bridge: string,
    {
      lanes,
      destination,
      pins,
      days,
    }: LanesAt & { readonly days: readonly [PastBlocks, PastBlocks] },
    { accountId }: CallContext,
  ): Promise<Told> {
    // Others wait for it, too: it does not end with the request that began it.
    const context = { accountId, signal: AbortSignal.timeout(readWithinMs) }
    const own = lanes.filter((lane) => lane.bridge === bridge)
    const asked = { bridge, destinationChainId: destination.id, ...days[0] }
    const deposits = await this.#tasks.runAt('pastDeposits', asked, pins[0], context)
    if (!deposits?.length) return {}
    const args = { lanes: own, deposits, ...days[1] }
    const found = await this.#tasks.runAt('laneHistories', args, pins[1], context)
    if (!found) return {}
    const told = zip(own, found).filter(([, { fees, seconds }]) => fees.length > 0 || seconds)
    return Object.fromEntries(told.map(([{ symbol }, history]) => [symbol, history]))
  }
}

/** Blocks of about a day, whose end is that of a range. */
function lastDay({ blockTimeSeconds }: ChainDefinition, { number }: BlockPin): PastBlocks {
  const width = BigInt(Math.min(rangeBlocks, Math.ceil(rangeSeconds / blockTimeSeconds)))
  const settled = number > unsettledBlocks ? number - unsettledBlocks : 0n
  const to = ((settled + 1n) / width) * width - 1n
  const blocks = BigInt(Math.ceil(daySeconds / blockTimeSeconds))
  return { from: to > blocks ? to - blocks + 1n : 0n, to }
}
