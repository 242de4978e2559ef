import { decodeFunctionData, encodeAbiParameters, parseAbi, parseAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import { type Address, type Hex, nativeToken } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool } from '../pool.js'
import { curve } from './index.js'

const usdt: Address = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const wbtc: Address = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const weth = ethereum.wrappedNative
const executor: Address = '0x00000000000000000000000000000000000000ee'
const pools: Record<string, Address> = {
  crypto: '0x1111111111111111111111111111111111111111',
  meta: '0x2222222222222222222222222222222222222222',
  native: '0x3333333333333333333333333333333333333333',
  legacy: '0x4444444444444444444444444444444444444444',
  rated: '0x6666666666666666666666666666666666666666',
}
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const shares: Address = '0x6c3f90f043a72fa612cbac8115ee7e52bde6e490'
const basePool: Address = '0xbebc44782c7db0a1a60cb6fe97d0b483032ff1c7'

const poolOf = (tokens: readonly Address[], parameters: Pool['parameters']): Pool => ({
  protocol: 'curve',
  id: executor,
  address: executor,
  tokens,
  parameters,
})

function encodeSwap(pool: Pool, tokenIn: Address, tokenOut: Address) {
  const amountIn = { ref: 'balance', token: tokenIn } as const
  const common = { chain: ethereum, venue: {}, helpers: {}, executor, recipient: executor }
  const state = { kind: 'sampled', curves: {}, spent: {} } as const
  return curve.swaps.encodeSwap({ ...common, pool, state, tokenIn, tokenOut, amountIn })
}

describe('curve.encodeSwap', () => {
  test('approves the pool for what it pulls and exchanges by the indexes of the coins', () => {
    const pool = poolOf([usdt, wbtc, weth], { kind: 'crypto', decimals: ['6', '8', '18'] })
    const amount = { ref: 'balance', token: weth }
    expect(encodeSwap(pool, weth, usdt)).toMatchObject([
      { kind: 'approve', token: weth, spender: pool.address, amount },
      { kind: 'call', target: pool.address, args: [2n, 0n, amount, 0n] },
    ])
  })

  test('stable pools take int128 indexes, crypto pools uint256', () => {
    const typeOf = (parameters: Pool['parameters']) => {
      const call = encodeSwap(poolOf([usdt, wbtc], parameters), usdt, wbtc)[1]
      return call?.kind === 'call' && call.abi.inputs[0]?.type
    }
    expect(typeOf({ kind: 'stable', decimals: ['6', '8'] })).toBe('int128')
    expect(typeOf({ kind: 'crypto', decimals: ['6', '8'] })).toBe('uint256')
    expect(typeOf({ kind: 'crypto', decimals: ['6', '8'], indexType: 'int128' })).toBe('int128')
  })

  test('a metapool trades its coin for coins of the base pool by indexes without the shares', () => {
    const decimals = ['18', '18', '18', '6', '6']
    const pool = poolOf([wbtc, shares, dai, usdc, usdt], { kind: 'meta', decimals, basePool })
    const callOf = (tokenIn: Address, tokenOut: Address) => encodeSwap(pool, tokenIn, tokenOut)[1]
    const underlying = { abi: { name: 'exchange_underlying' } }
    expect(callOf(wbtc, usdt)).toMatchObject({ ...underlying, args: [0n, 3n, {}, 0n] })
    expect(callOf(dai, wbtc)).toMatchObject({ ...underlying, args: [1n, 0n, {}, 0n] })
    expect(callOf(shares, wbtc)).toMatchObject({
      abi: { name: 'exchange' },
      args: [1n, 0n, {}, 0n],
    })
    expect(() => callOf(dai, usdt)).toThrow(RangeError)
    expect(() => callOf(dai, shares)).toThrow(RangeError)
  })

  test('native ETH is sent along, not approved', () => {
    const pool = poolOf([nativeToken, usdt], { kind: 'stable', decimals: ['18', '6'] })
    const amount = { ref: 'balance', token: nativeToken }
    expect(encodeSwap(pool, nativeToken, usdt)).toMatchObject([{ kind: 'call', value: amount }])
  })
})

const registryAbi = parseAbi([
  'function find_pools_for_coins(address, address) view returns (address[])',
  'function get_coins(address) view returns (address[8])',
  'function get_decimals(address) view returns (uint256[8])',
  'function is_meta(address) view returns (bool)',
  'function get_base_pool(address) view returns (address)',
  'function get_underlying_coins(address) view returns (address[8])',
  'function get_underlying_decimals(address) view returns (uint256[8])',
])
const registry = '0xf98b45fa17de75fb1ad0e7afd971b0ca00e379fc'
const word = (value: bigint | number | boolean): Hex =>
  `0x${BigInt(value).toString(16).padStart(64, '0')}`
const padded = (tokens: readonly Address[]) =>
  [...tokens, ...Array(8).fill(`0x${'0'.repeat(40)}`)].slice(0, 8)

const coins: Record<Address, readonly Address[]> = {
  [pools.crypto ?? '0x']: [usdt, wbtc, weth],
  [pools.meta ?? '0x']: [wbtc, shares],
  [pools.rated ?? '0x']: [wbtc, usdt],
  [pools.native ?? '0x']: [nativeToken, usdt],
  [pools.legacy ?? '0x']: [wbtc, usdt],
}
/** Getters of the pools that answer, by selector. */
const answers: Record<Address, readonly string[]> = {
  [pools.crypto ?? '0x']: ['0xb1373929', '0x4903b0d1'],
  [pools.meta ?? '0x']: ['0x76a2f0f0', '0x4903b0d1', '0x2081066c'],
  [pools.native ?? '0x']: ['0x76a2f0f0', '0x4903b0d1', '0x2081066c'],
  [pools.legacy ?? '0x']: [],
  [pools.rated ?? '0x']: ['0x76a2f0f0', '0x4903b0d1', '0x2081066c', '0x8edfdd5f'],
}

/** A node on which the registry knows the pools above; other accounts have no code. */
function readerOf(answer: (to: Address, data: Hex) => Hex | null | 'unreadable'): StateReader {
  return {
    block: { timestamp: 0n } as StateReader['block'],
    storage: async () => [],
    call: async (calls) =>
      calls.map(({ to, data }): ReadResult => {
        const value = answer(to, data)
        if (value === 'unreadable') return { ok: false, reason: 'unreadable', message: 'not held' }
        return value === null ? { ok: false, reason: 'reverted', message: '' } : { ok: true, value }
      }),
  }
}

function answerOf(to: Address, data: Hex): Hex | null {
  if (to !== registry) return answers[to]?.includes(data.slice(0, 10)) ? word(1) : null
  // get_pool_from_lp_token: none of the tokens is a share.
  if (data.startsWith('0xbdf475c3')) return word(0)
  const { functionName, args } = decodeFunctionData({ abi: registryAbi, data })
  if (functionName === 'find_pools_for_coins') {
    const pair = args.map((token) => token.toLowerCase())
    const found = Object.entries(coins).filter(
      ([pool, list]) => pool === pools.meta || pair.every((token) => list.includes(token as Hex)),
    )
    return encodeAbiParameters(parseAbiParameters('address[]'), [
      found.map(([pool]) => pool as Address),
    ])
  }
  const pool = args[0].toLowerCase() as Address
  const isUnderlying = functionName.includes('underlying')
  const list = isUnderlying ? [wbtc, dai, usdc, usdt] : (coins[pool] ?? [])
  if (functionName === 'get_base_pool') return word(pool === pools.meta ? BigInt(basePool) : 0)
  if (functionName === 'get_coins' || functionName === 'get_underlying_coins') {
    return encodeAbiParameters(parseAbiParameters('address[8]'), [padded(list) as never])
  }
  if (functionName === 'is_meta') return word(pool === pools.meta)
  const places = [
    ...list.map((token) => (token === usdt || token === usdc ? 6n : 18n)),
    ...Array(8).fill(0n),
  ]
  return encodeAbiParameters(parseAbiParameters('uint256[8]'), [places.slice(0, 8) as never])
}

describe('curve.discover', () => {
  const venue = { metaRegistry: registry }
  const discover = (reader: StateReader, pairs: (readonly [Address, Address])[]) =>
    curve.swaps.discover({ reader, chain: ethereum, venue, pairs })

  test('tells kinds apart; a metapool comes with the coins of its base pool', async () => {
    const { pools: found, unreadable } = await discover(readerOf(answerOf), [
      [weth, usdt],
      [wbtc, usdt],
    ])
    expect(unreadable).toEqual([])
    expect(found.map(({ id, tokens, parameters }) => ({ id, tokens, parameters }))).toEqual([
      {
        id: pools.crypto,
        tokens: coins[pools.crypto ?? '0x'],
        parameters: { kind: 'crypto', decimals: ['6', '18', '18'] },
      },
      {
        id: pools.meta,
        tokens: [wbtc, shares, dai, usdc, usdt],
        parameters: {
          kind: 'meta',
          decimals: ['18', '18', '18', '6', '6'],
          getterIndexType: 'uint256',
          basePool,
        },
      },
      {
        id: pools.native,
        tokens: [nativeToken, usdt],
        parameters: {
          kind: 'stable',
          decimals: ['18', '6'],
          getterIndexType: 'uint256',
          aPrecision: '100',
        },
      },
      {
        id: pools.legacy,
        tokens: [wbtc, usdt],
        parameters: {
          kind: 'stable',
          decimals: ['18', '6'],
          getterIndexType: 'int128',
          aPrecision: '1',
          legacy: true,
        },
      },
      {
        id: pools.rated,
        tokens: [wbtc, usdt],
        parameters: { kind: 'stable-ng', decimals: ['18', '6'], getterIndexType: 'uint256' },
      },
    ])
    const other: Address = '0x5555555555555555555555555555555555555555'
    expect((await discover(readerOf(answerOf), [[other, usdt]])).pools).toEqual([])
    // Two coins of a base pool trade there and not in the metapool that the registry names, too.
    expect((await discover(readerOf(answerOf), [[usdc, dai]])).pools).toEqual([])
  })

  test('without a stated registry the one of the AddressProvider is asked, or nobody', async () => {
    const provider: Address = '0x5ffe7fb82894076ecb99a30d6a32e969e6e35e98'
    const named = { addressProvider: provider }
    const pairs = [[weth, usdt]] as const
    const found = async (
      named: Parameters<typeof curve.swaps.discover>[0]['venue'],
      said: Hex | null | 'unreadable',
    ) =>
      curve.swaps.discover({
        reader: readerOf((to, data) => (to === provider ? said : answerOf(to, data))),
        chain: ethereum,
        venue: named,
        pairs,
      })
    const stated = await discover(readerOf(answerOf), [[weth, usdt]])
    expect(stated.pools.length).toBeGreaterThan(0)
    expect(await found(named, word(BigInt(registry)))).toEqual(stated)
    for (const said of [null, '0x', word(0), word(2n ** 200n)] as const) {
      expect(await found(named, said), String(said)).toEqual({ pools: [], unreadable: [] })
    }
    expect(await found({}, word(BigInt(registry)))).toEqual({ pools: [], unreadable: [] })
    const { pools: none, unreadable } = await found(named, 'unreadable')
    expect(none).toEqual([])
    expect(unreadable).toMatchObject([{ subject: 'registry', pair: [weth, usdt] }])
  })

  test('a chain whose registry has no code yields nothing, without complaint', async () => {
    const found = await discover(
      readerOf(() => '0x'),
      [[weth, usdt]],
    )
    expect(found).toEqual({ pools: [], unreadable: [] })
  })

  test('an unreadable look-up is named and sinks nothing else', async () => {
    const { pools: found, unreadable } = await discover(
      readerOf((to, data) =>
        data.includes(wbtc.slice(2)) || to === pools.crypto ? 'unreadable' : answerOf(to, data),
      ),
      [
        [weth, usdt],
        [wbtc, usdt],
      ],
    )
    expect(found.map(({ id }) => id)).toEqual([pools.meta, pools.native])
    expect(unreadable.map(({ subject }) => subject)).toEqual([
      `pools of ${wbtc} and ${usdt}`,
      pools.crypto,
    ])
  })
})

describe('curve.load', () => {
  test('a pool with wrong parameters is unreadable and sinks nothing else', async () => {
    const bad = poolOf([usdt, wbtc], { kind: 'stable', decimals: ['6'] })
    const blind = poolOf([usdt, wbtc], { kind: 'stable', decimals: ['6', '8'] })
    const reader = readerOf(() => null)
    const loaded = await curve.swaps.load({
      reader,
      chain: ethereum,
      venue: {},
      pools: [bad, blind],
    })
    expect(loaded).toMatchObject([
      { message: expect.stringContaining('decimals') },
      { message: expect.stringContaining('get_dy') },
    ])
  })
})
