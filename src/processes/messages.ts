/** What the processes of one service tell each other. */

export interface MetricsQuestion {
  readonly kind: 'forkroute:metrics'
  readonly id: number
  /** In the answer; null: not all processes told theirs. */
  readonly text?: string | null
}

export interface Stop {
  readonly kind: 'forkroute:stop'
}

/** Set by the primary for each process: its place among them, and the nodes of the sandbox as JSON. */
export const placeVariable = 'FORKROUTE_PROCESS'
export const sandboxVariable = 'FORKROUTE_SANDBOX'

export function isMetrics(message: unknown): message is MetricsQuestion {
  return (message as Partial<MetricsQuestion> | null)?.kind === 'forkroute:metrics'
}

export function isStop(message: unknown): message is Stop {
  return (message as Partial<Stop> | null)?.kind === 'forkroute:stop'
}
