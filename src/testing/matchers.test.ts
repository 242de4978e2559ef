import { describe, expect, test } from 'vitest'
import type { QuoteResult } from './answers.js'
import { type ForkrouteMatchers, forkrouteMatchers } from './matchers.js'

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as vitest declares it
  interface Matchers<T = any> extends ForkrouteMatchers<T> {}
}
expect.extend(forkrouteMatchers)

const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const dai = '0x6b175474e89094c44da98b954eedeac495271d0f'
const pool = '0xe0554a476a092703abdb3ef35c80e0d76d32939f'
const answer: QuoteResult = {
  amountOut: 3_000_000n,
  amountsOut: { [usdc]: 3_000_000n },
  path: [
    { protocol: 'uniswap-v3', pool, shareBps: 6_000 },
    { protocol: 'curve', pool: '0x3pool', shareBps: 4_000 },
  ],
  gas: 150_000n,
  priceImpact: null,
  blockNumber: 378n,
  route: [],
  warnings: ['a pool was left out'],
}
const two: QuoteResult = { ...answer, amountsOut: { [usdc]: 3_000_000n, [dai]: 5n } }

describe('toDeliverAtLeast', () => {
  test('passes from the very amount on', () => {
    expect(answer).toDeliverAtLeast(3_000_000n)
    expect(answer).not.toDeliverAtLeast(3_000_001n)
    expect(two).toDeliverAtLeast({ [usdc.toUpperCase().replace('X', 'x')]: 1n, [dai]: 5n })
    expect(two).not.toDeliverAtLeast({ [dai]: 6n })
  })

  test('says what is missing in units and basis points, and what the answer is', () => {
    expect(() => expect(answer).toDeliverAtLeast(3_030_303n)).toThrow(
      `The answer delivers 3000000 of ${usdc}, at least 3030303 was expected: 30303 (99.99 bps) less.\n` +
        `amount: 3000000 of ${usdc}\n` +
        `path:   uniswap-v3 ${pool} 60% > curve 0x3pool 40%\n` +
        'block:  378\n' +
        'warning: a pool was left out',
    )
    expect(() => expect(answer).not.toDeliverAtLeast(5n)).toThrow('The answer delivers at least 5.')
    expect(() => expect(answer).toDeliverAtLeast({ [dai]: 1n })).toThrow(
      `${dai} is not among what is delivered`,
    )
  })

  test('one amount for several tokens, and what is no answer, are mistakes of the test', () => {
    expect(() => expect(two).toDeliverAtLeast(1n)).toThrow('delivers several tokens')
    expect(() => expect(Promise.resolve(answer)).toDeliverAtLeast(1n)).toThrow('await it')
    expect(() => expect(7).not.toDeliverAtLeast(1n)).toThrow('needs an answer of route')
  })
})

describe('toMatchRoute', () => {
  test('the exact amount without a tolerance, to both sides with one', () => {
    expect(answer).toMatchRoute({ amountOut: 3_000_000n })
    expect(answer).not.toMatchRoute({ amountOut: 3_000_001n })
    expect(answer).toMatchRoute({ amountOut: 3_001_500n }, { toleranceBps: 5 })
    expect(answer).toMatchRoute({ amountOut: 2_998_501n }, { toleranceBps: 5 })
    expect(answer).not.toMatchRoute({ amountOut: 3_001_502n }, { toleranceBps: 5 })
    expect(two).toMatchRoute({ amountsOut: { [dai]: 5n } })
  })

  test('the path by protocols, by pools, by both, and by an earlier answer', () => {
    expect(answer).toMatchRoute({ path: ['uniswap-v3', '0x3pool'] })
    expect(answer).toMatchRoute({ path: [{ protocol: 'uniswap-v3', pool }, 'Curve'] })
    expect(answer).toMatchRoute(answer)
    expect(answer).not.toMatchRoute({ path: ['uniswap-v3'] })
    expect(answer).not.toMatchRoute({ path: ['curve', 'uniswap-v3'] })
  })

  test('says both differences at once', () => {
    const expected = { amountOut: 2_900_000n, path: ['balancer-v2', { pool }] }
    expect(() => expect(answer).toMatchRoute(expected, { toleranceBps: 10 })).toThrow(
      `The answer delivers 3000000 of ${usdc}, 2900000 within 10 bps was expected: 100000 (344.82 bps) more.\n` +
        `The answer takes uniswap-v3 ${pool} 60% > curve 0x3pool 40%, balancer-v2 > ${pool} was expected.`,
    )
    expect(() => expect(answer).toMatchRoute({})).toThrow('neither an amount nor a path')
  })
})
