/** How far jobs are, and how long they will take at the pace that this process has seen. */
import type { BacktestEntry, JobProgress, JobState } from '../domain/backtest.js'

/** States in which nothing more happens by itself. */
export const overStates: readonly JobState[] = ['finished', 'cancelled', 'failed']

export interface JobPaces {
  /** The job begins, or is taken up, here and now. */
  begin(job: Pick<BacktestEntry, 'id' | 'blocksDone'>): void
  /** Begins the pace of a job that another process runs; ends that of one that is over. */
  progressOf(job: BacktestEntry): JobProgress
  forget(id: string): void
}

/** Since when this process sees a job run, in milliseconds of its clock, and how many blocks were done then. */
interface Pace {
  readonly at: number
  readonly done: number
}

export function createJobPaces(): JobPaces {
  const paces = new Map<string, Pace>()
  const begin: JobPaces['begin'] = ({ id, blocksDone }) =>
    void paces.set(id, { at: performance.now(), done: blocksDone })
  return {
    begin,
    progressOf(job) {
      const { id, state, blocksTotal, blocksDone, problem } = job
      if (state === 'running' && !paces.has(id)) begin(job)
      const etaSeconds = etaOf(job, paces.get(id))
      if (overStates.includes(state)) paces.delete(id)
      return { state, blocksTotal, blocksDone, problem, etaSeconds }
    },
    forget: (id) => void paces.delete(id),
  }
}

/** Whole seconds; null: not known. */
function etaOf({ state, blocksTotal, blocksDone }: BacktestEntry, pace?: Pace): number | null {
  if (state === 'finished') return 0
  const done = pace ? blocksDone - pace.done : 0
  if (state !== 'running' || !pace || done <= 0) return null
  const seconds = (performance.now() - pace.at) / 1_000
  return Math.round((seconds / done) * (blocksTotal - blocksDone))
}
