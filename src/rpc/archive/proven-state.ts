/**
 * Reuses storage values across blocks. `eth_getProof` without slots returns an account's storage root, balance and
 * nonce; where the root is the same at two blocks, so is every slot. So values are kept by root, whatever the block.
 *
 * The node is trusted with the root as with any other value: the proof up to the header's state root is not checked.
 */
import { LRUCache } from 'lru-cache'
import type { Address, Hex } from '../../domain/primitives.js'
import type { AccountProof, Answer, BlockRef } from '../node/answer.js'
import { addressOf, balanceKey, type ItemKey, isSlot, nonceKey } from '../node/state-item.js'

export interface ProvenState {
  /**
   * The keys to read through proofs of their accounts, by account; the others are read directly. None while nodes
   * refuse proofs.
   */
  worthProving(keys: readonly ItemKey[]): ReadonlyMap<Address, readonly ItemKey[]>
  /** Whether the root of the account at the block is known. */
  knowsRoot(address: Address, at: BlockRef): boolean
  /** Records a proof, or its refusal. */
  learn(address: Address, at: BlockRef, proof: Answer<AccountProof>): void
  /** Records a value that was read at the block. */
  note(key: ItemKey, at: BlockRef, value: Hex): void
  /** The key's value at the block as known by proofs; null: it must be read. */
  find(key: ItemKey, at: BlockRef): Hex | null
  /** Values found so far. */
  hits(): number
}

/** Fewest keys of an account for which a proof may save reads. */
const fewestKeys = 2
/** Weight of the newest block in the moving average of how often an account changes. */
const newestWeight = 0.3
/** Accounts that change in a larger share of blocks are read directly: a proof would only delay their values. */
const mostChanges = 0.5
/** Factor on an account's change rate for each block without a proof, so that the account is tried again later. */
const forgetting = 0.98
/** Blocks without proofs after no node gave one. */
const pauseBlocks = 64

const maxRoots = 10_000
const maxValues = 60_000
const maxAccounts = 20_000

export function createProvenState(): ProvenState {
  /** `<block hash><address>` to what is proven of the account there. */
  const accounts = new LRUCache<string, AccountProof>({ max: maxRoots })
  /** `<root><slot>` to the value: the root alone decides it, in whichever account. */
  const values = new LRUCache<string, Hex>({ max: maxValues })
  const newest = new LRUCache<Address, { readonly root: Hex; readonly changes: number }>({
    max: maxAccounts,
  })
  let pause = 0
  let hits = 0

  const proofOf = (address: Address, { hash }: BlockRef) => accounts.get(`${hash}${address}`)

  function found(key: ItemKey, at: BlockRef): Hex | null {
    const address = addressOf(key)
    const proof = proofOf(address, at)
    if (!proof) return null
    if (isSlot(key)) return values.get(`${proof.storageHash}${key.slice(41)}`) ?? null
    if (key === balanceKey(address)) return proof.balance
    return key === nonceKey(address) ? proof.nonce : null
  }

  return {
    worthProving(keys) {
      if (pause > 0) {
        pause -= 1
        return new Map()
      }
      const byAccount = new Map<Address, ItemKey[]>()
      for (const key of keys) {
        const address = addressOf(key)
        const own = byAccount.get(address)
        if (own) own.push(key)
        else byAccount.set(address, [key])
      }
      for (const [address, own] of byAccount) {
        const known = newest.get(address)
        if (own.length < fewestKeys) byAccount.delete(address)
        else if (known && known.changes > mostChanges) {
          newest.set(address, { ...known, changes: known.changes * forgetting })
          byAccount.delete(address)
        }
      }
      return byAccount
    },
    knowsRoot: (address, at) => proofOf(address, at) !== undefined,
    learn(address, at, proof) {
      if (!proof.ok) {
        pause = pauseBlocks
        return
      }
      accounts.set(`${at.hash}${address}`, proof.value)
      const { storageHash: root } = proof.value
      const known = newest.get(address)
      const changed = known && known.root !== root ? 1 : 0
      const changes = known ? known.changes * (1 - newestWeight) + changed * newestWeight : 0
      newest.set(address, { root, changes })
    },
    note(key, at, value) {
      const proof = isSlot(key) ? proofOf(addressOf(key), at) : undefined
      if (proof) values.set(`${proof.storageHash}${key.slice(41)}`, value)
    },
    find(key, at) {
      const value = found(key, at)
      if (value !== null) hits += 1
      return value
    },
    hits: () => hits,
  }
}
