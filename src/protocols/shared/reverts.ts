/** The border of pool math, which throws RangeError where the contract reverts; divisions by zero throw it, too. Pure. */

/** @returns null where the contract reverts, so that the pool cannot serve the amount. */
export function unlessReverted<T>(compute: () => T): T | null {
  try {
    return compute()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
