/**
 * What Pendle's router searches for on chain, since markets trade exact amounts of PT alone: the PT that an amount of SY buys, the
 * YT that it buys, and the PT with which the rest of it makes liquidity. It takes what is within 0.005 % of the amount; what is
 * missing to it stays in the market. Pure.
 *
 * @see pendle-finance/pendle-core-v2-public e8c2cca, contracts/router/math/MarketApproxLibOnchain.sol, ApproxStateLib.sol and
 *   MarketApproxEstimateLib.sol
 */
import { larger, smaller } from '../../domain/lists.js'
import { exp } from '../shared/balancer-math/log-exp-math.js'
import {
  assetToSyUp,
  divDown,
  impliedRate,
  type MarketState,
  maxProportion,
  mulDown,
  syToAsset,
  termsOf,
  tradeOf,
} from './market-math.js'

const one = 10n ** 18n
const rangeTweak = (5n * one) / 100n
const tolerance = 5n * 10n ** 13n
const mostSteps = 30

/** `rise` leaves the guess in the range, `risePast` does not. */
type Verdict = 'found' | 'fall' | 'rise' | 'risePast'

interface Search {
  readonly stage: 'initial' | 'ranging' | 'halving'
  readonly start: bigint
  readonly guess: bigint
  readonly low: bigint
  readonly high: bigint
  /** Beyond them the router does not look. */
  readonly least: bigint
  readonly most: bigint
}

/**
 * @param sy - raw units, > 0.
 * @returns raw units of PT that cost at most the SY.
 * @throws RangeError where the contract reverts, as the others do.
 */
export function ptForExactSy(state: MarketState, sy: bigint): bigint {
  const bounds = { least: 0n, most: mostPtOut(state) }
  return searched(ptAtLastRate(state, sy), bounds, (guess) => within(-tradeOf(state, guess).sy, sy))
}

/** @returns raw units of YT: so much PT is sold that what it pays and the SY split into as much of both. */
export function ytForExactSy(state: MarketState, sy: bigint): bigint {
  const { index } = state
  const asset = syToAsset(index, sy)
  const assetPerYt = one - assetPerPt(state)
  const bounds = { least: asset, most: mostPtIn(state) }
  return searched(divDown(asset, assetPerYt), bounds, (guess) => {
    const pulled = assetToSyUp(index, guess) - tradeOf(state, -guess).sy
    if (pulled < 0n) throw new RangeError('underflow')
    return within(pulled, sy)
  })
}

/** @returns raw units of PT to buy, so that they and the rest of the SY are in the proportion of the market. */
export function ptForLiquidity(state: MarketState, sy: bigint): bigint {
  const { totalPt, totalSy, totalLp } = state
  if (totalLp === 0n) throw new RangeError('no liquidity yet')
  const ptOfAll = ptAtLastRate(state, totalSy)
  const added = (totalPt * ((sy * ptOfAll) / (ptOfAll + totalPt))) / totalSy
  return searched(added, { least: 0n, most: mostPtOut(state) }, (guess) => {
    const trade = tradeOf(state, guess)
    const cost = -trade.sy
    if (cost > sy) return 'fall'
    const byPt = guess * (totalSy + cost - trade.toReserve)
    const bySy = (sy - cost) * (totalPt - guess)
    const isNear = mulDown(bySy, one - tolerance) <= byPt && byPt <= mulDown(bySy, one + tolerance)
    if (isNear) return 'found'
    return byPt <= bySy ? 'risePast' : 'fall'
  })
}

function within(cost: bigint, sy: bigint): Verdict {
  if (cost > sy) return 'fall'
  return cost >= mulDown(sy, one - tolerance) ? 'found' : 'rise'
}

/** At the price before the swap, without the fee. */
function ptAtLastRate(state: MarketState, sy: bigint): bigint {
  return divDown(syToAsset(state.index, sy), assetPerPt(state))
}

/** E18. */
function assetPerPt(state: MarketState): bigint {
  return divDown(one, impliedRate(state, state.lastLnImpliedRate))
}

function mostPtOut(state: MarketState): bigint {
  const { rateScalar, rateAnchor, feeRate, totalAsset } = termsOf(state)
  const odds = exp(mulDown(feeRate - rateAnchor, rateScalar))
  const proportion = divDown(odds, odds + one)
  const most = state.totalPt - mulDown(proportion, state.totalPt + totalAsset)
  if (most < 0n) throw new RangeError('no PT at a price below one')
  return (most * 999n) / 1_000n
}

function mostPtIn(state: MarketState): bigint {
  const most = mulDown(maxProportion, state.totalPt + termsOf(state).totalAsset) - state.totalPt
  if (most < 0n) throw new RangeError('too much PT already')
  return most
}

function searched(
  estimated: bigint,
  bounds: Pick<Search, 'least' | 'most'>,
  judge: (guess: bigint) => Verdict,
): bigint {
  let search = begin(estimated, bounds)
  for (let step = 0; step < mostSteps; step++) {
    const verdict = judge(search.guess)
    if (verdict === 'found') return search.guess
    search = verdict === 'fall' ? down(search) : up(search, verdict === 'risePast')
  }
  throw new RangeError('the search ends')
}

function begin(estimated: bigint, { least, most }: Pick<Search, 'least' | 'most'>): Search {
  if (least > most) throw new RangeError('an empty range')
  const start = larger(smaller(estimated, most), least)
  return {
    stage: 'initial',
    start,
    guess: start,
    low: larger(mulDown(start, one - rangeTweak), least),
    high: smaller(mulDown(start, one + rangeTweak), most),
    least,
    most,
  }
}

function down(search: Search): Search {
  const { stage, start, guess, low, least } = search
  if (guess === 0n) throw new RangeError('underflow')
  const next = { ...search, high: guess - 1n }
  if (stage === 'initial') return { ...next, stage: 'ranging', guess: low }
  if (stage === 'halving') return halved(next)
  if (guess === least) throw new RangeError('beyond what the router looks at')
  if (guess !== low) return halved(next)
  if (low > start) throw new RangeError('underflow')
  const wider = larger(low - (start - low), least)
  return { ...next, low: wider, guess: wider }
}

function up(search: Search, isPast: boolean): Search {
  const { stage, start, guess, high, most } = search
  const next = { ...search, low: isPast ? guess + 1n : guess }
  if (stage === 'initial') return { ...next, stage: 'ranging', guess: high }
  if (stage === 'halving') return halved(next)
  if (guess === most) throw new RangeError('beyond what the market sells')
  if (guess !== high) return halved(next)
  if (high < start) throw new RangeError('underflow')
  const wider = smaller(high + (high - start), most)
  return { ...next, high: wider, guess: wider }
}

function halved(search: Search): Search {
  const { low, high } = search
  if (low > high) throw new RangeError('an empty range')
  return { ...search, stage: 'halving', guess: (low + high) / 2n }
}
