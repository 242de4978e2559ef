/**
 * What earlier reads of a chain showed, so that an answer in bulk can be understood: code by its hash, nonces by the
 * address that they decide, and slots that are not zero. Every use is checked against the answer, so nothing here can
 * make a value wrong. No I/O.
 */
import { LRUCache } from 'lru-cache'
import { keccak256, numberToHex, toRlp } from 'viem'
import type { Address, Hex } from '../../../domain/primitives.js'
import { addressOf, type ItemKey, isCode, isSlot, nonceKey } from '../state-item.js'

export interface BulkBook {
  /** Remembers a value in its stored form. */
  note(key: ItemKey, value: Hex): void
  /** A slot of another answer that was not zero; null: none is known. */
  anchor(isUsable: (address: Address) => boolean): ItemKey | null
  wasNotZero(key: ItemKey): boolean
  /** The slots are no anchors: they are zero, as far as an answer says. */
  doubt(keys: Iterable<ItemKey>): void
  /** Some of the keys to compare with single reads: what changed lately tells one block from another. */
  samplesOf(keys: readonly ItemKey[]): readonly ItemKey[]
  /** Whether code of the account was read before. */
  knowsCode(address: Address): boolean
  /** The code with this hash; null if it is not known. */
  codeOf(address: Address, codeHash: Hex): Hex | null
  /** The last known nonce of the account. */
  lastNonce(address: Address): number | undefined
  /** The nonce with which a CREATE of the account gets this address; null if it is none near the last known one. */
  nonceOf(address: Address, created: Address): number | null
}

interface KnownNonce {
  readonly nonce: number
  /** Calculated at its first use. */
  created: Address | null
}

interface KnownCode {
  readonly code: Hex
  /** Calculated at its first use. */
  hash: Hex | null
}

const maxAnchors = 256
const maxLast = 8_192
const maxLively = 256
const samples = 2
const maxNonces = 20_000
const maxCodeChars = 16 * 1024 * 1024
/** Nonces tried on either side of the last known one: contracts of many pools create one now and then. */
const nonceWindow = 32
/** Hash of the code of an account without code. */
const emptyHash = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
const noHash = `0x${'0'.repeat(64)}`

export function createBulkBook(): BulkBook {
  const notZero = new LRUCache<ItemKey, true>({ max: maxAnchors })
  const last = new LRUCache<ItemKey, Hex>({ max: maxLast })
  const lively = new LRUCache<ItemKey, true>({ max: maxLively })
  const nonces = new LRUCache<Address, KnownNonce>({ max: maxNonces })
  const codes = new LRUCache<Address, KnownCode>({
    maxSize: maxCodeChars,
    sizeCalculation: ({ code }) => code.length,
  })

  return {
    note(key, value) {
      const address = addressOf(key)
      if (isCode(key)) {
        if (codes.get(address)?.code !== value) codes.set(address, { code: value, hash: null })
        return
      }
      if (isSlot(key)) {
        if (value !== '0x0') notZero.set(key, true)
        else notZero.delete(key)
      } else if (key === nonceKey(address) && nonces.get(address)?.nonce !== Number(value)) {
        nonces.set(address, { nonce: Number(value), created: null })
      }
      const before = last.get(key)
      if (before === value) return
      last.set(key, value)
      if (before !== undefined) lively.set(key, true)
    },
    anchor(isUsable) {
      for (const key of notZero.keys()) if (isUsable(addressOf(key))) return key
      return null
    },
    wasNotZero: (key) => notZero.has(key),
    doubt(keys) {
      for (const key of keys) notZero.delete(key)
    },
    samplesOf(keys) {
      const changed = keys.filter((key) => lively.has(key))
      return (changed.length > 0 ? changed : keys.filter(isSlot)).slice(0, samples)
    },
    knowsCode: (address) => codes.has(address),
    codeOf(address, codeHash) {
      if (codeHash === emptyHash || codeHash === noHash) return '0x'
      const known = codes.get(address)
      if (!known) return null
      known.hash ??= keccak256(known.code)
      return known.hash === codeHash ? known.code : null
    },
    lastNonce: (address) => nonces.get(address)?.nonce,
    nonceOf(address, created) {
      const known = nonces.get(address)
      if (!known) return null
      known.created ??= createdBy(address, known.nonce)
      if (known.created === created) return known.nonce
      for (const nonce of around(known.nonce)) {
        if (createdBy(address, nonce) !== created) continue
        nonces.set(address, { nonce, created })
        return nonce
      }
      return null
    },
  }
}

/** The nearest ones first. */
function* around(known: number): Generator<number> {
  for (let distance = 1; distance <= nonceWindow; distance++) {
    yield known + distance
    if (known >= distance) yield known - distance
  }
}

/** Address of what the account creates with the nonce (CREATE). */
export function createdBy(address: Address, nonce: number): Address {
  const rlp = toRlp([address, nonce === 0 ? '0x' : numberToHex(nonce)])
  return `0x${keccak256(rlp).slice(26)}`
}
