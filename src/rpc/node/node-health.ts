/**
 * Whether one node may be used: verified, set aside for a false answer, cooling down after failures, or down.
 * Reports changes. No I/O.
 */

export interface NodeHealth {
  /** `unverified` again some time after it was set aside. */
  trust(): 'unverified' | 'verified' | 'aside'
  isUsable(): boolean
  isCoolingDown(): boolean
  /** Milliseconds until it may be asked again; 0 = at once; null = set aside or down, do not wait for it. */
  waitMs(): number | null
  /** Why the node is not usable, or failed at the last attempt; null: no problem. */
  problem(): string | null
  setAside(message: string): void
  /** @param startedAt - start of the failed request, milliseconds since the epoch. */
  recordFailure(startedAt: number, message: string, retryAfterSeconds: number | null): void
  /** Records that a request got a proper answer. */
  recordSuccess(): void
  /** Records that the verification passed. @returns false when the node failed again meanwhile. */
  verified(): boolean
}

const firstBackoffMs = 100
const longestBackoffMs = 10_000
const longestRetryAfterMs = 30_000
/** After so many failures in a row the node is down, and reads no longer wait for it. */
const failuresUntilDown = 5
/** A node that was set aside is verified again after this time: an operator may have repaired it. */
const recheckMs = 60_000

/** @param onChange - receives one sentence when the node becomes unusable, and null when it is back. */
export function createNodeHealth(
  name: string,
  onChange: (problem: string | null) => void,
): NodeHealth {
  let isVerified = false
  let asideUntil: number | null = null
  let problem: string | null = null
  let coolUntil = 0
  let penalisedAt = 0
  let failures = 0
  let down = false

  function report(next: string | null): void {
    if (next === problem) return
    problem = next
    onChange(next)
  }

  function trust(): 'unverified' | 'verified' | 'aside' {
    if (isVerified) return 'verified'
    return asideUntil !== null && Date.now() < asideUntil ? 'aside' : 'unverified'
  }

  return {
    trust,
    isUsable: () => isVerified && !down,
    isCoolingDown: () => !down && Date.now() < coolUntil,
    waitMs() {
      if (trust() === 'aside') return null
      const now = Date.now()
      if (coolUntil <= now) return 0
      return down ? null : coolUntil - now
    },
    problem: () => problem,
    setAside(message) {
      isVerified = false
      asideUntil = Date.now() + recheckMs
      report(`${name} is set aside: ${message}`)
    },
    recordFailure(startedAt, message, retryAfterSeconds) {
      // Requests that were already in flight at the last penalty failed for the same reason.
      if (startedAt < penalisedAt) return
      penalisedAt = Date.now()
      failures += 1
      const backoff = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (failures - 1))
      const delay =
        retryAfterSeconds === null
          ? backoff * (0.5 + Math.random() / 2)
          : Math.min(longestRetryAfterMs, retryAfterSeconds * 1000)
      coolUntil = penalisedAt + delay
      down = retryAfterSeconds === null && failures >= failuresUntilDown
      if (trust() !== 'aside') report(`${name}: ${message}`)
    },
    recordSuccess() {
      failures = 0
      coolUntil = 0
      down = false
      if (isVerified) report(null)
    },
    verified() {
      if (down || coolUntil > Date.now()) return false
      isVerified = true
      asideUntil = null
      report(null)
      return true
    },
  }
}
