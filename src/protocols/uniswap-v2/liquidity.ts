/**
 * Shares of a pair for one of its tokens and back: a swap in the pair itself and a mint, a burn and such a swap.
 * Equal to the pair and to our `UniswapV2Zapper` to the wei. Pure.
 * @see Uniswap/v2-core 1.0.1, contracts/UniswapV2Pair.sol, mint, burn and _mintFee
 */

import { bpsDenominator, ceilDiv } from '../../domain/primitives.js'
import { squareRoot } from '../shared/square-root.js'
import { constantProductOut, type UniswapV2State } from './math.js'

/** What the exchange mints for itself of the growth of sqrt(k). */
export interface ProtocolFee {
  readonly numerator: bigint
  /** How often the roots of the product at the moment and after the last mint or burn count below the line. */
  readonly root: bigint
  readonly rootLast: bigint
}

/** What a pair's shares depend on. Structured-clonable. */
export interface LiquidityState extends UniswapV2State {
  /** Raw units of the pair's token. */
  readonly totalSupply: bigint
  /** Product of the reserves after the last mint or burn; 0 where no protocol fee was due then. */
  readonly kLast: bigint
  readonly isFeeOn: boolean
}

export interface ZapIn {
  /** Raw units of the pair's token, rounded as the pair rounds. */
  readonly liquidity: bigint
  /** Parts of the input: `sold` is swapped, `added` goes in beside the proceeds. The rest is returned. */
  readonly sold: bigint
  readonly added: bigint
  readonly after: LiquidityState
}

export interface ZapOut {
  /** Raw units of the token that is wanted. */
  readonly amountOut: bigint
  readonly after: LiquidityState
}

export interface PairRules {
  /** Fee of swaps, 1/10_000. */
  readonly feeBps: bigint
  readonly protocolFee: ProtocolFee
}

const maxReserve = (1n << 112n) - 1n

/** Shares that exist once the pair has minted what the exchange is due for the growth since the last mint or burn. */
export function supplyWithFee(state: LiquidityState, { protocolFee }: PairRules): bigint {
  const { totalSupply, reserve0, reserve1, kLast, isFeeOn } = state
  if (!isFeeOn || kLast === 0n) return totalSupply
  const [root, rootLast] = [squareRoot(reserve0 * reserve1), squareRoot(kLast)]
  if (root <= rootLast) return totalSupply
  const line = root * protocolFee.root + rootLast * protocolFee.rootLast
  return totalSupply + (totalSupply * (root - rootLast) * protocolFee.numerator) / line
}

/**
 * What has to be sold of the input so that the rest and the proceeds are in the pair's ratio: the root of
 * keep * x^2 + reserveIn * (keep + 1) * x = reserveIn * amountIn with keep = 1 - fee, rounded down, and then the least
 * that buys as much. So all of the proceeds are used, and only the input leaves dust: what one more raw unit
 * sold or bought would have taken.
 *
 * @param amountIn - raw units, > 0.
 * @returns 0n where it buys nothing.
 */
export function soldPart(
  amountIn: bigint,
  reserveIn: bigint,
  reserveOut: bigint,
  feeBps: bigint,
): bigint {
  const keep = bpsDenominator - feeBps
  if (keep <= 0n) return 0n
  const b = reserveIn * (keep + bpsDenominator)
  const part =
    (squareRoot(b * b + 4n * bpsDenominator * keep * reserveIn * amountIn) - b) / (2n * keep)
  const bought = constantProductOut(part, reserveIn, reserveOut, feeBps)
  return bought === 0n
    ? 0n
    : ceilDiv(reserveIn * bought * bpsDenominator, (reserveOut - bought) * keep)
}

/** Null where the pair gives no shares for so much. */
export function zapIn(
  state: LiquidityState,
  isToken0: boolean,
  amountIn: bigint,
  rules: PairRules,
): ZapIn | null {
  const [reserveIn, reserveOut] = sides(state, isToken0)
  if (amountIn <= 0n || state.totalSupply === 0n || reserveIn + amountIn > maxReserve) return null
  const sold = soldPart(amountIn, reserveIn, reserveOut, rules.feeBps)
  const bought = constantProductOut(sold, reserveIn, reserveOut, rules.feeBps)
  if (bought === 0n) return null
  const swapped = withSides(state, isToken0, reserveIn + sold, reserveOut - bought)
  const added = ceilDiv(bought * (reserveIn + sold), reserveOut - bought)
  const supply = supplyWithFee(swapped, rules)
  const liquidity = least(
    (added * supply) / (reserveIn + sold),
    (bought * supply) / (reserveOut - bought),
  )
  if (liquidity === 0n) return null
  const minted = withSides(state, isToken0, reserveIn + sold + added, reserveOut)
  return { liquidity, sold, added, after: settled(minted, supply + liquidity) }
}

/** @param isToken0 - whether token0 is wanted. Null where the pair pays nothing for so many shares. */
export function zapOut(
  state: LiquidityState,
  isToken0: boolean,
  liquidity: bigint,
  rules: PairRules,
): ZapOut | null {
  const supply = supplyWithFee(state, rules)
  if (liquidity <= 0n || liquidity >= supply) return null
  const { amount0, amount1 } = burnt(state, liquidity, rules)
  if (amount0 === 0n || amount1 === 0n) return null
  const [own, other] = isToken0 ? [amount0, amount1] : [amount1, amount0]
  const [reserveOut, reserveIn] = sides(state, isToken0)
  const [leftOut, leftIn] = [reserveOut - own, reserveIn - other]
  const bought = constantProductOut(other, leftIn, leftOut, rules.feeBps)
  if (bought === 0n) return null
  // What the fee is measured by later are the reserves after the burn, before the swap.
  const { kLast } = settled(withSides(state, isToken0, leftOut, leftIn), supply)
  const reserves = withSides(state, isToken0, leftOut - bought, leftIn + other)
  return {
    amountOut: own + bought,
    after: { ...reserves, totalSupply: supply - liquidity, kLast },
  }
}

/** Raw units of both tokens for shares, rounded down. */
export function burnt(
  state: LiquidityState,
  liquidity: bigint,
  rules: PairRules,
): { readonly amount0: bigint; readonly amount1: bigint } {
  const supply = supplyWithFee(state, rules)
  if (supply === 0n) return { amount0: 0n, amount1: 0n }
  return {
    amount0: (liquidity * state.reserve0) / supply,
    amount1: (liquidity * state.reserve1) / supply,
  }
}

/** After a mint or a burn: what the next protocol fee is measured by. */
function settled(state: LiquidityState, totalSupply: bigint): LiquidityState {
  return { ...state, totalSupply, kLast: state.isFeeOn ? state.reserve0 * state.reserve1 : 0n }
}

function sides(state: UniswapV2State, isToken0: boolean): readonly [bigint, bigint] {
  return isToken0 ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0]
}

function withSides(
  state: LiquidityState,
  isToken0: boolean,
  own: bigint,
  other: bigint,
): LiquidityState {
  const [reserve0, reserve1] = isToken0 ? [own, other] : [other, own]
  return { ...state, reserve0, reserve1 }
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
