/**
 * Lists read by position. A missing entry is a bug that no default may hide. It throws a TypeError, because the pool
 * math throws RangeError where a contract reverts. Pure.
 */
import type { Address } from './primitives.js'

/** @throws TypeError when the list has no such entry. */
export function at<T>(list: readonly T[], index: number): T {
  const entry = list[index]
  if (entry === undefined) throw new TypeError(`no entry ${index} of ${list.length}`)
  return entry
}

/**
 * The entries at the same position, as pairs.
 * @throws TypeError when one list is longer than the other.
 */
export function zip<A, B>(left: readonly A[], right: readonly B[]): (readonly [A, B])[] {
  if (left.length !== right.length) {
    throw new TypeError(`${left.length} entries beside ${right.length}`)
  }
  return left.map((entry, index) => [entry, right[index] as B])
}

/**
 * Pairs tokens and amounts that arrive as two parallel lists: in requests, calldata and arguments.
 * @throws TypeError when one list is longer than the other.
 */
export function tokenAmounts<A>(
  tokens: readonly Address[],
  amounts: readonly A[],
): { readonly token: Address; readonly amount: A }[] {
  return zip(tokens, amounts).map(([token, amount]) => ({ token, amount }))
}

/** The order of texts by their code units, for `sort`: the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The member of a list of one, and any other value itself: clients of the family send slugs in either form. */
export function onlyOne(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

/** Consecutive parts of `size` entries; the last may be shorter. */
export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_chunk, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

/** The order of amounts for `sort`, the smallest first. */
export function compareAmounts(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The smaller of two amounts. */
export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** The larger of two amounts. */
export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
