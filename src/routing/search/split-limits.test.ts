import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../domain/primitives.js'
import type { Direction } from '../../protocols/protocol.js'
import { type MarketPool, MarketView } from '../market/market-view.js'
import { findCandidates } from './candidates.js'
import { type Flow, runFlow } from './flow.js'
import { type Hop, hopKey } from './hop.js'
import { toFlow } from './split-flow.js'
import { KnownMargins, networkOf } from './split-network.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c, d, wrappedNative] = ['a', 'b', 'c', 'd', 'e'].map(token) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const ether = 10n ** 18n

interface State {
  readonly reserves: Readonly<Record<Address, bigint>>
  readonly traded: bigint
}

/**
 * x * y = k without a fee. Exact for so many whole tokens in all; beyond, an estimate or nothing; and nothing beyond what
 * it has room for.
 */
function pool(
  id: string,
  [first, second]: readonly [Address, Address],
  [x, y]: readonly [number, number],
  { known = 10 ** 9, ends = false, room = 10 ** 9, gas = 100_000n } = {},
): MarketPool {
  const quote = ({ reserves, traded }: State, tokenIn: Address, out: Address, amountIn: bigint) => {
    const exact = traded + amountIn <= BigInt(known) * ether
    const amountOut = (amountIn * (reserves[out] ?? 0n)) / ((reserves[tokenIn] ?? 0n) + amountIn)
    const isServed = (exact || !ends) && traded + amountIn <= BigInt(room) * ether
    return { amountOut: isServed ? amountOut : 0n, exact }
  }
  const swaps = {
    gasEstimate: () => gas,
    swap(_pool: unknown, state: State, { tokenIn, tokenOut: out }: Direction, amountIn: bigint) {
      const { amountOut, exact } = quote(state, tokenIn, out, amountIn)
      const after = (): State => ({
        reserves: {
          [tokenIn]: (state.reserves[tokenIn] ?? 0n) + amountIn,
          [out]: (state.reserves[out] ?? 0n) - amountOut,
        },
        traded: state.traded + amountIn,
      })
      return { amountOut, exact, after }
    },
    reserves: (_pool: unknown, state: State) =>
      [first, second].map((each) => ({ token: each, amount: state.reserves[each] ?? 0n })),
  }
  const adapter = { slug: 'product', swaps } as unknown as MarketPool['adapter']
  const state: State = {
    reserves: { [first]: BigInt(x) * ether, [second]: BigInt(y) * ether },
    traded: 0n,
  }
  return {
    adapter,
    loaded: {
      pool: {
        protocol: 'product',
        id,
        address: token('9'),
        tokens: [first, second],
        parameters: {},
      },
      state,
      partial: false,
    },
  }
}

interface Options {
  readonly gasCost?: bigint
  readonly swapDataGas?: bigint
  readonly shouldStop?: () => boolean
  readonly isAllowed?: (market: MarketPool) => boolean
  readonly exactSplits?: boolean
}

function candidatesOf(pools: readonly MarketPool[], amount: number, options: Options) {
  const { gasCost, ...others } = options
  return findCandidates({
    market: new MarketView({ pools }),
    wrappedNative,
    inputs: [{ token: a, amount: BigInt(amount) * ether }],
    tokensOut: [b],
    maxHops: 3,
    count: 24,
    gasCost: () => gasCost,
    ...others,
  }).candidates
}

function splitsOf(pools: readonly MarketPool[], amount: number, options: Options = {}): Flow[] {
  return candidatesOf(pools, amount, options).filter(({ isSplit }) => isSplit)
}

const shape = (flow: Flow | undefined) =>
  flow?.edges.map(({ hop, spends }) => [
    hop.kind === 'swap' ? hop.market.loaded.pool.id : hop.kind,
    spends,
  ])

describe('findSplits', () => {
  test('a pool that ends gets no more than it takes, the others what is left', () => {
    const pools = [
      pool('short', [a, b], [1_000, 1_000], { known: 20, ends: true }),
      pool('long', [a, b], [1_000, 1_000]),
    ]
    const [split] = splitsOf(pools, 100)
    expect(shape(split)?.map(([id]) => id)).toEqual(['short', 'long'])
    const [spends] = split?.edges.map((edge) => Number(edge.spends)) ?? []
    expect(spends).toBeLessThanOrEqual(2_000)
    expect(spends).toBeGreaterThan(1_980)
    expect(split?.exact).toBe(true)
  })

  test('where estimates promise more, there is a split with them and one without', () => {
    const pools = [
      pool('one', [a, b], [1_000, 1_000]),
      pool('two', [a, b], [1_000, 1_000]),
      pool('guessed', [a, b], [1_000, 1_200], { known: 1 }),
    ]
    const splits = splitsOf(pools, 100)
    expect(splits.map(({ exact }) => exact).sort()).toEqual([false, true])
    const exact = splits.find((split) => split.exact)
    const [best] = splits
    expect(best?.exact).toBe(false)
    expect(best?.amountOut ?? 0n).toBeGreaterThan(exact?.amountOut ?? 0n)
    expect(shape(best)?.some(([id]) => id === 'guessed')).toBe(true)
    // Where those of exact quotes are known, only the others are searched for, and without estimates all the same.
    expect(splitsOf(pools, 100, { exactSplits: false })).toEqual([best])
    const known = pools.slice(0, 2)
    expect(splitsOf(known, 100, { exactSplits: false })).toEqual(splitsOf(known, 100))
  })

  test('a pool that an exact split fills as far as it is known is looked at beyond, where no path of the whole amount does', () => {
    const pools = [
      pool('one', [a, b], [1_000, 1_000]),
      pool('two', [a, b], [1_000, 1_000]),
      pool('guessed', [a, b], [1_000, 1_200], { known: 60, room: 500 }),
    ]
    const candidates = candidatesOf(pools, 1_000, {})
    expect(candidates.filter(({ isSplit }) => !isSplit).every(({ exact }) => exact)).toBe(true)
    const [estimated, exact] = candidates.filter(({ isSplit }) => isSplit)
    expect([estimated?.exact, exact?.exact]).toEqual([false, true])
    const spent = (flow: Flow | undefined) => Number(shape(flow)?.[0]?.[1])
    expect(shape(exact)?.[0]?.[0]).toBe('guessed')
    expect(spent(exact)).toBeLessThanOrEqual(600)
    expect(estimated?.amountOut ?? 0n).toBeGreaterThan(exact?.amountOut ?? 0n)
    // Nothing is looked at beyond what is known while no pool is full.
    expect(splitsOf(pools, 40).every((split) => split.exact)).toBe(true)
  })

  test('an amount that no pool is known to take alone is divided among all of them', () => {
    const pools = ['one', 'two', 'three', 'four'].map((id) =>
      pool(id, [a, b], [1_000, 1_000], { known: 30 }),
    )
    const split = splitsOf(pools, 100).find(({ exact }) => exact)
    expect(split?.edges).toHaveLength(4)
    expect(Number(split?.amountOut) / 1e18).toBeCloseTo((100 * 1_000) / 1_025, 2)
  })

  test('a swap stays as long as it brings more than its gas', () => {
    // Two equal pools of 1000 instead of one bring 4.33 more of 100: a second swap may cost that much.
    const pools = ['one', 'two'].map((id) => pool(id, [a, b], [1_000, 1_000]))
    const gain = (100 * 1_000) / 1_050 - (100 * 1_000) / 1_100
    const costing = (part: number) => BigInt(Math.round(gain * part * 1e6)) * 10n ** 13n
    expect(splitsOf(pools, 100, { gasCost: costing(0.4) })).not.toEqual([])
    expect(splitsOf(pools, 100, { gasCost: costing(20) })).toEqual([])
    // The bytes of a swap count as gas.
    const long = { gasCost: costing(0.4), swapDataGas: 5_000_000n }
    expect(splitsOf(pools, 100, long)).toEqual([])
  })

  test('what saves a swap comes besides, for gas that is dearer than was thought', () => {
    const pools = [
      pool('one', [a, b], [1_000, 1_000]),
      pool('two', [a, b], [1_000, 1_000]),
      pool('small', [a, b], [30, 30]),
    ]
    // The small pool brings about 0.13 of 100.
    const sizes = splitsOf(pools, 100, { gasCost: ether }).map(({ edges }) => edges.length)
    expect(sizes).toContain(3)
    expect(sizes).toContain(2)
  })

  /** Whole tokens of each side, the second by the price in per cent. */
  const market = (specs: readonly (readonly [Address, Address, number, number])[]) =>
    specs.map(([first, second, x, price], index) =>
      pool(`p${index}`, [first, second], [x, (x * price) / 100]),
    )

  test('a way through two tokens leaves as a whole, where the gas of its swaps together is too dear', () => {
    const pools = market([
      [c, b, 5_000, 100],
      [a, d, 500, 101],
      [d, b, 500, 102],
      [c, b, 2_000, 101],
      [a, b, 1_000, 103],
      [a, c, 2_000, 102],
      [d, b, 1_000, 100],
      [a, c, 200, 102],
      [a, d, 2_000, 102],
    ])
    const [split] = splitsOf(pools, 59, { gasCost: ether })
    expect(
      shape(split)
        ?.map(([id]) => id)
        .sort(),
    ).toEqual(['p2', 'p3', 'p4', 'p5', 'p6', 'p8'])
  })

  test('a way whose slice pays for its gas joins, even if a larger split was cut down to one path', () => {
    const pools = market([
      [d, b, 1_000, 99],
      [d, c, 2_000, 103],
      [a, b, 1_000, 102],
      [d, b, 200, 103],
      [a, c, 5_000, 97],
      [c, b, 1_000, 100],
    ])
    const [split] = splitsOf(pools, 41, { gasCost: (ether * 3n) / 10n })
    expect(shape(split)?.map(([id]) => id)).toEqual(['p4', 'p2', 'p5'])
  })

  test('an amount that is large against its pools goes through as many as bring more than their gas', () => {
    const pools = Array.from({ length: 40 }, (_, index) =>
      pool(`p${index}`, [a, b], [1_000, 1_000]),
    )
    const [split] = splitsOf(pools, 20_000, { gasCost: ether })
    expect(split?.edges).toHaveLength(40)
    expect(Number(split?.amountOut) / 1e18).toBeCloseTo((20_000 * 40_000) / 60_000, 0)
    const few = splitsOf(pools, 20_000, { gasCost: 2_000n * ether })[0]?.edges.length ?? 0
    expect(few).toBeGreaterThan(12)
    expect(few).toBeLessThan(30)
  })

  test('where one more unit brings little, a way is found that only small amounts show', () => {
    // What goes through the small pool exhausts it, so that a larger slice would lose more there than it gains behind.
    const pools = [
      pool('deep', [a, b], [5_000, 5_000]),
      pool('small', [a, c], [200, 200]),
      pool('near', [c, b], [30_000, 30_000]),
      pool('other', [c, b], [30_000, 29_940]),
    ]
    const [split] = splitsOf(pools, 100_000)
    expect(shape(split)?.map(([id]) => id)).toEqual(['small', 'deep', 'other', 'near'])
  })

  test('where all ways end in a pool that is small for the amount, a slightly better way to it joins all the same', () => {
    const pools = [
      pool('one', [a, c], [200_000, 200_000]),
      pool('two', [a, c], [200_000, 200_000]),
      pool('small', [c, b], [5, 5]),
    ]
    const [split] = splitsOf(pools, 10)
    expect(shape(split)?.map(([id]) => id)).toEqual(['one', 'two', 'small'])
  })

  test('a pool that is full does not hide what is worth joining behind the one that takes the rest', () => {
    const pools = [
      pool('full', [a, c], [10 ** 6, 10 ** 6], { known: 100, ends: true }),
      pool('rest', [a, c], [10, 10]),
      pool('first', [c, b], [100, 100]),
      pool('second', [c, b], [100, 60]),
      pool('third', [c, b], [100, 60]),
    ]
    const [split] = splitsOf(pools, 20_000)
    const used = shape(split)?.map(([id]) => id) ?? []
    expect(used.sort()).toEqual(['first', 'full', 'rest', 'second', 'third'])
  })

  test('an input that is worth less than the gas of its swap is spent all the same', () => {
    const pools = [
      pool('one', [a, b], [1_000, 1_000]),
      pool('two', [a, b], [1_000, 1_000]),
      pool('cb', [c, b], [1_000, 1_000]),
      pool('ca', [c, a], [1_000, 1_000]),
    ]
    const { candidates } = findCandidates({
      market: new MarketView({ pools }),
      wrappedNative,
      inputs: [
        { token: a, amount: 100n * ether },
        { token: c, amount: ether / 20n },
      ],
      tokensOut: [b],
      maxHops: 3,
      count: 24,
      gasCost: () => ether,
    })
    const splits = candidates.filter(({ isSplit }) => isSplit)
    expect(splits.length).toBeGreaterThan(0)
    for (const { edges } of splits) expect(edges.map(({ hop }) => hop.tokenIn)).toContain(c)
  })

  test('where basis points are too coarse for a pool, that pool is lost or gets less, not the whole split', () => {
    const equal = ['one', 'two'].map((id) => pool(id, [a, b], [1_000, 1_000]))
    // Of 100,000 the last pool takes 19.8 basis points, or 2.6.
    for (const known of [198, 26]) {
      const short = pool('short', [c, b], [1_000, 3_000], { known, ends: true })
      const splits = splitsOf([...equal, pool('ac', [a, c], [10 ** 6, 10 ** 6]), short], 100_000)
      expect(Number(splits[0]?.amountOut) / 1e18).toBeGreaterThan((100_000 * 2_000) / 102_000)
    }
    const full = pool('full', [a, b], [1_000, 3_000], { known: 8, ends: true })
    expect(shape(splitsOf([...equal, full], 100_000)[0])?.map(([id]) => id)).toEqual(['one', 'two'])
  })

  test('where more arrives than the network says, a full pool gets what it was to get, and another one the rest', () => {
    const hops = [
      pool('full', [a, b], [1_000, 1_000], { known: 50, ends: true }),
      pool('rest', [a, b], [1_000, 1_000]),
    ].map((market): Hop => ({ kind: 'swap', market, tokenIn: a, tokenOut: b }))
    const terms = (amount: bigint) => ({
      sources: [{ token: a, amount: amount * ether }],
      tokenOut: b,
      margins: new KnownMargins(),
    })
    const amounts = new Map(
      hops.map((hop, index) => [hopKey(hop), { hop, amount: index ? 50.1 : 49.9 }]),
    )
    const network = networkOf(terms(100n), amounts, true)
    const flow = network && toFlow(terms(102n), network)
    expect(flow && shape(flow)).toEqual([
      ['full', 4_892],
      ['rest', 10_000],
    ])
  })

  test('a search that is told to stop still gives what can be run', () => {
    const pools = ['one', 'two', 'three'].map((id) => pool(id, [a, b], [1_000, 1_000]))
    for (const after of [1, 3, 10]) {
      let asked = 0
      const splits = splitsOf(pools, 100, { shouldStop: () => ++asked > after })
      for (const { edges, amountOut } of splits) {
        const inputs = [{ token: a, amount: 100n * ether }]
        expect(runFlow(edges, inputs, b).amountOut).toBe(amountOut)
      }
    }
  })

  test('property: what some of the pools give after gas, all of them give, to 0.1 bps', () => {
    const gasCost = ether / 10n
    const pairs = [
      [a, b],
      [a, c],
      [c, b],
      [a, d],
      [d, b],
      [d, c],
    ] as const
    const specs = fc.array(
      fc.record({
        ends: fc.constantFrom(...pairs),
        x: fc.integer({ min: 100, max: 5_000 }),
        price: fc.integer({ min: 96, max: 104 }),
        isAllowed: fc.boolean(),
      }),
      { minLength: 3, maxLength: 12 },
    )
    const net = (flows: readonly Flow[]) =>
      Math.max(
        0,
        ...flows.map(({ amountOut, gas }) => Number(amountOut) - (Number(gas) * 1e17) / 1e6),
      )
    fc.assert(
      fc.property(specs, fc.integer({ min: 5, max: 20_000 }), (all, amount) => {
        const pools = all.map(({ ends, x, price }, index) =>
          pool(`p${index}`, ends, [x, Math.floor((x * price) / 100)]),
        )
        const allowed = new Set(pools.filter((_, index) => all[index]?.isAllowed))
        const isAllowed = (each: MarketPool) => allowed.has(each)
        const free = net(candidatesOf(pools, amount, { gasCost }))
        const restricted = net(candidatesOf(pools, amount, { gasCost, isAllowed }))
        expect(free).toBeGreaterThanOrEqual(restricted * (1 - 1e-5))
      }),
      { numRuns: 200 },
    )
  })

  test('property: splits are in order of what they bring after gas, each can be run as it says, and spends all', () => {
    const market = fc.array(
      fc.record({
        ends: fc.constantFrom<readonly [Address, Address]>(
          [a, b],
          [a, c],
          [c, b],
          [a, d],
          [d, b],
          [d, c],
        ),
        x: fc.integer({ min: 200, max: 5_000 }),
        price: fc.integer({ min: 96, max: 104 }),
        known: fc.constantFrom(20, 60, 10 ** 9),
        isEnding: fc.boolean(),
      }),
      { minLength: 3, maxLength: 10 },
    )
    const gasCosts = fc.constantFrom(0n, ether / 10n, ether)
    fc.assert(
      fc.property(market, fc.integer({ min: 5, max: 300 }), gasCosts, (specs, amount, gasCost) => {
        const pools = specs.map(({ ends, x, price, known, isEnding }, index) =>
          pool(`p${index}`, ends, [x, Math.floor((x * price) / 100)], { known, ends: isEnding }),
        )
        const splits = splitsOf(pools, amount, { gasCost })
        const net = ({ amountOut, gas }: Flow) =>
          Number(amountOut) - (Number(gas) * Number(gasCost)) / 1e6
        const inputs = [{ token: a, amount: BigInt(amount) * ether }]
        expect(new Set(splits.map(({ key }) => key)).size).toBe(splits.length)
        for (const [index, split] of splits.entries()) {
          const previous = splits[index - 1]
          if (previous) expect(net(previous)).toBeGreaterThanOrEqual(net(split))
          const { edges, amountOut, exact } = split
          expect(runFlow(edges, inputs, b)).toEqual({ amountOut, exact })
          const swaps = edges.filter(({ hop }) => hop.kind === 'swap')
          expect(split.gas).toBe(100_000n * BigInt(swaps.length))
          const last = new Map(edges.map(({ hop, spends }) => [hop.tokenIn, spends]))
          expect([...last.values()].every((spends) => spends === 10_000)).toBe(true)
          const parts = edges.map(({ spends }) => Number(spends))
          expect(Math.min(...parts)).toBeGreaterThan(0)
          expect(Math.min(...parts)).toBeLessThan(10_000)
          // All ways out of a token stand together, and those to one token beside each other.
          for (const key of ['tokenIn', 'tokenOut'] as const) {
            const names = edges.map(({ hop }) => (key === 'tokenIn' ? '' : hop.tokenIn) + hop[key])
            const runs = names.filter((name, k) => name !== names[k - 1])
            expect(new Set(runs).size).toBe(runs.length)
          }
        }
      }),
      { numRuns: 30 },
    )
  })
})
