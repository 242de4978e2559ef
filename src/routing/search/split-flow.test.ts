import { describe, expect, test } from 'vitest'
import type { Address } from '../../domain/primitives.js'
import type { SwapAdapter, Swaps } from '../../protocols/protocol.js'
import type { MarketPool } from '../market/market-view.js'
import { type Flow, runFlow } from './flow.js'
import { type Hop, hopKey } from './hop.js'
import { toFlow } from './split-flow.js'
import { KnownMargins, networkOf } from './split-network.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(token) as [Address, Address, Address, Address]
const ether = 10n ** 18n

/** What a pool of several tokens has taken so far, raw units by the token that it gave. */
type Taken = Readonly<Record<Address, bigint>>

/** A pool that gives for an amount what the function says, after what it has taken before. */
function pool(
  id: string,
  tokens: readonly Address[],
  give: (amountIn: bigint, out: Address, taken: Taken) => bigint,
): MarketPool {
  const swaps: Partial<Swaps<Taken>> = {
    gasEstimate: () => 100_000n,
    swap: (_pool, taken, { tokenOut }, amountIn) => ({
      amountOut: give(amountIn, tokenOut, taken),
      exact: true,
      after: () => ({ ...taken, [tokenOut]: (taken[tokenOut] ?? 0n) + amountIn }),
    }),
  }
  return {
    adapter: { slug: 'made-up', swaps } as Partial<SwapAdapter> as SwapAdapter,
    loaded: {
      pool: { protocol: 'made-up', id, address: token('9'), tokens, parameters: {} },
      state: {},
      partial: false,
    },
  }
}

const equal = (id: string, tokens: readonly Address[]) => pool(id, tokens, (amountIn) => amountIn)
const swap = (market: MarketPool, tokenIn: Address, tokenOut: Address): Hop => ({
  kind: 'swap',
  market,
  tokenIn,
  tokenOut,
})
const terms = (amount: bigint) => ({
  sources: [{ token: a, amount: amount * ether }],
  tokenOut: b,
  margins: new KnownMargins(),
})
const networkWith = (amount: bigint, hops: readonly (readonly [Hop, number])[]) => {
  const amounts = new Map(hops.map(([hop, own]) => [hopKey(hop), { hop, amount: own }]))
  const network = networkOf(terms(amount), amounts, true)
  if (!network) throw new Error('no network')
  return network
}
const steps = (flow: Flow | null) =>
  flow?.edges.map(({ hop, spends }) => [
    hop.kind === 'swap' ? hop.market.loaded.pool.id : hop.kind,
    hop.tokenOut,
    spends,
  ])

describe('toFlow', () => {
  const onward = [swap(equal('cb', [c, b]), c, b), swap(equal('db', [d, b]), d, b)]

  test('a pool that has nothing left for the second of two parts loses that part, not the whole split', () => {
    const room = 80n * ether
    const both = pool('both', [a, c, d], (amountIn, _, taken) => {
      const before = Object.values(taken).reduce((sum, each) => sum + each, 0n)
      return before + amountIn <= room ? amountIn : 0n
    })
    const network = networkWith(100n, [
      [swap(both, a, c), 49],
      [swap(both, a, d), 30],
      [swap(equal('rest', [a, b]), a, b), 21],
      ...onward.map((hop, index) => [hop, index ? 30 : 49] as const),
    ])
    // More arrives than the network was weighed with, so that both parts together are too much.
    const flow = toFlow(terms(105n), network)
    expect(flow?.amountOut).toBe(105n * ether)
    expect(steps(flow)?.filter(([id]) => id === 'both')).toHaveLength(1)
  })

  test('where the order of two swaps in one pool costs something, they run as the split was weighed', () => {
    const both = pool('both', [a, c, d], (amountIn, out, taken) =>
      out === c && (taken[d] ?? 0n) > 0n ? amountIn / 2n : amountIn,
    )
    const network = networkWith(100n, [
      [swap(both, a, c), 60],
      [swap(both, a, d), 40],
      ...onward.map((hop, index) => [hop, index ? 40 : 60] as const),
    ])
    const flow = toFlow(terms(100n), network)
    expect(flow?.amountOut).toBe(100n * ether)
    expect(steps(flow)?.slice(0, 2)).toEqual([
      ['both', c, 6_000],
      ['both', d, 10_000],
    ])
    expect(flow && runFlow(flow.edges, terms(100n).sources, b).amountOut).toBe(100n * ether)
  })
})
