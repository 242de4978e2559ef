import { describe, expect, test } from 'vitest'
import type { Address } from '../../domain/primitives.js'
import { uniswapV2 } from '../../protocols/uniswap-v2/index.js'
import type { MarketPool } from '../market/market-view.js'
import type { Hop } from './hop.js'
import { prune, refine } from './split-gas.js'
import { KnownMargins, networkOf, type SearchedTerms } from './split-network.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c] = ['a', 'b', 'c'].map(token) as [Address, Address, Address]
const ether = 10n ** 18n

/** A swap in a pair that holds so many whole tokens of each and takes this much gas. */
function swap(
  id: string,
  [tokenIn, tokenOut]: readonly [Address, Address],
  [reserveIn, reserveOut]: readonly [number, number],
  { gas = 100_000n, sharedState }: { readonly gas?: bigint; readonly sharedState?: string } = {},
): Hop {
  const isInOrder = tokenIn < tokenOut
  const [reserve0, reserve1] = isInOrder ? [reserveIn, reserveOut] : [reserveOut, reserveIn]
  const market: MarketPool = {
    adapter: {
      ...uniswapV2,
      swaps: { ...uniswapV2.swaps, gasEstimate: () => gas },
    } as MarketPool['adapter'],
    loaded: {
      pool: {
        protocol: 'uniswap-v2',
        id,
        address: token('9'),
        tokens: isInOrder ? [tokenIn, tokenOut] : [tokenOut, tokenIn],
        parameters: { feeBps: 30 },
      },
      state: { reserve0: BigInt(reserve0) * ether, reserve1: BigInt(reserve1) * ether },
      partial: false,
    },
    ...(sharedState !== undefined && { sharedState }),
  }
  return { kind: 'swap', tokenIn, tokenOut, market }
}

const namesOf = (hops: readonly Hop[]) =>
  hops.flatMap((hop) => (hop.kind === 'swap' ? [hop.market.loaded.pool.id] : [])).sort()

describe('refine', () => {
  const direct = swap('direct', [a, b], [1_000, 1_000])
  const first = swap('first', [a, c], [1_000, 1_000])
  const dear = swap('dear', [c, b], [100_000, 100_000], { gas: 200_000n })

  /** The pools of the best network after the dear one was looked at beside others, at 0.01 tokens for 100,000 gas. */
  function refined(besides: readonly Hop[], { exactOnly = true, used = dear } = {}) {
    const args: SearchedTerms = {
      sources: [{ token: a, amount: 100n * ether }],
      tokenOut: b,
      margins: new KnownMargins(),
      search: () => [],
      besides: (hop) => (hop === used ? besides : []),
      gasCostOut: ether / 10n,
    }
    const amounts = new Map(
      [direct, first, used].map((hop, place) => [
        `${place}`,
        { hop, amount: hop.tokenIn === a ? 50 : 48 },
      ]),
    )
    const start = networkOf(args, amounts, exactOnly)
    if (!start) throw new Error('no network')
    const networks = refine(args, [start], exactOnly)
    return namesOf(networks.at(-1)?.arcs.map(({ hop }) => hop) ?? [])
  }

  const kept = ['dear', 'direct', 'first']

  test('a pool that gives as much for less gas takes the place of a dearer one', () => {
    const cheap = swap('cheap', [c, b], [100_000, 100_000])
    expect(refined([cheap])).toEqual(['cheap', 'direct', 'first'])
  })

  test('of several the one that gives most after gas', () => {
    const pools = [
      swap('cheap', [c, b], [100_000, 100_000]),
      swap('better', [c, b], [100_000, 100_100]),
      swap('cheapest', [c, b], [100_000, 100_000], { gas: 60_000n }),
    ]
    expect(refined(pools)).toEqual(['better', 'direct', 'first'])
  })

  test.each([
    ['gives less than the gas that it saves', swap('worse', [c, b], [100_000, 99_900])],
    [
      'costs as much and gives no more',
      swap('equal', [c, b], [100_000, 100_000], { gas: 200_000n }),
    ],
  ])('none that %s', (_name, other) => {
    expect(refined([other])).toEqual(kept)
  })

  test('none that is used already', () => {
    expect(refined([direct])).toEqual(kept)
  })

  test('none whose state another swap shares', () => {
    const used = swap('dear', [c, b], [100_000, 100_000], { gas: 200_000n, sharedState: 'one' })
    const other = swap('cheap', [c, b], [100_000, 100_000], { sharedState: 'one' })
    expect(refined([other], { used })).toEqual(kept)
  })

  test('none where estimates are compared', () => {
    const cheap = swap('cheap', [c, b], [100_000, 100_000])
    expect(refined([cheap], { exactOnly: false })).toEqual(kept)
  })
})

describe('prune', () => {
  const [one, two] = ['one', 'two'].map((id) => swap(id, [a, b], [1_000, 1_000])) as [Hop, Hop]
  const small = swap('small', [a, b], [30, 30])

  /** The pools of each stage. */
  function stagesOf(
    hops: readonly (readonly [Hop, number])[],
    changes: Pick<SearchedTerms, 'gasCostOut' | 'shouldStop'>,
  ) {
    const args: SearchedTerms = {
      sources: [{ token: a, amount: 100n * ether }],
      tokenOut: b,
      margins: new KnownMargins(),
      search: () => [],
      besides: () => [],
      ...changes,
    }
    const amounts = new Map(hops.map(([hop, amount], place) => [`${place}`, { hop, amount }]))
    const grown = networkOf(args, amounts, true)
    if (!grown) throw new Error('no network')
    return prune(args, grown, true).map(({ arcs }) => namesOf(arcs.map(({ hop }) => hop)))
  }

  const three = [
    [one, 49.3],
    [two, 49.3],
    [small, 1.4],
  ] as const

  test('swaps leave one by one, those first that lose least for their gas, while twice their gas would pay', () => {
    // The small pool brings about 0.07 tokens, one of the others 4.
    expect(stagesOf(three, { gasCostOut: ether / 10n })).toEqual([['one', 'small', 'two']])
    const all = [
      ['one', 'small', 'two'],
      ['one', 'two'],
    ]
    expect(stagesOf(three, { gasCostOut: ether })).toEqual(all)
    expect(stagesOf(three, { gasCostOut: 60n * ether }).map(({ length }) => length)).toEqual([
      3, 2, 1,
    ])
  })

  test('a swap leaves with those before and behind it that would have nothing left', () => {
    const hops = [
      [one, 99],
      [swap('first', [a, c], [30, 30]), 1],
      [swap('last', [c, b], [1_000, 1_000]), 0.96],
    ] as const
    expect(stagesOf(hops, { gasCostOut: ether })).toEqual([['first', 'last', 'one'], ['one']])
  })

  test('none without a price of gas, or once time is up', () => {
    expect(stagesOf(three, {})).toHaveLength(1)
    expect(stagesOf(three, { gasCostOut: ether, shouldStop: () => true })).toHaveLength(1)
  })
})
