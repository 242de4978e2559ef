/**
 * How much PT Pendle's router buys for an exact amount of SY: markets sell exact amounts of PT alone, so the router searches on
 * chain for one that costs at most the SY and at least 99.995 % of it. What it costs less stays in the market. Pure.
 *
 * @see pendle-finance/pendle-core-v2-public e8c2cca, contracts/router/math/MarketApproxLibOnchain.sol, ApproxStateLib.sol and
 *   MarketApproxEstimateLib.sol
 */
import { larger, smaller } from '../../domain/lists.js'
import { exp } from '../shared/balancer-math/log-exp-math.js'
import {
  divDown,
  impliedRate,
  type MarketState,
  mulDown,
  syToAsset,
  termsOf,
  tradeOf,
} from './market-math.js'

const one = 10n ** 18n
const rangeTweak = (5n * one) / 100n
const tolerance = 5n * 10n ** 13n
const mostSteps = 30

interface Search {
  readonly stage: 'initial' | 'ranging' | 'halving'
  readonly start: bigint
  readonly guess: bigint
  readonly low: bigint
  readonly high: bigint
  /** Above it the router does not look. */
  readonly most: bigint
}

/**
 * @param sy - raw units, > 0.
 * @returns raw units of PT.
 * @throws RangeError where the contract reverts.
 */
export function ptForExactSy(state: MarketState, sy: bigint): bigint {
  let search = begin(estimate(state, sy), mostPt(state))
  for (let step = 0; step < mostSteps; step++) {
    const { guess } = search
    const cost = -tradeOf(state, guess).sy
    if (cost > sy) search = down(search)
    else if (cost >= mulDown(sy, one - tolerance)) return guess
    else search = up(search)
  }
  throw new RangeError('the search ends')
}

/** At the price before the swap, without the fee. */
function estimate(state: MarketState, sy: bigint): bigint {
  const assetPerPt = divDown(one, impliedRate(state, state.lastLnImpliedRate))
  return divDown(syToAsset(state.index, sy), assetPerPt)
}

function mostPt(state: MarketState): bigint {
  const { rateScalar, rateAnchor, feeRate, totalAsset } = termsOf(state)
  const odds = exp(mulDown(feeRate - rateAnchor, rateScalar))
  const proportion = divDown(odds, odds + one)
  const most = state.totalPt - mulDown(proportion, state.totalPt + totalAsset)
  if (most < 0n) throw new RangeError('no PT at a price below one')
  return (most * 999n) / 1_000n
}

function begin(estimated: bigint, most: bigint): Search {
  const start = smaller(estimated, most)
  return {
    stage: 'initial',
    start,
    guess: start,
    low: mulDown(start, one - rangeTweak),
    high: smaller(mulDown(start, one + rangeTweak), most),
    most,
  }
}

function down(search: Search): Search {
  const { stage, start, guess, low } = search
  if (guess === 0n) throw new RangeError('underflow')
  const next = { ...search, high: guess - 1n }
  if (stage === 'initial') return { ...next, stage: 'ranging', guess: low }
  if (stage === 'halving' || guess !== low) return halved(next)
  const wider = larger(low - (start - low), 0n)
  return { ...next, low: wider, guess: wider }
}

function up(search: Search): Search {
  const { stage, start, guess, high, most } = search
  const next = { ...search, low: guess }
  if (stage === 'initial') return { ...next, stage: 'ranging', guess: high }
  if (stage === 'halving') return halved(next)
  if (guess === most) throw new RangeError('beyond what the market sells')
  if (guess !== high) return halved(next)
  const wider = smaller(high + (high - start), most)
  return { ...next, high: wider, guess: wider }
}

function halved(search: Search): Search {
  const { low, high } = search
  if (low > high) throw new RangeError('an empty range')
  return { ...search, stage: 'halving', guess: (low + high) / 2n }
}
