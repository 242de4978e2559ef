/**
 * What a node can do, as its answers to probes tell: what it showed stays, and only what it refused in so many words is
 * taken from it. What it lacks is probed again now and then, since requests fail, and nodes behind an address change.
 * No I/O.
 */
import type { NodeAbilities, Probed } from './node-probe.js'

export interface ProbedAbilities {
  /** Null before the first probe. */
  current(): NodeAbilities | null
  take(probed: Probed): void
  /** A probe was not answered at all. */
  postpone(): void
  /** Whether it is time to probe again; true once each time. */
  isDue(): boolean
}

/** After a probe that was not answered whole; twice as long each time. */
const firstPauseMs = 2_000
const longestPauseMs = 600_000
/** The archive decides by these how to read. */
const deciding = [
  'overrides',
  'proofs',
  'accessLists',
  'prestates',
  'blockHash',
] as const satisfies readonly (keyof NodeAbilities)[]

/** @param now - milliseconds of any clock that never goes back. */
export function createProbedAbilities(
  now: () => number = () => performance.now(),
): ProbedAbilities {
  let known: NodeAbilities | null = null
  let dueAt = Number.POSITIVE_INFINITY
  let pauseMs = firstPauseMs

  function wait(): void {
    dueAt = now() + pauseMs
    pauseMs = Math.min(longestPauseMs, pauseMs * 2)
  }

  return {
    current: () => known,
    take({ abilities, unsure }) {
      const before = known
      const kept = [...unsure].filter((name) => before !== null && name in before)
      known = {
        ...abilities,
        ...Object.fromEntries(kept.map((name) => [name, before?.[name]])),
      }
      if (unsure.size > 0) {
        wait()
        return
      }
      pauseMs = firstPauseMs
      const isWhole = deciding.every((name) => abilities[name])
      dueAt = isWhole ? Number.POSITIVE_INFINITY : now() + longestPauseMs
    },
    postpone: wait,
    isDue() {
      if (now() < dueAt) return false
      dueAt = Number.POSITIVE_INFINITY
      return true
    },
  }
}
