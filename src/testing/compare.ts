/** Describes how an answer differs from the expected one; shared by matchers and suites. Pure. */
import {
  type Address,
  bpsDenominator,
  centiBpsDenominator,
  toAddress,
} from '../domain/primitives.js'
import type { AmountsByToken, Delivery, PathPart } from './answers.js'

/** Amount of the only token, or amounts by token. Raw units. */
export type ExpectedAmount = bigint | AmountsByToken

/** A protocol's slug, or an address or id of a pool; or both. */
export type ExpectedPart = string | Partial<Pick<PathPart, 'protocol' | 'pool'>>

/** Empty when every token reaches its minimum. */
export function tooLittle(answer: Delivery, minimum: ExpectedAmount): string[] {
  return pairs(answer, minimum).flatMap(({ token, expected, actual }) => {
    if (actual === null) return [`${token} is not among what is delivered`]
    return actual >= expected
      ? []
      : [
          `delivers ${actual} of ${token}, at least ${expected} was expected: ${less(actual, expected)}`,
        ]
  })
}

/** Empty when every amount is within the tolerance. @param toleranceBps - of the expected amount, to both sides. */
export function wrongAmount(
  answer: Delivery,
  expected: ExpectedAmount,
  toleranceBps: number,
): string[] {
  return pairs(answer, expected).flatMap(({ token, expected: wanted, actual }) => {
    if (actual === null) return [`${token} is not among what is delivered`]
    if (isWithin(actual, wanted, toleranceBps)) return []
    const allowed = toleranceBps > 0 ? ` within ${toleranceBps} bps` : ''
    return [
      `delivers ${actual} of ${token}, ${wanted}${allowed} was expected: ${apart(actual, wanted)}`,
    ]
  })
}

/** Empty when every expected part is somewhere on the path. */
export function missingParts(
  path: readonly PathPart[],
  expected: readonly ExpectedPart[],
): string[] {
  return expected
    .filter((part) => !path.some((own) => isPart(own, part)))
    .map((part) => `does not pass ${expectedText(part)}; its path: ${pathText(path)}`)
}

/** Empty when the path is made of these parts, in this order; shares do not count. */
export function wrongPath(path: readonly PathPart[], expected: readonly ExpectedPart[]): string[] {
  const isSame =
    path.length === expected.length &&
    path.every((own, index) => isPart(own, expected[index] ?? ''))
  return isSame
    ? []
    : [
        `takes ${pathText(path)}, ${expected.map(expectedText).join(' > ') || 'no pool'} was expected`,
      ]
}

/** `uniswap-v3 0xe055… > curve 0xbebc… 40%`. */
export function pathText(path: readonly PathPart[]): string {
  const parts = path.map(({ protocol, pool, shareBps }) =>
    [protocol, pool, ...(shareBps < bpsDenominator ? [`${shareBps / 100}%`] : [])].join(' '),
  )
  return parts.join(' > ') || 'no pool'
}

function expectedText(part: ExpectedPart): string {
  if (typeof part === 'string') return part
  return [part.protocol, part.pool].filter((word) => word !== undefined).join(' ')
}

function isPart(own: PathPart, expected: ExpectedPart): boolean {
  if (typeof expected !== 'string') {
    const { protocol = own.protocol, pool = own.pool } = expected
    return isPart(own, protocol) && isPart(own, pool)
  }
  const word = expected.toLowerCase()
  return word === own.protocol || word === own.pool
}

interface Pair {
  readonly token: Address
  readonly expected: bigint
  /** Null when the answer does not have the token. */
  readonly actual: bigint | null
}

function pairs(answer: Delivery, expected: ExpectedAmount): Pair[] {
  const { amountsOut } = answer
  if (typeof expected !== 'bigint') {
    return Object.entries(expected).map(([token, amount]) => ({
      token: toAddress(token),
      expected: amount,
      actual: amountsOut[toAddress(token)] ?? null,
    }))
  }
  const [token, ...others] = Object.keys(amountsOut) as Address[]
  if (token && others.length === 0) return [{ token, expected, actual: answer.amountOut }]
  throw new TypeError(
    token
      ? `The answer delivers several tokens: say how much of each, as { [token]: amount }. They are ${[token, ...others].join(', ')}.`
      : 'The answer delivers no token.',
  )
}

function isWithin(actual: bigint, expected: bigint, toleranceBps: number): boolean {
  const difference = actual > expected ? actual - expected : expected - actual
  return difference * centiBpsDenominator <= expected * BigInt(Math.round(toleranceBps * 100))
}

function less(actual: bigint, expected: bigint): string {
  return `${expected - actual} (${bps(expected - actual, expected)}) less`
}

function apart(actual: bigint, expected: bigint): string {
  return actual < expected
    ? less(actual, expected)
    : `${actual - expected} (${bps(actual - expected, expected)}) more`
}

/** With two decimals, rounded down. */
function bps(part: bigint, whole: bigint): string {
  return whole === 0n ? 'of nothing' : `${Number((part * centiBpsDenominator) / whole) / 100} bps`
}
