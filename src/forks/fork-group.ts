/**
 * The forks of one block: started once, replaced one by one, ended together.
 * Part of the fork pool, which decides when.
 */
import type { BlockPin } from '../domain/primitives.js'

/** A fork that ends sooner than this after its start is not started again until somebody asks for it. */
const crashLoopMs = 2_000

export interface Fork {
  readonly key: string
  readonly url: string
  readonly pid: number | null
  readonly startedAtMs: number
  /** Leases that were given this fork and are not released. */
  holders: number
  /** Leases ever given. */
  uses: number
  failedProbes: number
  /** Nothing that was asked of it can still be under way once it has no holders. */
  isReusable: boolean
  rssBytes: number
}

export interface ForkGroup {
  readonly pin: BlockPin
  /** Leases that are not released, and acquires in progress. */
  holders: number
  forks(): readonly Fork[]
  /**
   * Starts what is missing of this many forks, or of as many as were wanted before; callers at the same time
   * share one start.
   * @throws what the start threw, when no fork at all is left.
   */
  ensure(count?: number): Promise<void>
  /** Kills the fork, if it still is of this group, and starts another in its place. */
  replace(url: string): Promise<void>
  /** Starts another in its place first; the old one ends when nobody holds it. */
  retire(fork: Fork): Promise<void>
  /** Takes one holder from each fork and ends the retired ones that nobody holds any more. */
  drop(forks: readonly Fork[]): void
  /** @param takeBack - asked for each fork that another block could use; false: it is stopped. */
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
      // At once, so that the block in whose favour this one ends finds them.
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
