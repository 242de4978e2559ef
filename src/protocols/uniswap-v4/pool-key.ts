import { LRUCache } from 'lru-cache'
import { isAddress } from 'viem'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import { feeAndSpacing } from '../shared/concentrated/adapter-parts.js'
import { dynamicFee, hashOfWords, toCurrency } from '../shared/keyed/currencies.js'

/** What identifies a pool inside the PoolManager; currencies ordered by value, native as the zero address. */
interface PoolKey {
  readonly currency0: Address
  readonly currency1: Address
  /** 1/1_000_000. */
  readonly fee: number
  readonly tickSpacing: number
  readonly hooks: Address
}

/** Every possible pool of a pair is looked for at every block. */
const ids = new LRUCache<string, Hex>({ max: 20_000 })

/** keccak256 of the ABI-encoded key. */
export function poolIdOf(key: PoolKey): Hex {
  const { currency0, currency1, fee, tickSpacing, hooks } = key
  const name = `${currency0}${currency1}${hooks}${fee}:${tickSpacing}`
  const cached = ids.get(name)
  if (cached) return cached
  const id = hashOf(key)
  ids.set(name, id)
  return id
}

function hashOf({ currency0, currency1, fee, tickSpacing, hooks }: PoolKey): Hex {
  return hashOfWords([currency0, currency1, fee, tickSpacing, hooks].map(BigInt))
}

/** Key of a pool; null when its tokens or parameters do not make one. */
export function keyOf(pool: Pool): PoolKey | null {
  const [currency0, currency1] = pool.tokens.map(toCurrency)
  const parameters = feeAndSpacing(pool, dynamicFee)
  const hooks = hooksOf(pool)
  if (!currency0 || !currency1 || !parameters || !hooks) return null
  return { currency0, currency1, ...parameters, hooks }
}

/** Lower-case, however it was imported; null when it is no address. */
export function hooksOf({ parameters: { hooks } }: Pool): Address | null {
  return typeof hooks === 'string' && isAddress(hooks, { strict: false }) ? toAddress(hooks) : null
}

/** beforeSwap, afterSwap, and the right of either to change what a swap moves. */
const swapPermissions = 0b1100_1100n

/**
 * Whether hooks take part in swaps: their address says what the PoolManager calls.
 * @see Uniswap/v4-core 1.0.2, src/libraries/Hooks.sol
 */
export function touchesSwaps(hooks: Address): boolean {
  return (BigInt(hooks) & swapPermissions) !== 0n
}
