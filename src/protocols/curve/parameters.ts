/** `Pool.parameters` of Curve as typed values; described in README.md of this folder. */
import type { ForkrouteError } from '../../domain/errors.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import { invalidPool } from '../shared/invalid-pool.js'

export type IndexType = 'int128' | 'uint256'

const kinds = ['stable', 'stable-ng', 'meta', 'crypto'] as const

export interface CurveParameters {
  readonly kind: (typeof kinds)[number]
  readonly decimals: readonly number[]
  readonly indexType: IndexType
  readonly getterIndexType: IndexType
  readonly legacy: boolean
  readonly aPrecision: bigint
  /** Only `meta`, else null. */
  readonly basePool: Address | null
}

/** @throws ForkrouteError INVALID_REQUEST when an imported pool has other parameters. */
export function curveParameters(pool: Pool): CurveParameters {
  const { kind, decimals, indexType, getterIndexType, legacy, aPrecision } = pool.parameters
  const known = kinds.find((item) => item === kind)
  if (!known) throw invalid(pool, 'kind')
  if (!Array.isArray(decimals) || decimals.length !== pool.tokens.length) {
    throw invalid(pool, 'decimals')
  }
  const numbers = decimals.map(Number)
  if (numbers.some((d) => !Number.isInteger(d) || d < 0 || d > 36)) throw invalid(pool, 'decimals')
  const precision = aPrecision === undefined ? '1' : String(aPrecision)
  if (precision !== '1' && precision !== '100') throw invalid(pool, 'aPrecision')
  const isLegacy = legacy === true
  return {
    kind: known,
    basePool: known === 'meta' ? toBasePool(pool) : null,
    decimals: numbers,
    indexType: toIndexType(pool, indexType, known === 'crypto' ? 'uint256' : 'int128'),
    getterIndexType: toIndexType(pool, getterIndexType, isLegacy ? 'int128' : 'uint256'),
    legacy: isLegacy,
    aPrecision: BigInt(precision),
  }
}

/** A metapool lists its coin, the shares of the base pool, and at least two coins of that. */
function toBasePool(pool: Pool): Address {
  const { basePool } = pool.parameters
  if (typeof basePool !== 'string' || !/^0x[0-9a-f]{40}$/i.test(basePool)) {
    throw invalid(pool, 'basePool')
  }
  if (pool.tokens.length < 4) throw invalid(pool, 'tokens')
  return toAddress(basePool)
}

function toIndexType(pool: Pool, value: unknown, fallback: IndexType): IndexType {
  if (value === undefined) return fallback
  if (value !== 'int128' && value !== 'uint256') throw invalid(pool, 'indexType')
  return value
}

function invalid(pool: Pool, key: string): ForkrouteError {
  return invalidPool('Curve pool', pool, key)
}
