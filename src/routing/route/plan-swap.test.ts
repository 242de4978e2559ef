import { describe, expect, test } from 'vitest'
import type { SwapHop } from '../../domain/order.js'
import { type Address, nativeToken, zeroAddress } from '../../domain/primitives.js'
import type { MarketPool } from '../market/market-view.js'
import type { FlowEdge } from '../search/flow.js'
import { planSwap } from './plan-swap.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [weth, a, b, c] = ['e', 'a', 'b', 'c'].map(token) as [Address, Address, Address, Address]
const v3 = (id: string): SwapHop => ({ family: 'v3', pool: token(id), zeroForOne: true })
const v4: SwapHop = { family: 'v4', manager: token('4'), fee: 500, tickSpacing: 10 }

function market(hop: SwapHop | null): MarketPool {
  const adapter = {
    slug: 'fake',
    swaps: { swapHop: () => hop },
  } as unknown as MarketPool['adapter']
  const pool = { protocol: 'fake', id: 'id', address: zeroAddress, tokens: [], parameters: {} }
  return { adapter, loaded: { pool, state: null, partial: false } }
}

function swap(
  tokenIn: Address,
  tokenOut: Address,
  pool: MarketPool,
  spends: FlowEdge['spends'] = 10_000,
): FlowEdge {
  return { hop: { kind: 'swap', tokenIn, tokenOut, market: pool }, spends }
}

const wrap = (spends = 10_000): FlowEdge => ({
  hop: { kind: 'wrap', tokenIn: nativeToken, tokenOut: weth },
  spends,
})
const unwrap: FlowEdge = {
  hop: { kind: 'unwrap', tokenIn: weth, tokenOut: nativeToken },
  spends: 10_000,
}
const [first, second, third] = ['1', '2', '3'].map((id) => market(v3(id))) as [
  MarketPool,
  MarketPool,
  MarketPool,
]

describe('planSwap', () => {
  test('a single path is one leg that takes all', () => {
    expect(planSwap([swap(a, b, first), swap(b, c, second)], [a], [c])).toEqual({
      wraps: false,
      unwraps: false,
      legs: [
        {
          share: null,
          hops: [
            { ...v3('1'), tokenIn: a, tokenOut: b },
            { ...v3('2'), tokenIn: b, tokenOut: c },
          ],
        },
      ],
    })
  })

  test('a split is a leg per path, each with its share of what is left; the last takes the rest', () => {
    const plan = planSwap(
      [swap(a, c, first, 2_500), swap(a, b, second), swap(b, c, third, 'previous')],
      [a],
      [c],
    )
    expect(plan?.legs.map(({ share, hops }) => [share, hops.length])).toEqual([
      [2_500, 1],
      [null, 2],
    ])
  })

  test('paths whose edges take turns stay legs of their own', () => {
    const last = market(v4)
    const plan = planSwap(
      [swap(a, b, first, 4_000), swap(a, c, second), swap(b, weth, third), swap(c, weth, last)],
      [a],
      [weth],
    )
    expect(plan?.legs.map(({ share, hops }) => [share, hops.map((hop) => hop.tokenIn)])).toEqual([
      [4_000, [a, b]],
      [null, [a, c]],
    ])
  })

  test('native is wrapped before the first hop and unwrapped behind the last', () => {
    expect(planSwap([wrap(), swap(weth, a, first)], [nativeToken], [a])).toMatchObject({
      wraps: true,
      unwraps: false,
      legs: [{ share: null, hops: [{ tokenIn: weth, tokenOut: a }] }],
    })
    expect(planSwap([swap(a, weth, first), unwrap], [a], [nativeToken])).toMatchObject({
      wraps: false,
      unwraps: true,
      legs: [{ share: null, hops: [{ tokenIn: a, tokenOut: weth }] }],
    })
  })

  test('native that goes through a V4 pool is not wrapped', () => {
    expect(planSwap([swap(nativeToken, a, market(v4))], [nativeToken], [a])).toEqual({
      wraps: false,
      unwraps: false,
      legs: [{ share: null, hops: [{ ...v4, tokenIn: nativeToken, tokenOut: a }] }],
    })
    expect(planSwap([swap(a, nativeToken, market(v4))], [a], [nativeToken])).toMatchObject({
      unwraps: false,
    })
  })

  test('null: native of which one part is wrapped and another is not', () => {
    const edges = [wrap(5_000), swap(nativeToken, a, market(v4)), swap(weth, a, first)]
    expect(planSwap(edges, [nativeToken], [a])).toBeNull()
  })

  test('null: a wrap in the middle', () => {
    const edges: FlowEdge[] = [swap(a, nativeToken, market(v4)), wrap(), swap(weth, b, first)]
    expect(planSwap(edges, [a], [b])).toBeNull()
  })

  test('null: amounts that meet between the first token and the last', () => {
    const edges = [swap(a, b, first, 5_000), swap(a, b, second), swap(b, c, third)]
    expect(planSwap(edges, [a], [c])).toBeNull()
  })

  test('null: an amount that is divided between the first token and the last', () => {
    const edges = [swap(a, b, first), swap(b, c, second, 5_000), swap(b, c, third)]
    expect(planSwap(edges, [a], [c])).toBeNull()
  })

  test('null: adjacent V4 pools of two managers', () => {
    const plan = (manager: Address) =>
      planSwap([swap(a, b, market(v4)), swap(b, c, market({ ...v4, manager }))], [a], [c])
    expect(plan(token('4'))).not.toBeNull()
    expect(plan(token('5'))).toBeNull()
  })

  test('null: a pool that is swapped in twice', () => {
    expect(planSwap([swap(a, c, first, 5_000), swap(a, c, first)], [a], [c])).toBeNull()
  })

  test('null: a path that comes back to the first token', () => {
    const edges = [swap(a, b, first), swap(b, a, second), swap(a, c, third, 'previous')]
    expect(planSwap(edges, [a], [c])).toBeNull()
  })

  test('null: an amount that does not arrive', () => {
    expect(planSwap([swap(a, b, first)], [a], [c])).toBeNull()
  })

  test('null: a hop that needs steps, as the shares of a pool or a protocol without such hops', () => {
    expect(planSwap([swap(a, b, market(null))], [a], [b])).toBeNull()
    const without = market(null)
    const adapter = { slug: 'fake', swaps: {} } as unknown as MarketPool['adapter']
    expect(planSwap([swap(a, b, { ...without, adapter })], [a], [b])).toBeNull()
  })

  test('null: several inputs, several outputs, nothing at all', () => {
    expect(planSwap([swap(a, c, first)], [a, b], [c])).toBeNull()
    expect(planSwap([swap(a, c, first)], [a], [c, b])).toBeNull()
    expect(planSwap([], [a], [c])).toBeNull()
  })
})
