/** The two kinds of calls that read many values of one block: what each asks for, and what its answer says. */
import { numberToHex } from 'viem'
import type { Hex } from '../../../domain/primitives.js'
import { addressOf, codeKey, type ItemKey, isCode, isSlot } from '../state-item.js'
import type { BulkBook } from './bulk-book.js'
import {
  accountCalls,
  type BlockParam,
  type BulkCall,
  type BulkLimits,
  slotCalls,
} from './bulk-plan.js'

export interface ReadStrategy {
  readonly plan: (keys: readonly ItemKey[], limits: BulkLimits) => readonly BulkCall[]
  /** @returns values as the node's own methods would answer them; without those that the answer does not prove. */
  readonly understand: (words: ReadonlyMap<ItemKey, Hex>) => ReadonlyMap<ItemKey, Hex>
}

/** Slots and nonces, by our code in place of the account's. @param anchor - a slot that is known not to be zero. */
export function slotStrategy(
  at: BlockParam,
  book: BulkBook,
  anchor: () => ItemKey | null,
): ReadStrategy {
  const needsNoAnchor = (keys: readonly ItemKey[]) =>
    keys.every((key) => !isSlot(key)) || keys.some(book.wasNotZero)
  return {
    plan: (keys, limits) =>
      slotCalls(keys, at, limits, (own) => (needsNoAnchor(own) ? null : anchor())),
    understand(words) {
      const slots = [...words].filter(([key]) => isSlot(key))
      const nonces = [...words].flatMap(([key, word]): [ItemKey, number][] => {
        if (isSlot(key)) return []
        const nonce = book.nonceOf(addressOf(key), `0x${word.slice(26)}`)
        return nonce === null ? [] : [[key, nonce]]
      })
      const present = slots.filter(([, word]) => BigInt(word) !== 0n)
      for (const [key, word] of present) book.note(key, numberToHex(BigInt(word)))
      const hasStorage = present.length > 0
      if (!hasStorage) book.doubt(slots.map(([key]) => key))
      const hasNonces = nonces.some(([, nonce]) => nonce !== 0)
      return new Map([
        ...(hasStorage ? slots : []),
        ...(hasNonces ? nonces : []).map(
          ([key, nonce]) => [key, numberToHex(BigInt(nonce))] as const,
        ),
      ])
    },
  }
}

/** Balances and hashes of code, of accounts as they are. */
export function accountStrategy(at: BlockParam, book: BulkBook): ReadStrategy {
  return {
    plan: (keys, limits) => accountCalls(keys, at, limits),
    understand(words) {
      if ([...words.values()].every((word) => BigInt(word) === 0n)) return new Map()
      return new Map(
        [...words].flatMap(([key, word]): [ItemKey, Hex][] => {
          if (!isCode(key)) return [[key, numberToHex(BigInt(word))]]
          const code = book.codeOf(addressOf(key), word)
          return code === null ? [] : [[codeKey(addressOf(key)), code]]
        }),
      )
    },
  }
}
