/**
 * What Pendle's router makes of an amount in a market. Only PT and SY lie in it: YT is split from SY, or redeemed with PT, within
 * the swap, and shares are entered from SY and left to it. Pure; RangeError where the contracts revert.
 *
 * @see pendle-finance/pendle-core-v2-public e8c2cca, contracts/router/base/ActionBase.sol, contracts/router/ActionSimple.sol,
 *   contracts/router/ActionCallbackV3.sol and contracts/router/ActionAddRemoveLiqV3.sol
 */
import { smaller } from '../../domain/lists.js'
import {
  afterTrade,
  assetToSy,
  isExpired,
  type MarketState,
  syToAsset,
  syToAssetUp,
  tradeOf,
} from './market-math.js'
import { ptForExactSy, ptForLiquidity, ytForExactSy } from './router-search.js'

/** In the order of the tokens of a record. */
export const parts = ['pt', 'sy', 'yt', 'lp'] as const
type Part = (typeof parts)[number]

interface Outcome {
  /** Raw units. */
  readonly amountOut: bigint
  readonly state: MarketState
}

type Way = (state: MarketState, amountIn: bigint) => Outcome

const ways: Readonly<Partial<Record<`${Part} ${Part}`, Way>>> = {
  'pt sy': sellPt,
  'sy pt': buyPt,
  'yt sy': sellYt,
  'sy yt': buyYt,
  'lp sy': removeLiquidity,
  'sy lp': addLiquidity,
}

/** Null: a market does not make the one of the other. */
export function wayBetween(partIn: Part | undefined, partOut: Part | undefined): Way | null {
  return (partIn && partOut && ways[`${partIn} ${partOut}`]) ?? null
}

function sellPt(state: MarketState, pt: bigint): Outcome {
  const trade = tradeOf(state, -pt)
  return { amountOut: trade.sy, state: afterTrade(state, -pt, trade) }
}

function buyPt(state: MarketState, sy: bigint): Outcome {
  const pt = ptForExactSy(state, sy)
  return { amountOut: pt, state: afterTrade(state, pt, tradeOf(state, pt)) }
}

/** The market lends as much PT, and both are redeemed: the SY that the PT costs goes to the market, the rest out. */
function sellYt(state: MarketState, yt: bigint): Outcome {
  const trade = tradeOf(state, yt)
  const redeemed = syToAssetUp(state.index, -trade.sy)
  if (redeemed > yt) throw new RangeError('underflow')
  const amountOut = assetToSy(state.index, yt - redeemed)
  return { amountOut, state: afterTrade(state, yt, trade) }
}

/** The market pays for PT that is split only then, from what it pays and the SY. All YT of that comes out. */
function buyYt(state: MarketState, sy: bigint): Outcome {
  const sold = ytForExactSy(state, sy)
  const trade = tradeOf(state, -sold)
  const amountOut = syToAsset(state.index, sy + trade.sy)
  if (amountOut < sold) throw new RangeError('less PT than the market is owed')
  return { amountOut, state: afterTrade(state, -sold, trade) }
}

/** PT is bought for a part of the SY, and the rest is put beside it. What the proportion leaves over stays in the market. */
function addLiquidity(state: MarketState, sy: bigint): Outcome {
  const pt = ptForLiquidity(state, sy)
  const trade = tradeOf(state, pt)
  const next = afterTrade(state, pt, trade)
  const rest = sy + trade.sy
  const byPt = (pt * next.totalLp) / next.totalPt
  const bySy = (rest * next.totalLp) / next.totalSy
  const lp = smaller(byPt, bySy)
  if (lp <= 0n) throw new RangeError('no share')
  const isByPt = byPt < bySy
  return {
    amountOut: lp,
    state: {
      ...next,
      totalPt: next.totalPt + (isByPt ? pt : partUp(next.totalPt, lp, next.totalLp)),
      totalSy: next.totalSy + (isByPt ? partUp(next.totalSy, lp, next.totalLp) : rest),
      totalLp: next.totalLp + lp,
    },
  }
}

/** The PT of a share is sold to the market that is left, or redeemed once it has expired. */
function removeLiquidity(state: MarketState, lp: bigint): Outcome {
  const { totalPt, totalSy, totalLp, index } = state
  if (lp > totalLp) throw new RangeError('more than there is')
  const [sy, pt] = [(lp * totalSy) / totalLp, (lp * totalPt) / totalLp]
  if (sy === 0n && pt === 0n) throw new RangeError('nothing of either')
  const left = {
    ...state,
    totalPt: totalPt - pt,
    totalSy: totalSy - sy,
    totalLp: totalLp - lp,
  }
  if (isExpired(state)) return { amountOut: sy + assetToSy(index, pt), state: left }
  const sold = sellPt(left, pt)
  return { amountOut: sy + sold.amountOut, state: sold.state }
}

const partUp = (total: bigint, part: bigint, whole: bigint) => (total * part + whole - 1n) / whole
