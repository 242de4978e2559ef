import { encodeAbiParameters, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Address } from '../../domain/primitives.js'
import type { ForkrouteOrder } from '../../domain/signed-order.js'
import type { ReadCall, ReadResult } from '../../domain/state.js'
import { MarketView } from './market-view.js'
import { OrderMarket } from './order-market.js'

const address = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c] = [address('1'), address('2'), address('3')]

function orderOf(id: number, more: Partial<ForkrouteOrder> = {}): ForkrouteOrder {
  return {
    chainId: 1,
    format: 'forkroute',
    hash: `0x${id.toString(16).padStart(64, '0')}`,
    settlement: address('4'),
    maker: address('5'),
    tokenIn: a,
    tokenOut: b,
    amountIn: '100',
    amountOut: '300',
    expiry: 60,
    nonce: '7',
    partialFill: true,
    signature: '0x1234',
    ...more,
  }
}

/** Each order has that much left, of a maker that holds so much. */
function chainWith(left: bigint, held: bigint, byCode = false) {
  const value = encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint256' }, { type: 'bool' }],
    [left, held, byCode],
  )
  const calls: ReadCall[] = []
  const call = async (asked: readonly ReadCall[]): Promise<ReadResult[]> => {
    calls.push(...asked)
    return asked.map(() => ({ ok: true, value }))
  }
  return { reader: { ...storageReader({}), call }, calls }
}

const idsOf = (view: MarketView) => view.pools.map(({ loaded }) => Number(loaded.pool.id))

describe('OrderMarket', () => {
  test('adds to a view what one task may use, and what another may use to a view of its own', async () => {
    const { reader, calls } = chainWith(100n, 10_000n)
    const market = new OrderMarket(ethereum, new Set())
    const base = new MarketView({})
    const view = (orders: ForkrouteOrder[]) => market.view(reader, base, orders, [a, b])
    const first = await view([orderOf(2), orderOf(1)])
    const second = await view([orderOf(2), orderOf(3)])
    expect([idsOf(first), idsOf(second), idsOf(base)]).toEqual([[1, 2], [2, 3], []])
    expect(await view([orderOf(1), orderOf(2)])).toBe(first)
    // What is left of each is read once at the block.
    expect(calls).toHaveLength(3)
  })

  test('leaves out what is filled, on the blacklist, or between other tokens: the view stays the same object', async () => {
    const base = new MarketView({})
    const market = new OrderMarket(ethereum, new Set([orderOf(1).hash]))
    const open = chainWith(100n, 10_000n)
    const others = [orderOf(1), orderOf(2, { tokenOut: c })]
    expect(await market.view(open.reader, base, others, [a, b])).toBe(base)
    expect(open.calls).toEqual([])
    const filled = chainWith(0n, 10_000n)
    expect(await market.view(filled.reader, base, [orderOf(3)], [a, b])).toBe(base)
  })

  test('looks at the 48 best of a direction', async () => {
    const { reader } = chainWith(100n, 10_000_000n)
    const orders = Array.from({ length: 60 }, (_, k) => orderOf(k, { amountOut: String(300 + k) }))
    const view = await new OrderMarket(ethereum, new Set()).view(
      reader,
      new MarketView({}),
      orders,
      [a, b],
    )
    expect(idsOf(view)).toEqual(Array.from({ length: 48 }, (_, k) => k + 12))
  })

  test('orders that have ended take no place among them, and are not read', async () => {
    // The next block is at second 24.
    const ended = Array.from({ length: 60 }, (_, k) => orderOf(k, { amountOut: '900', expiry: 23 }))
    const { reader, calls } = chainWith(100n, 10_000n)
    const market = new OrderMarket(ethereum, new Set())
    const orders = [...ended, orderOf(99, { expiry: 24 })]
    const view = await market.view(reader, new MarketView({}), orders, [a, b])
    expect(idsOf(view)).toEqual([99])
    expect(calls).toHaveLength(1)
  })

  test('where many directions have many orders, the best of each are looked at', async () => {
    const { reader, calls } = chainWith(100n, 10_000_000n)
    const directions = [a, b, c].flatMap((tokenIn) =>
      [a, b, c].flatMap((tokenOut) => (tokenIn === tokenOut ? [] : [{ tokenIn, tokenOut }])),
    )
    const orders = directions.flatMap((direction, k) =>
      Array.from({ length: 48 }, (_, rank) =>
        orderOf(100 * k + rank, { ...direction, amountOut: String(400 - rank) }),
      ),
    )
    const market = new OrderMarket(ethereum, new Set())
    const ids = idsOf(await market.view(reader, new MarketView({}), orders, [a, b, c]))
    expect(calls).toHaveLength(256)
    const ofEach = directions.map((_, k) => ids.filter((id) => Math.floor(id / 100) === k).length)
    expect(ofEach).toEqual([43, 43, 43, 43, 42, 42])
  })

  test.each([
    [600n, [undefined, undefined]],
    [599n, ['shared', 'shared']],
  ])(
    'orders of a maker that has %i share its funds where both offer more',
    async (held, shared) => {
      const { reader } = chainWith(100n, held)
      const market = new OrderMarket(ethereum, new Set())
      const { pools } = await market.view(
        reader,
        new MarketView({}),
        [orderOf(1), orderOf(2)],
        [a, b],
      )
      expect(pools.map(({ sharedState }) => sharedState && 'shared')).toEqual(shared)
    },
  )

  test('doubts an order that code of its maker has signed', async () => {
    const market = new OrderMarket(ethereum, new Set())
    const { reader } = chainWith(100n, 300n, true)
    const { pools } = await market.view(reader, new MarketView({}), [orderOf(1)], [a, b])
    expect(pools.map(({ doubt }): Hex | string | undefined => doubt)).toEqual([address('5')])
  })
})
