import type { GaugeRates } from './gauges.js'

/** Days as the calendar has them on average. */
const secondsPerYear = 31_557_600n

/**
 * What all stakes together earn in a year at the rate of the block, raw units; 0n when the period is over, or nobody
 * has staked: the contract then pays nobody.
 *
 * @param timestamp - Unix seconds of the block.
 */
export function rewardPerYear(rates: GaugeRates, timestamp: bigint): bigint {
  const { staked, ratePerSecond, periodFinish } = rates
  return staked === 0n || timestamp >= periodFinish ? 0n : ratePerSecond * secondsPerYear
}
