/**
 * What a model may read. Anybody can name a token, so texts lose what hides or reorders other text, names are cut, and
 * an answer has a bound.
 */

/** Control characters, marks that are not seen or turn the direction, private and unassigned ones, half pairs. */
const hidden = /\p{C}|\p{Variation_Selector}|[\u2028\u2029]/gu
/** Written by whoever made the contract. */
const fromAnybody = new Set(['name', 'symbol', 'title', 'tokenName', 'tokenSymbol'])
const longestName = 64
/** Bytes of an answer as JSON; about a tenth of what models take in at once. */
const mostBytes = 40_000
const fewestItems = 1

/** The value with bigint as decimal strings and texts made harmless. */
export function plain(value: unknown, key = ''): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string') {
    const text = value.replaceAll(hidden, '')
    return fromAnybody.has(key) && text.length > longestName
      ? `${text.slice(0, longestName)}…`
      : text
  }
  if (Array.isArray(value)) return value.map((item) => plain(item, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [plain(name), plain(item, name)]),
  )
}

export interface Bounded {
  readonly value: unknown
  /** Items that were left out of lists, by the place of the list; null: nothing was. */
  readonly cut: Readonly<Record<string, number>> | null
}

/** Halves the longest list until the answer is small enough; null in place of one that cannot be. */
export function bounded(value: unknown, limit = mostBytes): Bounded {
  const cut: Record<string, number> = {}
  let present = value
  while (sizeOf(present) > limit) {
    const longest = longestList(present)
    if (!longest || longest.items.length <= fewestItems) return { value: null, cut: { '': 1 } }
    const { path, items } = longest
    const kept = Math.max(fewestItems, Math.floor(items.length / 2))
    const place = path.join('.')
    cut[place] = (cut[place] ?? 0) + items.length - kept
    present = replaced(present, path, items.slice(0, kept))
  }
  return { value: present, cut: Object.keys(cut).length ? cut : null }
}

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '')

interface List {
  readonly path: readonly string[]
  readonly items: readonly unknown[]
}

/** The list with the most bytes. */
function longestList(value: unknown, path: readonly string[] = []): List | null {
  if (typeof value !== 'object' || value === null) return null
  const lists = Array.isArray(value) && value.length > fewestItems ? [{ path, items: value }] : []
  const below = Object.entries(value).flatMap(
    ([key, item]) => longestList(item, [...path, key]) ?? [],
  )
  return [...lists, ...below].reduce<List | null>(
    (best, one) => (!best || sizeOf(one.items) > sizeOf(best.items) ? one : best),
    null,
  )
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === key ? replaced(item, rest, by) : item))
  }
  const held = value as Record<string, unknown>
  return { ...held, [key]: replaced(held[key], rest, by) }
}
