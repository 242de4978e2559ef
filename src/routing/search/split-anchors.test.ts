import { describe, expect, test } from 'vitest'
import { syntheticMarket } from '../../../test/support/synthetic-market.js'
import { MarketView } from '../market/market-view.js'
import { type CandidateArgs, findCandidates } from './candidates.js'
import { findPaths } from './search.js'
import { growOnce, type SplitArgs } from './split.js'
import { anchorOf, rememberedGrowth } from './split-anchors.js'
import { KnownMargins } from './split-network.js'

const wrappedNative = '0x0000000000000000000000000000000000000001'

/** Key and output of each candidate of each amount, in the order of the amounts. */
function candidatesOf(amounts: readonly bigint[], changes: Partial<CandidateArgs> = {}) {
  // A market of its own: nothing is remembered of it.
  const market = syntheticMarket(60, 5)
  const [request] = market.requests(1)
  if (!request) throw new Error('no request')
  const { tokenIn, tokenOut } = request
  return amounts.map((amount) => {
    const { candidates } = findCandidates({
      market: market.view,
      wrappedNative,
      tokensOut: [tokenOut],
      maxHops: 3,
      count: 24,
      inputs: [{ token: tokenIn, amount }],
      gasCost: market.gasCost,
      ...changes,
    })
    return candidates.map(({ key, amountOut }) => ({ key, amountOut }))
  })
}

describe('anchorOf', () => {
  test('known vectors: two steps per doubling, each known by its middle', () => {
    const unit = 1n << 20n
    const anchors = [4n, 5n, 6n, 7n, 8n].map((amount) => anchorOf(amount * unit))
    expect(anchors).toEqual([5n, 5n, 7n, 7n, 10n].map((amount) => amount * unit))
  })

  test('amounts below 65,536 units have none', () => {
    expect(anchorOf(65_535n)).toBeNull()
    expect(anchorOf(65_536n)).toBe(81_920n)
  })
})

describe('rememberedGrowth', () => {
  const args: CandidateArgs = {
    market: new MarketView({}),
    wrappedNative,
    inputs: [{ token: wrappedNative, amount: 1n }],
    tokensOut: [wrappedNative],
    maxHops: 3,
    count: 4,
    gasCost: () => undefined,
  }
  const at = { amountIn: 5n, exactOnly: true, wasCut: () => false }
  const grown = { arcs: [], rate: 1 }

  test('grows once for all amounts of a step, and anew for another step, gas price or choice of pools', () => {
    let count = 0
    const grow = () => {
      count++
      return grown
    }
    const other = { ...args, inputs: [{ token: wrappedNative, amount: 2n } as const] }
    for (const one of [args, other]) expect(rememberedGrowth(one, at, grow)).toBe(grown)
    expect(count).toBe(1)
    rememberedGrowth(args, { ...at, amountIn: 7n }, grow)
    rememberedGrowth({ ...args, gasCost: () => 1n }, at, grow)
    rememberedGrowth({ ...args, market: new MarketView({}) }, at, grow)
    rememberedGrowth({ ...args, isAllowed: () => true }, at, grow)
    rememberedGrowth({ ...args, isAllowed: () => true }, at, grow)
    expect(count).toBe(6)
  })

  test('what was cut short is grown again', () => {
    const own = { ...args, market: new MarketView({}) }
    expect(rememberedGrowth(own, { ...at, wasCut: () => true }, () => null)).toBeNull()
    expect(rememberedGrowth(own, at, () => grown)).toBe(grown)
  })
})

describe('growOnce', () => {
  /** What amounts near this multiple of a request may go on from, and how many searches that took. */
  const growth = (multiple: bigint) => {
    const market = syntheticMarket(60, 5)
    const [request] = market.requests(1)
    if (!request) throw new Error('no request')
    const { tokenIn, tokenOut } = request
    const source = { token: tokenIn, amount: request.amountIn * multiple }
    let searches = 0
    const search: SplitArgs['search'] = ({ token, amount }, { states, part: _, ...options }) => {
      searches++
      return findPaths({
        market: market.view,
        tokenIn: token,
        tokenOut,
        amountIn: amount,
        maxHops: 3,
        wrappedNative,
        ...options,
        states: states?.size ? states : undefined,
      })
    }
    const paths = [search(source, {})]
    const margins = new KnownMargins()
    const terms = { sources: [source], tokenOut, margins, search, besides: () => [] }
    const args = { ...terms, paths, exactPaths: paths }
    return { grown: growOnce(args, true), searches }
  }

  test('an amount that uses the pools up grows nothing for amounts near it, and stops as soon as that shows', () => {
    const [usual, large] = [growth(30n), growth(100_000n)]
    expect(usual.grown?.arcs.length).toBeGreaterThan(1)
    expect(large.grown).toBeNull()
    expect(large.searches).toBeLessThan(usual.searches)
  })
})

describe('findCandidates', () => {
  test('a ladder of 12 amounts gives each what it gives alone, in any order, whatever is remembered', () => {
    const market = syntheticMarket(60, 5)
    const amountIn = market.requests(1)[0]?.amountIn ?? 0n
    const amounts = Array.from({ length: 12 }, (_, index) => (amountIn * BigInt(index + 1)) / 6n)
    const alone = amounts.map((amount) => candidatesOf([amount])[0])
    expect(alone.some((found) => found?.some(({ key }) => key.includes('*')))).toBe(true)
    expect(candidatesOf(amounts)).toEqual(alone)
    expect(candidatesOf(amounts.toReversed()).toReversed()).toEqual(alone)
    expect(candidatesOf(amounts, { isAllowed: () => true })).toEqual(alone)
  })
})
