import { describe, expect, test } from 'vitest'
import { ForkrouteError } from '../domain/errors.js'
import type { QuoteResult } from '../testing/answers.js'
import type { Proof } from '../testing/proven.js'
import { type CaseOutcome, differences, summary } from './expectations.js'
import { jsonReport, junitReport, terminalReport } from './report.js'
import type { CaseResult, SuiteResult } from './run.js'
import type { Expectation } from './suite.js'

const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const quote: QuoteResult = {
  amountOut: 3_000n,
  amountsOut: { [usdc]: 3_000n },
  path: [{ protocol: 'curve', pool: '0x3pool', shareBps: 10_000 }],
  gas: 1n,
  priceImpact: null,
  blockNumber: 7n,
  route: [],
  warnings: [],
}
const price = {
  chainId: 1,
  address: usdc,
  decimals: 6,
  price: 1.001,
  symbol: 'USDC',
  timestamp: 1,
  confidence: 1,
  blockNumber: 7,
  source: 'pools',
}
const answered: CaseOutcome = { ok: true, answer: { kind: 'delivery', value: quote } }
const priced: CaseOutcome = { ok: true, answer: { kind: 'prices', value: [price, null] } }
const failed: CaseOutcome = { ok: false, error: new ForkrouteError('NO_ROUTE', 'No path.') }

describe('differences', () => {
  test.each<[string, Expectation, CaseOutcome, string[]]>([
    ['exact amount', { amountOut: 3_000n }, answered, []],
    [
      'another amount',
      { amountOut: 3_001n },
      answered,
      [`delivers 3000 of ${usdc}, 3001 was expected: 1 (3.33 bps) less`],
    ],
    ['within the tolerance', { amountOut: 3_001n, toleranceBps: 4 }, answered, []],
    [
      'beyond the tolerance',
      { amountOut: 2_998n, toleranceBps: 6 },
      answered,
      [`delivers 3000 of ${usdc}, 2998 within 6 bps was expected: 2 (6.67 bps) more`],
    ],
    ['at least', { atLeast: 3_000n }, answered, []],
    [
      'less than at least',
      { atLeast: { [usdc]: 6_000n } },
      answered,
      [`delivers 3000 of ${usdc}, at least 6000 was expected: 3000 (5000 bps) less`],
    ],
    ['a path that contains', { path: ['curve', '0x3POOL'] }, answered, []],
    [
      'a path that does not',
      { path: ['curve', 'lido'] },
      answered,
      ['does not pass lido; its path: curve 0x3pool'],
    ],
    ['the expected error', { error: 'NO_ROUTE' }, failed, []],
    [
      'another error',
      { error: 'UNKNOWN_BLOCK' },
      failed,
      ['fails with NO_ROUTE, UNKNOWN_BLOCK was expected: No path.'],
    ],
    ['an error that nobody expected', { atLeast: 1n }, failed, ['fails with NO_ROUTE: No path.']],
    ['no error', { error: 'NO_ROUTE' }, answered, ['answers, the error NO_ROUTE was expected']],
    [
      'prices, and one that is not known',
      { price: [1, 2], toleranceBps: 10 },
      priced,
      ['knows no price, 2 USD was expected'],
    ],
    [
      'a price beyond the tolerance',
      { price: [1, 2], toleranceBps: 5 },
      priced,
      [
        'prices USDC at 1.001 USD, 1 within 5 bps was expected: 10.00 bps more',
        'knows no price, 2 USD was expected',
      ],
    ],
    ['too few prices', { price: [1] }, priced, ['gives 2 prices, 1 were expected']],
  ])('%s', (_name, expected, outcome, found) => {
    expect(differences(expected, outcome)).toEqual(found)
  })
})

function resultOf(
  name: string,
  expected: Expectation,
  outcome: CaseOutcome,
  proof: Proof | null = null,
): CaseResult {
  const one = { name, line: 5, kind: 'quote' as const, request: {}, expect: expected }
  return {
    case: one,
    outcome,
    summary: summary(outcome, one),
    differences: differences(expected, outcome),
    proof,
    milliseconds: 12,
  }
}
const bug: CaseOutcome = { ok: false, error: new ForkrouteError('INTERNAL', 'A fault.') }
const result: SuiteResult = {
  suite: {
    name: 'mine',
    cassette: '/a.cassette',
    rpc: null,
    chainId: 1,
    evidence: null,
    config: {},
    cases: [],
  },
  mode: 'replay',
  cases: [
    resultOf('good', { atLeast: 1n }, answered),
    resultOf('a < b', { amountOut: 1n, path: ['lido'] }, answered),
    resultOf('bug', { atLeast: 1n }, bug),
  ],
  milliseconds: 1_500,
}

describe('terminalReport', () => {
  test('one line per case, the differences, the count', () => {
    expect(terminalReport(result).split('\n')).toEqual([
      'mine',
      'ok    good   3000 by curve  (12 ms)',
      'FAIL  a < b  3000 by curve  (12 ms)',
      'FAIL  bug    INTERNAL  (12 ms)',
      '',
      'a < b (line 5)',
      `  delivers 3000 of ${usdc}, 1 was expected: 2999 (29990000 bps) more`,
      '  does not pass lido; its path: curve 0x3pool',
      '  block 7',
      '',
      'bug (line 5)',
      '  fails with INTERNAL: A fault.',
      '',
      '1 of 3 cases passed (replayed from /a.cassette, 1.5 s)',
    ])
  })
})

describe('junitReport', () => {
  test('a difference is a failure, a fault of the service an error; texts are escaped', () => {
    const xml = junitReport(result)
    expect(xml).toContain('<testsuite name="mine" time="1.5" tests="3" failures="1" errors="1"')
    expect(xml).toContain('<testcase classname="mine" name="good" time="0.012"/>')
    expect(xml).toMatch(/name="a &lt; b" time="0.012">\s*<failure message="delivers 3000 of/)
    expect(xml).toContain('does not pass lido; its path: curve 0x3pool\nblock 7]]>')
    expect(xml).toContain('<error message="fails with INTERNAL: A fault." type="error">')
  })
})

describe('jsonReport', () => {
  test('counts, differences, answers and errors', () => {
    expect(jsonReport(result)).toMatchObject({
      suite: 'mine',
      mode: 'replay',
      ok: false,
      passed: 1,
      failed: 2,
      cases: [
        { name: 'good', ok: true, differences: [], answer: { amountOut: 3_000n } },
        { name: 'a < b', ok: false, line: 5 },
        { name: 'bug', ok: false, error: { code: 'INTERNAL', message: 'A fault.' } },
      ],
    })
  })
})

describe('reports of a suite with evidence', () => {
  const blockHash = `0x${'ab'.repeat(32)}`
  const proof: Proof = {
    isProven: true,
    kind: 'quote',
    chainId: 1,
    blockNumber: 7n,
    blockHash,
    publicKey: '0x12',
    accounts: 9,
    slots: 13,
    codes: 5,
    assumed: 2,
  }
  const cases = [
    resultOf('shown', { atLeast: 1n }, answered, proof),
    resultOf('not shown', { atLeast: 1n }, answered, {
      isProven: false,
      reason: 'It has none. Record it.',
    }),
    resultOf('a price', { price: [1.001] }, priced),
  ]
  const proven: SuiteResult = { ...result, cases }

  test('the terminal tells it of each case, and of which block', () => {
    const lines = terminalReport(proven).split('\n')
    expect(lines[1]).toMatch(/ms\) {2}proven: 9 accounts, 13 slots$/)
    expect(lines[2]).toMatch(/ms\) {2}not proven: It has none\.$/)
    expect(lines[3]).toMatch(/ms\)$/)
    expect(lines.at(-1)).toBe(`the state of 1 is proven: block 7 of chain 1, ${blockHash}`)
  })

  test('JUnit has properties of each case that was asked for evidence', () => {
    const [, first = '', second = '', third = ''] = junitReport(proven).split('<testcase ')
    expect(first).toContain('<property name="state.isProven" value="true"/>')
    expect(first).toContain(`<property name="state.blockHash" value="${blockHash}"/>`)
    expect(first).toContain('<property name="state.slots" value="13"/>')
    expect(second).toContain('<property name="state.isProven" value="false"/>')
    expect(second).toContain('<property name="state.reason" value="It has none. Record it."/>')
    expect(third).not.toContain('property')
  })

  test('JSON has all that is known', () => {
    const found = jsonReport(proven).cases.map((one) => one.proof)
    expect(found).toEqual([proof, { isProven: false, reason: 'It has none. Record it.' }, null])
  })
})
