/** How deep a concentrated pool is around its price, by two words of its storage. */

/**
 * The reserves of a constant-product pair that would trade alike at this price, rounded down.
 *
 * @param slot0 - the square root of the price in its low 160 bits, X96.
 * @param liquidity - active at the price, in its low 128 bits.
 * @returns raw units of token0 and token1; zeros without price or liquidity.
 */
export function virtualReserves([slot0 = 0n, liquidity = 0n]: readonly bigint[]): readonly [
  bigint,
  bigint,
] {
  const sqrtPrice = BigInt.asUintN(160, slot0)
  const active = BigInt.asUintN(128, liquidity)
  if (sqrtPrice === 0n || active === 0n) return [0n, 0n]
  return [(active << 96n) / sqrtPrice, (active * sqrtPrice) >> 96n]
}
