/** What no contract says of Across's relayers, and whoever runs the service does. Structured-clonable. */

export interface AcrossSettings {
  /** 1/10_000 of the amount, for the relayer. */
  readonly feeBps: bigint
  /** 1/10_000 of what the fill costs, for the relayer: above 10_000, since gas prices move. */
  readonly costBps: bigint
  /** USD that one deposit may be worth; null: no limit. */
  readonly maxUsd: number | null
}

export const acrossDefaults: AcrossSettings = { feeBps: 5n, costBps: 15_000n, maxUsd: null }
