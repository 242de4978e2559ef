/**
 * Whether one node may be used: verified, set aside for a false answer, pausing, or down; and whether it is slow to
 * answer lately, so that others are asked first. Reports changes. No I/O.
 */
import { createNoise, type Noise } from './noise.js'

export interface NodeHealth {
  /** `unverified` again some time after it was set aside. */
  trust(): 'unverified' | 'verified' | 'aside'
  isUsable(): boolean
  isPausing(): boolean
  /** Others are better asked first. */
  isSlow(): boolean
  /** Whether some of its latest requests failed. */
  isFlaky(): boolean
  /** Milliseconds until it may be asked again; 0 = at once; null = set aside or down, do not wait for it. */
  waitMs(): number | null
  /** Why the node is not usable, or failed at the last attempt; null: it answered. */
  problem(): string | null
  /** The same, but for what a node that is asked all the same fails now and then. */
  trouble(): string | null
  setAside(message: string): void
  /** @param startedAt - start of the failed request, milliseconds since the epoch. */
  recordFailure(startedAt: number, message: string): void
  /** The node asks for a pause. @param retryAfterSeconds - null: it does not say how long. */
  recordLimit(startedAt: number, message: string, retryAfterSeconds: number | null): void
  /** Records that a request got a proper answer. */
  recordSuccess(): void
  /** Records that a request is later than nearly all before it. */
  recordLate(): void
  /** Records that the verification passed. @returns false when the node failed again meanwhile. */
  verified(): boolean
}

const firstPauseMs = 100
const longestPauseMs = 10_000
const longestRetryAfterMs = 30_000
/**
 * A few failures among many answers are nothing: after so many in a row the node gets a pause, where noise hardly gives
 * as many.
 */
const untilPause = { failures: 3, chance: 1e-3 }
/** And after so many it is down, and reads no longer wait for it. */
const untilDown = { failures: 6, chance: 1e-6 }
/** A node that was set aside is verified again after this time: an operator may have repaired it. */
const recheckMs = 60_000
/** Late answers in a row, and for how long the node then comes last. */
const latesUntilSlow = 2
const slowMs = 15_000
/** The share of failed requests from which on a node is flaky. */
const flakyShare = 0.02

/** @param onChange - receives one sentence when the node becomes unusable, and null when it is back. */
export function createNodeHealth(
  name: string,
  onChange: (problem: string | null) => void,
  noise: Noise = createNoise(),
): NodeHealth {
  const row = noise.row()
  let isVerified = false
  let asideUntil: number | null = null
  let problem: string | null = null
  let pauseUntil = 0
  let isPauseAsked = false
  let penalisedAt = 0
  let pauses = 0
  let limits = 0
  let down = false
  let lates = 0
  let slowUntil = 0

  /** What was told last. */
  let told: string | null = null

  /** @param isNews - it is worth telling; else it is only remembered, as the reason where no node answers. */
  function report(next: string | null, isNews = true): void {
    problem = next
    if (!isNews || next === told) return
    told = next
    onChange(next)
  }

  function trust(): 'unverified' | 'verified' | 'aside' {
    if (isVerified) return 'verified'
    return asideUntil !== null && Date.now() < asideUntil ? 'aside' : 'unverified'
  }

  function note(message: string, isNews: boolean): void {
    if (trust() !== 'aside') report(`${name}: ${message}`, isNews)
  }

  return {
    trust,
    isUsable: () => isVerified && !down,
    isPausing: () => !down && Date.now() < pauseUntil,
    isSlow: () => Date.now() < slowUntil,
    isFlaky: () => noise.share() > flakyShare,
    waitMs() {
      if (trust() === 'aside') return null
      const now = Date.now()
      if (pauseUntil <= now) return 0
      return down ? null : pauseUntil - now
    },
    problem: () => problem,
    trouble: () => (isVerified && !down && pauseUntil <= Date.now() ? null : problem),
    setAside(message) {
      isVerified = false
      asideUntil = Date.now() + recheckMs
      report(`${name} is set aside: ${message}`)
    },
    recordFailure(startedAt, message) {
      // Requests that were already in flight at the last failure failed for the same reason.
      if (startedAt < penalisedAt) return
      penalisedAt = Date.now()
      const { count, chance } = row.failed()
      const isPause = count >= untilPause.failures && chance <= untilPause.chance
      if (isPause) {
        const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** pauses)
        pauses += 1
        pauseUntil = Math.max(pauseUntil, penalisedAt + jittered(pause))
      }
      down = count >= untilDown.failures && chance <= untilDown.chance
      note(message, isPause)
    },
    recordLimit(startedAt, message, retryAfterSeconds) {
      if (startedAt < penalisedAt) return
      penalisedAt = Date.now()
      limits += 1
      const pause =
        retryAfterSeconds === null
          ? jittered(Math.min(longestPauseMs, firstPauseMs * 2 ** (limits - 1)))
          : Math.min(longestRetryAfterMs, retryAfterSeconds * 1000)
      pauseUntil = penalisedAt + pause
      isPauseAsked = true
      note(message, true)
    },
    recordSuccess() {
      row.ended()
      pauses = 0
      limits = 0
      lates = 0
      // A pause that the node asked for lasts, even while it answers what it had taken before.
      if (!isPauseAsked || pauseUntil <= Date.now()) {
        pauseUntil = 0
        isPauseAsked = false
      }
      down = false
      if (isVerified) report(null)
    },
    recordLate() {
      lates += 1
      if (lates < latesUntilSlow) return
      slowUntil = Date.now() + slowMs
      note('its answers are late.', true)
    },
    verified() {
      if (down || pauseUntil > Date.now()) return false
      isVerified = true
      asideUntil = null
      report(null)
      return true
    },
  }
}

/** Half of it to all of it, so that clients which failed together do not all come back together. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2)
}
