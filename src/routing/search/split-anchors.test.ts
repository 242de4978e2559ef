import { describe, expect, test } from 'vitest'
import { syntheticMarket } from '../../../test/support/synthetic-market.js'
import { at } from '../../domain/lists.js'
import { MarketView } from '../market/market-view.js'
import { type CandidateArgs, findCandidates } from './candidates.js'
import { hopKey } from './hop.js'
import { findPaths } from './search.js'
import { findSplits, type Grown, growOnce, type SplitArgs } from './split.js'
import { anchorOf, rememberedGrowth } from './split-anchors.js'
import { KnownMargins, networkOf } from './split-network.js'

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

/** A multiple of a request that is to be split, and the parts of it that searches looked at. */
function splitOf(multiple: bigint) {
  const market = syntheticMarket(60, 5)
  const { tokenIn, tokenOut, amountIn } = at(market.requests(1), 0)
  const source = { token: tokenIn, amount: amountIn * multiple }
  const parts: (bigint | undefined)[] = []
  const search: SplitArgs['search'] = ({ token, amount }, { states, part, ...options }) => {
    parts.push(part)
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
  const paths = search(source, {})
  const args = {
    sources: [source],
    tokenOut,
    paths: [paths],
    exactPaths: [paths],
    search,
    besides: () => [],
    margins: new KnownMargins(),
  }
  return { args, parts }
}

describe('growOnce', () => {
  test('an amount that uses the pools up grows nothing for amounts near it, and stops as soon as that shows', () => {
    const [usual, large] = [splitOf(30n), splitOf(100_000n)]
    expect(growOnce(usual.args, true)?.arcs.length).toBeGreaterThan(1)
    expect(growOnce(large.args, true)).toBeNull()
    expect(large.parts.length).toBeLessThan(usual.parts.length)
  })
})

describe('findSplits', () => {
  /** The splits, and the parts that searches for them looked at. */
  function found(changes: (own: SplitArgs) => Partial<SplitArgs> = () => ({})) {
    const { args, parts } = splitOf(30n)
    const own = { ...args, ...changes(args) }
    const before = parts.length
    const flows = findSplits(own)
    return { flows, best: Number(flows[0]?.amountOut), parts: parts.slice(before) }
  }
  const alone = found()
  /** The network of a hundredth less. */
  function grownNear(args: SplitArgs): Grown {
    const sources = args.sources.map(({ token, amount }) => ({
      token,
      amount: (amount * 99n) / 100n,
    }))
    const grown = growOnce({ ...args, sources }, true)
    if (!grown) throw new Error('nothing grew')
    return grown
  }

  test('goes on from what an amount near it grew to, with one search for the smallest slice', () => {
    const near = found((args) => {
      const grown = grownNear(args)
      return { nearby: () => grown }
    })
    expect(near.best / alone.best).toBeGreaterThan(1 - 1e-5)
    // The first search tells whether a split can pay at all.
    expect(near.parts).toEqual([512n, 512n])
    expect(alone.parts.length).toBeGreaterThan(4)
  })

  test('grows its own where the rate of the other amount differs by more than a hundredth, or its network gives less than one path', () => {
    const unlike = found((args) => {
      const grown = grownNear(args)
      return { nearby: () => ({ ...grown, rate: grown.rate * 1.02 }) }
    })
    const worse = found((args) => {
      const [worst] = at(args.paths, 0).slice(-1)
      const path =
        worst &&
        networkOf(args, new Map(worst.hops.map((hop) => [hopKey(hop), { hop, amount: 1 }])), true)
      if (!path) throw new Error('no path')
      const rate = Number(path.at.amountOut) / Number(at(args.sources, 0).amount)
      return { nearby: () => ({ arcs: path.arcs, rate }) }
    })
    for (const { flows, parts } of [unlike, worse]) {
      expect(flows.map(({ key }) => key)).toEqual(alone.flows.map(({ key }) => key))
      expect(parts.slice(-alone.parts.length)).toEqual(alone.parts)
    }
  })

  test('one small slice tells that no split pays for its gas', () => {
    const dear = found(({ paths }) => ({ gasCostOut: at(at(paths, 0), 0).amountOut * 10n }))
    expect(dear).toMatchObject({ flows: [], parts: [512n] })
  })

  test('where no path of the whole amount is exact, exact splits begin with twelve slices, each behind the ones before', () => {
    const { flows, best, parts } = found(() => ({ exactPaths: [[]] }))
    expect(parts.slice(0, 13)).toEqual([512n, ...Array<bigint>(12).fill(12n)])
    expect(best / alone.best).toBeGreaterThan(1 - 1e-5)
    expect(flows.every(({ exact }) => exact)).toBe(true)
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
