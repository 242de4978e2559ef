/**
 * Calls that read the same slots: of one function of one contract, with arguments that name the same things. Amounts
 * lead to the same slots, accounts and ids to others. A hint only. Pure.
 */
import type { Address, Hex } from '../../domain/primitives.js'

const selectorChars = 10
const wordChars = 64
/** Of a word below 2^128, which amounts are, and addresses and hashes as good as never. */
const smallHead = '0'.repeat(32)

/** Equal for calls of one kind. */
export function callKind(to: Address, data: Hex): string {
  return [to, data.slice(0, selectorChars), ...namesIn(data)].join()
}

/** The words of the arguments that name an account, a pool or the like. */
export function namesIn(data: Hex): string[] {
  const names: string[] = []
  for (let at = selectorChars; at + wordChars <= data.length; at += wordChars) {
    const word = data.slice(at, at + wordChars)
    if (!word.startsWith(smallHead)) names.push(word)
  }
  return names
}
