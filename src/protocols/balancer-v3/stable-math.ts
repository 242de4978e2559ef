/**
 * Stable pools of V3: the StableSwap invariant, truncated at each division, and what a swap may leave behind.
 *
 * @see balancer/balancer-v3-monorepo 0a5890a, pkg/solidity-utils/contracts/math/StableMath.sol;
 *   pkg/pool-stable/contracts/StablePool.sol
 */
import { at } from '../../domain/lists.js'
import { ceilDiv, mul, sub } from '../shared/balancer-math/fixed-point.js'
import { ampPrecision, converge, positive } from '../shared/balancer-math/newton.js'

/**
 * Output of a swap with a given input.
 *
 * @param amp - amplification times 1000.
 * @param balances - 18-decimal units, rates included.
 * @param amountIn - 18-decimal units, fee taken.
 * @param mostImbalance - the largest balance has to stay below this many of the smallest; null: no such limit.
 * @returns 18-decimal units, rounded down.
 * @throws RangeError where the contract reverts.
 */
export function stableOutput(args: {
  readonly amp: bigint
  readonly balances: readonly bigint[]
  /** `stableInvariant` of the balances. */
  readonly invariant: bigint
  readonly indexIn: number
  readonly indexOut: number
  readonly amountIn: bigint
  readonly mostImbalance: bigint | null
}): bigint {
  const { amp, balances, invariant, indexIn, indexOut, amountIn, mostImbalance } = args
  const paid = balances.map((balance, k) => (k === indexIn ? balance + amountIn : balance))
  const left = balanceFor(amp, paid, invariant, indexOut)
  const amountOut = sub(sub(at(balances, indexOut), left), 1n)
  if (mostImbalance !== null) {
    const after = paid.map((balance, k) => (k === indexOut ? sub(balance, amountOut) : balance))
    // The contract counts the balances before the swap as well.
    const all = [...balances, at(after, indexIn), at(after, indexOut)]
    const sorted = all.toSorted((a, b) => (a < b ? -1 : 1))
    const [least, most] = [at(sorted, 0), at(sorted, sorted.length - 1)]
    if (most / positive(least) >= mostImbalance) throw new RangeError('the pool is out of balance')
  }
  return amountOut
}

/**
 * Invariant D, rounded down.
 *
 * @throws RangeError where the contract reverts.
 */
export function stableInvariant(amp: bigint, balances: readonly bigint[]): bigint {
  const sum = balances.reduce((total, balance) => total + balance, 0n)
  if (sum === 0n) return 0n
  const n = BigInt(balances.length)
  const total = amp * n
  return converge(sum, (invariant) => {
    let product = invariant
    for (const balance of balances) product = mul(product, invariant) / positive(balance * n)
    const upper = mul(mul(total, sum) / ampPrecision + mul(product, n), invariant)
    const lower = mul(total - ampPrecision, invariant) / ampPrecision + mul(n + 1n, product)
    return upper / positive(lower)
  })
}

/** The balance of one token that keeps the invariant, given all others; rounded up. */
function balanceFor(
  amp: bigint,
  balances: readonly bigint[],
  invariant: bigint,
  index: number,
): bigint {
  const n = BigInt(balances.length)
  const total = amp * n
  const current = at(balances, index)
  let sum = at(balances, 0)
  let product = mul(sum, n)
  for (const balance of balances.slice(1)) {
    product = mul(mul(product, balance), n) / positive(invariant)
    sum += balance
  }
  sum -= current
  const squared = mul(invariant, invariant)
  const share = ceilDiv(mul(squared, ampPrecision), positive(mul(total, product)))
  const c = mul(share, current)
  const b = sum + mul(invariant, ampPrecision) / total
  const first = ceilDiv(squared + c, positive(invariant + b))
  return converge(first, (balance) =>
    ceilDiv(mul(balance, balance) + c, positive(sub(balance * 2n + b, invariant))),
  )
}
