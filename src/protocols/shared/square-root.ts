/** Largest integer whose square is not above the value. */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let root = BigInt(Math.floor(Math.sqrt(Number(value))))
  // The double has 53 bits; each round doubles them, and the last one settles the rounding.
  for (;;) {
    const next = (root + value / root) >> 1n
    const distance = next - root
    root = next
    if (distance <= 1n && distance >= -1n) break
  }
  while (root * root > value) root -= 1n
  while ((root + 1n) * (root + 1n) <= value) root += 1n
  return root
}
