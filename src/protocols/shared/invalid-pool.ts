import { ForkrouteError } from '../../domain/errors.js'
import type { Pool } from '../pool.js'

/**
 * A pool, as it was imported, lacks what its protocol needs of it.
 * @param kind - of pool, as the beginning of a sentence.
 * @param key - what is missing or malformed.
 */
export function invalidPool(kind: string, { id }: Pool, key: string): ForkrouteError {
  return new ForkrouteError('INVALID_REQUEST', `${kind} ${id} has no valid ${key}.`, { pool: id })
}
