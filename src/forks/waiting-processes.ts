/**
 * The processes that wait for a block, in one list: those that served one before, and those that were launched before
 * their block is known, since two thirds of a start are the same for every block: Anvil asks its node for the block
 * number and waits for the answer. Owned by `processes.ts`.
 */
import type { HardFork } from '../domain/hard-forks.js'
import type { Standby } from '../rpc/archive/decided-states.js'
import { quietly } from '../telemetry/quietly.js'
import { type AnvilLauncher, kill, type Launched } from './anvil.js'
import { freeListenAddress, type ListenAddress } from './listen-address.js'
import { ForkProcess } from './process.js'

/** A process without a block, and the standby address it reads from. */
export interface SpareProcess {
  readonly chainId: number
  /** The rules that Anvil was launched with. */
  readonly hardFork: HardFork
  readonly standby: Standby
  readonly listen: ListenAddress
  readonly launched: Launched
}

export interface WaitingProcessesParts {
  readonly launcher: AnvilLauncher
  /** Addresses for processes launched before their block is known; absent: none are. */
  readonly standby: (() => Standby) | undefined
  /** Processes that the chain lacks; zero or less: none. */
  readonly missing: (chainId: number) => number
}

/** The request that took a spare one needs the processor first. */
const refillAfterMs = 1_000

export class WaitingProcesses {
  readonly #parts: WaitingProcessesParts
  /** In the order in which they began to wait. */
  readonly #all = new Set<ForkProcess | SpareProcess>()
  /** Keyed by chain and rules. */
  readonly #refills = new Map<string, NodeJS.Timeout>()
  #closed = false

  constructor(parts: WaitingProcessesParts) {
    this.#parts = parts
  }

  /** How many processes of the chain wait. */
  count(chainId: number): number {
    return this.#of(chainId).length
  }

  /** Spare ones alone, which no `ForkProcess` stands for. */
  countSpares(chainId: number): number {
    return this.#spares(chainId).length
  }

  /** A process that nobody uses waits for another block. */
  add(process: ForkProcess): void {
    this.#all.add(process)
  }

  /** @returns whether the process was waiting. */
  remove(process: ForkProcess): boolean {
    return this.#all.delete(process)
  }

  /** Takes one that served a block of these rules, if there is one. */
  takeUsed(chainId: number, hardFork: HardFork): ForkProcess | null {
    const found = this.#used(chainId).find((process) => process.hardFork === hardFork)
    if (found) this.#all.delete(found)
    return found ?? null
  }

  /** One that served a block of other rules than these. */
  otherThan(chainId: number, hardFork: HardFork): ForkProcess | null {
    return this.#used(chainId).find((process) => process.hardFork !== hardFork) ?? null
  }

  hasSpare(chainId: number, hardFork: HardFork): boolean {
    return this.#spares(chainId).some((spare) => spare.hardFork === hardFork)
  }

  /** Takes a spare one of these rules, if there is one; the caller then owns it and its address. */
  takeSpare(chainId: number, hardFork: HardFork): SpareProcess | null {
    for (const spare of this.#spares(chainId)) {
      if (spare.hardFork !== hardFork) continue
      this.#all.delete(spare)
      if (spare.launched.program.isAlive()) return spare
      spare.standby.release()
    }
    return null
  }

  /** Ends the process, which waits. */
  drop(process: ForkProcess): void {
    this.#all.delete(process)
    void quietly(process.stop(), 'A process that waited for a block did not end as it should.')
  }

  /** Ends those that served a block: they follow other rules and keep those out that the chain can use. */
  dropUsed(chainId: number): void {
    for (const process of this.#used(chainId)) this.drop(process)
  }

  /**
   * Launches what the chain lacks, after a short delay. Spare ones of other rules end, since work may have left them
   * for good.
   */
  refill(chainId: number, hardFork: HardFork): void {
    const { standby, missing } = this.#parts
    const key = `${chainId}:${hardFork}`
    if (!standby || this.#closed || this.#refills.has(key)) return
    const timer = setTimeout(() => {
      this.#refills.delete(key)
      for (const spare of this.#spares(chainId)) if (spare.hardFork !== hardFork) this.#end(spare)
      for (let left = missing(chainId); left > 0; left--) {
        const launched = this.#launch(chainId, hardFork, standby)
        void quietly(launched, 'A spare process that is missing only makes a later start slower.')
      }
    }, refillAfterMs)
    this.#refills.set(key, timer.unref())
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#refills.values()) clearTimeout(timer)
    const ends = [...this.#all].map((one) =>
      one instanceof ForkProcess ? one.stop() : kill(one.launched.program),
    )
    await Promise.all(ends)
  }

  async #launch(chainId: number, hardFork: HardFork, newStandby: () => Standby): Promise<void> {
    const listen = await freeListenAddress()
    if (this.#closed) return
    const standby = newStandby()
    const target = { chainId, archiveUrl: standby.url, number: null, hardFork }
    const launched = this.#parts.launcher.launch(target, listen)
    const spare: SpareProcess = { chainId, hardFork, standby, listen, launched }
    this.#all.add(spare)
    launched.program.onceEnded(() => {
      if (this.#all.delete(spare)) standby.release()
    })
  }

  #end(spare: SpareProcess): void {
    this.#all.delete(spare)
    spare.standby.release()
    void quietly(kill(spare.launched.program), 'A spare process did not end as it should.')
  }

  #of(chainId: number): (ForkProcess | SpareProcess)[] {
    return [...this.#all].filter((one) => one.chainId === chainId)
  }

  #used(chainId: number): ForkProcess[] {
    return this.#of(chainId).filter((one) => one instanceof ForkProcess)
  }

  #spares(chainId: number): SpareProcess[] {
    return this.#of(chainId).filter((one): one is SpareProcess => !(one instanceof ForkProcess))
  }
}
