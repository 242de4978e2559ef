/**
 * One step of a swap inside one liquidity range, exact input, with the contracts' rounding:
 * input up, output down, always in the pool's favour.
 * @see Uniswap/v3-core 1.0.1, contracts/libraries/SwapMath.sol and SqrtPriceMath.sol
 * @see Uniswap/v4-core 1.0.2, src/libraries/SwapMath.sol (same results for exact input)
 */
import { maxUint256 } from '../../../domain/primitives.js'

/** Fees are parts of a million. */
const pips = 1_000_000n
const q96 = 96n

function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}

/** Amount of token0 between two prices, `low` <= `high`. */
function amount0Up(low: bigint, high: bigint, liquidity: bigint): bigint {
  return divideUp(divideUp((liquidity << q96) * (high - low), high), low)
}

/** Amount of token1 between two prices, `low` <= `high`. */
function amount1Up(low: bigint, high: bigint, liquidity: bigint): bigint {
  return (liquidity * (high - low) + ((1n << q96) - 1n)) >> q96
}

function amount1Down(low: bigint, high: bigint, liquidity: bigint): bigint {
  return (liquidity * (high - low)) >> q96
}

/** A liquidity range on the way of a swap, from a price to the target of the step. */
interface SwapRange {
  /** Q64.96, both. */
  readonly price: bigint
  readonly target: bigint
  /** uint128, constant over the range. */
  readonly liquidity: bigint
  /** The same times 2^96. */
  readonly scaled: bigint
  /** Token0 comes in. */
  readonly zeroForOne: boolean
  /** Raw units of input, fee taken, that move the price to the target. */
  readonly needed: bigint
}

/** What all steps in the range have in common; the direction follows from the prices: target <= price takes token0 in. */
export function rangeTo(price: bigint, target: bigint, liquidity: bigint): SwapRange {
  const zeroForOne = target <= price
  const needed = zeroForOne
    ? amount0Up(target, price, liquidity)
    : amount1Up(price, target, liquidity)
  return { price, target, liquidity, scaled: liquidity << q96, zeroForOne, needed }
}

/** Price after `amount` of token0 came in, rounded up; the contract divides less precisely where 256 bits overflow. */
function priceAfterToken0({ price, scaled }: SwapRange, amount: bigint): bigint {
  const product = amount * price
  const denominator = scaled + product
  return denominator <= maxUint256
    ? divideUp(scaled * price, denominator)
    : divideUp(scaled, scaled / price + amount)
}

export interface SwapStep {
  /** Q64.96; equals the target when the step reached it. */
  readonly sqrtPriceX96: bigint
  /** Raw units taken from the remaining input, fee included. */
  readonly consumed: bigint
  /** Raw units of the output token. */
  readonly amountOut: bigint
}

/**
 * Moves the price towards the target of the range with at most `remaining` input.
 *
 * @param remaining - raw units of input, fee not yet taken, > 0.
 * @param feePips - fee on the input, 1/1_000_000, at most a million.
 */
export function swapStep(range: SwapRange, remaining: bigint, feePips: bigint): SwapStep {
  const { price, target, liquidity, zeroForOne, scaled, needed } = range
  const afterFee = (remaining * (pips - feePips)) / pips
  const reached = afterFee >= needed
  let next = target
  if (!reached) {
    next = zeroForOne ? priceAfterToken0(range, afterFee) : price + (afterFee << q96) / liquidity
  }
  const amountOut = zeroForOne
    ? amount1Down(next, price, liquidity)
    : (scaled * (next - price)) / next / price
  // Short of the target, what the price movement does not need is fee: all of the input is taken.
  if (!reached) return { sqrtPriceX96: next, consumed: remaining, amountOut }
  const fee = needed === 0n ? 0n : divideUp(needed * feePips, pips - feePips)
  return { sqrtPriceX96: next, consumed: needed + fee, amountOut }
}
