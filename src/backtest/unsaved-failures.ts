/** Failures of jobs that could not be stored because the store itself failed: they are reported from memory. */
import type { BacktestEntry } from '../domain/backtest.js'

export interface UnsavedFailures {
  keep(id: string, problem: string): void
  has(id: string): boolean
  forget(id: string): void
  /** The job as it stands in truth. */
  appliedTo<Job extends BacktestEntry>(job: Job): Job
}

export function createUnsavedFailures(): UnsavedFailures {
  const problems = new Map<string, string>()
  return {
    keep: (id, problem) => void problems.set(id, problem),
    has: (id) => problems.has(id),
    forget: (id) => void problems.delete(id),
    appliedTo(job) {
      const problem = problems.get(job.id)
      return problem === undefined ? job : { ...job, state: 'failed', problem }
    },
  }
}
