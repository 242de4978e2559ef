import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Address } from '../../domain/primitives.js'
import type { ReadCall, ReadResult } from '../../domain/state.js'
import { nestedMappingSlot, toWord } from '../shared/storage-slots.js'
import { sushiswapV2, uniswapV2 } from './index.js'

const token = (digit: string) => `0x${digit.repeat(40)}` as Address
const [a, b, c, pair] = [token('1'), token('2'), token('3'), token('9')]
const helper = token('8')
const recipient = token('7')
const venue = { factory: token('f'), feeBps: 30 }
const common = { chain: ethereum, venue }
const getPair = (x: Address, y: Address, base: bigint) =>
  toWord(nestedMappingSlot([BigInt(x), BigInt(y)], base))

const pool = {
  protocol: 'uniswap-v2',
  id: pair,
  address: pair,
  tokens: [a, b],
  parameters: { feeBps: 30 },
}
const state = { reserve0: 1_000_000n, reserve1: 2_000_000n }

describe('uniswapV2', () => {
  test('discovers the pair whatever the order of its tokens, once', async () => {
    const reader = storageReader({ [getPair(a, b, 2n)]: toWord(BigInt(pair)) })
    const pairs = [
      [b, a],
      [a, b],
      [a, c],
      [a, a],
    ] as const
    const found = await uniswapV2.swaps.discover({ ...common, reader, pairs })
    expect(found).toEqual({ pools: [pool], unreadable: [] })
  })
  test('a look-up that cannot be read sinks no other', async () => {
    const storage = { [getPair(a, b, 2n)]: toWord(BigInt(pair)) }
    const reader = storageReader(storage, [getPair(a, c, 2n)])
    const found = await uniswapV2.swaps.discover({
      ...common,
      reader,
      pairs: [
        [c, a],
        [a, b],
      ],
    })
    expect(found.pools).toEqual([pool])
    expect(found.unreadable).toEqual([
      { protocol: 'uniswap-v2', subject: `getPair ${a} ${c}`, message: 'refused', pair: [a, c] },
    ])
  })
  test('loads both reserves from one word and leaves the timestamp out', async () => {
    const word = (7n << 224n) | (state.reserve1 << 112n) | state.reserve0
    const reader = storageReader({ [toWord(8n)]: toWord(word) })
    const loaded = await uniswapV2.swaps.load({ ...common, reader, pools: [pool] })
    expect(loaded).toEqual([{ pool, state, partial: false }])
  })
  test('a pair without reserves is loaded and quotes 0', async () => {
    const [loaded] = await uniswapV2.swaps.load({
      ...common,
      reader: storageReader({}),
      pools: [pool],
    })
    if (!loaded || !('state' in loaded)) throw new Error('not loaded')
    const quote = uniswapV2.swaps.swap(pool, loaded.state, { tokenIn: a, tokenOut: b }, 1_000n)
    expect(quote).toMatchObject({ amountOut: 0n, exact: true })
  })
  test('a pair that cannot be read is named', async () => {
    const reader = storageReader({}, [toWord(8n)])
    const loaded = await uniswapV2.swaps.load({ ...common, reader, pools: [pool] })
    expect(loaded).toEqual([{ protocol: 'uniswap-v2', subject: pair, message: 'refused' }])
  })
  test('an imported pair without its fee is not loaded, and named', async () => {
    const bare = { ...pool, parameters: {} }
    const loaded = await uniswapV2.swaps.load({
      ...common,
      reader: storageReader({}),
      pools: [bare],
    })
    const message = 'The pool lacks the parameter feeBps.'
    expect(loaded).toEqual([{ protocol: 'uniswap-v2', subject: pair, message }])
  })
  describe('with a token whose balances change by themselves', () => {
    const word = (state.reserve1 << 112n) | state.reserve0
    const asked: Address[] = []
    const loadHolding = async (holdings: Readonly<Record<Address, bigint>>, rebasing = [b]) => {
      const reader = {
        ...storageReader({ [toWord(8n)]: toWord(word) }),
        call: async (calls: readonly ReadCall[]) =>
          calls.map(({ to }): ReadResult => {
            asked.push(to)
            const held = holdings[to]
            return held === undefined
              ? { ok: false, reason: 'unreadable', message: 'refused' }
              : { ok: true, value: toWord(held) }
          }),
      }
      const args = { ...common, reader, pools: [pool], rebasing: new Set(rebasing) }
      const [loaded] = await uniswapV2.swaps.load(args)
      if (!loaded || !('state' in loaded)) throw new Error('not loaded')
      return loaded.state
    }
    const short = { reserve0: 1_000_007n, reserve1: 1_980_000n, isShort: true } as const

    test('counts what it holds of both where it holds less of one', async () => {
      expect(await loadHolding({ [a]: 1_000_007n, [b]: 1_980_000n })).toEqual(short)
    })
    test('counts on its reserves where it holds as much, or more, or cannot be asked', async () => {
      expect(await loadHolding({ [a]: 1_000_000n, [b]: 2_000_000n })).toEqual(state)
      expect(await loadHolding({ [a]: 1_000_000n, [b]: 2_000_001n })).toEqual(state)
      expect(await loadHolding({ [a]: 1_000_000n })).toEqual(state)
    })
    test('other pairs are not asked', async () => {
      asked.length = 0
      expect(await loadHolding({}, [c])).toEqual(state)
      expect(asked).toEqual([])
    })
    test('is told what it holds before it is paid, which nobody else does', () => {
      const steps = uniswapV2.swaps.encodeSwap({
        ...common,
        pool,
        state: short,
        tokenIn: b,
        tokenOut: a,
        amountIn: 5n,
        executor: recipient,
        helpers: { UniswapV2Swapper: helper },
        recipient,
      })
      expect(steps).toMatchObject([
        { kind: 'call', target: pair, abi: { name: 'sync' }, args: [] },
        { kind: 'transfer', token: b, to: pair, amount: 5n },
        { kind: 'call', target: helper },
      ])
      const { prepaidAt, swapHop, gasEstimate } = uniswapV2.swaps
      expect([prepaidAt?.(pool, short), swapHop?.(pool, b, short)]).toEqual([undefined, null])
      expect([prepaidAt?.(pool, state), swapHop?.(pool, b, state)?.family]).toEqual([pair, 'v2'])
      expect(gasEstimate(pool, short)).toBeGreaterThan(gasEstimate(pool, state))
    })
    test('stays so after a swap', () => {
      const next = uniswapV2.swaps.swap(pool, short, { tokenIn: a, tokenOut: b }, 1_000n).after()
      expect(next).toMatchObject({ reserve0: 1_001_007n, isShort: true })
    })
  })
  test('the state after a swap holds the input and lacks the output, in both directions', () => {
    const up = uniswapV2.swaps.swap(pool, state, { tokenIn: a, tokenOut: b }, 1_000n).after()
    expect(up).toEqual({ reserve0: 1_001_000n, reserve1: 2_000_000n - 1_992n })
    const down = uniswapV2.swaps.swap(pool, state, { tokenIn: b, tokenOut: a }, 1_000n).after()
    expect(down).toEqual({ reserve0: 1_000_000n - 498n, reserve1: 2_001_000n })
  })
  test('a swap also reads the tokens, the oracle accumulators and the lock', () => {
    const slots = [6n, 7n, 9n, 10n, 12n].map(toWord)
    expect(uniswapV2.swaps.swapSlots?.(pool, state)).toEqual(slots)
  })
  test('encodes a transfer to the pair and a call of the helper', () => {
    const amountIn = { ref: 'balance', token: b } as const
    const steps = uniswapV2.swaps.encodeSwap({
      ...common,
      pool,
      state,
      tokenIn: b,
      tokenOut: a,
      amountIn,
      executor: recipient,
      helpers: { UniswapV2Swapper: helper },
      recipient,
    })
    expect(steps).toMatchObject([
      { kind: 'transfer', token: b, to: pair, amount: amountIn },
      { kind: 'call', target: helper, args: [pair, b, false, 30n, recipient] },
    ])
  })
})

describe('shares of a pair', () => {
  const sharesPool = { ...pool, id: `${pair}${'0'.repeat(24)}`, tokens: [a, b, pair] }
  const factory = toWord(BigInt(venue.factory))
  const storage = {
    [getPair(a, b, 2n)]: toWord(BigInt(pair)),
    [toWord(5n)]: factory,
    [toWord(6n)]: toWord(BigInt(a)),
    [toWord(7n)]: toWord(BigInt(b)),
  }
  const connectors = { ...ethereum, connectorTokens: [a, b, c] }
  const discover = (reader: ReturnType<typeof storageReader>, pairs: [Address, Address][]) =>
    uniswapV2.swaps.discover({ ...common, chain: connectors, reader, pairs })

  test('are found for each of its tokens, once, and for no other', async () => {
    const found = await discover(storageReader(storage), [
      [pair, a],
      [b, pair],
    ])
    expect(found).toEqual({ pools: [sharesPool], unreadable: [] })
    expect(await discover(storageReader(storage), [[pair, c]])).toEqual({
      pools: [],
      unreadable: [],
    })
  })
  test('connector tokens are not asked, others cost one slot', async () => {
    const reader = storageReader(storage)
    await discover(reader, [
      [a, b],
      [b, c],
    ])
    expect(reader.rounds()).toBe(1)
    const other = storageReader({ ...storage, [toWord(5n)]: toWord(7n) })
    expect((await discover(other, [[token('4'), a]])).pools).toEqual([])
    expect(other.rounds()).toBe(2)
  })
  test('a contract that claims the pair of others is none', async () => {
    const found = await discover(storageReader(storage), [[token('4'), a]])
    expect(found.pools.map(({ address }) => address)).toEqual([])
  })
  test('a token that cannot be asked is named for each of its pairs', async () => {
    const reader = storageReader({}, [toWord(5n)])
    const { unreadable } = await discover(reader, [
      [pair, a],
      [pair, b],
    ])
    const fact = { protocol: 'uniswap-v2', subject: `factory ${pair}`, message: 'refused' }
    expect(unreadable).toEqual([
      { ...fact, pair: [a, pair] },
      { ...fact, pair: [b, pair] },
    ])
  })
  test('are loaded with what their worth depends on', async () => {
    const words = {
      [toWord(8n)]: toWord((2n << 112n) | 1n),
      [toWord(0n)]: toWord(5n),
      [toWord(11n)]: toWord(6n),
    }
    const reader = storageReader(words)
    const [loaded] = await uniswapV2.swaps.load({ ...common, reader, pools: [sharesPool] })
    // The reader knows slots alone: the factory's slot 0, too, is not zero.
    const expected = { reserve0: 1n, reserve1: 2n, totalSupply: 5n, kLast: 6n, isFeeOn: true }
    expect(loaded).toMatchObject({ state: expected, partial: false })
  })
  test('their pool trades no tokens for each other, tells no price and shares the state of the pair', () => {
    const full = { ...state, totalSupply: 1_000_000n, kLast: 0n, isFeeOn: false }
    expect(
      uniswapV2.swaps.swap(sharesPool, full, { tokenIn: a, tokenOut: b }, 1_000n).amountOut,
    ).toBe(0n)
    expect(
      uniswapV2.swaps.swap(sharesPool, full, { tokenIn: a, tokenOut: b }, 1_000n).after(),
    ).toBe(full)
    expect(
      uniswapV2.swaps.swap(sharesPool, full, { tokenIn: a, tokenOut: pair }, 1_000n).amountOut,
    ).toBeGreaterThan(0n)
    expect(uniswapV2.trust?.isNoPriceSource?.(sharesPool)).toBe(true)
    expect(uniswapV2.trust?.isNoPriceSource?.(pool)).toBe(false)
    expect(uniswapV2.swaps.sharedState?.(sharesPool)).toBe(uniswapV2.swaps.sharedState?.(pool))
    expect(uniswapV2.swaps.prepaidAt?.(sharesPool, state)).toBeUndefined()
  })
  test('are bought through the helper, and burnt at the pair', () => {
    const zapper = token('6')
    const encode = (tokenIn: Address, tokenOut: Address) =>
      uniswapV2.swaps.encodeSwap({
        ...common,
        pool: sharesPool,
        state,
        tokenIn,
        tokenOut,
        amountIn: 5n,
        executor: recipient,
        helpers: { UniswapV2Zapper: zapper },
        recipient,
      })
    expect(encode(b, pair)).toMatchObject([
      { kind: 'transfer', token: b, to: zapper, amount: 5n },
      { kind: 'call', target: zapper, args: [pair, b, a, false, 30n, recipient] },
    ])
    expect(encode(pair, b)).toMatchObject([
      { kind: 'transfer', token: pair, to: pair, amount: 5n },
      { kind: 'call', target: zapper, args: [pair, b, a, true, 30n, recipient] },
    ])
    expect(uniswapV2.swaps.action?.(sharesPool, b, pair)).toBe('deposit')
    expect(uniswapV2.swaps.action?.(sharesPool, pair, b)).toBe('redeem')
  })
})

describe('sushiswapV2', () => {
  test.each([2n, 3n])(
    'finds the pair in a factory that keeps its pairs at slot %i',
    async (base) => {
      const reader = storageReader({ [getPair(a, b, base)]: toWord(BigInt(pair)) })
      const { pools } = await sushiswapV2.swaps.discover({ ...common, reader, pairs: [[a, b]] })
      expect(pools).toEqual([{ ...pool, protocol: 'sushiswap-v2' }])
    },
  )
})
