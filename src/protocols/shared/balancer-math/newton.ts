/** What the StableSwap math of Balancer's versions has in common: steps until two results are a unit apart. Pure. */

/** The amplification is kept times this. */
export const ampPrecision = 1000n
const maxNewtonRounds = 255

/** @throws RangeError where the steps do not converge, as the contract then reverts. */
export function converge(start: bigint, step: (value: bigint) => bigint): bigint {
  let value = start
  for (let round = 0; round < maxNewtonRounds; round++) {
    const previous = value
    value = step(value)
    if (value > previous ? value - previous <= 1n : previous - value <= 1n) return value
  }
  throw new RangeError('no convergence')
}

/** @throws RangeError where the contract reverts by a division by zero, or by underflow. */
export function positive(divisor: bigint): bigint {
  if (divisor <= 0n) throw new RangeError('division by zero')
  return divisor
}
