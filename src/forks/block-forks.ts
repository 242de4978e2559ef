/**
 * The forks of one block: started once, replaced one by one, filled, ended together. The fork pool decides when.
 */
import type { BlockPin } from '../domain/primitives.js'
import { quietly } from '../telemetry/quietly.js'
import type { ArchivedBlock } from './block-source.js'
import type { Fork } from './process.js'

/** A fork that dies sooner than this after its start is restarted only on demand. */
const crashLoopMs = 2_000
/** From the end of work to the look for new slots, milliseconds: doubled up to the most while there are none. */
const firstPauseMs = 20
const mostPauseMs = 2_000

export interface BlockForksParts {
  readonly pin: BlockPin
  readonly size: number
  readonly archiveUrl: (pin: BlockPin) => string
  /** A fork is filled before its first use. */
  readonly fillsAtStart: boolean
  /** Starts one process; `onExit` is called when it ends. */
  readonly start: (onExit: (fork: Fork) => void) => Promise<Fork>
  readonly stop: (fork: Fork) => Promise<void>
  readonly onRestart: () => void
}

interface Slot {
  fork: Fork | null
  starting: Promise<void> | null
}

export class BlockForks {
  /** Unreleased leases, and acquires in progress. */
  holders = 0
  readonly #parts: BlockForksParts
  readonly #slots: readonly Slot[]
  /** Replaced ones that are still held. */
  readonly #retired = new Set<Fork>()
  readonly #stopping = new Set<Promise<unknown>>()
  #closed = false
  #wanted = 1
  #fillPauseMs = firstPauseMs
  #fillTimer: NodeJS.Timeout | null = null

  constructor(parts: BlockForksParts) {
    this.#parts = parts
    this.#slots = Array.from({ length: parts.size }, () => ({ fork: null, starting: null }))
  }

  get pin(): BlockPin {
    return this.#parts.pin
  }

  /** The forks that serve the block now. */
  forks(): readonly Fork[] {
    return this.#slots.flatMap(({ fork }) => fork ?? [])
  }

  urls(): string[] {
    return this.forks().map(({ url }) => url)
  }

  /** Each of them has what forks of other blocks read, as far as that is known at this one. */
  isFilled(): boolean {
    return this.forks().every(({ filledSlots }) => filledSlots > 0)
  }

  /** Running forks and those that start, replaced ones that are still held included. */
  processes(): number {
    return this.#retired.size + this.#slots.filter(({ fork, starting }) => fork ?? starting).length
  }

  /**
   * Starts missing forks up to this count, or up to the last count that was wanted. Concurrent callers share one start.
   *
   * @throws the error of the start, when no fork at all is left.
   */
  async ensure(count = this.#wanted): Promise<void> {
    this.#wanted = Math.min(Math.max(this.#wanted, count), this.#slots.length)
    const missing = this.#slots.slice(0, this.#wanted).filter(({ fork }) => !fork)
    const started = await Promise.allSettled(missing.map((slot) => this.#start(slot)))
    const failed = started.find((result) => result.status === 'rejected')
    if (failed && this.forks().length === 0) throw failed.reason
  }

  /** Kills the fork, if it is still one of these, and starts another in its place. */
  async replace(url: string): Promise<void> {
    const lost = this.#takeOut(url)
    if (lost) this.#stop(lost)
    await this.ensure()
  }

  /** Starts another in its place first; the old one is stopped once nobody holds it. */
  async retire(fork: Fork): Promise<void> {
    const slot = this.#slots.find((other) => other.fork === fork)
    if (!slot || slot.starting || this.#closed) return
    this.#parts.onRestart()
    await this.#start(slot)
    if (this.#retired.has(fork) && fork.holders === 0) this.#stop(fork)
  }

  /** Takes one holder from each fork and ends the retired ones that nobody holds any more. */
  drop(held: Iterable<Fork>): void {
    for (const fork of held) {
      fork.holders -= 1
      if (fork.holders === 0 && this.#retired.delete(fork)) this.#stop(fork)
    }
  }

  /** Gives the forks what is known at the block. Never rejects. */
  async fill(): Promise<void> {
    await Promise.all(this.forks().map((fork) => fork.fill(this.#inArchive())))
  }

  /** Looks soon for what work on the block was the first to read. */
  fillLater(): void {
    if (this.#closed) return
    this.#fillTimer ??= setTimeout(() => {
      void this.#fillAgain().finally(() => {
        this.#fillTimer = null
      })
    }, this.#fillPauseMs).unref()
  }

  /** @param takeBack - called for each fork that another block could use; a fork is stopped when it returns false. */
  async close(takeBack: (fork: Fork) => boolean = () => false): Promise<void> {
    this.#closed = true
    if (this.#fillTimer) clearTimeout(this.#fillTimer)
    // Synchronous, so that the block that displaced this one finds them.
    for (const slot of this.#slots) {
      if (slot.fork?.isReusable && takeBack(slot.fork)) slot.fork = null
    }
    await Promise.allSettled(this.#slots.map(({ starting }) => starting))
    for (const fork of [...this.forks(), ...this.#retired]) this.#stop(fork)
    for (const slot of this.#slots) slot.fork = null
    this.#retired.clear()
    await Promise.all(this.#stopping)
  }

  #start(slot: Slot): Promise<void> {
    slot.starting ??= this.#startFork()
      .then((fork) => {
        if (this.#closed) return this.#stop(fork)
        if (slot.fork) this.#retired.add(slot.fork)
        slot.fork = fork
      })
      .finally(() => {
        slot.starting = null
      })
    return slot.starting
  }

  async #startFork(): Promise<Fork> {
    const fork = await this.#parts.start((ended) => this.#onExit(ended))
    if (this.#parts.fillsAtStart) await fork.fill(this.#inArchive())
    return fork
  }

  #inArchive(): ArchivedBlock {
    const { pin, archiveUrl } = this.#parts
    return { pin, archiveUrl: archiveUrl(pin) }
  }

  #stop(fork: Fork): void {
    const done = quietly(this.#parts.stop(fork), 'A fork that is not needed any more did not end.')
    this.#stopping.add(done)
    void done.then(() => this.#stopping.delete(done))
  }

  #onExit(fork: Fork): void {
    if (this.#closed) return
    const wasRetired = this.#retired.delete(fork)
    if (!wasRetired && !this.#takeOut(fork.url)) return
    this.#stop(fork)
    if (wasRetired || Date.now() - fork.startedAtMs <= crashLoopMs) return
    void quietly(this.ensure(), 'The next request for the block starts its fork again.')
  }

  #takeOut(url: string): Fork | null {
    const slot = this.#slots.find(({ fork }) => fork?.url === url)
    const fork = slot?.fork
    if (!slot || !fork) return null
    slot.fork = null
    this.#parts.onRestart()
    return fork
  }

  async #fillAgain(): Promise<void> {
    const slots = () => this.forks().reduce((sum, { filledSlots }) => sum + filledSlots, 0)
    const before = slots()
    await this.fill()
    const isMore = slots() > before
    this.#fillPauseMs = isMore ? firstPauseMs : Math.min(2 * this.#fillPauseMs, mostPauseMs)
  }
}
