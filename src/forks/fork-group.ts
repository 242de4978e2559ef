/**
 * The forks of one block: started once, replaced one by one, ended together. The fork pool decides when.
 */
import type { BlockPin } from '../domain/primitives.js'

/** A fork that dies sooner than this after its start is restarted only on demand. */
const crashLoopMs = 2_000

export interface Fork {
  readonly key: string
  readonly url: string
  readonly pid: number | null
  readonly startedAtMs: number
  /** Unreleased leases that hold this fork. */
  holders: number
  /** Leases ever given. */
  uses: number
  failedProbes: number
  /** Once it has no holders, no request to it can still be in flight. */
  isReusable: boolean
  rssBytes: number
}

export interface ForkGroup {
  readonly pin: BlockPin
  /** Unreleased leases, and acquires in progress. */
  holders: number
  forks(): readonly Fork[]
  /** Running forks and those that start, replaced ones that are still held included. */
  processes(): number
  /**
   * Starts missing forks up to this count, or up to the last count that was wanted. Concurrent callers share one start.
   * @throws the error of the start, when no fork at all is left.
   */
  ensure(count?: number): Promise<void>
  /** Kills the fork, if it is still in this group, and starts another in its place. */
  replace(url: string): Promise<void>
  /** Starts another in its place first; the old one is stopped once nobody holds it. */
  retire(fork: Fork): Promise<void>
  /** Takes one holder from each fork and ends the retired ones that nobody holds any more. */
  drop(forks: readonly Fork[]): void
  /** @param takeBack - called for each fork that another block could use; a fork is stopped when it returns false. */
  close(takeBack?: (fork: Fork) => boolean): Promise<void>
}

interface Slot {
  fork: Fork | null
  starting: Promise<void> | null
}

export function createForkGroup(args: {
  readonly pin: BlockPin
  readonly size: number
  /** Starts one process; `onExit` is called when it ends. */
  readonly start: (onExit: (fork: Fork) => void) => Promise<Fork>
  readonly stop: (fork: Fork) => Promise<void>
  readonly onRestart: () => void
}): ForkGroup {
  const slots: Slot[] = Array.from({ length: args.size }, () => ({ fork: null, starting: null }))
  const retired = new Set<Fork>()
  const stopping = new Set<Promise<void>>()
  let closed = false
  let wanted = 1

  function stop(fork: Fork): void {
    const done = args.stop(fork).catch(() => undefined)
    stopping.add(done)
    done.then(() => stopping.delete(done)).catch(() => undefined)
  }

  function fill(slot: Slot): Promise<void> {
    slot.starting ??= args
      .start(onExit)
      .then((fork) => {
        if (closed) return stop(fork)
        if (slot.fork) retired.add(slot.fork)
        slot.fork = fork
      })
      .finally(() => {
        slot.starting = null
      })
    return slot.starting
  }

  function onExit(fork: Fork): void {
    if (closed) return
    const wasRetired = retired.delete(fork)
    if (!wasRetired && !takeOut(fork.url)) return
    stop(fork)
    if (wasRetired) return
    if (Date.now() - fork.startedAtMs > crashLoopMs) ensure().catch(() => undefined)
  }

  function takeOut(url: string): Fork | null {
    const slot = slots.find(({ fork }) => fork?.url === url)
    const fork = slot?.fork
    if (!slot || !fork) return null
    slot.fork = null
    args.onRestart()
    return fork
  }

  const forks = () => slots.flatMap(({ fork }) => (fork ? [fork] : []))

  async function ensure(count = wanted): Promise<void> {
    wanted = Math.min(Math.max(wanted, count), slots.length)
    const missing = slots.slice(0, wanted).filter(({ fork }) => !fork)
    const failed = (await Promise.allSettled(missing.map(fill))).find(
      (result) => result.status === 'rejected',
    )
    if (failed && forks().length === 0) throw failed.reason
  }

  return {
    pin: args.pin,
    holders: 0,
    forks,
    processes: () => retired.size + slots.filter(({ fork, starting }) => fork ?? starting).length,
    ensure,
    async replace(url) {
      const lost = takeOut(url)
      if (lost) stop(lost)
      await ensure()
    },
    async retire(fork) {
      const slot = slots.find((other) => other.fork === fork)
      if (!slot || slot.starting || closed) return
      args.onRestart()
      await fill(slot)
      if (retired.has(fork) && fork.holders === 0) stop(fork)
    },
    drop(held) {
      for (const fork of held) {
        fork.holders -= 1
        if (fork.holders === 0 && retired.delete(fork)) stop(fork)
      }
    },
    async close(takeBack = () => false) {
      closed = true
      // Synchronous, so that the block that displaced this one finds them.
      for (const slot of slots) {
        if (slot.fork?.isReusable && takeBack(slot.fork)) slot.fork = null
      }
      await Promise.allSettled(slots.map(({ starting }) => starting))
      for (const fork of [...forks(), ...retired]) stop(fork)
      for (const slot of slots) slot.fork = null
      retired.clear()
      await Promise.all(stopping)
    },
  }
}
