import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type { MarketPool } from '../market/market-view.js'
import type { Hop } from './hop.js'
import { type Arc, evaluate, KnownMargins, type Network } from './split-network.js'
import { improve, marginAt, marginsOf, paidFor, tokenOf } from './split-newton.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(token) as [Address, Address, Address, Address]
const ether = 10n ** 18n
/** Of a pool without a fee. */
type Reserves = readonly [reserveIn: bigint, reserveOut: bigint]

/** x * y = k without a fee, exact up to `known` raw units of all that was ever traded. */
function pool(id: string, x: number, y: number, known = 10n ** 40n): MarketPool {
  const outOf = ([reserveIn, reserveOut]: Reserves, amountIn: bigint) =>
    (amountIn * reserveOut) / (reserveIn + amountIn)
  const start: Reserves = [BigInt(x * 1e9) * 10n ** 9n, BigInt(y * 1e9) * 10n ** 9n]
  const swaps = {
    gasEstimate: () => 100_000n,
    swap: (_pool: unknown, state: Reserves, _direction: unknown, amountIn: bigint) => ({
      amountOut: outOf(state, amountIn),
      exact: state[0] + amountIn <= start[0] + known,
      after: () => [state[0] + amountIn, state[1] - outOf(state, amountIn)],
    }),
  }
  const adapter = { slug: 'product', swaps } as unknown as MarketPool['adapter']
  return {
    adapter,
    loaded: {
      pool: { protocol: 'product', id, address: token('9'), tokens: [], parameters: {} },
      state: start,
      partial: false,
    },
  }
}

const swap = (market: MarketPool, tokenIn: Address, tokenOut: Address): Hop => ({
  kind: 'swap',
  tokenIn,
  tokenOut,
  market,
})
const wrap = (tokenIn: Address, tokenOut: Address): Hop => ({ kind: 'wrap', tokenIn, tokenOut })

const termsOf = (sources: readonly TokenAmount[]) => ({
  sources,
  tokenOut: b,
  margins: new KnownMargins(),
})

/** Arcs named by their place in the list. */
function network(hops: readonly (readonly [Hop, number])[], amount: number, exactOnly = true) {
  const sources = [{ token: a, amount: BigInt(amount) * ether }]
  const arcs = hops.map(([hop, share], index): Arc => ({ hop, key: `${index}`, gas: 1n, share }))
  const at = evaluate(arcs, termsOf(sources), exactOnly)
  if (!at) throw new Error('no network')
  return { start: { arcs, at } satisfies Network, sources }
}

function improved(hops: readonly (readonly [Hop, number])[], amount: number, exactOnly = true) {
  const { start, sources } = network(hops, amount, exactOnly)
  return improve(start, termsOf(sources), { exactOnly, steps: 20 })
}

/** Whole tokens through each arc, by its name. */
const amountsOf = ({ at }: Network) =>
  Object.fromEntries(at.flows.map(({ arc, amountIn }) => [arc.key, Number(amountIn) / 1e18]))

/** First and second derivative of x * y = k at an amount. */
const slope = (x: number, y: number, amount: number) => (x * y) / (x + amount) ** 2
const bend = (x: number, y: number, amount: number) => (-2 * x * y) / (x + amount) ** 3

describe('marginsOf', () => {
  test('closed form: the margin of a pool is its marginal price, its curvature the second derivative', () => {
    const { start } = network([[swap(pool('1', 1_000, 2_000), a, b), 1]], 100)
    const { groups, values } = marginsOf(start.at, b, true)
    expect(values.get(b)).toBe(1)
    expect((values.get(a) ?? 0) / slope(1_000, 2_000, 100)).toBeCloseTo(1, 4)
    const [arc] = groups[0]?.arcs ?? []
    expect(((arc?.curvature ?? 0) * 1e18) / bend(1_000, 2_000, 100)).toBeCloseTo(1, 4)
    expect(groups[0]).toMatchObject({ amountIn: 100e18, most: Number.POSITIVE_INFINITY })
  })

  test('closed form: margins along a path are multiplied, and each hop bends the ones before it', () => {
    const hops = [
      [swap(pool('1', 1_000, 2_000), a, c), 1],
      [swap(pool('2', 500, 700), c, b), 1],
    ] as const
    const { groups, values } = marginsOf(network(hops, 100).start.at, b, true)
    const middle = (100 * 2_000) / 1_100
    const [first, second] = [slope(1_000, 2_000, 100), slope(500, 700, middle)]
    expect((values.get(c) ?? 0) / second).toBeCloseTo(1, 3)
    expect((values.get(a) ?? 0) / (first * second)).toBeCloseTo(1, 3)
    const whole = bend(1_000, 2_000, 100) * second + first ** 2 * bend(500, 700, middle)
    const group = groups.find((each) => tokenOf(each) === a)
    expect(((group?.curvature ?? 0) * 1e18) / whole).toBeCloseTo(1, 3)
  })

  test('closed form: pools side by side bend less, as springs in a row do', () => {
    const hops = [
      [swap(pool('1', 1_000, 1_000), a, b), 0.5],
      [swap(pool('2', 1_000, 1_000), a, b), 0.5],
    ] as const
    const { groups, values } = marginsOf(network(hops, 100).start.at, b, true)
    expect(groups).toHaveLength(1)
    expect((values.get(a) ?? 0) / slope(1_000, 1_000, 50)).toBeCloseTo(1, 4)
    expect(((groups[0]?.curvature ?? 0) * 1e18) / (bend(1_000, 1_000, 50) / 2)).toBeCloseTo(1, 4)
    expect(groups[0]?.arcs.map(({ amountIn }) => amountIn)).toEqual([50e18, 50e18])
  })

  test('ways to different tokens are groups, the last token first', () => {
    const hops = [
      [swap(pool('1', 1_000, 1_000), a, b), 0.5],
      [swap(pool('2', 1_000, 1_000), a, c), 0.5],
      [wrap(c, b), 1],
    ] as const
    const { groups, values } = marginsOf(network(hops, 100).start.at, b, true)
    expect(groups.map((group) => [tokenOf(group), group.arcs.length])).toEqual([
      [c, 1],
      [a, 1],
      [a, 1],
    ])
    expect(values.get(c)).toBeCloseTo(1, 9)
  })

  test('a wrap is worth what it leads to, and takes any amount', () => {
    const { start } = network([[wrap(a, b), 1]], 100)
    const { groups, values } = marginsOf(start.at, b, true)
    expect(values.get(a)).toBeCloseTo(1, 9)
    expect(groups[0]?.most).toBe(Number.POSITIVE_INFINITY)
  })

  test('a pool that ends just above takes that much more, an estimate counts only where it may', () => {
    const ending = pool('1', 1_000, 1_000, 101n * ether)
    const most = (exactOnly: boolean) =>
      marginsOf(network([[swap(ending, a, b), 1]], 100, exactOnly).start.at, b, exactOnly).groups[0]
        ?.most ?? 0
    expect(most(false)).toBe(Number.POSITIVE_INFINITY)
    expect(most(true)).toBeGreaterThan(100e18)
    expect(most(true)).toBeLessThanOrEqual(101e18)
  })

  test('a known end is taken for what the arc takes at most', () => {
    const { start } = network([[swap(pool('1', 1_000, 1_000), a, b), 1]], 100)
    const { groups } = marginsOf(start.at, b, true, new Map([['0', 120e18]]))
    expect(groups[0]?.arcs[0]?.most).toBe(120e18)
    expect(groups[0]?.most).toBe(120e18)
  })

  test('what follows limits what is worth sending: the room behind, by the rate', () => {
    const hops = [
      [swap(pool('1', 1_000_000, 2_000_000), a, c), 1],
      [swap(pool('2', 1_000, 1_000), c, b), 1],
    ] as const
    const { start } = network(hops, 100)
    const { groups } = marginsOf(start.at, b, true, new Map([['1', 300e18]]))
    const group = groups.find((each) => tokenOf(each) === a)
    // 200 lie behind the first pool and 300 fit: 100 more, at two for one.
    expect((group?.most ?? 0) / 150e18).toBeCloseTo(1, 3)
  })
})

describe('the slope of small amounts', () => {
  /** One pool of ten billion to ten billion raw units. */
  function slopeAt(amountIn: bigint, known = 10n ** 40n) {
    const market = pool('1', 1e-8, 1e-8, known)
    const arcs: Arc[] = [{ hop: swap(market, a, b), key: '0', gas: 1n, share: 1 }]
    const at = evaluate(arcs, termsOf([{ token: a, amount: amountIn }]), true)
    if (!at) throw new Error('no network')
    return marginsOf(at, b, true).groups[0]
  }

  test('a difference spans two thousand raw units of output, so that rounding does not bend it', () => {
    const { value = 0, curvature = 0 } = slopeAt(5_000n) ?? {}
    expect(value).toBeCloseTo(1, 3)
    expect(Math.abs(curvature)).toBeLessThan(1e-6)
  })

  test('an amount below that is compared with nothing and with twice itself', () => {
    expect(slopeAt(100n)?.value).toBeCloseTo(0.995, 2)
    expect(slopeAt(2n)?.value).toBeCloseTo(0.75, 9)
  })

  test('a pool that ends within the difference is worth the slope below it, and takes no more than it can', () => {
    const [whole, end] = [10n ** 9n, 1_002_000_000n]
    const { value = 0, most = 0 } = slopeAt(whole, end) ?? {}
    const step = whole / 32n
    const outOf = (amount: bigint) => Number((amount * 10n ** 10n) / (10n ** 10n + amount))
    expect(value).toBeCloseTo((outOf(whole) - outOf(whole - step)) / Number(step), 9)
    expect(most).toBeGreaterThan(1e9 + 500_000)
    expect(most).toBeLessThanOrEqual(Number(end))
  })
})

describe('paidFor', () => {
  const sources = [
    { token: a, amount: 100n * ether },
    { token: c, amount: 50n * ether },
  ]
  const arcs: readonly Arc[] = [
    { hop: swap(pool('1', 1_000, 1_000), a, b), key: '0', gas: 1n, share: 1 },
    { hop: swap(pool('2', 200, 400), c, b), key: '1', gas: 1n, share: 1 },
  ]
  const terms = termsOf(sources)
  const at = evaluate(arcs, terms, true)
  if (!at) throw new Error('no network')
  const margin = marginAt(terms, { arcs, at }, true)

  test('closed form: what a source brings beyond its present amount, the others unchanged', () => {
    const slice = { token: c, amount: 150n * ether }
    const more = (200 * 400) / 400 - (50 * 400) / 250
    expect(paidFor(terms, margin, slice, true) / 1e18).toBeCloseTo(more, 6)
  })

  test('never more than the margin, also for a little', () => {
    const slice = { token: a, amount: ether / 1_000n }
    const atMargin = 1e15 * (margin.values.get(a) ?? 0)
    expect(paidFor(terms, margin, slice, true)).toBeLessThanOrEqual(atMargin)
    expect(paidFor(terms, margin, slice, true) / atMargin).toBeGreaterThan(0.999)
  })
})

describe('improve', () => {
  const twoWays = (x: number, y: number, share: number) =>
    [
      [swap(pool('1', 1_000, 1_000), a, b), share],
      [swap(pool('2', x, y), a, b), 1 - share],
    ] as const

  test('closed form: pools of one price share by their depth, wherever it starts', () => {
    for (const share of [0.02, 0.5, 0.98]) {
      const amounts = amountsOf(improved(twoWays(3_000, 3_000, share), 400))
      expect(amounts[0]).toBeCloseTo(100, 2)
      expect(amounts[1]).toBeCloseTo(300, 2)
    }
  })

  test('closed form: the better price first, until both pay the same', () => {
    // 1000² / (1000 + x)² = 1000 * 900 / (1000 + 100 - x)² at x = (1100 - 1000 √0.9) / (1 + √0.9).
    const x = (1_100 - 1_000 * Math.sqrt(0.9)) / (1 + Math.sqrt(0.9))
    const amounts = amountsOf(improved(twoWays(1_000, 900, 0.5), 100))
    expect(amounts[0]).toBeCloseTo(x, 2)
    expect(amounts[1]).toBeCloseTo(100 - x, 2)
  })

  test('a pool that never pays as much as the other leaves', () => {
    const { arcs, at } = improved(twoWays(1_000, 800, 0.5), 50)
    expect(arcs.map(({ key, share }) => [key, share])).toEqual([['0', 1]])
    expect(at.flows).toHaveLength(1)
  })

  test('a way whose best share is below a ten thousandth leaves', () => {
    expect(improved(twoWays(0.05, 0.05, 0.9995), 100).arcs.map(({ key }) => key)).toEqual(['0'])
    expect(improved(twoWays(0.5, 0.5, 0.999), 100).arcs.map(({ key }) => key)).toEqual(['0', '1'])
  })

  test('closed form: two paths that share their last pool', () => {
    const hops = [
      [swap(pool('1', 1_000, 1_000), a, c), 0.3],
      [swap(pool('2', 1_000, 1_000), a, d), 0.7],
      [wrap(d, c), 1],
      [swap(pool('3', 5_000, 5_000), c, b), 1],
    ] as const
    const amounts = amountsOf(improved(hops, 200))
    expect(amounts[0]).toBeCloseTo(100, 1)
    expect(amounts[1]).toBeCloseTo(100, 1)
  })

  test('a pool is not filled beyond where it is known, nor to its brim; the other takes the rest', () => {
    const hops = [
      [swap(pool('1', 1_000, 1_000, 30n * ether), a, b), 0.1],
      [swap(pool('2', 1_000, 1_000), a, b), 0.9],
    ] as const
    const bounded = amountsOf(improved(hops, 100))
    expect(bounded[0]).toBeLessThanOrEqual(30 * (1 - 1 / 501))
    expect(bounded[0]).toBeGreaterThan(29)
    expect(bounded[1]).toBeCloseTo(100 - (bounded[0] ?? 0), 9)
    const free = amountsOf(improved(hops, 100, false))
    expect(free[0]).toBeCloseTo(50, 2)
  })

  test('without a step, or told to stop, it is where it started', () => {
    const { start, sources } = network(twoWays(1_000, 1_000, 0.9), 100)
    expect(improve(start, termsOf(sources), { exactOnly: true, steps: 0 })).toBe(start)
    const shouldStop = () => true
    expect(improve(start, termsOf(sources), { exactOnly: true, steps: 9, shouldStop })).toBe(start)
    const one = improve(start, termsOf(sources), { exactOnly: true, steps: 1 })
    expect(one.at.amountOut).toBeGreaterThan(start.at.amountOut)
  })

  test('what is best stays as it is', () => {
    const { start, sources } = network(twoWays(1_000, 1_000, 0.5), 100)
    const next = improve(start, termsOf(sources), { exactOnly: true, steps: 5 })
    expect(next.at.amountOut - start.at.amountOut).toBeLessThanOrEqual(1n)
  })

  test('property: from shares nearly right, it pays what equal margins pay to a hundred millionth', () => {
    const depths = fc.array(fc.integer({ min: 100, max: 10_000 }), { minLength: 2, maxLength: 6 })
    fc.assert(
      fc.property(depths, fc.integer({ min: 1, max: 2_000 }), fc.nat(), (list, amount, seed) => {
        const hops = list.map(
          (depth, k) =>
            [swap(pool(`${k}`, depth, depth), a, b), depth * (5 + ((seed + k) % 5))] as const,
        )
        const total = hops.reduce((sum, [, share]) => sum + share, 0)
        const shares = hops.map(([hop, share]) => [hop, share / total] as const)
        const { start, sources } = network(shares, amount)
        const end = improve(start, termsOf(sources), { exactOnly: true, steps: 20 })
        expect(end.at.amountOut).toBeGreaterThanOrEqual(start.at.amountOut)
        // Pools of one price are one pool of their depths together.
        const depth = list.reduce((sum, each) => sum + each, 0)
        const best = (amount * depth) / (depth + amount)
        expect(Number(end.at.amountOut) / 1e18 / best).toBeGreaterThan(1 - 1e-8)
      }),
    )
  })
})
