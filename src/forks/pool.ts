/**
 * Anvil processes by (chain, block hash), shared by every request for the block: a lease is a reference count, since
 * simulations never change a fork. Processes of dropped blocks serve new ones. Decides which blocks have forks and how
 * many: `block-forks.ts` are those of one block, `processes.ts` starts and ends them. In: pinned blocks. Out: leases with
 * URLs on this machine, for threads that simulate. Errors: ForkrouteError UPSTREAM_UNAVAILABLE, UNKNOWN_BLOCK,
 * FORK_UNAVAILABLE. Lives in the main thread.
 */
import { EventEmitter, once } from 'node:events'
import { stateKey } from '../domain/changes/what-if.js'
import { ForkrouteError } from '../domain/errors.js'
import type { HardFork } from '../domain/hard-forks.js'
import type { Address, BlockPin, Hex } from '../domain/primitives.js'
import type { Standby } from '../rpc/archive/decided-states.js'
import { BlockForks } from './block-forks.js'
import { ForkHealth } from './health.js'
import { BlockLease, type ForkLease } from './lease.js'
import type { Fork } from './process.js'
import { ForkProcesses } from './processes.js'

export interface ForkPoolOptions {
  /** Where forks of a block read their state: the archive's URL of that block. */
  readonly archiveUrl: (pin: BlockPin) => string
  /** Addresses in the archive for processes started before their block is known; without it none are. */
  readonly standby?: () => Standby
  /** The rules of a block; absent: those that its header shows. */
  readonly hardForkOf?: (pin: BlockPin) => HardFork
  /**
   * Runtime code that simulations need, by address: placed on each fork where the chain has none at the block.
   * Overrides would do the same, but cost more than half of the simulation rate (24 kB of code).
   */
  readonly contracts?: Readonly<Record<Address, Hex>>
  readonly forksPerBlock?: number
  /**
   * Blocks held at once; the least recently used one without a lease is dropped first. Leased blocks, and the last
   * warmed block of each chain, are kept even beyond it.
   */
  readonly maxBlocks?: number
  /**
   * Processes of one chain, those that wait for a block included. Beyond it a block has one fork, however many leases,
   * since blocks that are leased stay. Default four times `forksPerBlock`: the newest block, the one before, one that is
   * about to end or to come, and as many as wait.
   */
  readonly maxForks?: number
  /** A fork above this resident size is replaced. Linux only: elsewhere the size is not known. */
  readonly maxRssMb?: number
  /** A fork is replaced after this many leases. */
  readonly maxUses?: number
  readonly startTimeoutMs?: number
  /** Pause between two rounds of health probes. */
  readonly probeIntervalMs?: number
  /** A fork that misses two probes in a row is replaced. */
  readonly probeTimeoutMs?: number
}

export interface ForkPoolStats {
  /** Process ids of the forks. */
  readonly pids: readonly number[]
  readonly blocks: number
  readonly forks: number
  readonly leases: number
  /** Forks started in place of another since the pool was created. */
  readonly restarts: number
  /** What all forks held at the last probe. */
  readonly rssBytes: number
}

const released = 'released'

export class ForkPool {
  readonly #options: ForkPoolOptions
  readonly #forksPerBlock: number
  readonly #maxBlocks: number
  /** Processes that may serve blocks: as many as a block has forks wait for the next one. */
  readonly #maxOfBlocks: number
  readonly #processes: ForkProcesses
  readonly #health: ForkHealth
  /** In order of use, oldest first. */
  readonly #blocks = new Map<string, BlockForks>()
  /** The last warmed block of each chain: work on many older blocks must not end its forks. */
  readonly #warmed = new Map<number, string>()
  readonly #closing = new Set<Promise<void>>()
  readonly #news = new EventEmitter().setMaxListeners(0)
  #restarts = 0
  #isClosed = false

  constructor(options: ForkPoolOptions) {
    const { forksPerBlock = 2, maxBlocks = 8, maxForks = 4 * forksPerBlock } = options
    this.#options = options
    this.#forksPerBlock = forksPerBlock
    this.#maxBlocks = maxBlocks
    this.#maxOfBlocks = Math.max(1, maxForks - forksPerBlock)
    this.#processes = new ForkProcesses({
      archiveUrl: options.archiveUrl,
      standby: options.standby,
      hardForkOf: options.hardForkOf ?? ((pin) => pin.shownHardFork),
      contracts: options.contracts ?? {},
      startTimeoutMs: options.startTimeoutMs ?? 30_000,
      forksPerBlock,
      maxForks,
    })
    this.#health = new ForkHealth({
      blocks: () => this.#blocks.values(),
      maxRssMb: options.maxRssMb ?? 1024,
      maxUses: options.maxUses ?? 100_000,
      intervalMs: options.probeIntervalMs ?? 2_000,
      timeoutMs: options.probeTimeoutMs ?? 3_000,
    })
  }

  /**
   * A block that was not warmed starts with one fork and gets another for each concurrent lease, up to `forksPerBlock`:
   * a past block is mostly requested once, and a start costs more than a route.
   *
   * A new fork is given in bulk what forks read at other blocks.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE (the block cannot be read), UNKNOWN_BLOCK (no node has its state) or
   * FORK_UNAVAILABLE.
   */
  async acquire(pin: BlockPin): Promise<ForkLease> {
    const block = await this.#started(pin, { fillsAtStart: true })
    return new BlockLease(block, () => this.#release(block))
  }

  /** Starts the forks of a block ahead of its first lease; `fill` is for when its state has been read ahead. */
  async warm(pin: BlockPin): Promise<void> {
    const block = await this.#started(pin, { fillsAtStart: false, count: this.#forksPerBlock })
    this.#warmed.set(pin.chainId, stateKey(pin))
    this.#release(block)
  }

  /** Gives the running forks of a block the state that forks of other blocks read, as far as it is known. Never rejects. */
  async fill(pin: BlockPin): Promise<void> {
    await this.#blocks.get(stateKey(pin))?.fill()
  }

  /**
   * Resolves when so few forks of the chain are in use that another block gets all of its own within `maxForks`.
   * @throws AbortError when the signal is aborted before.
   */
  async room(chainId: number, signal: AbortSignal): Promise<void> {
    while (this.#isFull(chainId)) await once(this.#news, released, { signal })
  }

  stats(): ForkPoolStats {
    const blocks = [...this.#blocks.values()]
    const forks = blocks.flatMap((block) => block.forks())
    return {
      blocks: blocks.length,
      forks: forks.length,
      pids: forks.flatMap(({ pid }) => pid ?? []),
      leases: blocks.reduce((sum, { holders }) => sum + holders, 0),
      restarts: this.#restarts,
      rssBytes: forks.reduce((sum, fork) => sum + fork.rssBytes, 0),
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#health.stop()
    const last = [...this.#blocks.values()].map((block) => block.close())
    this.#blocks.clear()
    await Promise.allSettled([...last, ...this.#closing])
    await this.#processes.close()
  }

  /** Holds the block while it starts forks, so that the arrival of another block does not end it. */
  async #started(
    pin: BlockPin,
    { fillsAtStart, count }: { readonly fillsAtStart: boolean; readonly count?: number },
  ): Promise<BlockForks> {
    const block = this.#blockOf(pin, fillsAtStart)
    block.holders += 1
    const wanted = Math.min(count ?? block.holders, this.#forksPerBlock)
    this.#evict(pin.chainId, Math.max(0, wanted - block.processes()))
    try {
      const room = Math.max(0, this.#maxOfBlocks - this.#processesOf(pin.chainId))
      await block.ensure(Math.max(1, Math.min(wanted, block.processes() + room)))
      return block
    } catch (error) {
      this.#release(block)
      const isLast = block.holders === 0 && this.#blocks.get(stateKey(pin)) === block
      if (isLast) this.#blocks.delete(stateKey(pin))
      throw error
    }
  }

  #blockOf(pin: BlockPin, fillsAtStart: boolean): BlockForks {
    if (this.#isClosed) {
      throw new ForkrouteError('FORK_UNAVAILABLE', 'The fork pool is closed.')
    }
    const key = stateKey(pin)
    const block =
      this.#blocks.get(key) ??
      new BlockForks({
        pin,
        size: this.#forksPerBlock,
        archiveUrl: this.#options.archiveUrl,
        fillsAtStart,
        start: (onExit) => this.#processes.start(pin, onExit),
        stop: (fork) => this.#processes.stop(fork),
        onRestart: () => {
          this.#restarts += 1
        },
      })
    this.#blocks.delete(key)
    this.#blocks.set(key, block)
    return block
  }

  #release(block: BlockForks): void {
    block.holders -= 1
    const { stateId, isShared } = block.pin.changes ?? {}
    // Nobody else asks for state that one request changed.
    if (block.holders === 0 && stateId && !isShared) {
      this.#end(block, (fork) => this.#takeBack(fork, false))
    }
    this.#evict(block.pin.chainId)
    if (block.holders === 0) this.#news.emit(released)
  }

  #processesOf(chainId: number, among: Iterable<BlockForks> = this.#blocks.values()): number {
    let sum = 0
    for (const block of among) if (block.pin.chainId === chainId) sum += block.processes()
    return sum
  }

  /**
   * The most recently used block always stays: it may have been warmed for leases to come.
   * @param wanted - forks of the chain that are about to start.
   */
  #evict(chainId: number, wanted = 0): void {
    const heads = new Set(this.#warmed.values())
    let taken = 0
    for (const [key, block] of [...this.#blocks].slice(0, -1)) {
      const isOver =
        block.pin.chainId === chainId && this.#processesOf(chainId) + wanted > this.#maxOfBlocks
      if (this.#blocks.size <= this.#maxBlocks && !isOver) continue
      if (block.holders > 0 || heads.has(key)) continue
      this.#end(block, (fork) => {
        const isTaken = this.#takeBack(fork, taken < wanted)
        if (isTaken) taken += 1
        return isTaken
      })
    }
  }

  #takeBack(fork: Fork, isWanted: boolean): boolean {
    return this.#processes.takeBack(fork, isWanted)
  }

  /** @param takeBack - as `BlockForks.close`. */
  #end(block: BlockForks, takeBack: (fork: Fork) => boolean): void {
    this.#blocks.delete(stateKey(block.pin))
    const done = block.close(takeBack)
    this.#closing.add(done)
    void done.finally(() => this.#closing.delete(done))
  }

  #isFull(chainId: number): boolean {
    const heads = new Set(this.#warmed.values())
    const inUse = [...this.#blocks]
      .filter(([key, { holders }]) => holders > 0 || heads.has(key))
      .map(([, block]) => block)
    return this.#processesOf(chainId, inUse) + this.#forksPerBlock > this.#maxOfBlocks
  }
}
