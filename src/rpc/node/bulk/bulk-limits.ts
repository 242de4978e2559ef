/**
 * How much one node reads by one call, and at which blocks, as its answers have shown. Forgotten after a while: nodes
 * behind an address change. No I/O.
 */

export interface NodeBulkLimits {
  mayRead(number: bigint): boolean
  /** Of the usual size of a call, 0 to 1. */
  share(): number
  /** A call of this share was refused, smaller ones are not. @returns false: it cannot become smaller. */
  shrink(share: number): boolean
  /** The node refused even the smallest call at the block. */
  refused(number: bigint): void
  /** An answer in bulk was another one than that of a single read. */
  distrust(): void
  /** A call that was sent then (monotonic, milliseconds) got no answer, or one got one. */
  failed(begun: number): void
  worked(): void
}

const smallestShare = 1 / 32
const memoryMs = 600_000
/** After so many calls without an answer, one after the other, reads go without bulk for a while. */
const failuresUntilPause = 3
const pauseMs = 10_000
/** The most blocks above a refused one that are read without bulk, too. */
const maxSkip = 256n

export function createNodeBulkLimits(): NodeBulkLimits {
  let share = 1
  let refusedUpTo: bigint | null = null
  let refusals = 0n
  let forgetAt = 0
  let failures = 0
  let failedAt = 0
  let pausedUntil = 0

  function forgetOld(): void {
    if (Date.now() < forgetAt) return
    share = 1
    refusedUpTo = null
    refusals = 0n
  }

  return {
    mayRead(number) {
      forgetOld()
      if (Date.now() < pausedUntil) return false
      return refusedUpTo === null || number > refusedUpTo
    },
    share() {
      forgetOld()
      return share
    },
    shrink(refusedShare) {
      share = Math.min(share, refusedShare / 2)
      forgetAt = Date.now() + memoryMs
      return share >= smallestShare
    },
    refused(number) {
      forgetOld()
      const skip = 2n ** refusals < maxSkip ? 2n ** refusals - 1n : maxSkip
      refusals += 1n
      const upTo = number + skip
      refusedUpTo = refusedUpTo === null || upTo > refusedUpTo ? upTo : refusedUpTo
      forgetAt = Date.now() + memoryMs
    },
    distrust() {
      pausedUntil = Date.now() + memoryMs
    },
    failed(begun) {
      // Those that were on their way together were lost by one cause, such as a machine that was busy.
      if (begun < failedAt) return
      failedAt = performance.now()
      failures += 1
      if (failures < failuresUntilPause) return
      failures = 0
      pausedUntil = Date.now() + pauseMs
    },
    worked() {
      failures = 0
      refusals = 0n
    },
  }
}
