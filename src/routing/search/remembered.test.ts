import { describe, expect, test } from 'vitest'
import type { Address } from '../../domain/primitives.js'
import { uniswapV2 } from '../../protocols/uniswap-v2/index.js'
import { type MarketPool, MarketView } from '../market/market-view.js'
import { type CandidateArgs, findCandidates } from './candidates.js'
import { rememberedCandidates } from './remembered.js'

const [a, b, wrappedNative] = ['a', 'b', 'e'].map((digit) => `0x${digit.repeat(40)}`) as [
  Address,
  Address,
  Address,
]
const ether = 10n ** 18n

function pair(id: string, reserve0: bigint, reserve1: bigint): MarketPool {
  return {
    adapter: uniswapV2 as MarketPool['adapter'],
    loaded: {
      pool: {
        protocol: 'uniswap-v2',
        id,
        address: `0x${'9'.repeat(40)}`,
        tokens: [a, b],
        parameters: { feeBps: 30 },
      },
      state: { reserve0: reserve0 * ether, reserve1: reserve1 * ether },
      partial: false,
    },
  }
}

const view = () => new MarketView({ pools: [pair('1', 1_000n, 2_000n), pair('2', 900n, 1_700n)] })
const asked = (given: Partial<CandidateArgs> = {}): CandidateArgs => ({
  market: view(),
  wrappedNative,
  inputs: [{ token: a, amount: ether }],
  tokensOut: [b],
  maxHops: 3,
  count: 4,
  gasCost: () => undefined,
  ...given,
})

describe('rememberedCandidates', () => {
  test('finds what a search finds, and the same again without one', () => {
    const args = asked()
    const found = rememberedCandidates(args)
    expect(found).toEqual(findCandidates(args))
    expect(rememberedCandidates({ ...args })).toBe(found)
  })

  test.each<[string, Partial<CandidateArgs>]>([
    ['another amount', { inputs: [{ token: a, amount: ether + 1n }] }],
    ['another direction', { inputs: [{ token: b, amount: ether }], tokensOut: [a] }],
    ['fewer hops', { maxHops: 1 }],
    ['another number of candidates', { count: 1 }],
    ['no splits', { mayBeSplit: false }],
    ['a token to avoid', { avoid: new Set([wrappedNative]) }],
    ['another price of gas', { gasCost: () => 10n ** 15n }],
    ['other pools of the same state', { market: view() }],
    ['some of the pools alone', { isAllowed: ({ loaded }) => loaded.pool.id === '2' }],
  ])('%s is another question', (_what, other) => {
    const args = asked()
    const found = rememberedCandidates(args)
    const changed = { ...args, ...other }
    expect(rememberedCandidates(changed)).not.toBe(found)
    expect(rememberedCandidates(changed)).toEqual(findCandidates(changed))
  })

  test('what was cut short is searched again', () => {
    const args = asked()
    expect(rememberedCandidates({ ...args, shouldStop: () => true }).wasCut).toBe(true)
    expect(rememberedCandidates(args)).toEqual(findCandidates(args))
  })
})
