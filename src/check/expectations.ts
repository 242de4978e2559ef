/** Whether an outcome is what a case expects: the differences as sentences. Pure. */
import { ForkrouteError } from '../domain/errors.js'
import { bpsDenominator } from '../domain/primitives.js'
import type { Delivery, PriceResult } from '../testing/answers.js'
import { missingParts, tooLittle, wrongAmount } from '../testing/compare.js'
import type { Expectation, SuiteCase } from './suite.js'

export type CaseAnswer =
  | { readonly kind: 'delivery'; readonly value: Delivery }
  | { readonly kind: 'prices'; readonly value: readonly PriceResult[] }

export type CaseOutcome =
  | { readonly ok: true; readonly answer: CaseAnswer }
  | { readonly ok: false; readonly error: unknown }

/** Empty when the case passes. */
export function differences(expect: Expectation, outcome: CaseOutcome): string[] {
  if (!outcome.ok) return errorDifferences(expect, outcome.error)
  if (expect.error) return [`answers, the error ${expect.error} was expected`]
  const { answer } = outcome
  if (answer.kind === 'prices') return priceDifferences(expect, answer.value)
  try {
    return deliveryDifferences(expect, answer.value)
  } catch (error) {
    // The case expects one amount without a token, and the answer has several tokens.
    if (error instanceof TypeError) return [error.message]
    throw error
  }
}

function deliveryDifferences(expect: Expectation, answer: Delivery): string[] {
  const { amountOut, atLeast, path, toleranceBps = 0 } = expect
  return [
    ...(amountOut === undefined ? [] : wrongAmount(answer, amountOut, toleranceBps)),
    ...(atLeast === undefined ? [] : tooLittle(answer, atLeast)),
    ...(path ? missingParts(answer.path, path) : []),
  ]
}

function priceDifferences(
  { price: expected = [], toleranceBps = 0 }: Expectation,
  prices: readonly PriceResult[],
): string[] {
  if (expected.length !== prices.length) {
    return [`gives ${prices.length} prices, ${expected.length} were expected`]
  }
  return prices.flatMap((record, index) => {
    const wanted = expected[index] ?? 0
    if (!record) return [`knows no price, ${wanted} USD was expected`]
    const bps = (Math.abs(record.price - wanted) / wanted) * Number(bpsDenominator)
    if (bps <= toleranceBps) return []
    const allowed = toleranceBps > 0 ? ` within ${toleranceBps} bps` : ''
    return [
      `prices ${record.symbol ?? record.address} at ${record.price} USD, ${wanted}${allowed} was expected: ` +
        `${bps.toFixed(2)} bps ${record.price < wanted ? 'less' : 'more'}`,
    ]
  })
}

function errorDifferences(expect: Expectation, error: unknown): string[] {
  const code = error instanceof ForkrouteError ? error.code : 'INTERNAL'
  if (code === expect.error) return []
  const message = error instanceof Error ? error.message : String(error)
  const instead = expect.error ? `, ${expect.error} was expected` : ''
  return [`fails with ${code}${instead}: ${message}`]
}

/** The outcome of a case in a few words, for its line of the report. */
export function summary(outcome: CaseOutcome, { kind }: Pick<SuiteCase, 'kind'>): string {
  if (!outcome.ok) {
    return outcome.error instanceof ForkrouteError ? outcome.error.code : 'INTERNAL'
  }
  const { answer } = outcome
  if (answer.kind === 'prices') {
    return answer.value.map((record) => (record ? `${record.price} USD` : 'no price')).join(', ')
  }
  const amounts = Object.values(answer.value.amountsOut).join(', ')
  const protocols = [...new Set(answer.value.path.map(({ protocol }) => protocol))].join(', ')
  return [amounts || kind, protocols && `by ${protocols}`].filter(Boolean).join(' ')
}
