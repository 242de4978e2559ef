/** Prices from elsewhere, to compare with: by block, as CSV or JSON. */

export type Reference = ReadonlyMap<number, number>

/** The most blocks that a pasted text may have. */
const mostBlocks = 100_000

/**
 * Lines `block,price` (comma, semicolon or blanks between them; a first line of names is passed over), or JSON: a list of
 * `[block, price]` or of `{"block": …, "price": …}`, or an object by block.
 * @throws Error that names the line or entry that is none.
 */
export function parseReference(text: string): Reference {
  const trimmed = text.trim()
  if (!trimmed) return new Map()
  const pairs = /^[[{]/.test(trimmed) ? fromJson(trimmed) : fromLines(trimmed)
  if (pairs.length > mostBlocks)
    throw new Error(`At most ${mostBlocks} blocks; these are ${pairs.length}.`)
  const found = new Map<number, number>()
  for (const [index, [block, price]] of pairs.entries()) {
    if (!Number.isSafeInteger(block) || block < 0 || !Number.isFinite(price) || price <= 0) {
      throw new Error(`Entry ${index + 1} is no block and price.`)
    }
    found.set(block, price)
  }
  return found
}

type Pair = readonly [number, number]

function fromLines(text: string): readonly Pair[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim())
  const [first = ''] = lines
  const isNamed = lines.length > 1 && /[a-z]/i.test(first)
  return (isNamed ? lines.slice(1) : lines).map((line): Pair => {
    const [block = '', price = ''] = line.trim().split(/[,;\s]+/)
    return [numberOf(block), numberOf(price)]
  })
}

function fromJson(text: string): readonly Pair[] {
  const value: unknown = JSON.parse(text)
  if (!Array.isArray(value)) {
    return Object.entries(value as object).map(
      ([block, price]): Pair => [numberOf(block), numberOf(price)],
    )
  }
  return value.map((one: unknown): Pair => {
    if (Array.isArray(one)) return [numberOf(one[0]), numberOf(one[1])]
    const { block, blockNumber, price } = (one ?? {}) as Readonly<Record<string, unknown>>
    return [numberOf(block ?? blockNumber), numberOf(price)]
  })
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.trim() ? Number(value) : Number.NaN
}

/** The price of a block, or the latest before it; null: none is so early. */
export function priceAt(
  reference: Reference,
  blocks: readonly number[],
  block: number,
): number | null {
  const exact = reference.get(block)
  if (exact !== undefined) return exact
  let low = 0
  let high = blocks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((blocks[middle] ?? 0) <= block) low = middle + 1
    else high = middle
  }
  const before = blocks[low - 1]
  return before === undefined ? null : (reference.get(before) ?? null)
}
