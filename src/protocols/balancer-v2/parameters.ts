/** `Pool.parameters` of Balancer V2 as typed values; described in README.md of this folder. */
import type { ForkrouteError } from '../../domain/errors.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import { one } from '../shared/balancer-math/fixed-point.js'
import { invalidPool } from '../shared/invalid-pool.js'

export interface BalancerParameters {
  readonly kind: 'weighted' | 'stable'
  /** 10^(18 - decimals) per token, E18. */
  readonly scalingFactors: readonly bigint[]
  /** E18; empty for stable pools. */
  readonly weights: readonly bigint[]
  readonly version: number
}

/** The pool contract: the first 20 bytes of the pool id. */
export function poolContract(pool: Pool): Address {
  return toAddress(pool.id.slice(0, 42))
}

/** Pools whose own share is one of their tokens; all of their factories but one follow the later math. */
export function isComposable(pool: Pool): boolean {
  return pool.tokens.includes(poolContract(pool))
}

/** @throws ForkrouteError INVALID_REQUEST when an imported pool has other parameters. */
export function balancerParameters(pool: Pool): BalancerParameters {
  const { kind, decimals, weights = [], version = isComposable(pool) ? '2' : '1' } = pool.parameters
  if (kind !== 'weighted' && kind !== 'stable') throw invalid(pool, 'kind')
  if (!/^0x[0-9a-f]{64}$/.test(pool.id)) throw invalid(pool, 'id')
  const places = listOf(decimals, pool.tokens.length)
  if (!places || places.some((d) => d < 0n || d > 18n)) throw invalid(pool, 'decimals')
  const shares = kind === 'weighted' ? listOf(weights, pool.tokens.length) : []
  if (!shares || (kind === 'weighted' && shares.reduce((a, b) => a + b, 0n) !== one)) {
    throw invalid(pool, 'weights')
  }
  if (!/^[1-9]$/.test(String(version))) throw invalid(pool, 'version')
  return {
    kind,
    scalingFactors: places.map((d) => one * 10n ** (18n - d)),
    weights: shares,
    version: Number(version),
  }
}

function listOf(value: unknown, length: number): bigint[] | null {
  if (!Array.isArray(value) || value.length !== length) return null
  const isNumber = (item: unknown) => /^\d{1,30}$/.test(String(item))
  return value.every(isNumber) ? value.map(BigInt) : null
}

function invalid(pool: Pool, key: string): ForkrouteError {
  return invalidPool('Balancer pool', pool, key)
}
