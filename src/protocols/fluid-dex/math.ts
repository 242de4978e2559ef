/**
 * Swaps of Fluid's DEX T1: two constant products with imaginary reserves, of collateral and of debt, that share a swap so
 * that both end at one price. Pure.
 *
 * @see Instadapp/fluid-contracts-public a9949b4, contracts/protocols/dex/poolT1/coreModule/core/main.sol, _swapIn, and
 *   coreModule/helpers/coreHelpers.sol, _swapRoutingIn, _getAmountOut, _verifyToken0Reserves, _priceDiffCheck
 */
import { squareRoot } from '../shared/square-root.js'

/** Amounts of token0 and token1, in units of 1e-12 of a token. */
type Amounts = readonly [bigint, bigint]

export interface Reserves {
  readonly real: Amounts
  readonly imaginary: Amounts
}

export interface FluidState {
  /** Per token: units of 1e-12 are raw units times the first over the second. */
  readonly scales: readonly [Amounts, Amounts]
  /** Null: the pool has no collateral, or no debt. */
  readonly collateral: Reserves | null
  readonly debt: Reserves | null
  /** 1/1_000_000 of the input. */
  readonly feePips: bigint
  /** Part of the fee that leaves the pool, percent. */
  readonly revenueCut: bigint
  /** Token1 for one token0, 1e27. */
  readonly centerPrice: bigint
  /** After the newest swap before the block, from which no swap may lead further than 5%. */
  readonly lastPrice: bigint
  /** What the liquidity layer pays at once, raw units of token0 and token1: out of collateral, and as new debt. */
  readonly withdrawable: Amounts
  readonly borrowable: Amounts
  readonly isPaused: boolean
  /** Whether the pool's own answers were those of this math, and nothing has been swapped since. */
  readonly exact: boolean
}

interface Part {
  readonly amountIn: bigint
  readonly amountOut: bigint
}

interface Outcome {
  /** Raw units. */
  readonly amountOut: bigint
  readonly exact: boolean
  /** In units of 1e-12, the part of the revenue not in the input. */
  readonly collateral: Part
  readonly debt: Part
  /** Raw units paid out of collateral and of new debt. */
  readonly withdrawn: bigint
  readonly borrowed: bigint
}

const million = 10n ** 6n
const hundredMillion = 10n ** 8n
const price1 = 10n ** 27n
const precision = 10n ** 18n
/** In 1e18: how far one swap may move the price. */
const maxPriceChange = 5n * 10n ** 16n
/** Real reserves of one token are at least the other's value over this. */
const maxImbalance = 10n ** 4n
const none: Part = { amountIn: 0n, amountOut: 0n }
const empty: Reserves = { real: [0n, 0n], imaginary: [0n, 0n] }

/**
 * @param amountIn - raw units, fee not yet taken.
 * @returns null where the contract refuses.
 */
export function swapIn(state: FluidState, zeroForOne: boolean, amountIn: bigint): Outcome | null {
  const [i, j] = zeroForOne ? ([0, 1] as const) : ([1, 0] as const)
  const { collateral, debt, isPaused } = state
  if (isPaused || (!collateral && !debt)) return null
  const [up, down] = state.scales[i]
  const adjusted = (amountIn * up) / down
  if (adjusted < million || adjusted >> 96n !== 0n) return null
  if (amountIn < 100n || amountIn >> 128n !== 0n) return null
  const [col, owed] = [collateral ?? empty, debt ?? empty]
  if (adjusted > (col.imaginary[i] + owed.imaginary[i]) / 2n) return null
  const toCollateral = collateralShare(state, i, j, adjusted)
  const parts = [
    partOf(state, col, zeroForOne, toCollateral),
    partOf(state, owed, zeroForOne, adjusted - toCollateral),
  ] as const
  const [fromCollateral, fromDebt] = parts
  if (!fromCollateral || !fromDebt) return null
  const isByCollateral = fromCollateral.amountIn > fromDebt.amountIn
  const [reserves, part] = isByCollateral ? [col, fromCollateral] : [owed, fromDebt]
  const newIn = reserves.imaginary[i] + part.amountIn
  const newOut = reserves.imaginary[j] - part.amountOut
  if (newIn <= 0n || newOut <= 0n) return null
  const price = zeroForOne ? (newOut * price1) / newIn : (newIn * price1) / newOut
  if (price === 0n) return null
  const change = precision - (state.lastPrice * precision) / price
  if (change > maxPriceChange || change < -maxPriceChange) return null
  const [outUp, outDown] = state.scales[j]
  const withdrawn = (fromCollateral.amountOut * outDown) / outUp
  const borrowed = (fromDebt.amountOut * outDown) / outUp
  const [withdrawable, borrowable] = [state.withdrawable[j], state.borrowable[j]]
  if (withdrawn > withdrawable || borrowed > borrowable) return null
  // The liquidity layer keeps its limits in rounded numbers.
  const isNear = isAtLimit(withdrawn, withdrawable) || isAtLimit(borrowed, borrowable)
  return {
    amountOut: withdrawn + borrowed,
    exact: state.exact && !isNear,
    collateral: fromCollateral,
    debt: fromDebt,
    withdrawn,
    borrowed,
  }
}

function isAtLimit(amount: bigint, limit: bigint): boolean {
  return amount > 0n && amount * 100n > limit * 99n
}

/** How much of the input goes through the collateral, so that both products end at the same price. */
function collateralShare(
  { collateral, debt }: FluidState,
  i: 0 | 1,
  j: 0 | 1,
  adjusted: bigint,
): bigint {
  if (!debt) return adjusted
  if (!collateral) return 0n
  const root = squareRoot(collateral.imaginary[j] * collateral.imaginary[i] * precision)
  const debtRoot = squareRoot(debt.imaginary[j] * debt.imaginary[i] * precision)
  if (root + debtRoot === 0n) return 0n
  const share =
    (debt.imaginary[i] * root + adjusted * root - collateral.imaginary[i] * debtRoot) /
    (root + debtRoot)
  if (share <= 0n) return 0n
  return share < adjusted ? share : adjusted
}

/** Null: it would leave too little of the token that goes out. */
function partOf(
  { feePips, revenueCut, centerPrice }: FluidState,
  { real, imaginary }: Reserves,
  zeroForOne: boolean,
  amountIn: bigint,
): Part | null {
  if (amountIn === 0n) return none
  const [i, j] = zeroForOne ? ([0, 1] as const) : ([1, 0] as const)
  const traded = (amountIn * (million - feePips)) / million
  const amountOut = (traded * imaginary[j]) / (imaginary[i] + traded)
  const left = real[j] - amountOut
  if (left < 0n) return null
  const held = real[i] + amountIn
  const least = zeroForOne
    ? (held * centerPrice) / (price1 * maxImbalance)
    : centerPrice === 0n
      ? left + 1n
      : (held * price1) / (centerPrice * maxImbalance)
  if (left < least) return null
  const kept = (amountIn * (hundredMillion - revenueCut * feePips)) / hundredMillion
  return { amountIn: kept, amountOut }
}

/** An estimate: the contract derives the reserves anew from what it supplies and owes. */
export function stateAfter(state: FluidState, zeroForOne: boolean, swap: Outcome): FluidState {
  const less = (amounts: Amounts, amount: bigint): Amounts =>
    zeroForOne ? [amounts[0], amounts[1] - amount] : [amounts[0] - amount, amounts[1]]
  const moved = (amounts: Amounts, part: Part): Amounts =>
    zeroForOne
      ? [amounts[0] + part.amountIn, amounts[1] - part.amountOut]
      : [amounts[0] - part.amountOut, amounts[1] + part.amountIn]
  const after = (reserves: Reserves | null, part: Part): Reserves | null =>
    reserves && { real: moved(reserves.real, part), imaginary: moved(reserves.imaginary, part) }
  return {
    ...state,
    collateral: after(state.collateral, swap.collateral),
    debt: after(state.debt, swap.debt),
    withdrawable: less(state.withdrawable, swap.withdrawn),
    borrowable: less(state.borrowable, swap.borrowed),
    exact: false,
  }
}
