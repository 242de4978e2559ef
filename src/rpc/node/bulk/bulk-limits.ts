/**
 * How much one node reads by one call, and at which blocks, as its answers have shown. Forgotten after a while: nodes
 * behind an address change. No I/O.
 */
import { createNoise, type Noise } from '../learnt/noise.js'

export interface NodeBulkLimits {
  mayRead(number: bigint): boolean
  /** The share of the usual size of a call, 0 to 1. */
  share(): number
  /** A call of this share was refused, smaller ones are not. @returns false: it cannot become smaller. */
  shrink(share: number): boolean
  /** The node refused even the smallest call at the block. */
  refused(number: bigint): void
  /** An answer in bulk was another one than that of a single read. */
  distrust(): void
  /**
   * A call got no answer, or one got one.
   * @param begun - when it was sent; monotonic, milliseconds.
   * @param answeredAt - when the node answered last, whatever that was: only what it fails while it answers others counts.
   */
  failed(begun: number, answeredAt: number): void
  worked(): void
}

const smallestShare = 1 / 32
const memoryMs = 600_000
/**
 * After so many calls without an answer, one after the other, reads go without bulk for a while, where noise hardly gives
 * as many; twice as long each time.
 */
const failuresUntilPause = 3
const chanceOfNoise = 1e-5
const firstPauseMs = 10_000
/** The most blocks above a refused one that are read without bulk, too. */
const maxSkip = 256n

/** @param now - monotonic, milliseconds. */
export function createNodeBulkLimits(
  noise: Noise = createNoise(),
  now: () => number = () => performance.now(),
): NodeBulkLimits {
  const row = noise.row()
  let share = 1
  let refusedUpTo: bigint | null = null
  let refusals = 0n
  let forgetAt = 0
  let failedAt = 0
  let pauseMs = firstPauseMs
  let pausedUntil = 0

  function forgetOld(): void {
    if (now() < forgetAt) return
    share = 1
    refusedUpTo = null
    refusals = 0n
  }

  return {
    mayRead(number) {
      forgetOld()
      if (now() < pausedUntil) return false
      return refusedUpTo === null || number > refusedUpTo
    },
    share() {
      forgetOld()
      return share
    },
    shrink(refusedShare) {
      share = Math.min(share, refusedShare / 2)
      forgetAt = now() + memoryMs
      return share >= smallestShare
    },
    refused(number) {
      forgetOld()
      const skip = 2n ** refusals < maxSkip ? 2n ** refusals - 1n : maxSkip
      refusals += 1n
      const upTo = number + skip
      refusedUpTo = refusedUpTo === null || upTo > refusedUpTo ? upTo : refusedUpTo
      forgetAt = now() + memoryMs
    },
    distrust() {
      pausedUntil = now() + memoryMs
    },
    failed(begun, answeredAt) {
      // What was on its way together was lost by one cause, such as a machine that was busy.
      if (begun < failedAt || answeredAt < begun) return
      failedAt = now()
      const { count, chance } = row.failed()
      if (count < failuresUntilPause || chance > chanceOfNoise) return
      row.ended()
      pausedUntil = now() + pauseMs
      pauseMs = Math.min(memoryMs, pauseMs * 2)
    },
    worked() {
      row.ended()
      pauseMs = firstPauseMs
      refusals = 0n
    },
  }
}
