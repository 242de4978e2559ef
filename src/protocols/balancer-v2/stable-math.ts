/**
 * Stable pools: the StableSwap invariant with Balancer's roundings.
 *
 * @see balancer/balancer-v2-monorepo 316ded0, pkg/pool-stable/contracts/StableMath.sol, and for the pools
 *   of 2021 its state at tag stable-deployment, where the invariant of a swap rounds up
 */
import { at } from '../../domain/lists.js'
import { ceilDiv, mul, sub } from '../shared/balancer-math/fixed-point.js'
import { ampPrecision, converge, positive } from '../shared/balancer-math/newton.js'

/**
 * Invariant D of balances in 18-decimal units.
 *
 * @param amp - amplification times 1000.
 * @param roundsUp - as the pools of 2021 do for swaps; later ones truncate like Curve.
 * @throws RangeError where the contract reverts.
 */
export function stableInvariant(
  amp: bigint,
  balances: readonly bigint[],
  roundsUp: boolean,
): bigint {
  const sum = balances.reduce((total, balance) => total + balance, 0n)
  if (sum === 0n) return 0n
  return converge(sum, (invariant) => (roundsUp ? stepUp : stepDown)(amp, balances, sum, invariant))
}

/** The invariant that the pools of 2021 compare with at joins: rounded down at each division. */
export function stableInvariantDown(amp: bigint, balances: readonly bigint[]): bigint {
  const sum = balances.reduce((total, balance) => total + balance, 0n)
  if (sum === 0n) return 0n
  return converge(sum, (invariant) => stepDownEach(amp, balances, sum, invariant))
}

interface StableSwap {
  /** Amplification times 1000. */
  readonly amp: bigint
  readonly balances: readonly bigint[]
  /** `stableInvariant` of the balances. */
  readonly invariant: bigint
  readonly indexIn: number
  readonly indexOut: number
  /** 18-decimal units, fee taken. */
  readonly amountIn: bigint
}

/**
 * @returns 18-decimal units, rounded down.
 * @throws RangeError where the contract reverts.
 */
export function stableOutGivenIn(swap: StableSwap): bigint {
  const { amp, balances, invariant, indexIn, indexOut, amountIn } = swap
  const after = balances.map((balance, k) => (k === indexIn ? balance + amountIn : balance))
  const balanceOut = at(after, indexOut)
  return sub(sub(balanceOut, solveBalance(amp, after, invariant, balanceOut)), 1n)
}

function stepDown(
  amp: bigint,
  balances: readonly bigint[],
  sum: bigint,
  invariant: bigint,
): bigint {
  const n = BigInt(balances.length)
  const total = amp * n
  let product = invariant
  for (const balance of balances) {
    product = divide(mul(product, invariant), mul(balance, n))
  }
  return divide(
    mul(mul(total, sum) / ampPrecision + product * n, invariant),
    mul(total - ampPrecision, invariant) / ampPrecision + mul(n + 1n, product),
  )
}

type Division = (a: bigint, b: bigint) => bigint

/**
 * @param div - divides the numerator.
 * @param opposite - divides in the denominator.
 * @returns one step of the pools of 2021 to the invariant, with these divisions.
 */
function stepWith(div: Division, opposite: Division): typeof stepDown {
  return (amp, balances, sum, invariant) => {
    const n = BigInt(balances.length)
    const total = amp * n
    let product = at(balances, 0) * n
    for (const balance of balances.slice(1)) {
      product = div(mul(mul(product, balance), n), invariant)
    }
    return div(
      mul(mul(n, invariant), invariant) + div(mul(mul(total, sum), product), ampPrecision),
      mul(n + 1n, invariant) + opposite(mul(total - ampPrecision, product), ampPrecision),
    )
  }
}

const stepUp = stepWith(ceilDiv, divide)
const stepDownEach = stepWith(divide, ceilDiv)

/** The balance of one token that keeps the invariant, given all others; rounded up. */
export function solveBalance(
  amp: bigint,
  balances: readonly bigint[],
  invariant: bigint,
  current: bigint,
): bigint {
  const n = BigInt(balances.length)
  const total = amp * n
  let sum = 0n
  let product = invariant
  for (const [k, balance] of balances.entries()) {
    product = k === 0 ? balance * n : divide(mul(mul(product, balance), n), invariant)
    sum += balance
  }
  sum -= current
  const squared = mul(invariant, invariant)
  const c = mul(mul(ceilDiv(squared, positive(mul(total, product))), ampPrecision), current)
  const b = sum + (invariant / total) * ampPrecision
  return converge(ceilDiv(squared + c, invariant + b), (balance) =>
    ceilDiv(mul(balance, balance) + c, positive(sub(mul(balance, 2n) + b, invariant))),
  )
}

function divide(a: bigint, b: bigint): bigint {
  return a / positive(b)
}
