/**
 * The function, computed once per object for as long as the object lives. For objects that do not change: a pool's
 * state is replaced by a swap, never altered. A RangeError is as fixed as a value, since a contract that reverts in a
 * state always does, and the steps that lead there may be many. Any other error is thrown anew by the function itself.
 */
export function oncePer<Key extends WeakKey, Value extends NonNullable<unknown>>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const cache = new WeakMap<Key, Value>()
  const reverts = new WeakMap<Key, RangeError>()
  return (key) => {
    const known = cache.get(key)
    if (known !== undefined) return known
    const revert = reverts.get(key)
    if (revert) throw revert
    try {
      const value = compute(key)
      cache.set(key, value)
      return value
    } catch (error) {
      if (error instanceof RangeError) reverts.set(key, error)
      throw error
    }
  }
}
