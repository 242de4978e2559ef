/**
 * Anvil processes by (chain, block hash), shared by every request for the block: a lease is a reference count, since
 * simulations never change a fork. Processes of dropped blocks serve new ones. Owns start, health,
 * replacement, bounds and the end of the processes. Lives in the main thread; workers get the URLs of a lease.
 */
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ForkrouteError } from '../domain/errors.js'
import type { HardFork } from '../domain/hard-forks.js'
import type { Address, BlockPin, Hex } from '../domain/primitives.js'
import { stateKey } from '../domain/what-if.js'
import type { Standby } from '../rpc/archive/archive.js'
import { forkClient } from './clients.js'
import { createForkFiller } from './fork-filler.js'
import { createForkGroup, type Fork, type ForkGroup } from './fork-group.js'
import { createForkStarter, residentBytes } from './fork-starter.js'

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

export interface ForkLease {
  readonly pin: BlockPin
  /** URLs of the block's current forks: changes when one is replaced. */
  readonly urls: readonly string[]
  /** Each of these forks has been given what forks of other blocks read: little is left that it would ask for. */
  readonly isFilled: boolean
  /**
   * Kills and replaces that fork; resolves to the URLs afterwards. Safe to call twice.
   * @throws ForkrouteError when no fork is left and none can be started.
   */
  reportLost(url: string): Promise<readonly string[]>
  /**
   * Safe to call twice.
   * @param isDone - no request of this lease is still in flight, so its forks may serve another block. Default false.
   */
  release(isDone?: boolean): void
}

export interface ForkPoolStats {
  /** Process ids of the forks. */
  readonly pids: readonly number[]
  readonly blocks: number
  readonly forks: number
  readonly leases: number
  /** Forks started in place of another since the pool was created. */
  readonly restarts: number
  /** Of all forks at the last probe. */
  readonly rssBytes: number
}

export interface ForkPool {
  /**
   * A block that was not warmed starts with one fork and gets another for each concurrent lease, up to `forksPerBlock`:
   * a past block is mostly requested once, and a start costs more than a route.
   *
   * A new fork is given in bulk what forks read at other blocks.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE (the block cannot be read), UNKNOWN_BLOCK (no node has its state) or
   * FORK_UNAVAILABLE.
   */
  acquire(pin: BlockPin): Promise<ForkLease>
  /** Starts the forks of a block ahead of its first lease; `fill` is for when its state has been read ahead. */
  warm(pin: BlockPin): Promise<void>
  /** Gives the running forks of a block the state that forks of other blocks read, as far as it is known. Never rejects. */
  fill(pin: BlockPin): Promise<void>
  /**
   * Resolves when so few forks of the chain are in use that another block gets all of its own within `maxForks`.
   * @throws AbortError when the signal is aborted before.
   */
  room(chainId: number, signal: AbortSignal): Promise<void>
  stats(): ForkPoolStats
  close(): Promise<void>
}

const missedProbes = 2
const released = 'released'

export function createForkPool(options: ForkPoolOptions): ForkPool {
  const { forksPerBlock = 2, maxBlocks = 8, maxRssMb = 1024, maxUses = 100_000 } = options
  const { maxForks = 4 * forksPerBlock } = options
  /** As many as a block has forks wait for the next block. */
  const maxOfBlocks = Math.max(1, maxForks - forksPerBlock)
  const { startTimeoutMs = 30_000, probeIntervalMs = 2_000, probeTimeoutMs = 3_000 } = options
  const { hardForkOf = (pin: BlockPin) => pin.shownHardFork } = options
  const filler = createForkFiller(options.archiveUrl)
  const starter = createForkStarter({
    ...options,
    filler,
    hardForkOf,
    forksPerBlock,
    maxForks,
    startTimeoutMs,
  })
  /** In order of use, oldest first. */
  const groups = new Map<string, ForkGroup>()
  /** The last warmed block of each chain: work on many older blocks must not end its forks. */
  const warmed = new Map<number, string>()
  const closing = new Set<Promise<void>>()
  const stopProbes = new AbortController()
  const news = new EventEmitter().setMaxListeners(0)
  let restarts = 0

  function groupOf(pin: BlockPin, fills: boolean): ForkGroup {
    if (stopProbes.signal.aborted) {
      throw new ForkrouteError('FORK_UNAVAILABLE', 'The fork pool is closed.')
    }
    const key = stateKey(pin)
    const group =
      groups.get(key) ??
      createForkGroup({
        pin,
        size: forksPerBlock,
        async start(onExit) {
          const fork = await starter.start(pin, onExit)
          if (fills) await filler.fill(fork, pin)
          return fork
        },
        stop: starter.stop,
        onRestart: () => {
          restarts += 1
        },
      })
    groups.delete(key)
    groups.set(key, group)
    return group
  }

  /** Holds the group while it starts forks, so that the arrival of another block does not end it. */
  async function ensured(pin: BlockPin, fills: boolean, count?: number): Promise<ForkGroup> {
    const group = groupOf(pin, fills)
    group.holders += 1
    const wanted = Math.min(count ?? group.holders, forksPerBlock)
    evict(pin.chainId, Math.max(0, wanted - group.processes()))
    try {
      const room = Math.max(0, maxOfBlocks - processesOf(pin.chainId))
      await group.ensure(Math.max(1, Math.min(wanted, group.processes() + room)))
      return group
    } catch (error) {
      releaseGroup(group)
      if (group.holders === 0 && groups.get(stateKey(pin)) === group) groups.delete(stateKey(pin))
      throw error
    }
  }

  function releaseGroup(group: ForkGroup): void {
    group.holders -= 1
    // Nobody else asks for state that one request changed.
    if (group.holders === 0 && group.pin.changes?.stateId) end(stateKey(group.pin), group)
    evict(group.pin.chainId)
    if (group.holders === 0) news.emit(released)
  }

  function processesOf(chainId: number, among: ReadonlyMap<string, ForkGroup> = groups): number {
    let sum = 0
    for (const { pin, processes } of among.values()) {
      if (pin.chainId === chainId) sum += processes()
    }
    return sum
  }

  /**
   * The most recently used block always stays: it may have been warmed for leases to come.
   * @param wanted - forks of the chain that are about to start.
   */
  function evict(chainId: number, wanted = 0): void {
    const heads = new Set(warmed.values())
    let taken = 0
    for (const [key, group] of [...groups].slice(0, -1)) {
      const isOver = group.pin.chainId === chainId && processesOf(chainId) + wanted > maxOfBlocks
      if (groups.size <= maxBlocks && !isOver) continue
      if (group.holders > 0 || heads.has(key)) continue
      end(key, group, (fork) => {
        const isTaken = starter.takeBack(fork, taken < wanted)
        if (isTaken) taken += 1
        return isTaken
      })
    }
  }

  /** @param takeBack - as `ForkGroup.close`. */
  function end(
    key: string,
    group: ForkGroup,
    takeBack = (fork: Fork) => starter.takeBack(fork, false),
  ): void {
    groups.delete(key)
    const done = group.close(takeBack)
    closing.add(done)
    done.then(() => closing.delete(done)).catch(() => undefined)
  }

  function isFull(chainId: number): boolean {
    const heads = new Set(warmed.values())
    const inUse = [...groups].filter(([key, { holders }]) => holders > 0 || heads.has(key))
    return processesOf(chainId, new Map(inUse)) + forksPerBlock > maxOfBlocks
  }

  function lease(group: ForkGroup): ForkLease {
    const held = new Set<Fork>()
    const hold = () => {
      for (const fork of group.forks()) {
        if (held.has(fork)) continue
        held.add(fork)
        fork.holders += 1
        fork.uses += 1
      }
    }
    hold()
    let released = false
    const urls = () => group.forks().map(({ url }) => url)
    return {
      pin: group.pin,
      get urls() {
        return urls()
      },
      get isFilled() {
        return group.forks().every(filler.isFilled)
      },
      async reportLost(url) {
        if (released) return urls()
        await group.replace(url)
        if (!released) hold()
        return urls()
      },
      release(isDone = false) {
        if (released) return
        released = true
        // Requests still in flight for this block must not reach a fork of another one.
        if (!isDone) for (const fork of held) fork.isReusable = false
        group.drop([...held])
        filler.later(group)
        releaseGroup(group)
      },
    }
  }

  async function probe(group: ForkGroup, fork: Fork): Promise<void> {
    fork.rssBytes = await residentBytes(fork.pid)
    const answered = await forkClient(fork.url)
      .request('web3_clientVersion', [], AbortSignal.timeout(probeTimeoutMs))
      .then(() => true)
      .catch(() => false)
    fork.failedProbes = answered ? 0 : fork.failedProbes + 1
    if (fork.failedProbes >= missedProbes) return group.replace(fork.url)
    if (fork.uses >= maxUses || fork.rssBytes > maxRssMb * 2 ** 20) await group.retire(fork)
  }

  async function probeForever(): Promise<void> {
    const { signal } = stopProbes
    while (!signal.aborted) {
      await sleep(probeIntervalMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      const probes = [...groups.values()].flatMap((group) =>
        group.forks().map((fork) => probe(group, fork)),
      )
      await Promise.allSettled(probes)
    }
  }
  const probing = probeForever()

  return {
    async acquire(pin) {
      return lease(await ensured(pin, true))
    },
    async warm(pin) {
      const group = await ensured(pin, false, forksPerBlock)
      warmed.set(pin.chainId, stateKey(pin))
      releaseGroup(group)
    },
    async fill(pin) {
      const forks = groups.get(stateKey(pin))?.forks() ?? []
      await Promise.all(forks.map((fork) => filler.fill(fork, pin)))
    },
    async room(chainId, signal) {
      while (isFull(chainId)) await once(news, released, { signal })
    },
    stats() {
      const all = [...groups.values()]
      const forks = all.flatMap((group) => group.forks())
      return {
        blocks: all.length,
        forks: forks.length,
        pids: forks.flatMap(({ pid }) => pid ?? []),
        leases: all.reduce((sum, group) => sum + group.holders, 0),
        restarts,
        rssBytes: forks.reduce((sum, fork) => sum + fork.rssBytes, 0),
      }
    },
    async close() {
      stopProbes.abort()
      filler.close()
      await probing
      const last = [...groups.values()].map((group) => group.close())
      groups.clear()
      await Promise.allSettled([...last, ...closing])
      await starter.close()
    },
  }
}
