/** A year of 365.25 days. */
const secondsPerYear = 31_557_600n
/** Weights count in parts of this. */
const wholeWeight = 10n ** 18n

/** What a gauge and its controller say; null and absent: they do not. */
export interface MintFacts {
  /** Raw units of the staked token. */
  readonly supply: bigint
  /** Raw units a second for all gauges together, as the gauge has read it last. */
  readonly rate: bigint | null | undefined
  /** Unix seconds until which that rate is valid. */
  readonly epochEnd: bigint | null | undefined
  /** The gauge's part of it, 10^-18. */
  readonly weight: bigint | null | undefined
  readonly isKilled: bigint | null | undefined
}

/**
 * What is minted in a year at the rate of the block for all stakes of a gauge together, raw units, rounded down; 0n
 * where nobody has staked, nothing is minted or the gauge does not know the rate of the present epoch.
 *
 * @param timestamp - Unix seconds of the block.
 */
export function mintedPerYear(facts: MintFacts, timestamp: bigint): bigint {
  const { supply, rate, epochEnd, weight, isKilled } = facts
  if (supply === 0n || !rate || !weight || isKilled === 1n) return 0n
  if (epochEnd == null || timestamp >= epochEnd) return 0n
  return (rate * weight * secondsPerYear) / wholeWeight
}
