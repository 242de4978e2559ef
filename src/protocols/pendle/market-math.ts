/**
 * Swaps of a market between PT and SY, to the unit: the exchange rate follows the logarithm of the proportion of PT, and the
 * fee falls with the time to the expiry. Divisions round as the contract's, which are signed and round to zero. Pure.
 *
 * @see pendle-finance/pendle-core-v2-public e8c2cca, contracts/core/Market/MarketMathCore.sol
 */
import { exp, ln } from '../shared/balancer-math/log-exp-math.js'
import { oncePer } from '../shared/once-per.js'

export interface MarketState {
  readonly kind: 'market'
  /** Raw units that the market counts on. */
  readonly totalPt: bigint
  readonly totalSy: bigint
  /** Raw units of its shares that exist. */
  readonly totalLp: bigint
  readonly scalarRoot: bigint
  /** Unix seconds. */
  readonly expiry: bigint
  /** Logarithm of the fee of a year, E18, as the router pays it. */
  readonly lnFeeRateRoot: bigint
  /** Hundredths of the fee that leave the market. */
  readonly reserveFeePercent: bigint
  /** Logarithm of the implied yield of a year, E18. */
  readonly lastLnImpliedRate: bigint
  /** Units of the asset that a unit of SY is worth, E18. */
  readonly index: bigint
  /** Unix seconds of the block of the swap. */
  readonly time: bigint
}

export interface Trade {
  /** Raw units of SY that the trader gets; negative: pays. */
  readonly sy: bigint
  readonly fee: bigint
  readonly toReserve: bigint
}

interface Terms {
  readonly timeToExpiry: bigint
  readonly rateScalar: bigint
  readonly totalAsset: bigint
  readonly rateAnchor: bigint
  readonly feeRate: bigint
}

const one = 10n ** 18n
const year = 365n * 86_400n
export const maxProportion = (one * 96n) / 100n

export const mulDown = (a: bigint, b: bigint) => (a * b) / one
export const divDown = (a: bigint, b: bigint) => (a * one) / b

/** Negative amounts are rounded as their absolutes are. */
export const syToAsset = (index: bigint, sy: bigint) => (sy * index) / one
export const assetToSy = (index: bigint, asset: bigint) => (asset * one) / index
export const syToAssetUp = (index: bigint, sy: bigint) => (sy * index + one - 1n) / one
export const assetToSyUp = (index: bigint, asset: bigint) => (asset * one + index - 1n) / index

export const isExpired = ({ expiry, time }: Pick<MarketState, 'expiry' | 'time'>): boolean =>
  expiry <= time

/** Constant as long as nobody swaps. @throws RangeError where the contract reverts. */
export const termsOf = oncePer((state: MarketState): Terms => {
  const timeToExpiry = timeLeft(state)
  const rateScalar = (state.scalarRoot * year) / timeToExpiry
  if (rateScalar <= 0n) throw new RangeError('rate scalar below zero')
  const totalAsset = syToAsset(state.index, state.totalSy)
  if (state.totalPt === 0n || totalAsset === 0n) throw new RangeError('nothing in the market')
  const rate = impliedRate(state, state.lastLnImpliedRate)
  if (rate < one) throw new RangeError('exchange rate below one')
  const proportion = divDown(state.totalPt, state.totalPt + totalAsset)
  const rateAnchor = rate - divDown(logit(proportion), rateScalar)
  const feeRate = impliedRate(state, state.lnFeeRateRoot)
  return { timeToExpiry, rateScalar, totalAsset, rateAnchor, feeRate }
})

function timeLeft(state: MarketState): bigint {
  if (isExpired(state)) throw new RangeError('expired')
  return state.expiry - state.time
}

/** Units of the asset that a unit of PT pays at the expiry, by what it costs now, E18. */
export function impliedRate(state: MarketState, lnRate: bigint): bigint {
  return exp((lnRate * timeLeft(state)) / year)
}

function logit(proportion: bigint): bigint {
  if (proportion === one) throw new RangeError('all of it is PT')
  return ln(divDown(proportion, one - proportion))
}

function exchangeRate(
  totals: { readonly totalPt: bigint; readonly totalAsset: bigint },
  { rateScalar, rateAnchor }: Terms,
  ptOut: bigint,
): bigint {
  const { totalPt, totalAsset } = totals
  if (totalPt < ptOut) throw new RangeError('negative')
  const proportion = divDown(totalPt - ptOut, totalPt + totalAsset)
  if (proportion > maxProportion) throw new RangeError('proportion too high')
  const rate = divDown(logit(proportion), rateScalar) + rateAnchor
  if (rate < one) throw new RangeError('exchange rate below one')
  return rate
}

/**
 * @param ptOut - raw units of PT that the trader gets; negative: pays.
 * @throws RangeError where the contract reverts.
 */
export function tradeOf(state: MarketState, ptOut: bigint): Trade {
  const { index, totalPt, reserveFeePercent } = state
  const terms = termsOf(state)
  if (totalPt <= ptOut) throw new RangeError('not as much PT')
  const rate = exchangeRate({ totalPt, totalAsset: terms.totalAsset }, terms, ptOut)
  const before = -divDown(ptOut, rate)
  if (ptOut > 0n && divDown(rate, terms.feeRate) < one) {
    throw new RangeError('exchange rate below one')
  }
  const fee =
    ptOut > 0n
      ? mulDown(before, one - terms.feeRate)
      : -((before * (one - terms.feeRate)) / terms.feeRate)
  const asset = before - fee
  const sy = asset < 0n ? -assetToSyUp(index, -asset) : assetToSy(index, asset)
  const toReserve = assetToSy(index, (fee * reserveFeePercent) / 100n)
  return { sy, fee: assetToSy(index, fee), toReserve }
}

/** The market after the trade. @throws RangeError where the contract reverts. */
export function afterTrade(
  state: MarketState,
  ptOut: bigint,
  { sy, fee, toReserve }: Trade,
): MarketState {
  const totalPt = state.totalPt - ptOut
  const totalSy = state.totalSy - sy - toReserve
  if (totalPt < 0n || totalSy < 0n) throw new RangeError('negative')
  const terms = termsOf(state)
  const totalAsset = syToAsset(state.index, totalSy)
  const rate = exchangeRate({ totalPt, totalAsset }, terms, 0n)
  const lastLnImpliedRate = (ln(rate) * year) / terms.timeToExpiry
  if (lastLnImpliedRate === 0n) throw new RangeError('implied rate of zero')
  // Providers of liquidity have to get something, so the contract takes no dust.
  if (syToAsset(state.index, fee - toReserve) === 0n) throw new RangeError('no fee is left')
  return { ...state, totalPt, totalSy, lastLnImpliedRate }
}
