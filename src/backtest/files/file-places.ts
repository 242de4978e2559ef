/**
 * Places for files of results that are made at the same time. Each account has at most its part of them, and its second
 * file begins only while a place is left for another account. Who finds none waits; the next place goes to the account
 * that has the fewest, and among those to whoever came first. Owns no thread.
 */
import { ForkrouteError } from '../../domain/errors.js'
import { count } from '../../telemetry/metrics.js'

interface Limits {
  /** Files at the same time. */
  readonly most: number
  /** Files of one account, those that wait among them. */
  readonly perAccount: number
  readonly longestWaitMs: number
}

interface Waiting {
  readonly account: string
  begin(): void
}

export class FilePlaces {
  readonly #limits: Limits
  /** Places that are taken, of each account that has any. */
  readonly #taken = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /**
   * Waits for a place and takes it.
   * @returns gives the place back.
   * @throws ForkrouteError TOO_MANY_STREAMS at once, OVERLOADED after the longest wait; the signal's reason.
   */
  async take(account: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const { perAccount } = this.#limits
    const itsWaiting = [...this.#waiting].filter((one) => one.account === account).length
    if (this.#takenBy(account) + itsWaiting >= perAccount) {
      count('refused_total', { limit: 'files' })
      throw new ForkrouteError(
        'TOO_MANY_STREAMS',
        `${perAccount} files are being read, which is the limit of an account; finish one first.`,
      )
    }
    if (this.#isFreeFor(account)) this.#begin(account)
    else await this.#turn(account, signal)
    return () => this.#leave(account)
  }

  #takenBy(account: string): number {
    return this.#taken.get(account) ?? 0
  }

  #isFreeFor(account: string): boolean {
    const taken = [...this.#taken.values()].reduce((sum, one) => sum + one, 0)
    const keptFree = this.#takenBy(account) > 0 ? 1 : 0
    return taken + keptFree < this.#limits.most
  }

  #begin(account: string): void {
    this.#taken.set(account, this.#takenBy(account) + 1)
  }

  #leave(account: string): void {
    const left = this.#takenBy(account) - 1
    if (left > 0) this.#taken.set(account, left)
    else this.#taken.delete(account)
    this.#beginWaiting()
  }

  #beginWaiting(): void {
    // Sorting keeps the order of those that have as many.
    const [next] = [...this.#waiting].sort(
      (a, b) => this.#takenBy(a.account) - this.#takenBy(b.account),
    )
    if (!next || !this.#isFreeFor(next.account)) return
    next.begin()
    this.#beginWaiting()
  }

  #turn(account: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        this.#waiting.delete(waiting)
      }
      const waiting: Waiting = {
        account,
        begin: () => {
          end()
          this.#begin(account)
          resolve()
        },
      }
      const leave = () => {
        end()
        reject(signal.reason)
      }
      const timer = setTimeout(() => {
        end()
        count('refused_total', { limit: 'files' })
        reject(
          new ForkrouteError(
            'OVERLOADED',
            `All ${this.#limits.most} files that may be read at the same time are; try again in a moment.`,
          ),
        )
      }, this.#limits.longestWaitMs)
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(waiting)
    })
  }
}
