import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../domain/primitives.js'
import type { LoadedPool, SwapAdapter, Swaps } from '../../protocols/protocol.js'
import { type MarketPool, MarketView } from '../market/market-view.js'
import { findCandidates } from './candidates.js'
import { selectDiverse } from './diverse.js'
import type { Path } from './path.js'
import { findPaths } from './search.js'

type Reserves = Readonly<Record<Address, bigint>>

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c, d, weth] = [
  token('a'),
  token('b'),
  token('c'),
  token('d'),
  token('e').replace(/e$/, '1') as Address,
]

/** Constant product without fee: enough to rank paths. */
const swaps = {
  gasEstimate: () => 100_000n,
  swap(_pool, state: Reserves, { tokenIn, tokenOut }, amountIn) {
    const [x = 0n, y = 0n] = [state[tokenIn], state[tokenOut]]
    const amountOut = (y * amountIn) / (x + amountIn)
    const after = () => ({ ...state, [tokenIn]: x + amountIn, [tokenOut]: y - amountOut })
    return { amountOut, exact: true, after }
  },
} as Partial<Swaps<Reserves>> as Swaps
const adapter = { slug: 'product', swaps } as Partial<SwapAdapter> as SwapAdapter

function pool(id: string, reserves: Reserves): MarketPool {
  const tokens = Object.keys(reserves) as Address[]
  const loaded: LoadedPool = {
    pool: { protocol: 'product', id, address: token('9'), tokens, parameters: {} },
    state: reserves,
    partial: false,
  }
  return { adapter, loaded }
}

function search(pools: readonly MarketPool[], amountIn: bigint, maxHops: number, from = a, to = b) {
  return findPaths({
    market: new MarketView({ pools }),
    tokenIn: from,
    tokenOut: to,
    amountIn,
    maxHops,
    wrappedNative: weth,
  })
}

/** `first/second`: pools on the way, `wrap` and `unwrap` included. */
const keys = (paths: readonly Path[]) => paths.map(nameOf)

function nameOf({ hops }: Path): string {
  return hops.map((hop) => (hop.kind === 'swap' ? hop.market.loaded.pool.id : hop.kind)).join('/')
}

describe('findPaths', () => {
  const direct = pool('direct', { [a]: 1_000n, [b]: 900n })
  const first = pool('first', { [a]: 1_000_000n, [c]: 1_000_000n })
  const second = pool('second', { [c]: 1_000_000n, [b]: 1_000_000n })

  test('stops at no token that is to be avoided, though a pool of it still swaps its others', () => {
    const three = pool('abc', { [a]: 500n, [b]: 500n, [c]: 500n })
    const pools = [
      pool('ac', { [a]: 1_000n, [c]: 1_000n }),
      pool('cb', { [c]: 9_000n, [b]: 9_000n }),
      three,
    ]
    const find = (avoid: ReadonlySet<Address>) =>
      findPaths({
        market: new MarketView({ pools }),
        tokenIn: a,
        tokenOut: b,
        amountIn: 100n,
        maxHops: 3,
        wrappedNative: weth,
        avoid,
      })
    expect(keys(find(new Set()))).toContain('ac/cb')
    expect(keys(find(new Set([c])))).toEqual(['abc'])
    // The target is no stop.
    expect(keys(find(new Set([b])))).toContain('ac/cb')
  })

  test('two deep hops beat a shallow direct pool for a large amount', () => {
    expect(keys(search([direct, first, second], 10_000n, 3))).toEqual(['first/second', 'direct'])
  })

  test('one hop at most leaves only the direct pool', () => {
    expect(keys(search([direct, first, second], 10_000n, 1))).toEqual(['direct'])
  })

  test('no path leads through two pools of one state', () => {
    const shared = (market: MarketPool): MarketPool => ({ ...market, sharedState: 'product:pair' })
    const other = pool('other', { [a]: 1_000_000n, [c]: 1_000n })
    const found = search([shared(first), shared(second), other], 10_000n, 3)
    expect(keys(found)).toEqual(['other/second'])
  })

  test('what a cheaper path saves in gas counts, and the highest plain output stays a candidate', () => {
    const dear = pool('dear', { [a]: 10n ** 9n, [b]: 10n ** 9n })
    const pools = [dear, pool('cheap', { [a]: 10n ** 9n, [b]: 990_000_000n })]
    const byId: MarketPool[] = pools.map((each, index) => ({
      ...each,
      adapter: {
        ...each.adapter,
        swaps: { ...each.adapter.swaps, gasEstimate: () => (index === 0 ? 300_000n : 100_000n) },
      },
    }))
    const args = {
      market: new MarketView({ pools: byId }),
      tokenIn: a,
      tokenOut: b,
      amountIn: 10_000n,
      maxHops: 1,
      wrappedNative: weth,
    }
    expect(keys(findPaths(args))).toEqual(['dear', 'cheap'])
    expect(keys(findPaths({ ...args, gasCostOut: 1_000n }))).toEqual(['cheap', 'dear'])
    const byInput = findPaths({ ...args, gasCostIn: 1_000n })
    expect(keys(byInput)).toEqual(['cheap', 'dear'])
    expect(keys(selectDiverse(byInput, 2))).toEqual(['cheap', 'dear'])
  })

  test('four hops are found when four are allowed, and not when three are', () => {
    const chain = [
      pool('1', { [a]: 1_000n, [c]: 1_000n }),
      pool('2', { [c]: 1_000n, [d]: 1_000n }),
      pool('3', { [d]: 1_000n, [weth]: 1_000n }),
      pool('4', { [weth]: 1_000n, [b]: 1_000n }),
    ]
    expect(search(chain, 100n, 3)).toEqual([])
    expect(search(chain, 100n, 4)).toHaveLength(1)
  })

  test('native is wrapped on the way in and unwrapped on the way out, without counting as a hop', () => {
    const wethPool = pool('w', { [weth]: 1_000n, [b]: 1_000n })
    const [path] = search([wethPool], 10n, 1, nativeToken, b)
    expect(path?.hops.map(({ kind }) => kind)).toEqual(['wrap', 'swap'])
    const [back] = search([wethPool], 10n, 1, b, nativeToken)
    expect(back?.hops.map(({ kind }) => kind)).toEqual(['swap', 'unwrap'])
  })

  test('native to wrapped native is one wrap', () => {
    expect(keys(search([], 10n, 3, nativeToken, weth))).toEqual(['wrap'])
  })

  test('equal outputs are ordered by pool id, whatever the order of arrival', () => {
    const equalPools = [pool('y', { [a]: 500n, [b]: 500n }), pool('x', { [a]: 500n, [b]: 500n })]
    expect(keys(search(equalPools, 10n, 1))).toEqual(['x', 'y'])
  })

  test('property: no path visits a token or a pool twice, and outputs are positive', () => {
    const reserves = fc.bigInt(1n, 10n ** 24n)
    const tokens = [a, b, c, d, weth]
    const anyPool = fc.tuple(fc.nat(4), fc.nat(4), reserves, reserves).filter(([x, y]) => x !== y)
    fc.assert(
      fc.property(
        fc.array(anyPool, { maxLength: 12 }),
        fc.bigInt(1n, 10n ** 22n),
        (list, amount) => {
          const pools = list.map(([x, y, rx, ry], index) =>
            pool(`p${index}`, { [tokens[x] ?? a]: rx, [tokens[y] ?? b]: ry }),
          )
          for (const path of search(pools, amount, 3)) {
            const visited = [a, ...path.hops.map(({ tokenOut }) => tokenOut)]
            expect(new Set(visited).size).toBe(visited.length)
            expect(path.amountOut > 0n).toBe(true)
          }
        },
      ),
    )
  })
})

describe('selectDiverse', () => {
  test('keeps every direct pool even when longer paths rank above it', () => {
    const deep = Array.from({ length: 5 }, (_, index) => [
      pool(`in${index}`, { [a]: 10n ** 9n, [c]: 10n ** 9n }),
      pool(`out${index}`, { [c]: 10n ** 9n, [b]: 10n ** 9n }),
    ]).flat()
    const shallow = pool('shallow', { [a]: 10_000n, [b]: 10_000n })
    const paths = search([...deep, shallow], 10_000n, 2)
    expect(keys(paths).at(-1)).toBe('shallow')
    expect(keys(selectDiverse(paths, 4))).toContain('shallow')
  })
})

describe('pools of several tokens', () => {
  test('two ways through the same two pools are two candidates, and the better one is not replaced', () => {
    const first = pool('first', { [a]: 10n ** 9n, [c]: 10n ** 9n, [d]: 10n ** 8n })
    const second = pool('second', { [c]: 10n ** 9n, [d]: 10n ** 9n, [b]: 10n ** 9n })
    const paths = search([first, second], 10_000n, 2)
    expect(keys(paths)).toEqual(['first/second', 'first/second'])
    expect(selectDiverse(paths, 8)).toEqual(paths)
  })
})

describe('findCandidates', () => {
  const pools = [
    pool('ab', { [a]: 10_000n, [b]: 10_000n }),
    pool('cb', { [c]: 10_000n, [b]: 10_000n }),
    pool('ad', { [a]: 10_000n, [d]: 10_000n }),
  ]
  const common = {
    market: new MarketView({ pools }),
    wrappedNative: weth,
    maxHops: 3,
    count: 8,
    gasCost: () => undefined,
  }

  test('several inputs are merged into one output, a leg each', () => {
    const { candidates } = findCandidates({
      ...common,
      inputs: [
        { token: a, amount: 100n },
        { token: c, amount: 200n },
      ],
      tokensOut: [b],
    })
    expect(
      candidates[0]?.edges.map(({ hop, spends }) => [hop.tokenIn, hop.tokenOut, spends]),
    ).toEqual([
      [a, b, 10_000],
      [c, b, 10_000],
    ])
    expect(candidates[0]?.amountOut).toBe(99n + 196n)
  })

  test('a swap that several inputs share is made once, for all of its token', () => {
    const inputs = [
      { token: b, amount: 200n },
      { token: a, amount: 100n },
    ]
    const terms = { ...common, inputs, tokensOut: [c] }
    const [best] = findCandidates(terms).candidates
    expect(best?.edges.map(({ hop, spends }) => [hop.tokenIn, hop.tokenOut, spends])).toEqual([
      [a, b, 10_000],
      [b, c, 10_000],
    ])
    const [apart] = findCandidates({ ...terms, mergesInputs: false }).candidates
    expect(apart?.edges.map(({ spends }) => spends)).toEqual([10_000, 10_000, 'previous'])
    expect(best?.amountOut).toBe(apart?.amountOut)
    expect(Number(best?.gas)).toBe((Number(apart?.gas) * 2) / 3)
  })

  test('several outputs share an input equally, the last takes the remainder', () => {
    const { candidates } = findCandidates({
      ...common,
      inputs: [{ token: a, amount: 101n }],
      tokensOut: [b, d],
    })
    expect(
      candidates[0]?.edges.map(({ hop, spends }) => [hop.tokenIn, hop.tokenOut, spends]),
    ).toEqual([
      [a, b, 5_000],
      [a, d, 10_000],
    ])
  })

  test('names the pair that has no path', () => {
    const unknown = token('7')
    expect(
      findCandidates({ ...common, inputs: [{ token: a, amount: 1n }], tokensOut: [unknown] }),
    ).toEqual({ candidates: [], missing: { tokenIn: a, tokenOut: unknown }, wasCut: false })
  })
})
