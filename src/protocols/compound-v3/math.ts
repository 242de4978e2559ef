/**
 * Balances and interest of Compound III. What is lent is a principal times an index that grows by the second, rounded
 * down; the market's token is that balance. Pure.
 * @see compound-finance/comet, contracts/CometCore.sol, contracts/Comet.sol accruedInterestIndices
 */

const indexScale = 10n ** 15n
const factorScale = 10n ** 18n
const secondsPerYear = 31_536_000

/** A market as the simulated block will find it. Structured-clonable. */
export interface CometState {
  /** Base units per unit of principal, times 10^15. */
  readonly supplyIndex: bigint
  /** Base units that lie in the market and can be paid out. */
  readonly cash: bigint
  readonly isSupplyPaused: boolean
  readonly isWithdrawPaused: boolean
}

/** The index after some seconds. @param rate - 10^-18 per second. */
export function accruedIndex(index: bigint, rate: bigint, seconds: bigint): bigint {
  return index + (index * (rate * seconds)) / factorScale
}

/** What an account without a balance has after it was given this much: principal and value are both rounded down. */
export function credited({ supplyIndex }: Pick<CometState, 'supplyIndex'>, amount: bigint): bigint {
  const principal = (amount * indexScale) / supplyIndex
  return (principal * supplyIndex) / indexScale
}

/** The market's token for base; 0n while nothing is taken. */
export function supplied(state: CometState, amount: bigint): bigint {
  return state.isSupplyPaused || amount <= 0n ? 0n : credited(state, amount)
}

/** Base for the market's token, of which whoever redeems it was sent this much; 0n where there is not enough. */
export function redeemed(state: CometState, amount: bigint): bigint {
  if (state.isWithdrawPaused || amount <= 0n) return 0n
  const balance = credited(state, amount)
  return balance > state.cash ? 0n : balance
}

/** Fraction per year, not compounded, as the market states it: 0.05 = 5 %. @param rate - 10^-18 per second. */
export function yearly(rate: bigint): number {
  return (Number(rate) / 1e18) * secondsPerYear
}
