/**
 * Starts and ends fork processes through prool's pool; every live process is registered with the reaper. Processes that
 * a block no longer needs wait to serve another.
 */
import './promise-with-resolvers.js'
import { readFile } from 'node:fs/promises'
import { Pool } from 'prool'
import { numberToHex } from 'viem'
import { blockFacts, unknownState, upstreamUnavailable } from '../domain/common-errors.js'
import { ForkrouteError } from '../domain/errors.js'
import { type HardFork, simulatedHardFork } from '../domain/hard-forks.js'
import type { Address, BlockPin, Hex } from '../domain/primitives.js'
import type { Standby } from '../rpc/archive/archive.js'
import { type ForkProcessArgs, forkProcess, portTaken } from './anvil.js'
import { forkClient } from './clients.js'
import { askForkAtOnce, faultOf } from './faults.js'
import type { ForkFiller } from './fork-filler.js'
import type { Fork } from './fork-group.js'
import { type ForkBase, layBase, moveFork, resetFork } from './fork-move.js'
import { freePlace } from './place.js'
import { createReaper } from './reaper.js'
import { createSpares } from './spare.js'

/** Bytes of a memory page, as /proc counts them. */
const pageBytes = 4096
/** Attempts at a start when the chosen port is taken. */
const startAttempts = 3
/** A process above this resident size does not serve another block: it grows a little with each, by what its threads keep. */
const mostReusedBytes = 160 * 2 ** 20

export interface ForkStarter {
  /**
   * Resolves when the fork answers, stands at the pinned hash and has the expected contracts.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE, UNKNOWN_BLOCK (its state is not there) or FORK_UNAVAILABLE.
   */
  start(pin: BlockPin, onExit: (fork: Fork) => void): Promise<Fork>
  stop(fork: Fork): Promise<void>
  /**
   * Takes back an unused fork for another block.
   * @param isWanted - a block is about to start one; otherwise only as many are kept as wait.
   * @returns false when it must be stopped instead.
   */
  takeBack(fork: Fork, isWanted: boolean): boolean
  close(): Promise<void>
}

/** A process, and the fork that it currently serves. */
interface Running {
  readonly instance: Omit<ReturnType<typeof forkProcess>, 'create'>
  readonly chainId: number
  /** Of all blocks that it serves. */
  readonly hardFork: HardFork
  fork: Fork
  onExit: (fork: Fork) => void
  /** Where it reads whatever block it serves; null: at the address of the block. */
  readonly standby: Standby | null
  /** Number of the block that it forked from. */
  forkedAt: bigint
  /** What it can go back to in order to move on; null: it has to be reset. */
  base: ForkBase | null
}

export function createForkStarter(options: {
  readonly archiveUrl: (pin: BlockPin) => string
  readonly standby?: () => Standby
  readonly hardForkOf: (pin: BlockPin) => HardFork
  readonly filler: ForkFiller
  readonly forksPerBlock: number
  /** Processes of one chain beyond which none is started to wait. */
  readonly maxForks: number
  readonly contracts?: Readonly<Record<Address, Hex>>
  readonly startTimeoutMs: number
}): ForkStarter {
  const reaper = createReaper()
  const { standby, hardForkOf } = options
  const spares = standby ? createSpares({ standby, missing, reaper }) : null
  const starts = new Map<string, Omit<ForkProcessArgs, 'reaper' | 'startTimeoutMs'>>()
  const processes = Pool.define<string, ReturnType<typeof forkProcess>>({
    instance(key) {
      const start = starts.get(key)
      if (!start) throw new Error(`No start is known under ${key}.`)
      return forkProcess({ ...start, reaper, startTimeoutMs: options.startTimeoutMs })
    },
  })
  const running = new Map<string, Running>()
  /** The running processes that wait for a block. */
  const idle = new Set<Running>()
  let startedForks = 0

  /** Whether they served another block before or not. */
  function waitingOf(chainId: number): number {
    const waiting = [...idle].filter((process) => process.chainId === chainId).length
    return waiting + (spares?.waiting(chainId) ?? 0)
  }

  /** Those that start and those that have not quite ended, too. */
  function allOf(chainId: number): number {
    const started = [...running.values()].filter((process) => process.chainId === chainId).length
    const starting = [...starts.values()].filter(({ pin }) => pin.chainId === chainId).length
    return started + starting + (spares?.waiting(chainId) ?? 0)
  }

  /** As many processes as a block has forks wait for one, while the chain has room for them. */
  function missing(chainId: number): number {
    const room = options.maxForks - allOf(chainId)
    return Math.min(options.forksPerBlock - waitingOf(chainId), room)
  }

  /** One process, on whatever port is free. */
  async function startProcess(pin: BlockPin, attempt = 1) {
    startedForks += 1
    const key = `${pin.chainId}:${pin.hash}#${startedForks}`
    const hardFork = simulatedHardFork(hardForkOf(pin))
    const spare = spares?.take(pin.chainId, hardFork) ?? null
    spares?.refill(pin.chainId, hardFork)
    const own = spare?.standby ?? standby?.() ?? null
    const place = spare?.place ?? (await freePlace())
    const launched = spare && { launched: spare.launched }
    // Its first request waits until the block is decided.
    own?.assign(pin).catch(() => undefined)
    const archiveUrl = own?.url ?? options.archiveUrl(pin)
    starts.set(key, { pin, hardFork, archiveUrl, place, ...launched })
    try {
      const instance = await processes.start(key, place)
      if (own) instance.once('exit', own.release)
      return { key, instance, standby: own }
    } catch (error) {
      own?.release()
      const { cause } = error as { cause?: unknown }
      if (spare && attempt < startAttempts) return startProcess(pin, attempt + 1)
      if (attempt < startAttempts && cause instanceof Error && portTaken.test(cause.message)) {
        return startProcess(pin, attempt + 1)
      }
      if (error instanceof ForkrouteError) throw error
      throw unavailable(pin, error)
    } finally {
      starts.delete(key)
    }
  }

  async function start(pin: BlockPin, onExit: (fork: Fork) => void): Promise<Fork> {
    const again = [...idle].find(
      ({ chainId, hardFork }) => chainId === pin.chainId && hardFork === hardForkOf(pin),
    )
    if (!again && !spares?.waiting(pin.chainId, simulatedHardFork(hardForkOf(pin)))) {
      dropIdle(pin.chainId)
    }
    return (again && (await startAgain(again, pin, onExit))) ?? startFresh(pin, onExit)
  }

  /** Processes that follow other rules would keep those out that the chain can use. */
  function dropIdle(chainId: number): void {
    for (const process of idle) if (process.chainId === chainId) drop(process)
  }

  function drop(process: Running): void {
    idle.delete(process)
    processes.destroy(process.fork.key).catch(() => undefined)
  }

  /** Takes an idle process to the block. Null: that failed, and the process was stopped. */
  async function startAgain(
    process: Running,
    pin: BlockPin,
    onExit: (fork: Fork) => void,
  ): Promise<Fork | null> {
    const { instance } = process
    idle.delete(process)
    // What is given late would be state of the wrong block.
    await options.filler.settled(process.fork)
    const { key, uses, rssBytes } = process.fork
    const fork = { ...forkOf(key, instance, uses), rssBytes }
    try {
      process.base = (await moveOn(process, pin)) ?? (await reset(process, pin))
      if (!instance._internal.isRunning) return null
      process.fork = fork
      process.onExit = onExit
      return fork
    } catch {
      await processes.destroy(fork.key)
      return null
    }
  }

  /** Null: it has to be reset. */
  async function moveOn(process: Running, pin: BlockPin): Promise<ForkBase | null> {
    const { base, forkedAt, fork } = process
    if (!base) return null
    await process.standby?.assign(pin, forkedAt)
    return moveFork(fork.url, base, pin, options.archiveUrl(pin)).catch(() => null)
  }

  async function reset(process: Running, pin: BlockPin): Promise<ForkBase | null> {
    const { standby, fork } = process
    await standby?.assign(pin)
    process.forkedAt = pin.number
    await resetFork(fork.url, pin, standby?.url ?? options.archiveUrl(pin))
    await placeContracts(fork, pin)
    return baseOf(fork, pin, standby)
  }

  /** Of a fork that has only our contracts. Null where it cannot be laid, too: the fork serves its block all the same. */
  async function baseOf(
    fork: Fork,
    pin: BlockPin,
    standby: Standby | null,
  ): Promise<ForkBase | null> {
    if (!standby || pin.changes) return null
    const placed = Object.keys(options.contracts ?? {}) as Address[]
    return layBase(fork.url, pin, options.archiveUrl(pin), placed).catch(() => null)
  }

  async function startFresh(pin: BlockPin, onExit: (fork: Fork) => void): Promise<Fork> {
    const { key, instance, standby } = await startProcess(pin)
    const fork = forkOf(key, instance, 0)
    try {
      await placeContracts(fork, pin)
      const base = await baseOf(fork, pin, standby)
      if (!instance._internal.isRunning) throw unavailable(pin, null)
      const hardFork = hardForkOf(pin)
      const process: Running = {
        instance,
        chainId: pin.chainId,
        hardFork,
        fork,
        onExit,
        standby,
        forkedAt: pin.number,
        base,
      }
      running.set(key, process)
      instance.once('exit', () => {
        running.delete(key)
        if (!idle.delete(process)) process.onExit(process.fork)
      })
      return fork
    } catch (error) {
      await processes.destroy(key)
      throw error instanceof ForkrouteError ? error : unavailable(pin, error)
    }
  }

  async function placeContracts(fork: Fork, pin: BlockPin): Promise<void> {
    const contracts = Object.entries(options.contracts ?? {}) as [Address, Hex][]
    const codes = await codesAt(options.archiveUrl(pin), pin, contracts)
    const calls = contracts.flatMap(([address, code], index) =>
      codes[index] === '0x' ? [{ method: 'anvil_setCode', params: [address, code] }] : [],
    )
    for (const reply of await askForkAtOnce(fork.url, pin, calls, undefined)) {
      if (!reply.ok) throw reply.error
    }
  }

  return {
    start,
    stop: (fork) => processes.destroy(fork.key),
    takeBack(fork, isWanted) {
      const process = running.get(fork.key)
      if (process?.fork !== fork || fork.rssBytes > mostReusedBytes) return false
      const { chainId } = process
      const isEnough =
        waitingOf(chainId) >= options.forksPerBlock || allOf(chainId) > options.maxForks
      if (!isWanted && isEnough) {
        const other = [...idle].find(
          (each) => each.chainId === chainId && each.hardFork !== process.hardFork,
        )
        if (!other) return false
        // Work may have left its rules for good, so the one of the latest work is kept.
        drop(other)
      }
      idle.add(process)
      return true
    },
    async close() {
      await Promise.all([processes.destroyAll(), spares?.close()])
      await reaper.close()
    },
  }
}

function forkOf(key: string, instance: Running['instance'], uses: number): Fork {
  return {
    key,
    url: instance.url,
    pid: instance._internal.pid,
    startedAtMs: Date.now(),
    holders: 0,
    uses,
    failedProbes: 0,
    isReusable: true,
    rssBytes: 0,
  }
}

function unavailable(pin: BlockPin, cause: unknown): ForkrouteError {
  const details = blockFacts(pin)
  return new ForkrouteError('FORK_UNAVAILABLE', 'A fork cannot be started.', details, { cause })
}

/**
 * Code of the contracts on the chain. The archive answers all at once, where a fork would ask for one account after the
 * other; whole accounts, since forks ask for these.
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE, or UNKNOWN_BLOCK when no node has state of the block; JsonRpcError for any
 * other reason.
 */
async function codesAt(
  archiveUrl: string,
  pin: BlockPin,
  contracts: readonly (readonly [Address, Hex])[],
): Promise<Hex[]> {
  const at = numberToHex(pin.number)
  const calls = contracts.map(([address]) => ({
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

/** Zero where the system does not say. */
export async function residentBytes(pid: number | null): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')
  return Number(text.split(' ')[1] ?? 0) * pageBytes
}
