/**
 * Shares and interest of Morpho Blue markets. Pure.
 * @see morpho-org/morpho-blue 1.0.0, src/libraries/SharesMathLib.sol, src/libraries/MathLib.sol, src/Morpho.sol
 * _accrueInterest
 */

const scale = 10n ** 18n
/** What the contract adds to the totals, so that empty markets have a rate. */
export const virtualShares = 1_000_000n
export const virtualAssets = 1n
const secondsPerYear = 31_536_000

/** What the contract has stored of a market, raw units of the loan token and its shares. */
export interface MarketTotals {
  readonly supplyAssets: bigint
  readonly supplyShares: bigint
  readonly borrowAssets: bigint
  readonly borrowShares: bigint
  /** Unix seconds until which interest is counted. */
  readonly lastUpdate: bigint
  /** 10^-18 of the interest. */
  readonly fee: bigint
}

/** Shares that assets stand for, rounded down. */
export function toSharesDown(assets: bigint, totalAssets: bigint, totalShares: bigint): bigint {
  return (assets * (totalShares + virtualShares)) / (totalAssets + virtualAssets)
}

/** The first three terms of e^(rate * seconds) - 1. @param rate - 10^-18 per second. @returns 10^-18. */
export function compounded(rate: bigint, seconds: bigint): bigint {
  const first = rate * seconds
  const second = (first * first) / (2n * scale)
  return first + second + (second * first) / (3n * scale)
}

/** The totals with the interest until a time, which is not before `lastUpdate`. @param rate - of borrowing. */
export function accrued(totals: MarketTotals, rate: bigint, timestamp: bigint): MarketTotals {
  const factor = compounded(rate, timestamp - totals.lastUpdate)
  const interest = (totals.borrowAssets * factor) / scale
  const supplyAssets = totals.supplyAssets + interest
  const feeAssets = (interest * totals.fee) / scale
  const feeShares = toSharesDown(feeAssets, supplyAssets - feeAssets, totals.supplyShares)
  return {
    ...totals,
    supplyAssets,
    supplyShares: totals.supplyShares + feeShares,
    borrowAssets: totals.borrowAssets + interest,
    lastUpdate: timestamp,
  }
}

/**
 * What lending earns in a year: the borrowers' rate, compounded, by the part that is lent out, without the fee.
 *
 * @param rate - of borrowing, 10^-18 per second.
 * @returns a fraction: 0.05 = 5 %.
 */
export function yearlySupply(totals: MarketTotals, rate: bigint): number {
  if (totals.supplyAssets === 0n) return 0
  const borrowing = Math.expm1((Number(rate) / 1e18) * secondsPerYear)
  const utilisation = Number(totals.borrowAssets) / Number(totals.supplyAssets)
  return borrowing * utilisation * (1 - Number(totals.fee) / 1e18)
}
