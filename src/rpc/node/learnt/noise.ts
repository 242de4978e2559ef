/**
 * How many of a node's requests fail for no stated reason, and how much a row of failures says beside that. Steady
 * noise must not look like a limit, a size that is too large or a node that is down: what is concluded from failures is
 * concluded from how unlikely noise alone makes them. No I/O.
 */

export interface Noise {
  answered(): void
  failed(): void
  /** The node refused a request for its number. */
  limited(): void
  /** The share of the latest requests, 0 to 1, that failed or were refused for their number. */
  share(): number
  /** Whether refusals for the number stand out against other failures. */
  isLimiting(): boolean
  /** A row of failures of one kind, which some of the answers end. */
  row(): FailureRow
}

export interface FailureRow {
  /** @returns failures in a row with this one, and how likely noise alone gives so many, 0 to 1. */
  failed(): { readonly count: number; readonly chance: number }
  ended(): void
}

/** Of the newest request: about the last 32 count. */
const newestWeight = 1 / 32
/** One refusal after many answers is enough where nothing else fails. */
const leastLimitedShare = 0.02
/** What is expected of a node that never failed: two of a hundred. And of the worst, so that it is told when it is down. */
const leastShare = 0.02
const mostShare = 0.5

export function createNoise(): Noise {
  let failedShare = 0
  let limitedShare = 0

  function note(hasFailed: boolean, isLimited: boolean): void {
    failedShare += (Number(hasFailed) - failedShare) * newestWeight
    limitedShare += (Number(isLimited) - limitedShare) * newestWeight
  }

  const share = () => Math.min(1, failedShare + limitedShare)

  return {
    answered: () => note(false, false),
    failed: () => note(true, false),
    limited: () => note(false, true),
    share,
    isLimiting: () => limitedShare > Math.max(leastLimitedShare, failedShare),
    row() {
      let count = 0
      /** As it was before the row: its own failures are no noise. */
      let usual = leastShare
      return {
        failed() {
          if (count === 0) usual = Math.min(mostShare, Math.max(leastShare, share()))
          count += 1
          return { count, chance: usual ** count }
        },
        ended() {
          count = 0
        },
      }
    },
  }
}
