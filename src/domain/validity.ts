/** What an answer says of the place at which it was proven, and of how long it holds. */

export interface AnswerMarks {
  /** Index in the block after the answer's at which the transaction was simulated; null: it was not simulated. */
  readonly simulatedPosition: 0 | null
  /** The last block in which the transaction still fills, as far as was measured; null: it was not measured. */
  readonly expiresAtBlock: bigint | null
}
