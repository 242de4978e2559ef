/** What the StableSwap math of Balancer's versions has in common: steps until two results are a unit apart. Pure. */
import { newton } from '../newton.js'

/** The amplification is kept times this. */
export const ampPrecision = 1000n

/** @throws RangeError where the steps do not converge, as the contract then reverts. */
export function converge(start: bigint, step: (value: bigint) => bigint): bigint {
  const found = newton(start, step)
  if (!found?.isSettled) throw new RangeError('no convergence')
  return found.value
}

/** @throws RangeError where the contract reverts by a division by zero, or by underflow. */
export function positive(divisor: bigint): bigint {
  if (divisor <= 0n) throw new RangeError('division by zero')
  return divisor
}
