/**
 * Whether one node may be used: verified, set aside for a false answer, pausing, or down; and whether it is slow to
 * answer lately, so that others are asked first. Reports changes. No I/O.
 */
import { createNoise, type FailureRow, type Noise } from './noise.js'

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

export class NodeHealth {
  readonly #name: string
  readonly #onChange: (problem: string | null) => void
  readonly #noise: Noise
  readonly #failures: FailureRow
  #isVerified = false
  #asideUntil: number | null = null
  #problem: string | null = null
  /** What `onChange` was called with last. */
  #reported: string | null = null
  #pauseUntil = 0
  #isPauseAsked = false
  #penalisedAt = 0
  #pauses = 0
  #limits = 0
  #isDown = false
  #lates = 0
  #slowUntil = 0

  /** @param onChange - receives one sentence when the node becomes unusable, and null when it is back. */
  constructor(
    name: string,
    onChange: (problem: string | null) => void,
    noise: Noise = createNoise(),
  ) {
    this.#name = name
    this.#onChange = onChange
    this.#noise = noise
    this.#failures = noise.row()
  }

  /** `unverified` again some time after it was set aside. */
  trust(): 'unverified' | 'verified' | 'aside' {
    if (this.#isVerified) return 'verified'
    return this.#asideUntil !== null && Date.now() < this.#asideUntil ? 'aside' : 'unverified'
  }

  isUsable(): boolean {
    return this.#isVerified && !this.#isDown
  }

  isPausing(): boolean {
    return !this.#isDown && Date.now() < this.#pauseUntil
  }

  /** Others are better asked first. */
  isSlow(): boolean {
    return Date.now() < this.#slowUntil
  }

  /** Whether some of its latest requests failed. */
  isFlaky(): boolean {
    return this.#noise.share() > flakyShare
  }

  /** Milliseconds until it may be asked again; 0 = at once; null = set aside or down, do not wait for it. */
  waitMs(): number | null {
    if (this.trust() === 'aside') return null
    const now = Date.now()
    if (this.#pauseUntil <= now) return 0
    return this.#isDown ? null : this.#pauseUntil - now
  }

  /** Why the node is not usable, or failed at the last attempt; null: it answered. */
  problem(): string | null {
    return this.#problem
  }

  /** The same, but for what a node that is asked all the same fails now and then. */
  trouble(): string | null {
    return this.isUsable() && this.#pauseUntil <= Date.now() ? null : this.#problem
  }

  /** @param isForGood - until the service is restarted. */
  setAside(message: string, isForGood = false): void {
    this.#isVerified = false
    this.#asideUntil = isForGood ? Number.POSITIVE_INFINITY : Date.now() + recheckMs
    this.#report(`${this.#name} is set aside: ${message}`)
  }

  /** @param startedAt - start of the failed request, milliseconds since the epoch. */
  recordFailure(startedAt: number, message: string): void {
    // Requests that were already in flight at the last failure failed for the same reason.
    if (startedAt < this.#penalisedAt) return
    this.#penalisedAt = Date.now()
    const { count, chance } = this.#failures.failed()
    const isPause = count >= untilPause.failures && chance <= untilPause.chance
    if (isPause) {
      const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** this.#pauses)
      this.#pauses += 1
      this.#pauseUntil = Math.max(this.#pauseUntil, this.#penalisedAt + jittered(pause))
    }
    this.#isDown = count >= untilDown.failures && chance <= untilDown.chance
    this.#note(message, isPause)
  }

  /** The node asks for a pause. @param retryAfterSeconds - null: it does not say how long. */
  recordLimit(startedAt: number, message: string, retryAfterSeconds: number | null): void {
    if (startedAt < this.#penalisedAt) return
    this.#penalisedAt = Date.now()
    this.#limits += 1
    const pause =
      retryAfterSeconds === null
        ? jittered(Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#limits - 1)))
        : Math.min(longestRetryAfterMs, retryAfterSeconds * 1000)
    this.#pauseUntil = this.#penalisedAt + pause
    this.#isPauseAsked = true
    this.#note(message, true)
  }

  /** Records that a request got a proper answer. */
  recordSuccess(): void {
    this.#failures.ended()
    this.#pauses = 0
    this.#limits = 0
    this.#lates = 0
    // A pause that the node asked for lasts, even while it answers what it had taken before.
    if (!this.#isPauseAsked || this.#pauseUntil <= Date.now()) {
      this.#pauseUntil = 0
      this.#isPauseAsked = false
    }
    this.#isDown = false
    if (this.#isVerified) this.#report(null)
  }

  /** Records that a request is later than nearly all before it. */
  recordLate(): void {
    this.#lates += 1
    if (this.#lates < latesUntilSlow) return
    this.#slowUntil = Date.now() + slowMs
    this.#note('its answers are late.', true)
  }

  /** Records that the verification passed. @returns false when the node failed again meanwhile. */
  verified(): boolean {
    if (this.#isDown || this.#pauseUntil > Date.now()) return false
    this.#isVerified = true
    this.#asideUntil = null
    this.#report(null)
    return true
  }

  #note(message: string, isNews: boolean): void {
    if (this.trust() !== 'aside') this.#report(`${this.#name}: ${message}`, isNews)
  }

  /** @param isNews - it is worth telling; else it is only remembered, as the reason where no node answers. */
  #report(next: string | null, isNews = true): void {
    this.#problem = next
    if (!isNews || next === this.#reported) return
    this.#reported = next
    this.#onChange(next)
  }
}

/** Half of it to all of it, so that clients which failed together do not all come back together. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2)
}
