/**
 * The function, computed once per object for as long as the object lives. For objects that do not change: a pool's
 * state is replaced by a swap, never altered. What throws is computed again.
 */
export function oncePer<Key extends WeakKey, Value extends NonNullable<unknown>>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const cache = new WeakMap<Key, Value>()
  return (key) => {
    const known = cache.get(key)
    if (known !== undefined) return known
    const value = compute(key)
    cache.set(key, value)
    return value
  }
}
