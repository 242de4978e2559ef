import type { ReadResult } from '../../domain/state.js'

/** The single word that a call returned; null where it reverted or returned anything else. */
export function readWord(result: ReadResult | undefined): bigint | null {
  return result?.ok && result.value.length === 66 ? BigInt(result.value) : null
}

/** One of the words that a call returned, counted from 0; null where it reverted or returned fewer. */
export function readWordAt(result: ReadResult | undefined, at: number): bigint | null {
  const word = result?.ok ? result.value.slice(2 + 64 * at, 66 + 64 * at) : ''
  return word.length === 64 ? BigInt(`0x${word}`) : null
}
