import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Address, Hex } from '../../domain/primitives.js'
import { sqrtPriceAtTick } from '../shared/concentrated/tick-math.js'
import { mappingSlot, nestedMappingSlot, toWord } from '../shared/storage-slots.js'
import { pancakeswapV3, uniswapV3 } from './index.js'

const token = (digit: string) => `0x${digit.repeat(40)}` as Address
const [a, b, poolAddress, recipient] = [token('1'), token('2'), token('9'), token('7')]
const venue = { factory: token('f'), feeTiers: ['500', '3000'] }
const common = { chain: ethereum, venue }
const pool = {
  protocol: 'uniswap-v3',
  id: poolAddress,
  address: poolAddress,
  tokens: [a, b],
  parameters: { fee: 500, tickSpacing: 10 },
}

function factoryStorage(spacingSlot: bigint, poolSlot: bigint): Record<Hex, Hex> {
  return {
    [toWord(mappingSlot(500n, spacingSlot))]: toWord(10n),
    [toWord(nestedMappingSlot([BigInt(a), BigInt(b), 500n], poolSlot))]: toWord(
      BigInt(poolAddress),
    ),
  }
}

describe('uniswapV3', () => {
  test('discovers the pools of all tiers with the tick spacing of the factory', async () => {
    const reader = storageReader(factoryStorage(4n, 5n))
    const found = await uniswapV3.swaps.discover({ ...common, reader, pairs: [[b, a]] })
    expect(found).toEqual({ pools: [pool], unreadable: [] })
  })
  test('a tier that cannot be read sinks no other', async () => {
    const refused = toWord(nestedMappingSlot([BigInt(a), BigInt(b), 3_000n], 5n))
    const reader = storageReader(factoryStorage(4n, 5n), [refused])
    const found = await uniswapV3.swaps.discover({ ...common, reader, pairs: [[a, b]] })
    expect(found.pools).toEqual([pool])
    expect(found.unreadable).toEqual([
      {
        protocol: 'uniswap-v3',
        subject: `getPool ${a} ${b} 3000`,
        message: 'refused',
        pair: [a, b],
      },
    ])
  })
  test('a swap also reads fee growth, two oracle entries and the records of the next ticks', () => {
    const state = {
      sqrtPriceX96: sqrtPriceAtTick(5),
      tick: 5,
      liquidity: 1n,
      feePips: [500n, 500n] as const,
      tickSpacing: 10,
      ticks: [-20, 0, 30],
      liquidityNets: [1n, 1n, -2n],
      lowerTick: -100,
      upperTick: 100,
      oracle: { index: 4, cardinality: 5 },
    }
    const record = (tick: bigint) =>
      [1n, 2n, 3n].map((word) => toWord(mappingSlot(tick, 5n) + word))
    // Slots of UniswapV3Pool: 1 to 3 fee growth and protocol fees, 5 ticks, 8 the first oracle entry.
    expect(uniswapV3.swaps.swapSlots?.(pool, state)).toEqual([
      ...[1n, 2n, 3n, 12n, 8n].map(toWord),
      ...record(0n),
      ...record(30n),
    ])
    // PancakeSwap's slot0 takes two slots, so everything behind it lies one further.
    const pancake = pancakeswapV3.swaps.swapSlots?.(pool, { ...state, ticks: [] })
    expect(pancake).toEqual([1n, 2n, 3n, 4n, 13n, 9n].map(toWord))
  })
  test('a pool without its parameters is not loaded, and named', async () => {
    const bare = { ...pool, parameters: { fee: 500 } }
    const loads = await uniswapV3.swaps.load({
      ...common,
      reader: storageReader({}),
      pools: [bare, pool],
    })
    expect(loads).toMatchObject([
      { subject: poolAddress, message: 'The pool lacks the parameters fee and tickSpacing.' },
      { pool, partial: false },
    ])
  })
  test('encodes one call that the Executor pays for in its callback', async () => {
    const [loaded] = await uniswapV3.swaps.load({
      ...common,
      reader: storageReader({}),
      pools: [pool],
    })
    if (!loaded || !('state' in loaded)) throw new Error('not loaded')
    const amountIn = { ref: 'balance', token: b } as const
    const steps = uniswapV3.swaps.encodeSwap({
      ...common,
      pool,
      state: loaded.state,
      tokenIn: b,
      tokenOut: a,
      amountIn,
      executor: recipient,
      helpers: {},
      recipient,
    })
    expect(steps).toMatchObject([
      {
        kind: 'call',
        target: poolAddress,
        payToken: b,
        args: [recipient, false, amountIn, sqrtPriceAtTick(887_272) - 1n, '0x'],
      },
    ])
  })
})

describe('pancakeswapV3', () => {
  test('discovers in its own factory layout and loads from its own pool layout', async () => {
    const tick = 25
    const net = 10n ** 18n
    const storage = {
      ...factoryStorage(1n, 2n),
      [toWord(0n)]: toWord((BigInt(tick) << 160n) | sqrtPriceAtTick(tick)),
      [toWord(5n)]: toWord(net),
      [toWord(mappingSlot(20n, 6n))]: toWord((net << 128n) | net),
      [toWord(mappingSlot(0n, 7n))]: toWord(1n << 2n),
    }
    const reader = storageReader(storage)
    const { pools } = await pancakeswapV3.swaps.discover({ ...common, reader, pairs: [[a, b]] })
    expect(pools).toEqual([{ ...pool, protocol: 'pancakeswap-v3' }])
    const loads = await pancakeswapV3.swaps.load({ ...common, reader, pools })
    expect(loads).toMatchObject([{ state: { tick, liquidity: net, ticks: [20] } }])
  })
})
