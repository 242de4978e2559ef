/** Matchers for `expect.extend`, of vitest or anything with the same form; `forkroute/testing/vitest` adds them itself. */
import type { Delivery } from './answers.js'
import {
  type ExpectedAmount,
  type ExpectedPart,
  pathText,
  tooLittle,
  wrongAmount,
  wrongPath,
} from './compare.js'

/** The expected route; an earlier answer can be passed as it is. */
export interface ExpectedRoute {
  readonly amountOut?: bigint
  /** Amounts by token, for an answer with several; takes precedence over amountOut. */
  readonly amountsOut?: Readonly<Record<string, bigint>>
  /** All pools in their order, each by its protocol, its address or id, or both; shares do not count. */
  readonly path?: readonly ExpectedPart[]
}

export interface RouteTolerance {
  /** How far the amount may be above or below, basis points; default 0, the exact amount. */
  readonly toleranceBps?: number
}

/** Matchers of `expect(answer)`, for answers of `route`, `quote` and `bundle`. */
export interface ForkrouteMatchers<R = unknown> {
  /** @param minimum - raw units of the only tokenOut, or by token. */
  toDeliverAtLeast(minimum: bigint | Readonly<Record<string, bigint>>): R
  /** Compares amount and path, as far as they are given. */
  toMatchRoute(expected: ExpectedRoute, tolerance?: RouteTolerance): R
}

interface Verdict {
  readonly pass: boolean
  readonly message: () => string
}

export const forkrouteMatchers = {
  toDeliverAtLeast(received: unknown, minimum: ExpectedAmount): Verdict {
    const answer = answerOf(received, 'toDeliverAtLeast')
    const wanted = byToken(minimum)
    return verdict(answer, tooLittle(answer, wanted), `delivers at least ${amountText(wanted)}`)
  },
  toMatchRoute(
    received: unknown,
    expected: ExpectedRoute,
    { toleranceBps = 0 }: RouteTolerance = {},
  ): Verdict {
    const answer = answerOf(received, 'toMatchRoute')
    const amount = expected.amountsOut ?? expected.amountOut
    if (amount === undefined && !expected.path) {
      throw new TypeError('toMatchRoute: the expected route has neither an amount nor a path.')
    }
    const differences = [
      ...(amount === undefined ? [] : wrongAmount(answer, byToken(amount), toleranceBps)),
      ...(expected.path ? wrongPath(answer.path, expected.path) : []),
    ]
    return verdict(answer, differences, 'is the route that was not expected')
  },
}

/** @param fact - about the answer, for `.not`. */
function verdict(answer: Delivery, differences: readonly string[], fact: string): Verdict {
  const pass = differences.length === 0
  const facts = [
    `amount: ${amountText(answer.amountsOut)}`,
    `path:   ${pathText(answer.path)}`,
    `block:  ${answer.blockNumber}`,
    ...answer.warnings.map((warning) => `warning: ${warning}`),
  ]
  return {
    pass,
    message: () =>
      [...(pass ? [fact] : differences).map((text) => `The answer ${text}.`), ...facts].join('\n'),
  }
}

function amountText(amount: ExpectedAmount): string {
  if (typeof amount === 'bigint') return String(amount)
  return Object.entries(amount)
    .map(([token, units]) => `${units} of ${token}`)
    .join(', ')
}

/** Units may come as text of a JSON file. */
function byToken(amount: bigint | Readonly<Record<string, bigint>>): ExpectedAmount {
  if (typeof amount !== 'object' || amount === null) return BigInt(amount)
  return Object.fromEntries(Object.entries(amount).map(([token, units]) => [token, BigInt(units)]))
}

/** @throws TypeError for anything but an answer: a promise that was not awaited is the usual reason. */
function answerOf(received: unknown, matcher: string): Delivery {
  const isObject = typeof received === 'object' && received !== null
  if (isObject && 'amountsOut' in received && 'path' in received) return received as Delivery
  throw new TypeError(
    received instanceof Promise
      ? `${matcher}: the answer is a promise; await it, or write expect(…).resolves.`
      : `${matcher}: needs an answer of route, quote or bundle.`,
  )
}
