/**
 * Joins with exact tokens and exits of exact shares into one token, by the formulas of the pools.
 * Balances and amounts in 18-decimal units; everything is rounded in favour of the pool.
 *
 * @see balancer/balancer-v2-monorepo 316ded0, pkg/pool-weighted/contracts/WeightedMath.sol,
 *   pkg/pool-stable/contracts/StableMath.sol (`_calcBptOutGivenExactTokensIn`, `_calcTokenOutGivenExactBptIn`,
 *   `_calcDueTokenProtocolSwapFeeAmount`), and for the pools of 2021 at their deployments
 */
import { at } from '../../domain/lists.js'
import {
  complement,
  divDown,
  divUp,
  mulDown,
  mulUp,
  one,
  powDown,
  powUp,
  sub,
} from '../shared/balancer-math/fixed-point.js'
import { solveBalance, stableInvariant, stableInvariantDown } from './stable-math.js'

/** An exit keeps at least this part of a weighted pool's invariant, E18; also the least base of a power. */
const leastRatio = (one * 7n) / 10n

/** What the formulas take of a pool. */
export interface PoolNumbers {
  readonly kind: 'weighted' | 'stable'
  readonly balances: readonly bigint[]
  /** E18, weighted only. */
  readonly weights: readonly bigint[]
  /** Times 1000, stable only. */
  readonly amp: bigint
  readonly swapFee: bigint
  readonly isModern: boolean
  readonly supply: bigint
}

/** The invariant that a pool keeps from one join or exit to the next. @throws RangeError where the pool reverts. */
export function invariantOf(pool: Omit<PoolNumbers, 'supply' | 'swapFee'>): bigint {
  const { kind, balances, weights, amp, isModern } = pool
  if (kind === 'stable') return stableInvariant(amp, balances, !isModern)
  return balances.reduce(
    (product, balance, k) => mulDown(product, powDown(balance, at(weights, k), isModern)),
    one,
  )
}

/**
 * @param amounts - of each token, not all zero.
 * @returns shares.
 * @throws RangeError where the pool reverts.
 */
export function sharesForTokens(pool: PoolNumbers, amounts: readonly bigint[]): bigint {
  const { kind, balances, weights, swapFee, supply, isModern, amp } = pool
  const sum = balances.reduce((total, balance) => total + balance, 0n)
  const partOf = (k: number) =>
    kind === 'weighted' ? at(weights, k) : divDown(at(balances, k), positive(sum))
  const ratios = balances.map((balance, k) => divDown(balance + at(amounts, k), positive(balance)))
  const mean = ratios.reduce((total, ratio, k) => total + mulDown(ratio, partOf(k)), 0n)
  // Only what goes beyond the pool's proportions pays the fee of a swap.
  const net = balances.map((balance, k) => {
    const amount = at(amounts, k)
    if (at(ratios, k) <= mean) return amount
    const free = mulDown(balance, sub(mean, one))
    return free + mulDown(sub(amount, free), one - swapFee)
  })
  const after = balances.map((balance, k) => balance + at(net, k))
  const growth =
    kind === 'weighted'
      ? after.reduce((product, balance, k) => {
          const ratio = divDown(balance, at(balances, k))
          return mulDown(product, powDown(ratio, at(weights, k), isModern))
        }, one)
      : divDown(
          isModern ? stableInvariant(amp, after, false) : stableInvariantDown(amp, after),
          positive(stableInvariant(amp, balances, !isModern)),
        )
  return growth > one ? mulDown(supply, growth - one) : 0n
}

/**
 * @param k - place of the token.
 * @returns amount of that token.
 * @throws RangeError where the pool reverts.
 */
export function tokensForShares(pool: PoolNumbers, k: number, shares: bigint): bigint {
  const { kind, balances, swapFee, supply, isModern, amp } = pool
  const balance = at(balances, k)
  const kept = divUp(sub(supply, shares), positive(supply))
  let part: bigint
  let gross: bigint
  if (kind === 'weighted') {
    part = at(pool.weights, k)
    if (kept < leastRatio) throw new RangeError('an exit of more than 30 % of the invariant')
    gross = mulDown(balance, complement(powUp(kept, divDown(one, part), isModern)))
  } else {
    const invariant = mulUp(kept, stableInvariant(amp, balances, !isModern))
    gross = sub(balance, solveBalance(amp, balances, invariant, balance))
    const sum = balances.reduce((total, each) => total + each, 0n)
    part = divDown(balance, positive(sum))
  }
  const taxed = mulUp(gross, complement(part))
  return gross - taxed + mulDown(taxed, one - swapFee)
}

/**
 * What the protocol takes out of the pool before a join or exit: a part of what swap fees have added since the last.
 *
 * @param last - the invariant after it, and for stable pools the amplification of then.
 * @param protocolFee - part of swap fees, E18.
 * @returns the token that it is taken in, and how much.
 */
export function dueFee(
  pool: PoolNumbers,
  last: { readonly invariant: bigint; readonly amp: bigint },
  protocolFee: bigint,
): { readonly index: number; readonly amount: bigint } {
  const { kind, balances, weights, isModern } = pool
  const index = largest(kind === 'weighted' ? weights : balances)
  const none = { index, amount: 0n }
  const balance = at(balances, index)
  if (protocolFee === 0n) return none
  if (kind === 'stable') {
    const before = solveBalance(last.amp, balances, last.invariant, balance)
    return balance > before ? { index, amount: mulDown(balance - before, protocolFee) } : none
  }
  const invariant = invariantOf(pool)
  if (invariant <= last.invariant) return none
  const base = divUp(last.invariant, invariant)
  const exponent = divDown(one, at(weights, index))
  const power = powUp(base > leastRatio ? base : leastRatio, exponent, isModern)
  return { index, amount: mulDown(mulDown(balance, complement(power)), protocolFee) }
}

/** Place of the first of the largest values. */
function largest(values: readonly bigint[]): number {
  return values.reduce((best, value, k) => (value > at(values, best) ? k : best), 0)
}

function positive(divisor: bigint): bigint {
  if (divisor <= 0n) throw new RangeError('division by zero')
  return divisor
}
