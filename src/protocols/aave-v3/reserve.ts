/**
 * One reserve of the Pool from `getReserveData`. Versions before 3.1 return the stored struct, later ones the same
 * words under the name of a legacy struct; only words that both versions fill are read.
 * @see aave/aave-v3-core, contracts/protocol/libraries/types/DataTypes.sol (v1.19.3)
 */
import { encodeFunctionData, parseAbi } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import type { ReadCall, ReadResult, StateReader } from '../../domain/state.js'
import { addressInWord } from '../shared/storage-slots.js'

const poolAbi = parseAbi([
  'function getReservesList() view returns (address[])',
  'function getReserveData(address asset) view',
])

export interface ReserveConfiguration {
  readonly decimals: number
  readonly isActive: boolean
  readonly isFrozen: boolean
  readonly isPaused: boolean
  readonly isBorrowable: boolean
  /** Basis points of the interest that the treasury keeps. */
  readonly reserveFactor: bigint
  /** Whole tokens; 0: no cap. */
  readonly supplyCap: bigint
}

export interface Reserve extends ReserveConfiguration {
  readonly asset: Address
  readonly aToken: Address
  readonly variableDebtToken: Address
  /** Its place in the bit map of an account's collateral and debts. */
  readonly id: number
  /** At its last update, ray. */
  readonly liquidityIndex: bigint
  /** Rate per year, ray. */
  readonly liquidityRate: bigint
  /** Scaled raw units. */
  readonly accruedToTreasury: bigint
}

const place = { index: 1, rate: 2, id: 7, aToken: 8, variableDebtToken: 10, treasury: 12 } as const
const wordsOfReserve = 15

export function reserveCall(pool: Address, asset: Address): ReadCall {
  const data = encodeFunctionData({ abi: poolAbi, functionName: 'getReserveData', args: [asset] })
  return { to: pool, data }
}

/** Null for an asset that the Pool does not list, and for an answer of another shape. */
export function decodeReserve(asset: Address, data: Hex): Reserve | null {
  const words = wordsOf(data)
  if (words.length < wordsOfReserve) return null
  const word = (index: number): bigint => BigInt(words[index] ?? 0)
  const aToken = addressInWord(words[place.aToken] ?? '0x0')
  const variableDebtToken = addressInWord(words[place.variableDebtToken] ?? '0x0')
  if (!aToken || !variableDebtToken) return null
  return {
    asset,
    aToken,
    variableDebtToken,
    id: Number(word(place.id)),
    liquidityIndex: word(place.index),
    liquidityRate: word(place.rate),
    accruedToTreasury: word(place.treasury),
    ...decodeConfiguration(word(0)),
  }
}

/** @see aave/aave-v3-core, contracts/protocol/libraries/configuration/ReserveConfiguration.sol (v1.19.3) */
export function decodeConfiguration(bits: bigint): ReserveConfiguration {
  const field = (from: number, width: number): bigint =>
    (bits >> BigInt(from)) & ((1n << BigInt(width)) - 1n)
  return {
    decimals: Number(field(48, 8)),
    isActive: field(56, 1) === 1n,
    isFrozen: field(57, 1) === 1n,
    isBorrowable: field(58, 1) === 1n,
    isPaused: field(60, 1) === 1n,
    reserveFactor: field(64, 16),
    supplyCap: field(116, 36),
  }
}

/** Assets of all reserves in their order; the message of the node where they cannot be read. */
export async function listAssets(
  reader: StateReader,
  pool: Address,
): Promise<Address[] | { readonly message: string }> {
  const data = encodeFunctionData({ abi: poolAbi, functionName: 'getReservesList' })
  const [result] = await reader.call([{ to: pool, data }])
  if (!result?.ok) return { message: result?.message ?? 'no answer' }
  return wordsOf(result.value)
    .slice(2)
    .flatMap((word) => addressInWord(word) ?? [])
}

/** In the order asked; what the node refused as it is. */
export async function readReserves(
  reader: StateReader,
  pool: Address,
  assets: readonly Address[],
): Promise<(Reserve | null | Extract<ReadResult, { ok: false }>)[]> {
  const results = await reader.call(assets.map((asset) => reserveCall(pool, asset)))
  return results.map((result, index) =>
    result.ok ? decodeReserve(assets[index] as Address, result.value) : result,
  )
}

export function wordsOf(data: Hex): Hex[] {
  return (data.slice(2).match(/.{64}/g) ?? []).map((word): Hex => `0x${word}`)
}
