/** Time of one task: its stages, the deadline of its caller, and the signal of a caller who is gone. */
import { performance } from 'node:perf_hooks'
import { inSpan } from '../../telemetry/tracing.js'

/**
 * Part of the time that is left at the start of a task, kept to make an answer of what was found: the final transaction
 * is simulated once more.
 */
const finalPart = 0.2
const mostFinalMs = 500

export class Clock {
  /** Seconds by the name of the stage. */
  readonly stages: Record<string, number> = {}
  /** performance.now() after which no new work starts; null: no deadline. */
  readonly #latestStart: number | null

  /** @param deadline - performance.now() at which the answer has to be there; null: no deadline. */
  constructor(
    readonly signal: AbortSignal,
    deadline: number | null,
  ) {
    this.#latestStart =
      deadline === null
        ? null
        : deadline - Math.min(mostFinalMs, (deadline - performance.now()) * finalPart)
  }

  /** Runs and times one stage; stages may overlap and repeat. */
  async stage<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted()
    const started = performance.now()
    try {
      return await inSpan(name, work)
    } finally {
      this.add(name, (performance.now() - started) / 1_000)
    }
  }

  add(stage: string, seconds: number): void {
    this.stages[stage] = (this.stages[stage] ?? 0) + seconds
  }

  /** Limit of a search that starts now: true once half of the remaining time is used, to leave time for proving. */
  searchLimit(): () => boolean {
    const latest = this.#latestStart
    if (latest === null) return () => false
    const end = (performance.now() + latest) / 2
    return () => performance.now() >= end
  }

  /** Whether the deadline has passed, so that no new work may start. */
  isLate(): boolean {
    const left = this.leftMs()
    return left !== null && left <= 0
  }

  /** Milliseconds in which new work may start; null without a deadline. */
  leftMs(): number | null {
    return this.#latestStart === null ? null : this.#latestStart - performance.now()
  }
}
