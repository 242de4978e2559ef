/**
 * The fee that a swap with a plugin pays, by what the quoter says of swaps: a plugin may set another fee than the pool
 * keeps, and from version 1.2 on add one that no call tells. Pure.
 */
import { type ConcentratedState, concentratedSwap } from '../shared/concentrated/swap.js'

export interface QuotedSwap {
  readonly zeroForOne: boolean
  /** Raw units. */
  readonly amountIn: bigint
  readonly amountOut: bigint
  /** 1/1_000_000: what the pool keeps after the plugin was asked. */
  readonly fee: bigint
}

interface FoundFee {
  /** 1/1_000_000. */
  readonly fee: bigint
  /** True: no other fee gives the quoted amounts, and the math gives all of them to the unit. */
  readonly isProven: boolean
}

const maxFee = 999_999n
/** Raw units of output from which one more unit of the fee takes more than one raw unit. */
const tellingOutput = 4_000_000n

/**
 * Divisors of the reserves that the pool seems to have at its price: such inputs move it by about 10 bps, and a sixth
 * of one.
 */
const shares = [2_048n, 131_072n] as const

/** Raw units of a larger and a smaller swap whose quotes tell the fee; null without liquidity at the price. */
export function tellingAmounts(state: ConcentratedState, zeroForOne: boolean): bigint[] | null {
  const { sqrtPriceX96, liquidity } = state
  if (sqrtPriceX96 === 0n || liquidity === 0n) return null
  const reserve = zeroForOne ? (liquidity << 96n) / sqrtPriceX96 : (liquidity * sqrtPriceX96) >> 96n
  return shares.map((share) => reserve / share + 1n)
}

/**
 * @param quotes - of one direction, the larger swap first.
 * @param mayAddFees - whether plugins can have a swap pay a fee that the pool does not keep.
 * @returns null where no fee makes the math agree with the larger swap.
 */
export function feeOfSwaps(
  state: ConcentratedState,
  quotes: readonly QuotedSwap[],
  mayAddFees: boolean,
): FoundFee | null {
  const [larger, ...others] = quotes
  if (!larger) return null
  const fits = (quote: QuotedSwap, fee: bigint) => {
    const swap = outputAt(state, quote, fee)
    return { isEqual: swap.amountOut === quote.amountOut, exact: swap.exact }
  }
  const fee = fits(larger, larger.fee).isEqual ? larger.fee : feeByOutput(state, larger)
  if (fee === null) return null
  const isOnly = mayAddFees ? larger.amountOut >= tellingOutput : fee === larger.fee
  const isProven = [larger, ...others].every((quote) => {
    const { isEqual, exact } = fits(quote, fee)
    return isEqual && exact
  })
  return { fee, isProven: isOnly && isProven }
}

function outputAt(state: ConcentratedState, { zeroForOne, amountIn }: QuotedSwap, fee: bigint) {
  return concentratedSwap({ ...state, feePips: [fee, fee] }, zeroForOne, amountIn)
}

/** The output falls as the fee rises. */
function feeByOutput(state: ConcentratedState, quote: QuotedSwap): bigint | null {
  let low = 0n
  let high = maxFee
  while (low < high) {
    const middle = (low + high) / 2n
    if (outputAt(state, quote, middle).amountOut <= quote.amountOut) high = middle
    else low = middle + 1n
  }
  return outputAt(state, quote, low).amountOut === quote.amountOut ? low : null
}
