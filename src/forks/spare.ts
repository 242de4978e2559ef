/**
 * Fork processes that are started before their block is known, since two thirds of a start are the same for every
 * block: Anvil asks its node for the block number and waits for the answer. Used by the fork starter only.
 */
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
  /** Takes a waiting process, if there is one; the caller then owns it. */
  take(chainId: number): Spare | null
  waiting(chainId: number): number
  /** Refills the chain's spares after a short delay: the request that took one needs the processor first. */
  refill(chainId: number): void
  close(): Promise<void>
}

const refillAfterMs = 1_000

export function createSpares(options: {
  readonly standby: () => Standby
  /** Processes that the chain lacks; zero or less: none. */
  readonly missing: (chainId: number) => number
  readonly reaper: Reaper
}): Spares {
  const waiting = new Map<number, Set<Spare>>()
  const timers = new Map<number, NodeJS.Timeout>()
  let closed = false

  async function add(chainId: number, spares: Set<Spare>): Promise<void> {
    const place = await freePlace()
    if (closed) return
    const standby = options.standby()
    const target = { chainId, archiveUrl: standby.url, number: null }
    const launched = launch(target, place, options.reaper)
    const spare = { standby, place, launched }
    spares.add(spare)
    launched.child.once('exit', () => {
      if (spares.delete(spare)) standby.release()
    })
  }

  return {
    take(chainId) {
      const spares = waiting.get(chainId) ?? new Set()
      for (const spare of spares) {
        spares.delete(spare)
        if (isAlive(spare.launched.child)) return spare
        spare.standby.release()
      }
      return null
    },
    waiting: (chainId) => waiting.get(chainId)?.size ?? 0,
    refill(chainId) {
      if (closed || timers.has(chainId)) return
      const timer = setTimeout(() => {
        timers.delete(chainId)
        const spares = waiting.get(chainId) ?? new Set()
        waiting.set(chainId, spares)
        const missing = Math.max(0, options.missing(chainId))
        // A missing spare only makes a later start slower.
        for (let left = missing; left > 0; left--) add(chainId, spares).catch(() => undefined)
      }, refillAfterMs)
      timers.set(chainId, timer.unref())
    },
    async close() {
      closed = true
      for (const timer of timers.values()) clearTimeout(timer)
      const all = [...waiting.values()].flatMap((spares) => [...spares])
      await Promise.all(all.map(({ launched }) => kill(launched.child)))
    },
  }
}
