import { ForkrouteError } from '../../domain/errors.js'
import type { Pool } from '../pool.js'

/**
 * The error for an imported pool that lacks a parameter that its protocol needs.
 * @param kind - of pool, as the beginning of a sentence.
 * @param key - what is missing or malformed.
 */
export function invalidPool(kind: string, { id }: Pool, key: string): ForkrouteError {
  return new ForkrouteError('INVALID_REQUEST', `${kind} ${id} has no valid ${key}.`, { pool: id })
}
