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
  /** Refills the spares after a short delay: the request that took one needs the processor first. */
  refill(chainId: number, hardFork: HardFork): void
  close(): Promise<void>
}

const refillAfterMs = 1_000

export function createSpares(options: {
  readonly standby: () => Standby
  /** Of each chain and its rules. */
  readonly count: number
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
    refill(chainId, hardFork) {
      const key = keyOf(chainId, hardFork)
      if (closed || timers.has(key)) return
      const timer = setTimeout(() => {
        timers.delete(key)
        const spares = waiting.get(key) ?? new Set()
        waiting.set(key, spares)
        const missing = Array.from({ length: options.count - spares.size })
        // A missing spare only makes a later start slower.
        for (const _ of missing) add(chainId, hardFork, spares).catch(() => undefined)
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
