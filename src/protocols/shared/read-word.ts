import type { ReadResult } from '../../domain/state.js'

/** The single word that a call returned; null where it reverted or returned anything else. */
export function readWord(result: ReadResult | undefined): bigint | null {
  return result?.ok && result.value.length === 66 ? BigInt(result.value) : null
}
