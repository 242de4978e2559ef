/**
 * All fork processes of the service: starts them for blocks, keeps those whose block goes for another one, and ends
 * them. It decides how many there are of a chain; `process.ts` is one of them, `waiting-processes.ts` the list of those
 * without a block.
 */
import { ForkrouteError } from '../domain/errors.js'
import { type HardFork, simulatedHardFork } from '../domain/hard-forks.js'
import type { BlockPin } from '../domain/primitives.js'
import type { Standby } from '../rpc/archive/decided-states.js'
import { AnvilLauncher } from './anvil.js'
import { freeListenAddress } from './listen-address.js'
import { type Fork, ForkProcess, type ForkProcessSettings, unavailable } from './process.js'
import { WaitingProcesses } from './waiting-processes.js'

/** Attempts at a start: another process may take the chosen port first, and whoever kills forks may kill one that starts. */
const startAttempts = 3
/** A process above this resident size does not serve another block: it grows a little with each, by what its threads keep. */
const mostReusedBytes = 160 * 2 ** 20

export interface ForkProcessesOptions extends Omit<ForkProcessSettings, 'launcher'> {
  readonly standby: (() => Standby) | undefined
  readonly hardForkOf: (pin: BlockPin) => HardFork
  readonly forksPerBlock: number
  /** Processes of one chain beyond which none is started to wait. */
  readonly maxForks: number
}

export class ForkProcesses {
  readonly #options: ForkProcessesOptions
  readonly #launcher = new AnvilLauncher()
  readonly #waiting: WaitingProcesses
  /** Processes that serve a block or wait for one, with who is told when one ends while it serves. */
  readonly #running = new Map<ForkProcess, (fork: Fork) => void>()
  /** Starts that have not ended, with their chains. */
  readonly #starting = new Map<Promise<ForkProcess>, number>()

  constructor(options: ForkProcessesOptions) {
    this.#options = options
    this.#waiting = new WaitingProcesses({
      launcher: this.#launcher,
      standby: options.standby,
      missing: (chainId) => this.#missing(chainId),
    })
  }

  /**
   * Resolves when the fork answers, stands at the pinned hash and has the expected contracts.
   *
   * @param onExit - called when its process ends while it serves the block.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE, UNKNOWN_BLOCK (its state is not there) or FORK_UNAVAILABLE.
   */
  async start(pin: BlockPin, onExit: (fork: Fork) => void): Promise<Fork> {
    const hardFork = this.#options.hardForkOf(pin)
    const used = this.#waiting.takeUsed(pin.chainId, hardFork)
    if (!used && !this.#waiting.hasSpare(pin.chainId, simulatedHardFork(hardFork))) {
      this.#waiting.dropUsed(pin.chainId)
    }
    const moved = used && (await used.moveTo(pin))
    if (moved) {
      this.#running.set(moved.process, onExit)
      return moved
    }
    const process = await this.#startCounted(pin, hardFork)
    this.#running.set(process, onExit)
    process.onceEnded(() => {
      const tell = this.#running.get(process)
      this.#running.delete(process)
      if (!this.#waiting.remove(process)) tell?.(process.fork)
    })
    return process.fork
  }

  stop(fork: Fork): Promise<void> {
    return fork.process.stop()
  }

  /**
   * Takes back an unused fork for another block.
   *
   * @param isWanted - a block is about to start one; otherwise only as many are kept as wait.
   * @returns false when it must be stopped instead.
   */
  takeBack(fork: Fork, isWanted: boolean): boolean {
    const { process } = fork
    const isServing = this.#running.has(process) && process.fork === fork
    if (!isServing || fork.rssBytes > mostReusedBytes) return false
    if (!isWanted && this.#hasEnough(process.chainId)) {
      const other = this.#waiting.otherThan(process.chainId, process.hardFork)
      if (!other) return false
      // Work may have left its rules for good, so the one of the latest work is kept.
      this.#waiting.drop(other)
    }
    this.#waiting.add(process)
    return true
  }

  /** Ends all of them, those that start included. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#starting.keys())
    const running = [...this.#running.keys()].map((process) => process.stop())
    await Promise.all([...running, this.#waiting.close()])
    await this.#launcher.close()
  }

  #hasEnough(chainId: number): boolean {
    const { forksPerBlock, maxForks } = this.#options
    return this.#waiting.count(chainId) >= forksPerBlock || this.#count(chainId) > maxForks
  }

  /** How many more processes are to wait: as many as a block has forks, while the chain has room for them. */
  #missing(chainId: number): number {
    const { forksPerBlock, maxForks } = this.#options
    return Math.min(forksPerBlock - this.#waiting.count(chainId), maxForks - this.#count(chainId))
  }

  /** Counts processes that start and those that have not quite ended, too. */
  #count(chainId: number): number {
    const running = [...this.#running.keys()].filter((process) => process.chainId === chainId)
    const starting = [...this.#starting.values()].filter((id) => id === chainId)
    return running.length + starting.length + this.#waiting.countSpares(chainId)
  }

  async #startCounted(pin: BlockPin, hardFork: HardFork): Promise<ForkProcess> {
    const starting = this.#startNew(pin, hardFork)
    this.#starting.set(starting, pin.chainId)
    try {
      return await starting
    } finally {
      this.#starting.delete(starting)
    }
  }

  /** Has one process serve the block: a spare one if there is one, else one on whatever port is free. */
  async #startNew(pin: BlockPin, hardFork: HardFork): Promise<ForkProcess> {
    const { chainId } = pin
    const rules = simulatedHardFork(hardFork)
    const until = performance.now() + this.#options.startTimeoutMs
    for (let attempt = 1; ; attempt++) {
      const spare = this.#waiting.takeSpare(chainId, rules)
      this.#waiting.refill(chainId, rules)
      let process: ForkProcess | null = null
      try {
        const origin = spare ?? {
          listen: await freeListenAddress(),
          standby: this.#options.standby?.() ?? null,
        }
        process = await ForkProcess.start(this.#settings(), pin, hardFork, origin)
        await process.serveFirst(pin)
        return process
      } catch (error) {
        const isLast = attempt >= startAttempts
        const wasSpare = spare !== null && process === null
        // One that hangs takes all the time of a start, and is not tried again.
        const hasEnded = isUnavailable(error) && performance.now() < until
        if (!isLast && (wasSpare || hasEnded)) continue
        throw error instanceof ForkrouteError ? error : unavailable(pin, error)
      }
    }
  }

  #settings(): ForkProcessSettings {
    return { ...this.#options, launcher: this.#launcher }
  }
}

/** Whether the fault is that of the process, and not of the block or its node. */
function isUnavailable(error: unknown): boolean {
  return error instanceof ForkrouteError && error.code === 'FORK_UNAVAILABLE'
}
