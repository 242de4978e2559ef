/**
 * 18-decimal fixed point as Balancer's contracts compute it: uint256 with overflow as an error, and the
 * rounding direction in the name.
 *
 * @see balancer/balancer-v2-monorepo 316ded0, pkg/solidity-utils/contracts/math/FixedPoint.sol, Math.sol
 */
import { maxUint256 } from '../../../domain/primitives.js'
import { pow } from './log-exp-math.js'

export const one = 10n ** 18n
const two = 2n * one
const four = 4n * one
/** Relative error that `pow` is taken to have at most, E18. */
const maxPowRelativeError = 10_000n

/** @throws RangeError where the contract reverts by overflow. */
export function mul(a: bigint, b: bigint): bigint {
  const product = a * b
  if (product > maxUint256) throw new RangeError('uint256 overflow')
  return product
}

/** @throws RangeError where the contract reverts by underflow. */
export function sub(a: bigint, b: bigint): bigint {
  if (b > a) throw new RangeError('uint256 underflow')
  return a - b
}

/** Integer division, rounded up. */
export function ceilDiv(a: bigint, b: bigint): bigint {
  return a === 0n ? 0n : (a - 1n) / b + 1n
}

export function mulDown(a: bigint, b: bigint): bigint {
  return mul(a, b) / one
}

export function mulUp(a: bigint, b: bigint): bigint {
  return ceilDiv(mul(a, b), one)
}

export function divDown(a: bigint, b: bigint): bigint {
  return mul(a, one) / b
}

export function divUp(a: bigint, b: bigint): bigint {
  return ceilDiv(mul(a, one), b)
}

/** 1 - x, never below zero. */
export function complement(x: bigint): bigint {
  return x < one ? one - x : 0n
}

/**
 * x^y, never below the true value.
 *
 * @param hasShortcuts - exponents 1, 2 and 4 are multiplied out (pools of factories since 2022).
 * @throws RangeError outside the domain of `pow`.
 */
export function powUp(x: bigint, y: bigint, hasShortcuts: boolean): bigint {
  if (hasShortcuts) {
    if (y === one) return x
    if (y === two) return mulUp(x, x)
    if (y === four) {
      const square = mulUp(x, x)
      return mulUp(square, square)
    }
  }
  const raw = pow(x, y)
  return raw + mulUp(raw, maxPowRelativeError) + 1n
}

/**
 * x^y, never above the true value.
 *
 * @param hasShortcuts - as for `powUp`.
 * @throws RangeError outside the domain of `pow`.
 */
export function powDown(x: bigint, y: bigint, hasShortcuts: boolean): bigint {
  if (hasShortcuts) {
    if (y === one) return x
    if (y === two) return mulDown(x, x)
    if (y === four) {
      const square = mulDown(x, x)
      return mulDown(square, square)
    }
  }
  const raw = pow(x, y)
  const error = mulUp(raw, maxPowRelativeError) + 1n
  return raw < error ? 0n : raw - error
}
