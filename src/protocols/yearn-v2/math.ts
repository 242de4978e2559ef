/**
 * Shares of Yearn's vaults. A gain is counted at once and unlocked by the second: withdrawals are paid from the
 * unlocked part, while deposits of the known version buy shares at the price that includes all of it. Pure.
 * @see yearn/yearn-vaults v0.3.4, contracts/Vault.vy: _issueSharesForAmount, _shareValue, withdraw
 */

/** Structured-clonable. */
export interface YearnState {
  /** Raw units of the asset, those that strategies have included. */
  readonly totalAssets: bigint
  /** Raw units of the asset that are not locked at the time of the simulated block. */
  readonly freeFunds: bigint
  /** Raw units of the asset that lie in the vault: more must come from strategies, which may have lost some. */
  readonly idle: bigint
  readonly totalSupply: bigint
  /** Raw units of the asset up to which deposits are taken; 0n: the vault is shut down. */
  readonly depositLimit: bigint
  /** Both true: the math of the version is known. */
  readonly knownDeposits: boolean
  readonly knownWithdrawals: boolean
}

/** lockedProfitDegration counts in parts of this per second. */
const degradationUnit = 10n ** 18n

/**
 * What is not locked of the assets.
 *
 * @param facts.lockedProfit - raw units at the last report.
 * @param facts.degradation - part of it that is unlocked per second, 10^-18.
 * @param timestamp - Unix seconds.
 */
export function freeFundsAt(
  facts: {
    readonly totalAssets: bigint
    readonly lockedProfit: bigint
    readonly lastReport: bigint
    readonly degradation: bigint
  },
  timestamp: bigint,
): bigint {
  const { totalAssets, lockedProfit, lastReport, degradation } = facts
  const unlocked = (timestamp - lastReport) * degradation
  if (unlocked >= degradationUnit) return totalAssets
  return totalAssets - (lockedProfit - (unlocked * lockedProfit) / degradationUnit)
}

/** Shares for assets, rounded down; 0n where the vault takes no such deposit. */
export function sharesFor(state: YearnState, assets: bigint): bigint {
  const { totalAssets, totalSupply, depositLimit } = state
  if (assets <= 0n || totalAssets + assets > depositLimit) return 0n
  if (totalSupply === 0n) return assets
  return totalAssets === 0n ? 0n : (assets * totalSupply) / totalAssets
}

/** Assets for shares, rounded down, before what strategies may have lost. */
export function assetsFor(state: YearnState, shares: bigint): bigint {
  const { freeFunds, totalSupply } = state
  if (shares <= 0n || shares > totalSupply) return 0n
  return (shares * freeFunds) / totalSupply
}

export function afterDeposit(state: YearnState, assets: bigint): YearnState {
  const shares = sharesFor(state, assets)
  if (shares === 0n) return state
  return {
    ...state,
    totalAssets: state.totalAssets + assets,
    freeFunds: state.freeFunds + assets,
    idle: state.idle + assets,
    totalSupply: state.totalSupply + shares,
  }
}

export function afterWithdrawal(state: YearnState, shares: bigint): YearnState {
  const assets = assetsFor(state, shares)
  if (assets === 0n) return state
  return {
    ...state,
    totalAssets: state.totalAssets - assets,
    freeFunds: state.freeFunds - assets,
    idle: assets > state.idle ? 0n : state.idle - assets,
    totalSupply: state.totalSupply - shares,
  }
}
