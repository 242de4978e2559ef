import type { ReadResult } from '../../domain/state.js'

/** The one word that a call answered; null for a call that reverted or answered something else. */
export function readWord(result: ReadResult | undefined): bigint | null {
  return result?.ok && result.value.length === 66 ? BigInt(result.value) : null
}
