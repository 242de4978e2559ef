/** What a task tells the main thread besides its result, as in `TaskTrace`; filled while it works. */
export interface TaskReport {
  readonly simulations: Record<'success' | 'reverted' | 'unreadable', number>
  /** Candidates that reverted, by each protocol on their way. */
  readonly reverts: Record<string, number>
  /** For each route, how much more the best proven candidate pays than the best proven single path. */
  readonly improvementsBps: number[]
  /** Simulations were given up at the deadline, and forks may still be at work on them. */
  isCut: boolean
}

export function emptyReport(): TaskReport {
  return {
    simulations: { success: 0, reverted: 0, unreadable: 0 },
    reverts: {},
    improvementsBps: [],
    isCut: false,
  }
}
