/** Measures the next window of pairs that were asked for lately, as soon as the newest block lies in it. */
import { LRUCache } from 'lru-cache'
import { type CallContext, type Engine, noAccount, type RouteRequest } from '../../domain/engine.js'
import type { BlockPin, Hex } from '../../domain/primitives.js'
import { quietly } from '../../telemetry/quietly.js'

/** Pairs and sizes of a chain; those that were asked for longest ago are dropped. */
const pairsKept = 16
const msKept = 3 * 3_600_000

export interface KeptAheadParts {
  readonly headAfter: Engine['headAfter']
  /** Blocks with the same number share a window. */
  windowOf(block: BlockPin): bigint
  /** Begins to measure in the capacity that live calls leave. */
  measure(request: RouteRequest, block: BlockPin): Promise<unknown>
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal
}

export class KeptAhead {
  readonly #parts: KeptAheadParts
  readonly #pairs = new Map<number, LRUCache<string, RouteRequest>>()

  constructor(parts: KeptAheadParts) {
    this.#parts = parts
  }

  /** @param key - of what requests for the pair and the size have in common. */
  asked(key: string, request: RouteRequest): void {
    const { chainId } = request
    const known = this.#pairs.get(chainId)
    const pairs = known ?? new LRUCache<string, RouteRequest>({ max: pairsKept, ttl: msKept })
    pairs.set(key, request)
    if (known) return
    this.#pairs.set(chainId, pairs)
    const work = this.#follow(chainId, pairs).finally(() => this.#pairs.delete(chainId))
    void quietly(work, 'The next request measures what is not measured ahead.')
  }

  /** Until nobody has asked for long; one pair at a time. */
  async #follow(chainId: number, pairs: LRUCache<string, RouteRequest>): Promise<void> {
    const { headAfter, windowOf, measure, stopping } = this.#parts
    const context: CallContext = { accountId: noAccount, signal: stopping }
    let last: { readonly hash: Hex; readonly window: bigint } | null = null
    while (hasAny(pairs)) {
      const head: BlockPin = await headAfter(chainId, last?.hash ?? null, context)
      const window = windowOf(head)
      if (last && window !== last.window) {
        for (const request of [...pairs.values()]) {
          await quietly(measure(request, head), 'The next request measures it.')
        }
      }
      last = { hash: head.hash, window }
    }
  }
}

function hasAny(pairs: LRUCache<string, RouteRequest>): boolean {
  pairs.purgeStale()
  return pairs.size > 0
}
