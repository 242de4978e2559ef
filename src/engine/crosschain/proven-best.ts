/** How many are proven at most, where estimates have promised too much, unless fewer are asked for. */
const mostProven = 3
/** How many are tried at most, with those that turn out to be unusable. */
const mostTried = 6
/** Estimates that differ by less do not say which is better: a part of the best, and dollars. */
const tie = { part: 1e-4, usd: 0.05 }

/**
 * The best by estimate is proven, and others as long as their estimates are above the best of what has been proven, or as
 * good as equal to the estimate of the first that was: an estimate may be too low as well, and then all of them are.
 *
 * @param by.prove - rejects where it cannot be used, which leaves it out; `onFailed` may throw what is no fault of it.
 * @returns Null where none can be used.
 */
export async function provenBest<T, P>(
  estimated: readonly T[],
  by: {
    /** Values estimates and proofs on one scale. */
    valueOf(one: T | P): number
    prove(one: T): Promise<P>
    onFailed(one: T, error: unknown): void
    /** That are proven at most. */
    readonly most?: number
  },
): Promise<P | null> {
  let best: P | null = null
  let proven = 0
  let nearly = Number.POSITIVE_INFINITY
  const ranked = estimated.toSorted((a, b) => by.valueOf(b) - by.valueOf(a))
  for (const one of ranked.slice(0, mostTried)) {
    const value = by.valueOf(one)
    if (
      best &&
      (proven === (by.most ?? mostProven) || (value <= by.valueOf(best) && value < nearly))
    )
      break
    try {
      const found: P = await by.prove(one)
      if (proven++ === 0) nearly = value - Math.max(Math.abs(value) * tie.part, tie.usd)
      if (!best || by.valueOf(found) > by.valueOf(best)) best = found
    } catch (error) {
      by.onFailed(one, error)
    }
  }
  return best
}
