import { hexToString, size, slice } from 'viem'
import type { ReadResult } from '../domain/state.js'

/** Text that a call answered, as a string or (older tokens) as 32 bytes; null for anything else. */
export function readText(result: ReadResult | undefined): string | null {
  if (!result?.ok) return null
  const { value } = result
  const bytes = size(value)
  if (bytes === 32) return hexToString(value).replace(/\0+$/, '')
  if (bytes < 64) return null
  const length = Number(BigInt(slice(value, 32, 64)))
  if (length === 0) return ''
  return length > bytes - 64 ? null : hexToString(slice(value, 64, 64 + length))
}
