import { decodeFunctionData, encodeAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { ForkrouteOrder } from '../../domain/signed-order.js'
import type { ReadCall, ReadResult } from '../../domain/state.js'
import { signedOrders } from './index.js'
import { toOrderPool } from './load.js'
import { settlementAbi } from './settled-orders.js'

const address = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, maker, settlement, executor] = ['1', '2', '3', '4', '5'].map(address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]

/** 300 of b for 100 of a. */
const order: ForkrouteOrder = {
  chainId: 1,
  format: 'forkroute',
  hash: `0x${'9'.repeat(64)}`,
  settlement,
  maker,
  tokenIn: a,
  tokenOut: b,
  amountIn: '100',
  amountOut: '301',
  expiry: 60,
  nonce: '7',
  partialFill: true,
  signature: '0x1234',
}

const fillable = (left: bigint, byCode = false): Hex =>
  encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint256' }, { type: 'bool' }],
    [left, 301n, byCode],
  )

async function loaded(answer: ReadResult, more: Partial<ForkrouteOrder> = {}) {
  const calls: ReadCall[] = []
  const reader = {
    ...storageReader({}),
    async call(asked: readonly ReadCall[]) {
      calls.push(...asked)
      return asked.map(() => answer)
    },
  }
  const pool = toOrderPool({ ...order, ...more })
  const [item] = await signedOrders.swaps.load({
    reader,
    chain: ethereum,
    venue: {},
    pools: [pool],
  })
  return { calls, pool, item }
}

async function opened(value: Hex, more: Partial<ForkrouteOrder> = {}) {
  const { item, pool } = await loaded({ ok: true, value }, more)
  if (!item || !('state' in item)) throw new Error('the order was not read')
  const direction = { tokenIn: a, tokenOut: b }
  const swap = (amountIn: bigint, state = item.state) =>
    signedOrders.swaps.swap(pool, state, direction, amountIn)
  return { pool, state: item.state, swap }
}

describe('a signed order', () => {
  test('is checked by one call at the time of the next block, with little gas', async () => {
    const { calls } = await loaded({ ok: true, value: fillable(100n) })
    expect(calls).toMatchObject([{ to: settlement, timestamp: 24n, gas: 500_000n }])
    const { args } = decodeFunctionData({ abi: settlementAbi, data: calls[0]?.data ?? '0x' })
    expect(args[0]).toMatchObject({ maker, amountIn: 100n, amountOut: 301n, nonce: 7n })
  })

  test('gives its rate, rounded down, up to what is left and nothing beyond', async () => {
    const { swap } = await opened(fillable(60n))
    expect([1n, 50n, 60n, 61n].map((amount) => swap(amount).amountOut)).toEqual([
      3n,
      150n,
      180n,
      0n,
    ])
    expect(swap(1n).exact).toBe(true)
    const rest = swap(50n).after()
    expect([10n, 11n].map((amount) => swap(amount, rest).amountOut)).toEqual([30n, 0n])
  })

  test('gives nothing in the other direction', async () => {
    const { pool, state } = await opened(fillable(60n))
    const back = { tokenIn: b, tokenOut: a }
    expect(signedOrders.swaps.swap(pool, state, back, 3n).amountOut).toBe(0n)
  })

  test('is filled whole or not at all where it says so', async () => {
    const { swap } = await opened(fillable(100n), { partialFill: false })
    expect([99n, 100n].map((amount) => swap(amount).amountOut)).toEqual([0n, 301n])
  })

  test.each([
    ['its contract is not there', { ok: true, value: '0x' }],
    ['its check reverts', { ok: false, reason: 'reverted', message: 'no token' }],
    ['its contract answers something else', { ok: true, value: `0x${'0'.repeat(63)}1` }],
  ] as const)('has nothing left where %s', async (_why, answer) => {
    const { item } = await loaded(answer)
    expect(item).toMatchObject({ state: { left: 0n } })
  })

  test('cannot be read where the node lacks its state', async () => {
    const { item } = await loaded({ ok: false, reason: 'unreadable', message: 'pruned' })
    expect(item).toMatchObject({ subject: order.hash, message: 'pruned' })
  })

  test('is foreign code where code of its maker has signed, and never a source of prices', async () => {
    const { trust } = signedOrders
    for (const [byCode, foreign] of [
      [false, null],
      [true, maker],
    ] as const) {
      const { pool, state } = await opened(fillable(60n, byCode))
      expect(trust?.foreignCode?.(pool, state, {})).toBe(foreign)
      expect(trust?.isNoPriceSource?.(pool)).toBe(true)
    }
  })

  test('is filled by an allowance and one call that pays the recipient', async () => {
    const { pool, state } = await opened(fillable(60n))
    const args = { chain: ethereum, venue: {}, pool, state, executor, helpers: {} }
    const amountIn = { ref: 'balance', token: a } as const
    const steps = signedOrders.swaps.encodeSwap({
      ...args,
      tokenIn: a,
      tokenOut: b,
      amountIn,
      recipient: maker,
    })
    expect(steps).toMatchObject([
      { kind: 'approve', token: a, spender: settlement, amount: amountIn },
      {
        kind: 'call',
        target: settlement,
        args: [{ maker, tokenOut: b, expiry: 60n }, '0x1234', amountIn, maker],
      },
    ])
  })
})
