import { bpsDenominator } from '../../domain/primitives.js'

/** Reserves as `getReserves` returns them, raw units, unless the pair is short. Structured-clonable. */
export interface UniswapV2State {
  readonly reserve0: bigint
  readonly reserve1: bigint
  /**
   * The pair counts on more than it holds, as after a slashing. Then the reserves here are what it holds, which it has to be
   * told before a swap.
   */
  readonly isShort?: true
}

const maxReserve = (1n << 112n) - 1n

/**
 * Output of a constant-product swap.
 *
 * @param amountIn - raw units of tokenIn as the pair receives them, fee not yet taken.
 * @param reserveIn - uint112, raw units of tokenIn, before the swap.
 * @param reserveOut - uint112, raw units of tokenOut, before the swap.
 * @param feeBps - fee on amountIn, 1/10_000.
 * @returns Raw units of tokenOut, rounded down, always < reserveOut. 0n where the pair refuses the swap:
 *   no reserves, nothing to pay out, or a reserve that would pass uint112.
 * @see Uniswap/v2-periphery 1.1.0-beta.0, contracts/libraries/UniswapV2Library.sol, getAmountOut
 * @see Uniswap/v2-core 1.0.1, contracts/UniswapV2Pair.sol, swap and _update
 */
export function constantProductOut(
  amountIn: bigint,
  reserveIn: bigint,
  reserveOut: bigint,
  feeBps: bigint,
): bigint {
  if (amountIn <= 0n || reserveIn === 0n || reserveOut === 0n) return 0n
  if (reserveIn + amountIn > maxReserve) return 0n
  const afterFee = amountIn * (bpsDenominator - feeBps)
  return (afterFee * reserveOut) / (reserveIn * bpsDenominator + afterFee)
}
