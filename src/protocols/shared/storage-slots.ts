/**
 * Storage slots as Solidity lays them out: entries of mappings and parts of packed words.
 * Pure; any adapter may use it.
 * @see docs.soliditylang.org, "Layout of State Variables in Storage"
 */
import { LRUCache } from 'lru-cache'
import { keccak256 } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'

/** A 32-byte word; negative values in two's complement. */
export function toWord(value: bigint): Hex {
  return `0x${BigInt.asUintN(256, value).toString(16).padStart(64, '0')}`
}

/** Cached because the same entries are read at every block, and hashing costs as much as decoding the word. */
const slots = new LRUCache<string, bigint>({ max: 50_000 })

/**
 * Slot of one entry of a mapping.
 * @param key - value type left-padded to 32 bytes (signed integers sign-extended by `toWord`), or a bytes32.
 * @param base - slot of the mapping itself.
 */
export function mappingSlot(key: bigint, base: bigint): bigint {
  const name = `${key.toString(16)}:${base.toString(16)}`
  const cached = slots.get(name)
  if (cached !== undefined) return cached
  const slot = BigInt(keccak256(`${toWord(key)}${toWord(base).slice(2)}` as Hex))
  slots.set(name, slot)
  return slot
}

/** Slot of one entry of nested mappings, keys from the outermost inwards. */
export function nestedMappingSlot(keys: readonly bigint[], base: bigint): bigint {
  return keys.reduce((slot, key) => mappingSlot(key, slot), base)
}

/** The address in the low 20 bytes of a word; null for the zero address. */
export function addressInWord(word: Hex): Address | null {
  const value = BigInt.asUintN(160, BigInt(word))
  return value === 0n ? null : `0x${value.toString(16).padStart(40, '0')}`
}
