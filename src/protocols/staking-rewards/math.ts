import type { GaugeRates } from './gauges.js'

/** A year of 365.25 days. */
const secondsPerYear = 31_557_600n

/**
 * Yearly earnings of all stakes together at the rate of the block, raw units; 0n when the period is over, or when
 * nothing is staked, since the contract then pays nobody.
 *
 * @param timestamp - Unix seconds of the block.
 */
export function rewardPerYear(rates: GaugeRates, timestamp: bigint): bigint {
  const { staked, ratePerSecond, periodFinish } = rates
  return staked === 0n || timestamp >= periodFinish ? 0n : ratePerSecond * secondsPerYear
}
