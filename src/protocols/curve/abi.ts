/** Calls of Curve pools and of the MetaRegistry, and decoding of their results. */
import {
  decodeFunctionResult,
  encodeFunctionData,
  parseAbi,
  parseAbiItem,
  prepareEncodeFunctionData,
} from 'viem'
import type { Hex } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { IndexType } from './parameters.js'

/** Older pools return nothing; the amount is measured by balances, so both fit. */
export const exchangeAbi = {
  int128: parseAbiItem('function exchange(int128 i, int128 j, uint256 dx, uint256 min_dy)'),
  uint256: parseAbiItem('function exchange(uint256 i, uint256 j, uint256 dx, uint256 min_dy)'),
} as const

/** Between the coin of a metapool and those of its base pool, whose indexes start at 1. */
export const exchangeUnderlyingAbi = parseAbiItem(
  'function exchange_underlying(int128 i, int128 j, uint256 dx, uint256 min_dy)',
)

const getDyAbi = {
  int128: parseAbi(['function get_dy(int128, int128, uint256) view returns (uint256)']),
  uint256: parseAbi(['function get_dy(uint256, uint256, uint256) view returns (uint256)']),
} as const

const balancesAbi = {
  int128: parseAbi(['function balances(int128) view returns (uint256)']),
  uint256: parseAbi(['function balances(uint256) view returns (uint256)']),
} as const

/** Getters without arguments that answer one word. */
const getters = parseAbi([
  'function A() view returns (uint256)',
  'function A_precise() view returns (uint256)',
  'function initial_A() view returns (uint256)',
  'function future_A() view returns (uint256)',
  'function initial_A_time() view returns (uint256)',
  'function future_A_time() view returns (uint256)',
  'function fee() view returns (uint256)',
  'function admin_fee() view returns (uint256)',
  'function gamma() view returns (uint256)',
  'function D() view returns (uint256)',
  'function mid_fee() view returns (uint256)',
  'function out_fee() view returns (uint256)',
  'function fee_gamma() view returns (uint256)',
  'function price_scale() view returns (uint256)',
  'function offpeg_fee_multiplier() view returns (uint256)',
  'function stored_rates() view returns (uint256)',
  'function base_virtual_price() view returns (uint256)',
  'function base_cache_updated() view returns (uint256)',
  'function future_A_gamma_time() view returns (uint256)',
  'function MATH() view returns (address)',
  'function get_virtual_price() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])
export type Getter = (typeof getters)[number]['name']

const registryAbi = parseAbi([
  'function find_pools_for_coins(address, address) view returns (address[])',
  'function get_coins(address) view returns (address[8])',
  'function get_decimals(address) view returns (uint256[8])',
  'function is_meta(address) view returns (bool)',
  'function get_base_pool(address) view returns (address)',
  'function get_underlying_coins(address) view returns (address[8])',
  'function get_underlying_decimals(address) view returns (uint256[8])',
])

export function encodeGetter(functionName: Getter): Hex {
  return encodeFunctionData({ abi: getters, functionName })
}

const priceScaleAbi = parseAbi(['function price_scale(uint256) view returns (uint256)'])

/** Pools of two coins have one price scale and no index. */
export function encodePriceScale(coins: number, index: number): Hex {
  return coins === 2
    ? encodeGetter('price_scale')
    : encodeFunctionData({ abi: priceScaleAbi, args: [BigInt(index)] })
}

export function encodeBalances(type: IndexType, index: number): Hex {
  const args = [BigInt(index)] as const
  return type === 'int128'
    ? encodeFunctionData({ abi: balancesAbi.int128, args })
    : encodeFunctionData({ abi: balancesAbi.uint256, args })
}

export function encodeGetDy(type: IndexType, i: number, j: number, amountIn: bigint): Hex {
  const args = [BigInt(i), BigInt(j), amountIn] as const
  return type === 'int128'
    ? encodeFunctionData({ abi: getDyAbi.int128, args })
    : encodeFunctionData({ abi: getDyAbi.uint256, args })
}

const basePoolAbi = parseAbi([
  'function get_dy_underlying(int128, int128, uint256) view returns (uint256)',
  'function calc_withdraw_one_coin(uint256, int128) view returns (uint256)',
])

/** @param i - underlying index: 0 the coin of the metapool, from 1 on those of its base pool. */
export function encodeGetDyUnderlying(i: number, j: number, amountIn: bigint): Hex {
  return encodeFunctionData({
    abi: basePoolAbi,
    functionName: 'get_dy_underlying',
    args: [BigInt(i), BigInt(j), amountIn],
  })
}

/** What the pool pays of coin k for so many of its shares. */
export function encodeWithdrawal(shares: bigint, k: number): Hex {
  const args = [shares, BigInt(k)] as const
  return encodeFunctionData({ abi: basePoolAbi, functionName: 'calc_withdraw_one_coin', args })
}

/** Its selector is hashed once: dozens of pairs are looked up at each block. */
const findPools = prepareEncodeFunctionData({
  abi: registryAbi,
  functionName: 'find_pools_for_coins',
})

export function encodeFindPools(a: Hex, b: Hex): Hex {
  return encodeFunctionData({ ...findPools, args: [a, b] })
}

export type PoolFact =
  | 'get_coins'
  | 'get_decimals'
  | 'is_meta'
  | 'get_base_pool'
  | 'get_underlying_coins'
  | 'get_underlying_decimals'

export function encodeOfPool(functionName: PoolFact, pool: Hex): Hex {
  return encodeFunctionData({ abi: registryAbi, functionName, args: [pool] })
}

/** The first word of an answer; null when the read failed or nothing answers there. */
export function wordOf(result: ReadResult | undefined): bigint | null {
  if (!result?.ok || result.value.length < 66) return null
  return BigInt(result.value.slice(0, 66))
}

/**
 * An answer that is a list of n words, of fixed length (pools with rates of 2022) or not (stableswap-ng).
 *
 * @returns null when the read failed or the list has another length.
 */
export function wordsOf(result: ReadResult | undefined, n: number): bigint[] | null {
  if (!result?.ok) return null
  const words = (result.value.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))
  if (words.length === n) return words
  const isDynamic = words.length === n + 2 && words[0] === 32n && words[1] === BigInt(n)
  return isDynamic ? words.slice(2) : null
}

type AddressList = 'find_pools_for_coins' | 'get_coins' | 'get_underlying_coins'
type NumberList = 'get_decimals' | 'get_underlying_decimals'

/** The answer of a registry look-up; null when the read failed or is not of that form. */
export function listOf<Name extends AddressList | NumberList>(
  functionName: Name,
  result: ReadResult | undefined,
): readonly (Name extends NumberList ? bigint : Hex)[] | null {
  if (!result?.ok || result.value.length < 66) return null
  try {
    const list: readonly unknown[] = decodeFunctionResult({
      abi: registryAbi,
      functionName: functionName as 'get_coins',
      data: result.value,
    })
    return list as readonly (Name extends NumberList ? bigint : Hex)[]
  } catch {
    return null
  }
}
