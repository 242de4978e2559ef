/** What no chain says of CCTP. Structured-clonable. */

export interface CctpSettings {
  /** Where attestations and the allowance of fast transfers are read, without a slash at its end; null: nowhere. */
  readonly attestationUrl: string | null
}

export const cctpDefaults: CctpSettings = { attestationUrl: null }
