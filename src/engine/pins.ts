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
import type { PinOptions } from '../rpc/archive/archive-messages.js'
import { quietly } from '../telemetry/quietly.js'

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

export interface PinsParts {
  readonly archive: Pick<Archive, 'head' | 'onHead' | 'pin' | 'prefetch'>
  readonly forks: Pick<ForkPool, 'warm' | 'fill' | 'room'>
  readonly chainIds: readonly number[]
  /** Seconds; null: any age. */
  readonly maxHeadAgeSeconds: number | null
  onProblem(chainId: number, error: unknown): void
}

export class Pins {
  readonly #parts: PinsParts
  readonly #pins = new Map<number, BlockPin>()
  readonly #ahead = new LRUCache<string, Promise<unknown>>({ max: 256 })
  readonly #switching = new Map<number, Promise<void>>()
  readonly #retries = new Map<number, NodeJS.Timeout>()
  readonly #news = new EventEmitter().setMaxListeners(0)
  readonly #stopListening: () => void
  #isClosed = false

  constructor(parts: PinsParts) {
    this.#parts = parts
    this.#stopListening = parts.archive.onHead((pin) => this.#follow(pin.chainId))
    for (const chainId of parts.chainIds) this.#follow(chainId)
  }

  /**
   * The block to calculate at. Its state is already being read ahead.
   * @param blockNumber - absent: the newest pinned block.
   * @throws ForkrouteError CHAIN_NOT_READY, UNKNOWN_BLOCK, UPSTREAM_UNAVAILABLE.
   */
  async at(
    chainId: number,
    blockNumber: bigint | undefined,
    options?: PinOptions,
  ): Promise<BlockPin> {
    if (blockNumber === undefined) return this.#newest(chainId)
    const pin = await this.#parts.archive.pin(chainId, blockNumber, options)
    if (options?.readsAhead === false) return pin
    // Not awaited: the fork starts in parallel, and a read that is under way is not sent twice.
    void quietly(this.#readAhead(pin), 'State of a pinned block is read ahead as a hint alone.')
    return pin
  }

  current(chainId: number): BlockPin | null {
    return this.#pins.get(chainId) ?? null
  }

  /** The newest pinned block as soon as its hash is not `hash`. @throws AbortError when the signal is aborted. */
  async after(chainId: number, hash: Hex | null, signal: AbortSignal): Promise<BlockPin> {
    for (;;) {
      const pin = this.#pins.get(chainId)
      if (pin && pin.hash !== hash) return pin
      await once(this.#news, String(chainId), { signal })
    }
  }

  /** Resolves once the chain has a pinned block. */
  async ready(chainId: number): Promise<void> {
    if (!this.#pins.has(chainId)) await once(this.#news, String(chainId))
  }

  close(): void {
    this.#isClosed = true
    this.#stopListening()
    for (const timer of this.#retries.values()) clearTimeout(timer)
  }

  /** Reads in bulk, once per block, the state that recent blocks needed. Only a hint, so a failure is ignored. */
  #readAhead(pin: BlockPin): Promise<unknown> {
    const key = `${pin.chainId}:${pin.hash}`
    const known = this.#ahead.get(key)
    if (known) return known
    const reading = this.#parts.archive.prefetch(pin)
    this.#ahead.set(key, reading)
    // The archive was restarting: the next caller reads ahead again.
    reading.catch(() => this.#ahead.delete(key))
    return reading
  }

  async #take(pin: BlockPin): Promise<void> {
    const { forks } = this.#parts
    await Promise.all([this.#readAhead(pin), forks.warm(pin)])
    await forks.fill(pin)
    this.#pins.set(pin.chainId, pin)
    this.#news.emit(String(pin.chainId))
  }

  /** One switch at a time per chain; of the heads that arrive meanwhile, only the newest is used. */
  #follow(chainId: number): void {
    clearTimeout(this.#retries.get(chainId))
    if (this.#switching.has(chainId) || this.#isClosed) return
    const work = this.#switchToHeads(chainId)
      .catch((error: unknown) => {
        this.#parts.onProblem(chainId, error)
        const retry = setTimeout(() => this.#follow(chainId), retryMs)
        this.#retries.set(chainId, retry)
      })
      .finally(() => this.#switching.delete(chainId))
    this.#switching.set(chainId, work)
  }

  async #switchToHeads(chainId: number): Promise<void> {
    const { archive, forks } = this.#parts
    for (;;) {
      const head = archive.head(chainId)
      if (this.#isClosed || !head || head.hash === this.#pins.get(chainId)?.hash) return
      const most = AbortSignal.timeout(mostMsPerHead)
      await Promise.all([this.#take(head), sleep(leastMsPerHead, undefined, { ref: false })])
      await quietly(forks.room(chainId, most), 'The next head is taken after the longest wait.')
    }
  }

  #newest(chainId: number): BlockPin {
    const { maxHeadAgeSeconds } = this.#parts
    const pin = this.#pins.get(chainId)
    if (!pin) {
      throw new ForkrouteError('CHAIN_NOT_READY', `Chain ${chainId} has no pinned block yet.`)
    }
    const age = Math.floor(Date.now() / 1_000) - Number(pin.timestamp)
    if (maxHeadAgeSeconds !== null && age > maxHeadAgeSeconds) {
      throw new ForkrouteError(
        'CHAIN_NOT_READY',
        `The newest block of chain ${chainId} is ${age} seconds old, more than the ${maxHeadAgeSeconds} allowed.`,
      )
    }
    return pin
  }
}
