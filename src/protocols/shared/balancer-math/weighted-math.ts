/**
 * Weighted pools: out = balanceOut * (1 - (balanceIn / (balanceIn + in)) ^ (weightIn / weightOut)).
 *
 * @see balancer/balancer-v2-monorepo 316ded0, pkg/pool-weighted/contracts/WeightedMath.sol, _calcOutGivenIn
 */
import { complement, divDown, divUp, mulDown, one, powUp } from './fixed-point.js'

/** Largest input as a share of the pool's balance, E18. */
const maxInRatio = (one * 3n) / 10n
/** Made once: searches ask full pools thousands of times, and a new error's stack takes longer than a swap. */
const overRatio = new RangeError('input over 30 % of balance')

/**
 * @param amountIn - 18-decimal units, fee taken.
 * @param hasShortcuts - see `powUp`.
 * @returns 18-decimal units, rounded down.
 * @throws RangeError where the contract reverts, e.g. above 30 % of balanceIn.
 */
export function weightedOutGivenIn(args: {
  readonly balanceIn: bigint
  readonly weightIn: bigint
  readonly balanceOut: bigint
  readonly weightOut: bigint
  readonly amountIn: bigint
  readonly hasShortcuts: boolean
}): bigint {
  const { balanceIn, balanceOut, amountIn } = args
  if (amountIn > mulDown(balanceIn, maxInRatio)) throw overRatio
  const base = divUp(balanceIn, balanceIn + amountIn)
  const exponent = divDown(args.weightIn, args.weightOut)
  return mulDown(balanceOut, complement(powUp(base, exponent, args.hasShortcuts)))
}
