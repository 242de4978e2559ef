/** Fixed-point arithmetic of Aave: 27 decimals, halves rounded up. Pure. */

export const ray = 10n ** 27n

/** @see aave/aave-v3-core, contracts/protocol/libraries/math/WadRayMath.sol, rayMul (v1.19.3) */
export function rayMul(a: bigint, b: bigint): bigint {
  return (a * b + ray / 2n) / ray
}

/** @param b - not zero. */
export function rayDiv(a: bigint, b: bigint): bigint {
  return (a * ray + b / 2n) / b
}
