/**
 * Calls that read the same slots: of one function of one contract, with arguments that name the same things. Amounts
 * lead to the same slots, accounts and ids to others. A hint only. Pure.
 */
import type { Address, Hex } from '../../domain/primitives.js'

const selectorChars = 10
const wordChars = 64
/** Words below 2^128 are amounts; addresses and hashes are almost never that small. */
const smallHead = '0'.repeat(32)
/** Words below 2^16 are indices of lists; amounts of anything that is traded are larger. */
const placeHead = '0'.repeat(60)

/** Equal for calls of one kind. */
export function callKind(to: Address, data: Hex): string {
  return [to, data.slice(0, selectorChars), ...namesIn(data)].join()
}

/** The words of the arguments that name an account, a pool or the like. */
export function namesIn(data: Hex): string[] {
  return wordsIn(data).filter((word) => !word.startsWith(smallHead))
}

/** The words of the arguments that may be places in a list, which lead elsewhere though they are as small as amounts. */
export function placesIn(data: Hex): string[] {
  return wordsIn(data).filter((word) => word.startsWith(placeHead))
}

function wordsIn(data: Hex): string[] {
  const words: string[] = []
  for (let at = selectorChars; at + wordChars <= data.length; at += wordChars) {
    words.push(data.slice(at, at + wordChars))
  }
  return words
}
