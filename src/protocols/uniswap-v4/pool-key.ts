import { keccak256 } from 'viem'
import { type Address, type Hex, isNative, zeroAddress } from '../../domain/primitives.js'
import { feeAndSpacing } from '../concentrated/adapter-parts.js'
import type { Pool } from '../protocol.js'
import { toWord } from '../storage-slots.js'

/** What identifies a pool inside the PoolManager; currencies ordered by value, native as the zero address. */
interface PoolKey {
  readonly currency0: Address
  readonly currency1: Address
  /** 1/1_000_000. */
  readonly fee: number
  readonly tickSpacing: number
  readonly hooks: Address
}

/** keccak256 of the ABI-encoded key. */
export function poolIdOf(key: PoolKey): Hex {
  const words = [
    BigInt(key.currency0),
    BigInt(key.currency1),
    BigInt(key.fee),
    BigInt(key.tickSpacing),
    BigInt(key.hooks),
  ]
  return keccak256(`0x${words.map((word) => toWord(word).slice(2)).join('')}`)
}

/** The zero address for the native token. */
export function toCurrency(token: Address): Address {
  return isNative(token) ? zeroAddress : token
}

/** Key of a pool without hooks; null when its tokens or parameters do not make one. */
export function keyOf(pool: Pool): PoolKey | null {
  const [currency0, currency1] = pool.tokens.map(toCurrency)
  const parameters = feeAndSpacing(pool)
  if (!currency0 || !currency1 || !parameters) return null
  return { currency0, currency1, ...parameters, hooks: zeroAddress }
}
