import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type { MarketPool } from '../market/market-view.js'
import type { PoolStates } from './flow.js'
import { type Hop, hopKey } from './hop.js'
import {
  type Arc,
  evaluate,
  KnownMargins,
  pruneArcs,
  statesAfter,
  tokenOrder,
  withAmounts,
} from './split-network.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(token) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]

/** Pays `rate` raw units for each one, less what was traded before; knows that only up to `known`, pays up to `most`. */
interface Numbers {
  readonly rate?: bigint
  readonly known?: bigint
  readonly most?: bigint
}

function pool(id: string, { rate = 1n, known = 10n ** 30n, most = known }: Numbers = {}) {
  let quotes = 0
  const swaps = {
    gasEstimate: () => 100n,
    swap(_pool: unknown, traded: bigint, _direction: unknown, amountIn: bigint) {
      quotes++
      const amountOut = traded + amountIn > most ? 0n : rate * amountIn - traded
      return { amountOut, exact: traded + amountIn <= known, after: () => traded + amountIn }
    },
  }
  const adapter = { slug: 'line', swaps } as unknown as MarketPool['adapter']
  const market: MarketPool = {
    adapter,
    loaded: {
      pool: { protocol: 'line', id, address: token('9'), tokens: [], parameters: {} },
      state: 0n,
      partial: false,
    },
  }
  return { market, quotes: () => quotes }
}

const swap = (market: MarketPool, tokenIn: Address, tokenOut: Address): Hop => ({
  kind: 'swap',
  tokenIn,
  tokenOut,
  market,
})
/** A wrap has no pool: what goes in comes out. */
const wrap = (tokenIn: Address, tokenOut: Address): Hop => ({ kind: 'wrap', tokenIn, tokenOut })
const arc = (hop: Hop, share = 1, key = ''): Arc => ({ hop, key, gas: 7n, share })

describe('tokenOrder', () => {
  test('each token comes after all that lead to it, equals by address', () => {
    const hops = [wrap(c, b), wrap(a, c), wrap(a, d), wrap(d, c)]
    expect(tokenOrder(hops)).toEqual([a, d, c, b])
    expect(tokenOrder([wrap(a, b), wrap(d, b), wrap(c, b)])).toEqual([a, c, d, b])
    expect(tokenOrder([wrap(a, d), wrap(a, c), wrap(d, e), wrap(c, b)])).toEqual([a, c, b, d, e])
  })

  test('arcs side by side count each', () => {
    expect(tokenOrder([wrap(a, b), wrap(a, b), wrap(b, c)])).toEqual([a, b, c])
  })

  test('a cycle has no order, wherever it begins', () => {
    expect(tokenOrder([wrap(a, b), wrap(b, a)])).toBeNull()
    expect(tokenOrder([wrap(a, b), wrap(b, c), wrap(c, b)])).toBeNull()
    expect(tokenOrder([])).toEqual([])
  })
})

/** Absent margins: none are known yet. */
const terms = (
  sources: readonly TokenAmount[],
  tokenOut: Address,
  margins = new KnownMargins(),
) => ({
  sources,
  tokenOut,
  margins,
})

describe('evaluate', () => {
  const source = (amount: bigint, of = a) => [{ token: of, amount }]

  test('shares divide what reaches a token; the last arc takes what rounding leaves', () => {
    const [one, two] = [pool('1', { rate: 10n }).market, pool('2', { rate: 20n }).market]
    const arcs = [arc(swap(one, a, b), 1 / 3), arc(swap(two, a, b), 2 / 3)]
    const at = evaluate(arcs, terms(source(100n), b), false)
    expect(at?.flows.map(({ amountIn, swap }) => [amountIn, swap.amountOut])).toEqual([
      [33n, 330n],
      [67n, 1_340n],
    ])
    expect(at).toMatchObject({ amountOut: 1_670n, exact: true, gas: 14n })
  })

  test('what comes over several ways is passed on together', () => {
    const arcs = [
      arc(wrap(a, c), 0.25),
      arc(wrap(a, d), 0.75),
      arc(wrap(c, b)),
      arc(wrap(d, c), 0.5),
      arc(wrap(d, b), 0.5),
    ]
    const at = evaluate(arcs, terms([...source(100n), ...source(8n, c), ...source(3n, a)], b), true)
    const through = at?.flows.map(({ arc: { hop }, amountIn }) => [hop.tokenIn, amountIn])
    // a: 103, d: 78 of it, c: 25 and 8 and 39.
    expect(through).toEqual([
      [a, 25n],
      [a, 78n],
      [d, 39n],
      [d, 39n],
      [c, 72n],
    ])
    expect(at?.amountOut).toBe(111n)
  })

  test('an arc that gives nothing, and arcs in a circle, make it null', () => {
    const dry = pool('1', { most: 99n }).market
    expect(evaluate([arc(swap(dry, a, b))], terms(source(100n), b), false)).toBeNull()
    expect(evaluate([arc(wrap(a, b)), arc(wrap(b, a))], terms(source(100n), c), false)).toBeNull()
    expect(evaluate([arc(wrap(a, b))], terms([], b), false)).toBeNull()
  })

  test('an estimate is passed on as such, or refused', () => {
    const guessed = pool('1', { known: 99n, most: 1_000n }).market
    const arcs = [arc(swap(guessed, a, b)), arc(wrap(b, c))]
    expect(evaluate(arcs, terms(source(100n), c), false)).toMatchObject({
      amountOut: 100n,
      exact: false,
    })
    expect(evaluate(arcs, terms(source(100n), c), true)).toBeNull()
    expect(evaluate(arcs, terms(source(50n), c), true)).toMatchObject({
      amountOut: 50n,
      exact: true,
    })
  })

  test('where only exact pools count, a pool is never filled to the brim: a five-hundredth stays', () => {
    const full = (known: bigint, most = known) =>
      evaluate([arc(swap(pool('1', { known, most }).market, a, b))], terms(source(1_000n), b), true)
    expect(full(1_002n)).not.toBeNull()
    expect(full(1_001n)).toBeNull()
    expect(full(1_001n, 5_000n)).toBeNull()
    // The pool says of itself that it is exact, and gives nothing.
    expect(full(10n ** 9n, 1_001n)).toBeNull()
    const guessing = pool('1', { known: 1_000n }).market
    expect(evaluate([arc(swap(guessing, a, b))], terms(source(1_000n), b), false)).not.toBeNull()
  })

  test('what a pool was seen to take is not asked again, per direction', () => {
    const { market, quotes } = pool('1')
    const margins = new KnownMargins()
    const run = (amountIn: bigint, tokenIn: Address, tokenOut: Address) => {
      const before = quotes()
      const hop = swap(market, tokenIn, tokenOut)
      const flows = [arc(hop, 1, hopKey(hop))]
      expect(
        evaluate(flows, terms(source(amountIn, tokenIn), tokenOut, margins), true),
      ).not.toBeNull()
      return quotes() - before
    }
    // The swap itself, and once for half as much again.
    expect(run(1_000n, a, b)).toBe(2)
    expect(run(1_000n, a, b)).toBe(1)
    expect(run(1_498n, a, b)).toBe(1)
    expect(run(1_499n, a, b)).toBe(2)
    expect(run(1_000n, b, a)).toBe(2)
  })

  test('a pool that is met twice is met as its first swap leaves it, one met once as it is', () => {
    const { market } = pool('1', { rate: 10n })
    const other = pool('2', { rate: 10n }).market
    const arcs = [
      arc(swap(market, a, b), 0.5),
      arc(swap(other, a, b), 0.25),
      arc(swap(market, a, c), 0.25),
    ]
    const at = evaluate(arcs, terms(source(100n), b), true)
    // The second swap in the pool gives less by the 50 that were traded before.
    expect(at?.flows.map(({ swap }) => swap.amountOut)).toEqual([500n, 250n, 200n])
    expect([0, 2].map((index) => at?.flows[index]?.states.get(market))).toEqual([undefined, 50n])
    expect(at?.amountOut).toBe(750n)
  })

  test('an estimate of a pool that is met twice is refused as well', () => {
    const { market } = pool('1', { rate: 10n, known: 60n, most: 1_000n })
    const arcs = [arc(swap(market, a, b), 0.5), arc(swap(market, a, c), 0.5)]
    expect(evaluate(arcs, terms(source(100n), b), true)).toBeNull()
    expect(evaluate(arcs, terms(source(100n), b), false)?.exact).toBe(false)
    expect(evaluate(arcs, terms(source(60n), b), true)?.exact).toBe(true)
  })

  test('what has arrived goes no further', () => {
    const at = evaluate([arc(wrap(a, b)), arc(wrap(b, c))], terms(source(100n), b), false)
    expect(at?.flows).toHaveLength(1)
    expect(at?.amountOut).toBe(100n)
  })

  test('a pool met once is known by no state but its own', () => {
    const { market } = pool('1')
    const at = evaluate([arc(swap(market, a, b)), arc(wrap(b, c))], terms(source(100n), c), true)
    expect(at?.flows.map(({ states }) => states.size)).toEqual([0, 0])
  })
})

test('statesAfter has each pool as all of its swaps leave it', () => {
  const [one, two] = [pool('1', { rate: 9n }).market, pool('2').market]
  const arcs = [arc(swap(one, a, b), 0.5), arc(swap(two, a, c), 0.25), arc(swap(one, a, d), 0.25)]
  const at = evaluate(arcs, terms([{ token: a, amount: 100n }], b), false)
  const expected: PoolStates = new Map([
    [one, 75n],
    [two, 25n],
  ])
  expect(at && statesAfter(at)).toEqual(expected)
})

describe('withAmounts', () => {
  test('shares are parts of what leaves the same token, arcs are in the order of their keys', () => {
    const arcs = withAmounts(
      new Map([
        ['z', { hop: wrap(a, b), amount: 30 }],
        ['x', { hop: wrap(b, c), amount: 5 }],
        ['y', { hop: wrap(a, c), amount: 10 }],
      ]),
    )
    expect(arcs.map(({ hop, share }) => [hop, share])).toEqual([
      [wrap(b, c), 1],
      [wrap(a, c), 0.25],
      [wrap(a, b), 0.75],
    ])
  })

  test('arcs know their pool, direction and gas', () => {
    const { market } = pool('1')
    const hops = [swap(market, a, b), wrap(a, c)]
    const arcs = withAmounts(new Map(hops.map((hop, k) => [`${k}`, { hop, amount: 1 }])))
    expect(arcs.map(({ key, gas }) => [key, gas])).toEqual([
      [`line:1/${a}>${b}`, 100n],
      [`wrap/${a}>${c}`, 25_000n],
    ])
  })

  test('what has no amount is left out', () => {
    const amounts = new Map([
      ['x', { hop: wrap(a, b), amount: 0 }],
      ['y', { hop: wrap(a, c), amount: 2 }],
      ['z', { hop: wrap(c, b), amount: 0 }],
    ])
    expect(withAmounts(amounts).map(({ hop }) => hop)).toEqual([wrap(a, c)])
    // Less than nothing is no amount either.
    const negative = new Map([
      ['x', { hop: wrap(a, b), amount: -2 }],
      ['y', { hop: wrap(a, c), amount: 1 }],
    ])
    expect(withAmounts(negative)).toEqual([])
  })
})

describe('tidy', () => {
  const from = [{ token: a, amount: 1n }]
  const hopsOf = (arcs: readonly Arc[]) => arcs.map(({ hop }) => hop)

  test('arcs that nothing reaches or that lead nowhere go, and those that only they served', () => {
    const good = [arc(wrap(a, c)), arc(wrap(c, b))]
    const dangling = [arc(wrap(a, d)), arc(wrap(d, e))]
    const orphaned = [arc(wrap(token('6'), token('7'))), arc(wrap(token('7'), b))]
    const kept = pruneArcs([...dangling, ...good, ...orphaned], from, b)
    expect(hopsOf(kept)).toEqual(hopsOf(good))
    expect(pruneArcs(dangling, from, b)).toEqual([])
  })

  test('shares of what stays add up to 1 again, in the same proportion', () => {
    const arcs = [
      arc(wrap(a, b), 0.2),
      arc(wrap(a, c), 0.6),
      arc(wrap(a, d), 0.2),
      arc(wrap(c, b), 3),
    ]
    const shares = pruneArcs(arcs, from, b).map(({ share }) => share)
    expect(shares[0]).toBeCloseTo(0.25, 12)
    expect(shares[1]).toBeCloseTo(0.75, 12)
    expect(shares[2]).toBe(1)
    expect(pruneArcs([arc(wrap(a, b), 0)], from, b)[0]?.share).toBe(0)
  })

  test('property: what is tidy stays as it is', () => {
    const ends = fc.constantFrom(a, b, c, d, e)
    const arcs = fc.array(fc.tuple(ends, ends, fc.integer({ min: 1, max: 9 })), { maxLength: 12 })
    fc.assert(
      fc.property(arcs, (list) => {
        const once = pruneArcs(
          list.filter(([x, y]) => x !== y).map(([x, y, share]) => arc(wrap(x, y), share)),
          from,
          b,
        )
        const twice = pruneArcs(once, from, b)
        expect(hopsOf(twice)).toEqual(hopsOf(once))
        for (const [index, { share }] of twice.entries()) {
          expect(share).toBeCloseTo(once[index]?.share ?? 0, 12)
        }
      }),
    )
  })
})
