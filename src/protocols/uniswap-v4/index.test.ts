import { encodeAbiParameters, keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Address } from '../../domain/primitives.js'
import { nativeToken, zeroAddress } from '../../domain/primitives.js'
import { sqrtPriceAtTick } from '../concentrated/tick-math.js'
import { toWord } from '../storage-slots.js'
import { poolStateSlot } from './discover.js'
import { swapFees, uniswapV4 } from './index.js'
import { poolIdOf } from './pool-key.js'

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

describe('swapFees', () => {
  test('known vector: 500 pips after a protocol fee of 100 make 600, rounded up', () => {
    expect(swapFees(slot0)).toEqual([600n, 550n])
    expect(swapFees((10_000n << 208n) | (1_000n << 184n))).toEqual([10_990n, 10_000n])
  })
})

describe('uniswapV4', () => {
  test('a pair with the wrapped native token finds pools of native itself', async () => {
    const reader = storageReader({ [toWord(nativeSlot)]: toWord(slot0) })
    const found = await uniswapV4.discover({ ...common, reader, pairs: [[weth, a]] })
    expect(found).toEqual({ pools: [nativePool], unreadable: [] })
  })
  test('a look-up that cannot be read is named by its pool id', async () => {
    const reader = storageReader({}, [toWord(nativeSlot)])
    const found = await uniswapV4.discover({ ...common, reader, pairs: [[a, weth]] })
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
    const loads = await uniswapV4.load({ ...common, reader, pools: [nativePool] })
    expect(loads).toMatchObject([{ state: { tick: 0, liquidity: 77n, feePips: [600n, 550n] } }])
  })
  test('a pool with hooks is not loaded, and named', async () => {
    const hooked = { ...nativePool, parameters: { ...nativePool.parameters, hooks: a } }
    const loads = await uniswapV4.load({ ...common, reader: storageReader({}), pools: [hooked] })
    const message = 'Its hooks are not in V4_HOOKS_ALLOWLIST.'
    expect(loads).toEqual([{ protocol: 'uniswap-v4', subject: nativePool.id, message }])
  })
  test('a pool whose id belongs to another key is not loaded, and named', async () => {
    const other = { ...nativePool, tokens: [a, weth] }
    const loads = await uniswapV4.load({ ...common, reader: storageReader({}), pools: [other] })
    const message = 'The id is not the hash of the key of the pool.'
    expect(loads).toEqual([{ protocol: 'uniswap-v4', subject: nativePool.id, message }])
  })
  test('encodes native input as value, token input as a transfer to the helper', async () => {
    const [loaded] = await uniswapV4.load({
      ...common,
      reader: storageReader({}),
      pools: [nativePool],
    })
    if (!loaded || !('state' in loaded)) throw new Error('not loaded')
    const encode = (tokenIn: Address, tokenOut: Address) =>
      uniswapV4.encodeSwap({
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
