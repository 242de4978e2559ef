/** Keys of pools of both kinds: the manager is a part of them, and the hooks' permissions and the spacing share a word. */
import { LRUCache } from 'lru-cache'
import { isAddress } from 'viem'
import { cautionsWhere, type PoolCaution } from '../../domain/caution.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import type { Pool } from '../pool.js'
import { addressIn, wordsOf } from '../pool-events.js'
import { dynamicFee, hashOfWords, toCurrency, toToken } from '../shared/keyed/currencies.js'

/** What identifies a pool, as the contracts declare it: currencies ordered by value, native as the zero address. */
export interface PoolKey {
  readonly currency0: Address
  readonly currency1: Address
  readonly hooks: Address
  readonly poolManager: Address
  /** 1/1_000_000, or the flag of a dynamic fee. */
  readonly fee: number
  /** From the low end: the permissions of the hooks (16 bits), the spacing of ticks or the step of bins. */
  readonly parameters: bigint
}

/** Name of the parameter that says how far prices are apart, by its bits in the word of the key. */
export type Spacing = 'tickSpacing' | 'binStep'
const spacingBits: Readonly<Record<Spacing, number>> = { tickSpacing: 24, binStep: 16 }
/** The largest of both kinds. @see pancakeswap/infinity-core 7c04695, TickMath.MAX_TICK_SPACING; binStep is 16 bits. */
const mostSpacing: Readonly<Record<Spacing, number>> = { tickSpacing: 32_767, binStep: 65_535 }

const permissionBits = 16n
/** beforeSwap, afterSwap, and the right of either to change what a swap moves. @see ICLHooks.sol and IBinHooks.sol */
const swapPermissions = 0b1100_1100_0000

/** Every possible pool of a pair is looked for at every block. */
const ids = new LRUCache<string, Hex>({ max: 20_000 })

export function poolIdOf(key: PoolKey): Hex {
  const { currency0, currency1, hooks, poolManager, fee, parameters } = key
  const name = `${currency0}${currency1}${hooks}${poolManager}${fee}:${parameters}`
  const cached = ids.get(name)
  if (cached) return cached
  const id = hashOfWords(
    [currency0, currency1, hooks, poolManager, fee, parameters].map((word) => BigInt(word)),
  )
  ids.set(name, id)
  return id
}

/** Key of a pool; null when its tokens or parameters do not make one. */
export function keyOf(pool: Pool, spacing: Spacing): PoolKey | null {
  const [currency0, currency1] = pool.tokens.map(toCurrency)
  const { fee, hooks, permissions } = pool.parameters
  const step = pool.parameters[spacing]
  if (!currency0 || !currency1 || typeof hooks !== 'string') return null
  if (!isAddress(hooks, { strict: false })) return null
  if (fee !== dynamicFee && !isWhole(fee, 0, 1_000_000)) return null
  if (!isWhole(permissions, 0, 0xffff) || !isWhole(step, 1, mostSpacing[spacing])) return null
  return {
    currency0,
    currency1,
    hooks: toAddress(hooks),
    poolManager: pool.address,
    fee: Number(fee),
    parameters: (BigInt(step) << permissionBits) | BigInt(permissions),
  }
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}

/** A sentence why the pool is not supported; null: it is. */
export function refusalOf(pool: Pool, spacing: Spacing): string | null {
  const key = keyOf(pool, spacing)
  if (!key || poolIdOf(key) !== pool.id) return 'The id is not the hash of the key of the pool.'
  return touchesSwaps(pool) ? 'Its hooks take part in swaps.' : null
}

/** Whether hooks take part in swaps: the key says what the manager calls. */
function touchesSwaps({ parameters: { permissions } }: Pool): boolean {
  return (Number(permissions) & swapPermissions) !== 0
}

/** The pool of an `Initialize` of either manager; null: hooks take part in its swaps, or it is none. */
export function poolOfEvent(
  { topics, data }: SimulationLog,
  protocol: string,
  address: Address,
  spacing: Spacing,
): Pool | null {
  const [hooksWord, fee, word] = wordsOf(data)
  const [currency0, currency1, hooks] = [topics[2], topics[3], hooksWord].map(addressIn)
  const id = topics[1]
  if (!id || !currency0 || !currency1 || !hooks) return null
  if (fee === undefined || word === undefined) return null
  const pool = {
    protocol,
    id,
    address,
    tokens: [toToken(currency0), toToken(currency1)],
    parameters: {
      fee: Number(BigInt.asUintN(24, fee)),
      [spacing]: Number(BigInt.asUintN(spacingBits[spacing], word >> permissionBits)),
      hooks,
      permissions: Number(BigInt.asUintN(16, word)),
    },
  }
  return refusalOf(pool, spacing) === null ? pool : null
}

/** Hooks that take no part in swaps may still set the fee where it is dynamic. */
export function setsFee({ parameters: { fee } }: Pool): boolean {
  return fee === dynamicFee
}

export function feeCautions(pool: Pool): readonly PoolCaution[] {
  return cautionsWhere([
    setsFee(pool),
    'fee',
    'The hooks set the fee, and may change it at any time.',
  ])
}

/** The hooks where they may set the fee. */
export function feeSetter(pool: Pool): Address | null {
  return setsFee(pool) ? toAddress(String(pool.parameters.hooks)) : null
}
