/**
 * Fork processes that are started before their block is known, since two thirds of a start are the same for every
 * block: Anvil asks its node for the block number and waits for the answer. Used by the fork starter only.
 */
import type { HardFork } from '../domain/hard-forks.js'
import type { Standby } from '../rpc/archive/archive.js'
import { isAlive, kill, type Launched, launch } from './anvil.js'
import { freePlace, type Place } from './place.js'
import type { Reaper } from './reaper.js'

/** A process that waits for its block, and the standby address it reads from. */
export interface Spare {
  readonly standby: Standby
  readonly place: Place
  readonly launched: Launched
}

export interface Spares {
  /** Takes a waiting process of these rules, if there is one; the caller then owns it. */
  take(chainId: number, hardFork: HardFork): Spare | null
  /** Of these rules, or of all. */
  waiting(chainId: number, hardFork?: HardFork): number
  /**
   * Refills the chain's spares after a short delay: the request that took one needs the processor first. Those of other
   * rules end, since work may have left them for good.
   */
  refill(chainId: number, hardFork: HardFork): void
  close(): Promise<void>
}

const refillAfterMs = 1_000

export function createSpares(options: {
  readonly standby: () => Standby
  /** Processes that the chain lacks; zero or less: none. */
  readonly missing: (chainId: number) => number
  readonly reaper: Reaper
}): Spares {
  /** By chain and rules. */
  const waiting = new Map<string, Set<Spare>>()
  const timers = new Map<string, NodeJS.Timeout>()
  let closed = false

  async function add(chainId: number, hardFork: HardFork, spares: Set<Spare>): Promise<void> {
    const place = await freePlace()
    if (closed) return
    const standby = options.standby()
    const target = { chainId, archiveUrl: standby.url, number: null, hardFork }
    const launched = launch(target, place, options.reaper)
    const spare = { standby, place, launched }
    spares.add(spare)
    launched.child.once('exit', () => {
      if (spares.delete(spare)) standby.release()
    })
  }

  function end(spares: Set<Spare>): void {
    for (const { standby, launched } of spares) {
      standby.release()
      kill(launched.child).catch(() => undefined)
    }
    spares.clear()
  }

  return {
    take(chainId, hardFork) {
      const spares = waiting.get(keyOf(chainId, hardFork)) ?? new Set()
      for (const spare of spares) {
        spares.delete(spare)
        if (isAlive(spare.launched.child)) return spare
        spare.standby.release()
      }
      return null
    },
    waiting: (chainId, hardFork) =>
      [...waiting].reduce((sum, [key, spares]) => {
        const isAsked = hardFork ? key === keyOf(chainId, hardFork) : isOf(chainId, key)
        return isAsked ? sum + spares.size : sum
      }, 0),
    refill(chainId, hardFork) {
      const key = keyOf(chainId, hardFork)
      if (closed || timers.has(key)) return
      const timer = setTimeout(() => {
        timers.delete(key)
        for (const [other, spares] of waiting)
          if (other !== key && isOf(chainId, other)) end(spares)
        const spares = waiting.get(key) ?? new Set()
        waiting.set(key, spares)
        const missing = Math.max(0, options.missing(chainId))
        // A missing spare only makes a later start slower.
        for (let left = missing; left > 0; left--) {
          add(chainId, hardFork, spares).catch(() => undefined)
        }
      }, refillAfterMs)
      timers.set(key, timer.unref())
    },
    async close() {
      closed = true
      for (const timer of timers.values()) clearTimeout(timer)
      const all = [...waiting.values()].flatMap((spares) => [...spares])
      await Promise.all(all.map(({ launched }) => kill(launched.child)))
    },
  }
}

function keyOf(chainId: number, hardFork: HardFork): string {
  return `${chainId}:${hardFork}`
}

function isOf(chainId: number, key: string): boolean {
  return key.startsWith(`${chainId}:`)
}
