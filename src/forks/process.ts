/**
 * An Anvil process and the fork that it currently serves: the one owner of its state, from the start on a block, over
 * the blocks that it moves on to, to its end. prool starts and stops the instance.
 */
import { numberToHex } from 'viem'
import { blockFacts, unknownState, upstreamUnavailable } from '../domain/common-errors.js'
import { ForkrouteError } from '../domain/errors.js'
import { type HardFork, simulatedHardFork } from '../domain/hard-forks.js'
import type { Address, BlockPin, Hex } from '../domain/primitives.js'
import type { Standby } from '../rpc/archive/decided-states.js'
import { quietly } from '../telemetry/quietly.js'
import type { AnvilLauncher, Launched } from './anvil.js'
import { anvilInstance } from './anvil-instance.js'
import type { ArchivedBlock } from './block-source.js'
import { forkClient } from './clients.js'
import { askForkAtOnce, faultOf } from './faults.js'
import { type Filled, fillFork, nothingFilled } from './fill-fork.js'
import { type ForkBase, layBase, moveFork, resetFork } from './fork-move.js'
import type { ListenAddress } from './listen-address.js'

export interface ForkProcessSettings {
  /** Where a fork of the block reads state. */
  readonly archiveUrl: (pin: BlockPin) => string
  /** Runtime code by address, placed where the chain has none. */
  readonly contracts: Readonly<Record<Address, Hex>>
  readonly startTimeoutMs: number
  readonly launcher: AnvilLauncher
}

/** Where a process listens and reads. */
export interface ProcessOrigin {
  readonly listen: ListenAddress
  /** Where it reads whatever block it serves; null: at the address of the block. */
  readonly standby: Standby | null
  /** Present where it was launched before its block was known. */
  readonly launched?: Launched
}

/** A process while it serves one block: who uses it, how it is, and what it was given. */
export class Fork {
  readonly process: ForkProcess
  readonly startedAtMs = Date.now()
  /** Unreleased leases that hold this fork. */
  holders = 0
  /** Leases ever given, of all blocks of the process. */
  uses: number
  failedProbes = 0
  /** Once it has no holders, no request to it can still be in flight. */
  isReusable = true
  rssBytes: number
  #filled: Filled = nothingFilled
  #filling: Promise<void> = Promise.resolve()

  /** @param before - the fork that the process served before. */
  constructor(process: ForkProcess, before: Pick<Fork, 'uses' | 'rssBytes'> | null) {
    this.process = process
    this.uses = before?.uses ?? 0
    this.rssBytes = before?.rssBytes ?? 0
  }

  get url(): string {
    return this.process.url
  }

  get pid(): number | null {
    return this.process.pid
  }

  /** Slots that it was given. */
  get filledSlots(): number {
    return this.#filled.slots
  }

  /**
   * Gives it what forks of its chain read at other blocks, as far as that is known at its own. One after the other,
   * since each goes on where the one before ended. Never rejects.
   */
  fill(block: ArchivedBlock): Promise<void> {
    this.#filling = this.#filling.then(async () => {
      this.#filled = await fillFork(this.url, block, this.#filled)
    })
    return this.#filling
  }

  /** Resolves when nothing is being given to it, so that its process may move to another block. */
  settled(): Promise<void> {
    return this.#filling
  }
}

type AnvilInstance = ReturnType<ReturnType<typeof anvilInstance>['create']>

export class ForkProcess {
  readonly chainId: number
  /** The rules of all blocks that it serves. */
  readonly hardFork: HardFork
  readonly #settings: ForkProcessSettings
  readonly #instance: AnvilInstance
  readonly #standby: Standby | null
  /** Number of the block that it forked from. */
  #forkedAt: bigint
  /** What it can go back to in order to move on; null: it has to be reset. */
  #base: ForkBase | null = null
  #fork: Fork

  private constructor(
    { chainId, number }: BlockPin,
    hardFork: HardFork,
    parts: {
      readonly settings: ForkProcessSettings
      readonly instance: AnvilInstance
      readonly standby: Standby | null
    },
  ) {
    this.chainId = chainId
    this.hardFork = hardFork
    this.#settings = parts.settings
    this.#instance = parts.instance
    this.#standby = parts.standby
    this.#forkedAt = number
    this.#fork = new Fork(this, null)
  }

  /**
   * Resolves when the process answers and stands at the pinned hash; `serveFirst` goes on from there.
   *
   * @param hardFork - the rules of the block.
   * @throws what the start of the instance throws; the standby address is given up then.
   */
  static async start(
    settings: ForkProcessSettings,
    pin: BlockPin,
    hardFork: HardFork,
    { listen, standby, launched }: ProcessOrigin,
  ): Promise<ForkProcess> {
    const { launcher, startTimeoutMs } = settings
    // Its first request waits until the block is decided.
    if (standby) void quietly(standby.assign(pin), 'The start of the fork fails, and says why.')
    const instance = anvilInstance({
      archiveUrl: standby?.url ?? settings.archiveUrl(pin),
      pin,
      hardFork: simulatedHardFork(hardFork),
      launcher,
      startTimeoutMs,
      listen,
      launched,
    }).create({ port: listen.port })
    try {
      await instance.start()
    } catch (error) {
      standby?.release()
      throw error
    }
    if (standby) instance.once('exit', () => standby.release())
    return new ForkProcess(pin, hardFork, { settings, instance, standby })
  }

  /**
   * Makes the process that has just started serve the block that it forked from.
   *
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE, UNKNOWN_BLOCK (its state is not there) or FORK_UNAVAILABLE; the process
   * is stopped then.
   */
  async serveFirst(pin: BlockPin): Promise<void> {
    try {
      await this.#placeContracts(pin)
      this.#base = await this.#layBase(pin)
      if (!this.isRunning) throw unavailable(pin, null)
    } catch (error) {
      await this.stop()
      throw error instanceof ForkrouteError ? error : unavailable(pin, error)
    }
  }

  get url(): string {
    return this.#instance.url
  }

  get pid(): number | null {
    return this.#instance._internal.pid
  }

  get isRunning(): boolean {
    return this.#instance._internal.isRunning
  }

  /** What it serves now, or served last. */
  get fork(): Fork {
    return this.#fork
  }

  /** Called once when it ends, whoever ends it. */
  onceEnded(listener: () => void): void {
    this.#instance.once('exit', listener)
  }

  /**
   * Takes the process, which nobody uses, to another block of the same rules.
   *
   * @returns the fork of that block; null: that failed, and the process was stopped.
   */
  async moveTo(pin: BlockPin): Promise<Fork | null> {
    // What is given late would be state of the wrong block.
    await this.#fork.settled()
    const fork = new Fork(this, this.#fork)
    try {
      this.#base = (await this.#moveOn(pin)) ?? (await this.#reset(pin))
      if (!this.isRunning) return null
      this.#fork = fork
      return fork
    } catch {
      await this.stop()
      return null
    }
  }

  stop(): Promise<void> {
    return this.#instance.stop()
  }

  /** Null: it has to be reset. */
  async #moveOn(pin: BlockPin): Promise<ForkBase | null> {
    if (!this.#base) return null
    await this.#standby?.assign(pin, this.#forkedAt)
    return moveFork(this.url, this.#base, this.#inArchive(pin)).catch(() => null)
  }

  async #reset(pin: BlockPin): Promise<ForkBase | null> {
    await this.#standby?.assign(pin)
    this.#forkedAt = pin.number
    await resetFork(this.url, pin, this.#standby?.url ?? this.#settings.archiveUrl(pin))
    await this.#placeContracts(pin)
    return this.#layBase(pin)
  }

  /** Called while the fork has only our contracts. Null also where the base cannot be laid: the fork serves its block all the same. */
  async #layBase(pin: BlockPin): Promise<ForkBase | null> {
    if (!this.#standby || pin.changes) return null
    const placed = Object.keys(this.#settings.contracts) as Address[]
    return layBase(this.url, this.#inArchive(pin), placed).catch(() => null)
  }

  #inArchive(pin: BlockPin): ArchivedBlock {
    return { pin, archiveUrl: this.#settings.archiveUrl(pin) }
  }

  async #placeContracts(pin: BlockPin): Promise<void> {
    const contracts = Object.entries(this.#settings.contracts) as [Address, Hex][]
    const addresses = contracts.map(([address]) => address)
    const codes = await codesAt(this.#inArchive(pin), addresses)
    const calls = contracts.flatMap(([address, code], index) =>
      codes[index] === '0x' ? [{ method: 'anvil_setCode', params: [address, code] }] : [],
    )
    for (const reply of await askForkAtOnce(this.url, pin, calls, undefined)) {
      if (!reply.ok) throw reply.error
    }
  }
}

export function unavailable(pin: BlockPin, cause: unknown): ForkrouteError {
  const details = blockFacts(pin)
  const message = `No fork of block ${pin.number} could be started; try again. If it stays so, forkroute doctor checks Anvil.`
  return new ForkrouteError('FORK_UNAVAILABLE', message, details, { cause })
}

/**
 * Code of the contracts on the chain. The archive answers all at once, where a fork would ask for one account after the
 * other; whole accounts, since forks ask for these.
 *
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE, or UNKNOWN_BLOCK when no node has state of the block; JsonRpcError for any
 * other reason.
 */
async function codesAt(
  { pin, archiveUrl }: ArchivedBlock,
  contracts: readonly Address[],
): Promise<Hex[]> {
  const at = numberToHex(pin.number)
  const calls = contracts.map((address) => ({
    method: 'eth_getAccountInfo',
    params: [address, at],
  }))
  const replies = await forkClient(archiveUrl).batch(calls)
  return replies.map((reply) => {
    if (reply.ok) return (reply.value as { readonly code: Hex }).code
    const { message } = reply.error
    if (faultOf(message) === 'upstream') throw upstreamUnavailable(pin, reply.error)
    if (faultOf(message) === 'own') throw reply.error
    throw unknownState(pin, message)
  })
}
