import type { Address } from '../../domain/primitives.js'

/**
 * Pairs ordered as pools order their tokens (by value), without duplicates and pairs of a token with itself.
 * Expects lower-case addresses, so that comparing strings compares values.
 */
export function orderedPairs(
  pairs: readonly (readonly [Address, Address])[],
): (readonly [Address, Address])[] {
  const found = new Map<string, readonly [Address, Address]>()
  for (const [a, b] of pairs) {
    if (a === b) continue
    const ordered = a < b ? ([a, b] as const) : ([b, a] as const)
    found.set(ordered.join(), ordered)
  }
  return [...found.values()]
}
