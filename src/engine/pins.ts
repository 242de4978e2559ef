/**
 * The newest pinned block per chain: a new head counts only once its forks are started and warm.
 */
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { ForkrouteError } from '../domain/errors.js'
import type { BlockPin, Hex } from '../domain/primitives.js'
import type { ForkPool } from '../forks/pool.js'
import type { Archive } from '../rpc/archive/archive.js'
import type { PinOptions } from '../rpc/archive/chain-source.js'

/** Delay before starting the forks of a head is tried again, even when no new head arrives. */
const retryMs = 1_000
/**
 * Shortest time between two switches to a newer head. Each takes forks and reads state, and calculations at the block
 * before still hold theirs: a chain of four blocks a second would be all switching, or need dozens of forks.
 */
const leastMsPerHead = 750
/**
 * While calculations hold so many older blocks that no more forks may be started, the present block stays until they
 * are done; at most so long, since calculations at past blocks may go on for ever.
 */
const mostMsPerHead = 4_000

export interface Pins {
  /**
   * The block to calculate at. Its state is already being read ahead.
   * @param blockNumber - absent: the newest pinned block.
   * @throws ForkrouteError CHAIN_NOT_READY, UNKNOWN_BLOCK, UPSTREAM_UNAVAILABLE.
   */
  at(chainId: number, blockNumber: bigint | undefined, options?: PinOptions): Promise<BlockPin>
  current(chainId: number): BlockPin | null
  /** The newest pinned block as soon as its hash is not `hash`. @throws AbortError when the signal is aborted. */
  after(chainId: number, hash: Hex | null, signal: AbortSignal): Promise<BlockPin>
  /** Resolves once the chain has a pinned block. */
  ready(chainId: number): Promise<void>
  close(): void
}

export function createPins(options: {
  readonly archive: Archive
  readonly forks: ForkPool
  readonly chainIds: readonly number[]
  /** Seconds; null: any age. */
  readonly maxHeadAgeSeconds: number | null
  onProblem(chainId: number, error: unknown): void
}): Pins {
  const { archive, forks } = options
  const pins = new Map<number, BlockPin>()
  const ahead = new LRUCache<string, Promise<unknown>>({ max: 256 })
  const switching = new Map<number, Promise<void>>()
  const retries = new Map<number, NodeJS.Timeout>()
  let closed = false
  const news = new EventEmitter().setMaxListeners(0)

  /** Reads in bulk, once per block, the state that recent blocks needed. Only a hint, so a failure is ignored. */
  function readAhead(pin: BlockPin): Promise<unknown> {
    const key = `${pin.chainId}:${pin.hash}`
    const known = ahead.get(key)
    if (known) return known
    const reading = archive.prefetch(pin)
    ahead.set(key, reading)
    // The archive was restarting: the next caller reads ahead again.
    reading.catch(() => ahead.delete(key))
    return reading
  }

  async function take(pin: BlockPin): Promise<void> {
    await Promise.all([readAhead(pin), forks.warm(pin)])
    await forks.fill(pin)
    pins.set(pin.chainId, pin)
    news.emit(String(pin.chainId))
  }

  /** One switch at a time per chain; of the heads that arrive meanwhile, only the newest is used. */
  function follow(chainId: number): void {
    clearTimeout(retries.get(chainId))
    if (switching.has(chainId) || closed) return
    const work = (async () => {
      for (;;) {
        const head = archive.head(chainId)
        if (closed || !head || head.hash === pins.get(chainId)?.hash) return
        const most = AbortSignal.timeout(mostMsPerHead)
        await Promise.all([take(head), sleep(leastMsPerHead, undefined, { ref: false })])
        await forks.room(chainId, most).catch(() => undefined)
      }
    })()
      .catch((error: unknown) => {
        options.onProblem(chainId, error)
        retries.set(
          chainId,
          setTimeout(() => follow(chainId), retryMs),
        )
      })
      .finally(() => switching.delete(chainId))
    switching.set(chainId, work)
  }

  function newest(chainId: number): BlockPin {
    const pin = pins.get(chainId)
    if (!pin) {
      throw new ForkrouteError('CHAIN_NOT_READY', `Chain ${chainId} has no pinned block yet.`)
    }
    const age = Math.floor(Date.now() / 1_000) - Number(pin.timestamp)
    if (options.maxHeadAgeSeconds !== null && age > options.maxHeadAgeSeconds) {
      throw new ForkrouteError(
        'CHAIN_NOT_READY',
        `The newest block of chain ${chainId} is ${age} seconds old, more than the ${options.maxHeadAgeSeconds} allowed.`,
      )
    }
    return pin
  }

  const stop = archive.onHead((pin) => follow(pin.chainId))
  for (const chainId of options.chainIds) follow(chainId)

  return {
    current: (chainId) => pins.get(chainId) ?? null,
    async at(chainId, blockNumber, options) {
      if (blockNumber === undefined) return newest(chainId)
      const pin = await archive.pin(chainId, blockNumber, options)
      // Not awaited: the fork starts in parallel, and a read that is under way is not sent twice.
      readAhead(pin).catch(() => undefined)
      return pin
    },
    async after(chainId, hash, signal) {
      for (;;) {
        const pin = pins.get(chainId)
        if (pin && pin.hash !== hash) return pin
        await once(news, String(chainId), { signal })
      }
    },
    async ready(chainId) {
      if (!pins.has(chainId)) await once(news, String(chainId))
    },
    close() {
      closed = true
      stop()
      for (const timer of retries.values()) clearTimeout(timer)
    },
  }
}
