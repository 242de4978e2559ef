/** The parts of a backtest's summary that are shown; docs/how-to/backtest-report.md defines them. */

export interface Distribution {
  readonly mean: number
  readonly p5: number
  readonly p50: number
  readonly p95: number
  readonly max: number
}

interface Wins {
  readonly wins: number
  readonly ties: number
  readonly losses: number
}

export interface Group {
  readonly rows: number
  readonly routes: number
  readonly missed: number
  readonly errors: Readonly<Record<string, number>>
  readonly regret: Distribution | null
  readonly regretAfterGas: Distribution | null
  readonly againstBaseline: Wins | null
  readonly allowedSlippage: Distribution | null
  readonly delays: readonly {
    readonly delay: number
    readonly fillRate: number | null
    readonly realised: Distribution | null
  }[]
  readonly gas: Distribution | null
  readonly milliseconds?: Distribution | null
}

export interface Venue {
  readonly protocol: string
  readonly share: number
}

export interface Summary {
  readonly blocks: number
  readonly firstBlock: number | null
  readonly lastBlock: number | null
  readonly variants: readonly (Group & {
    readonly variant: string
    readonly venues: readonly Venue[]
  })[]
  readonly requests: readonly (Group & { readonly request: string })[]
  readonly cells: readonly (Group & { readonly request: string; readonly variant: string })[]
}

/** A text of the service as its parts. */
export const toSummary = (answer: unknown) => answer as Summary
