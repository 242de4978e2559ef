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

function amount0Down(low: bigint, high: bigint, liquidity: bigint): bigint {
  return ((liquidity << q96) * (high - low)) / high / low
}

/** Amount of token1 between two prices, `low` <= `high`. */
function amount1Up(low: bigint, high: bigint, liquidity: bigint): bigint {
  return (liquidity * (high - low) + ((1n << q96) - 1n)) >> q96
}

function amount1Down(low: bigint, high: bigint, liquidity: bigint): bigint {
  return (liquidity * (high - low)) >> q96
}

/** Price after `amount` of token0 came in, rounded up; the contract divides less precisely where 256 bits overflow. */
function priceAfterToken0(price: bigint, liquidity: bigint, amount: bigint): bigint {
  const numerator = liquidity << q96
  const product = amount * price
  const denominator = numerator + product
  return denominator <= maxUint256
    ? divideUp(numerator * price, denominator)
    : divideUp(numerator, numerator / price + amount)
}

interface SwapStep {
  /** Q64.96; equals the target when the step reached it. */
  readonly sqrtPriceX96: bigint
  /** Raw units taken from the remaining input, fee included. */
  readonly consumed: bigint
  /** Raw units of the output token. */
  readonly amountOut: bigint
}

/**
 * Moves the price towards `target` with at most `remaining` input.
 *
 * @param price - Q64.96; the direction follows from it: target <= price takes token0 in.
 * @param liquidity - uint128, constant over the step.
 * @param remaining - raw units of input, fee not yet taken, > 0.
 * @param feePips - fee on the input, 1/1_000_000, at most a million.
 */
export function swapStep(
  price: bigint,
  target: bigint,
  liquidity: bigint,
  remaining: bigint,
  feePips: bigint,
): SwapStep {
  const zeroForOne = target <= price
  const afterFee = (remaining * (pips - feePips)) / pips
  const toTarget = zeroForOne
    ? amount0Up(target, price, liquidity)
    : amount1Up(price, target, liquidity)
  const reached = afterFee >= toTarget
  let next = target
  if (!reached) {
    next = zeroForOne
      ? priceAfterToken0(price, liquidity, afterFee)
      : price + (afterFee << q96) / liquidity
  }
  const amountOut = zeroForOne
    ? amount1Down(next, price, liquidity)
    : amount0Down(price, next, liquidity)
  // Short of the target, what the price movement does not need is fee: all of the input is taken.
  if (!reached) return { sqrtPriceX96: next, consumed: remaining, amountOut }
  const fee = toTarget === 0n ? 0n : divideUp(toTarget * feePips, pips - feePips)
  return { sqrtPriceX96: next, consumed: toTarget + fee, amountOut }
}
