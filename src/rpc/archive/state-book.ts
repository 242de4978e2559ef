/**
 * Values of one chain by block hash, so that a reorg cannot mix states: from memory, from disk, from proofs, and from
 * code seen at earlier blocks. Asks no node.
 */
import type { LRUCache } from 'lru-cache'
import type { Address, Hex } from '../../domain/primitives.js'
import type { DiskCache } from '../disk/disk-cache.js'
import { layout } from '../disk/layout.js'
import type { BlockRef } from '../node/answer.js'
import { addressOf, emptyValue, type ItemKey, isCode } from '../node/state-item.js'
import type { BlockIndex } from './block-index.js'
import type { ChainCounters } from './chain-counters.js'
import type { CodeIndex, CodeStore } from './code-index.js'
import type { ProvenState } from './proven-state.js'

export interface StateBook {
  /** The value, if it is known without asking a node. */
  find(key: ItemKey, at: BlockRef): Hex | null
  keep(key: ItemKey, at: BlockRef, value: Hex): void
  /** Forgets the state of a block that is no longer part of the chain. */
  drop(hash: Hex): void
  /** Whether the value of the key is known at any block from this one on. */
  isLasting(key: ItemKey, number: bigint): boolean
}

export interface StateBookParts {
  readonly chainId: number
  readonly disk: DiskCache
  /** For all chains: `<block hash><key>` to the stored value, or for code to its id. */
  readonly memory: LRUCache<string, Hex>
  readonly codes: CodeStore
  readonly codeBook: CodeIndex
  readonly proven: ProvenState
  /** Accounts that are empty on every chain. */
  readonly knownEmpty: ReadonlySet<Address>
  readonly blocks: Pick<BlockIndex, 'held'>
  /** True where the state of one block may differ from run to run. */
  readonly isDevelopment: () => boolean
  readonly counters: ChainCounters
}

export function createStateBook(parts: StateBookParts): StateBook {
  const { chainId, disk, memory, codes, codeBook, proven, knownEmpty, counters } = parts

  /** @param stored - the value, or for code its id. */
  function keepStored(key: ItemKey, at: BlockRef, stored: Hex): void {
    memory.set(`${at.hash}${key}`, stored)
    if (parts.isDevelopment()) return
    disk.put({ scope: layout.blockScope(chainId, at.hash), item: key, value: stored })
  }

  function findStored(key: ItemKey, at: BlockRef): Hex | null {
    const id = `${at.hash}${key}`
    const inMemory = memory.get(id)
    const stored = inMemory ?? (disk.get(layout.blockScope(chainId, at.hash), key) as Hex | null)
    if (!stored) return null
    const value = isCode(key) && stored !== '0x' ? codes.get(stored) : stored
    if (value === null) return null
    if (inMemory) counters.memoryHits += 1
    else {
      counters.sqliteHits += 1
      memory.set(id, stored)
    }
    return value
  }

  function findProven(key: ItemKey, at: BlockRef): Hex | null {
    const value = proven.find(key, at)
    if (value !== null) keepStored(key, at, value)
    return value
  }

  /** Code that the account had at an earlier block. */
  function findCode(key: ItemKey, at: BlockRef): Hex | null {
    if (!isCode(key) || !keepsCode(at, parts)) return null
    const id = codeBook.find(addressOf(key), at)
    const code = id === null ? null : codes.get(id)
    if (id === null || code === null) return null
    counters.codeHits += 1
    keepStored(key, at, id)
    return code
  }

  return {
    find(key, at) {
      if (knownEmpty.has(addressOf(key))) {
        counters.emptyHits += 1
        return emptyValue(key)
      }
      return findStored(key, at) ?? findProven(key, at) ?? findCode(key, at)
    },
    keep(key, at, value) {
      const stored = isCode(key) && value !== '0x' ? codes.put(value) : value
      keepStored(key, at, stored)
      proven.note(key, at, value)
      if (isCode(key) && keepsCode(at, parts)) codeBook.learn(addressOf(key), at, value, stored)
    },
    drop(hash) {
      disk.dropScope(layout.blockScope(chainId, hash))
      for (const key of memory.keys()) if (key.startsWith(hash)) memory.delete(key)
    },
    isLasting(key, number) {
      const address = addressOf(key)
      return knownEmpty.has(address) || (isCode(key) && codeBook.find(address, { number }) !== null)
    },
  }
}

/** True at blocks where deployed code can no longer change (see `code-index.ts`). */
function keepsCode({ hash }: BlockRef, { isDevelopment, blocks }: StateBookParts): boolean {
  if (isDevelopment()) return false
  const json = blocks.held(hash, false)?.json
  return typeof json?.parentBeaconBlockRoot === 'string'
}
