/** What an answer says of the place at which it was proven, and of how long it holds. */

export interface AnswerMarks {
  /**
   * Index in the block after the answer's at which the transaction was simulated: 1, behind a swap that makes a pool of it
   * dearer; null: it was not simulated.
   */
  readonly simulatedPosition: 0 | 1 | null
  /** The last block in which the transaction still fills, as far as was measured; null: it was not measured. */
  readonly expiresAtBlock: bigint | null
}

/** A slippage that is to be measured; in basis points, from 1 to 10,000. */
export interface AutoSlippage {
  readonly maxBps: bigint
}

export const defaultMaxSlippageBps = 300n

/** How the slippage of an answer was found. */
export interface FoundSlippage {
  readonly bps: bigint
  readonly maxBps: bigint
  /** `default`: nothing could be measured. */
  readonly source: 'measured' | 'default'
  /** At whose ends the transaction was carried out, both included; null where nothing was measured. */
  readonly blocks: { readonly from: bigint; readonly to: bigint } | null
  /** Pairs of a block with one of the three after it. */
  readonly samples: number
  /** Share of the samples that fill with the slippage, 0 to 1; null without samples. */
  readonly filledShare: number | null
}
