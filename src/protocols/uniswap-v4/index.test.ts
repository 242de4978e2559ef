import { encodeAbiParameters, keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Address } from '../../domain/primitives.js'
import { nativeToken, zeroAddress } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import type { ConcentratedState } from '../shared/concentrated/swap.js'
import { sqrtPriceAtTick } from '../shared/concentrated/tick-math.js'
import { swapFees } from '../shared/keyed/concentrated.js'
import { toWord } from '../shared/storage-slots.js'
import { poolStateSlot } from './discover.js'
import { uniswapV4 } from './index.js'
import { poolIdOf, touchesSwaps } from './pool-key.js'

const token = (digit: string) => `0x${digit.repeat(40)}` as Address
const [a, manager, helper, recipient] = [token('1'), token('9'), token('8'), token('7')]
const weth = ethereum.wrappedNative
const common = { chain: ethereum, venue: { poolManager: manager } }
const key = {
  currency0: zeroAddress,
  currency1: a,
  fee: 500,
  tickSpacing: 10,
  hooks: zeroAddress,
} as const
const nativePool = {
  protocol: 'uniswap-v4',
  id: poolIdOf(key),
  address: manager,
  tokens: [nativeToken, a],
  parameters: { fee: 500, tickSpacing: 10, hooks: zeroAddress },
}

/** slot0 with fees: pool 500, protocol 100 from token0 and 50 from token1. */
const slot0 = (500n << 208n) | (50n << 196n) | (100n << 184n) | sqrtPriceAtTick(0)
const nativeSlot = poolStateSlot(nativePool.id)

describe('poolIdOf', () => {
  test('is the hash of the ABI-encoded key', () => {
    const types = ['address', 'address', 'uint24', 'int24', 'address'].map((type) => ({ type }))
    const encoded = encodeAbiParameters(types, [zeroAddress, a, 500, 10, zeroAddress])
    expect(nativePool.id).toBe(keccak256(encoded))
  })
})

describe('touchesSwaps', () => {
  test.each([
    [0x3f33n, false],
    [0x80n, true],
    [0x40n, true],
    [0x08n, true],
    [0x04n, true],
    [0x4000n, false],
  ])('permissions %i: %s', (permissions, expected) => {
    expect(
      touchesSwaps(`0x${(0xabcn * 2n ** 20n + permissions).toString(16).padStart(40, '0')}`),
    ).toBe(expected)
  })
})

describe('swapFees', () => {
  test('known vector: 500 pips after a protocol fee of 100 make 600, rounded up', () => {
    expect(swapFees(slot0)).toEqual([600n, 550n])
    expect(swapFees((10_000n << 208n) | (1_000n << 184n))).toEqual([10_990n, 10_000n])
  })
})

describe('uniswapV4', () => {
  test('a pair with the wrapped native token finds pools of native itself', async () => {
    const reader = storageReader({ [toWord(nativeSlot)]: toWord(slot0) })
    const found = await uniswapV4.swaps.discover({ ...common, reader, pairs: [[weth, a]] })
    expect(found).toEqual({ pools: [nativePool], unreadable: [] })
  })
  test('a look-up that cannot be read is named by its pool id', async () => {
    const reader = storageReader({}, [toWord(nativeSlot)])
    const found = await uniswapV4.swaps.discover({ ...common, reader, pairs: [[a, weth]] })
    expect(found).toEqual({
      pools: [],
      unreadable: [
        {
          protocol: 'uniswap-v4',
          subject: nativePool.id,
          message: 'refused',
          pair: nativePool.tokens,
        },
      ],
    })
  })
  test('loads price, fees by direction and liquidity of the pool', async () => {
    const reader = storageReader({
      [toWord(nativeSlot)]: toWord(slot0),
      [toWord(nativeSlot + 3n)]: toWord(77n),
    })
    const loads = await uniswapV4.swaps.load({ ...common, reader, pools: [nativePool] })
    expect(loads).toMatchObject([{ state: { tick: 0, liquidity: 77n, feePips: [600n, 550n] } }])
  })
  test('a pool with hooks is not loaded, and named', async () => {
    const hooked = { ...nativePool, parameters: { ...nativePool.parameters, hooks: a } }
    const loads = await uniswapV4.swaps.load({
      ...common,
      reader: storageReader({}),
      pools: [hooked],
    })
    const message = 'Its hooks are not in V4_HOOKS_ALLOWLIST.'
    expect(loads).toEqual([{ protocol: 'uniswap-v4', subject: nativePool.id, message }])
  })
  describe('with hooks that are allowed', () => {
    /** Permissions are the last 14 bits: afterSwap with its delta; only before adding liquidity. */
    const [swapHooks, otherHooks] = [`0x${'a'.repeat(36)}0044`, `0x${'a'.repeat(36)}0800`] as const
    const venue = { poolManager: manager, hooksAllowlist: [swapHooks, otherHooks] }
    const hooked = (hooks: Address, fee: number) => {
      const tokens = [nativeToken, a]
      const id = poolIdOf({ ...key, fee, hooks })
      const parameters = { fee, tickSpacing: 10, hooks }
      return { protocol: 'uniswap-v4', id, address: manager, tokens, parameters }
    }
    const quoteOf = async (pool: Pool) => {
      const base = poolStateSlot(pool.id)
      const reader = storageReader({
        [toWord(base)]: toWord(slot0),
        [toWord(base + 3n)]: toWord(10n ** 18n),
      })
      const [loaded] = await uniswapV4.swaps.load({ ...common, venue, reader, pools: [pool] })
      if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
      const { feePips } = loaded.state as ConcentratedState
      return {
        feePips,
        ...uniswapV4.swaps.swap(
          pool,
          loaded.state,
          { tokenIn: nativeToken, tokenOut: a },
          1_000_000n,
        ),
      }
    }
    test('ones that take part in swaps are quoted without their part, as an estimate and no price', async () => {
      const pool = hooked(swapHooks, 500)
      expect(await quoteOf(pool)).toMatchObject({
        feePips: [600n, 550n],
        amountOut: 999_399n,
        exact: false,
      })
      expect(uniswapV4.trust?.isNoPriceSource?.(pool)).toBe(true)
    })
    test('ones that do not are quoted to the wei, with the fee of slot0 where it is dynamic', async () => {
      const pool = hooked(otherHooks, 0x800000)
      expect(await quoteOf(pool)).toMatchObject({ feePips: [600n, 550n], exact: true })
      expect(uniswapV4.trust?.isNoPriceSource?.(pool)).toBe(false)
    })
    test('the key of a swap names the hooks', async () => {
      const pool = hooked(swapHooks, 0x800000)
      const steps = uniswapV4.swaps.encodeSwap({
        ...common,
        pool,
        state: {} as ConcentratedState,
        tokenIn: a,
        tokenOut: nativeToken,
        amountIn: 1n,
        executor: recipient,
        helpers: { UniswapV4Swapper: helper },
        recipient,
      })
      const named = { ...key, fee: 0x800000, hooks: swapHooks }
      expect(steps.at(-1)).toMatchObject({ args: [manager, named, false, recipient, '0x'] })
    })
  })
  test('a pool whose id belongs to another key is not loaded, and named', async () => {
    const other = { ...nativePool, tokens: [a, weth] }
    const loads = await uniswapV4.swaps.load({
      ...common,
      reader: storageReader({}),
      pools: [other],
    })
    const message = 'The id is not the hash of the key of the pool.'
    expect(loads).toEqual([{ protocol: 'uniswap-v4', subject: nativePool.id, message }])
  })
  test('encodes native input as value, token input as a transfer to the helper', async () => {
    const [loaded] = await uniswapV4.swaps.load({
      ...common,
      reader: storageReader({}),
      pools: [nativePool],
    })
    if (!loaded || !('state' in loaded)) throw new Error('not loaded')
    const encode = (tokenIn: Address, tokenOut: Address) =>
      uniswapV4.swaps.encodeSwap({
        ...common,
        pool: nativePool,
        state: loaded.state,
        tokenIn,
        tokenOut,
        amountIn: { ref: 'balance', token: tokenIn },
        executor: recipient,
        helpers: { UniswapV4Swapper: helper },
        recipient,
      })
    expect(encode(nativeToken, a)).toMatchObject([
      {
        kind: 'call',
        target: helper,
        args: [manager, key, true, recipient, '0x'],
        value: { ref: 'balance', token: nativeToken },
      },
    ])
    expect(encode(a, nativeToken)).toMatchObject([
      { kind: 'transfer', token: a, to: helper, amount: { ref: 'balance', token: a } },
      { kind: 'call', target: helper, args: [manager, key, false, recipient, '0x'] },
    ])
  })
})
