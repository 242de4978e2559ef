/** Calls of Curve pools and of the MetaRegistry, and what their answers say. */
import { decodeFunctionResult, encodeFunctionData, parseAbi, parseAbiItem } from 'viem'
import type { Hex } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { IndexType } from './parameters.js'

/** Older pools return nothing; the amount is measured by balances, so both fit. */
export const exchangeAbi = {
  int128: parseAbiItem('function exchange(int128 i, int128 j, uint256 dx, uint256 min_dy)'),
  uint256: parseAbiItem('function exchange(uint256 i, uint256 j, uint256 dx, uint256 min_dy)'),
} as const

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
])
type Getter = (typeof getters)[number]['name']

const registryAbi = parseAbi([
  'function find_pools_for_coins(address, address) view returns (address[])',
  'function get_coins(address) view returns (address[8])',
  'function get_decimals(address) view returns (uint256[8])',
  'function is_meta(address) view returns (bool)',
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

export function encodeFindPools(a: Hex, b: Hex): Hex {
  return encodeFunctionData({
    abi: registryAbi,
    functionName: 'find_pools_for_coins',
    args: [a, b],
  })
}

export function encodeOfPool(
  functionName: 'get_coins' | 'get_decimals' | 'is_meta',
  pool: Hex,
): Hex {
  return encodeFunctionData({ abi: registryAbi, functionName, args: [pool] })
}

/** The first word of an answer; null when the read failed or nothing answers there. */
export function wordOf(result: ReadResult | undefined): bigint | null {
  if (!result?.ok || result.value.length < 66) return null
  return BigInt(result.value.slice(0, 66))
}

/** The answer of a registry look-up; null when the read failed or is not of that form. */
export function listOf<Name extends 'find_pools_for_coins' | 'get_coins' | 'get_decimals'>(
  functionName: Name,
  result: ReadResult | undefined,
): readonly (Name extends 'get_decimals' ? bigint : Hex)[] | null {
  if (!result?.ok || result.value.length < 66) return null
  try {
    const list: readonly unknown[] = decodeFunctionResult({
      abi: registryAbi,
      functionName: functionName as 'get_coins',
      data: result.value,
    })
    return list as readonly (Name extends 'get_decimals' ? bigint : Hex)[]
  } catch {
    return null
  }
}
