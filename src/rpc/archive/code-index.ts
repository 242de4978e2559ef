/**
 * Contract code across blocks. Deployed code stays (EIP-6780, since Cancun), so code seen at block X holds from X on.
 * Not kept: empty code (a contract may still be deployed), EIP-7702 delegations (they change), code at blocks before
 * Cancun (a contract could be destroyed and deployed again), and anything from development nodes.
 * Rows on disk count only while the block at which the last of them was seen is still part of the chain.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Address, Hex } from '../../domain/primitives.js'
import type { DiskCache } from '../disk/disk-cache.js'
import { layout } from '../disk/layout.js'
import type { BlockRef } from '../node/answer.js'

export interface CodeStore {
  /** Keeps code and returns its id. */
  put(code: Hex): Hex
  get(id: Hex): Hex | null
}

/** SHA-256 of the code's text: an internal id, a hundred times faster to compute natively than keccak in JavaScript. */
export function codeIdOf(code: Hex): Hex {
  return `0x${createHash('sha256').update(code).digest('hex')}`
}

const maxCodeChars = 128 * 1024 * 1024

/** Code by id, for all chains. */
export function createCodeStore(disk: DiskCache): CodeStore {
  const memory = new LRUCache<Hex, Hex>({
    maxSize: maxCodeChars,
    sizeCalculation: (code) => code.length,
  })
  return {
    put(code) {
      const id = codeIdOf(code)
      if (!memory.has(id)) {
        memory.set(id, code)
        disk.put({ scope: layout.codeScope, item: id, value: code })
      }
      return id
    },
    get(id) {
      const held = memory.get(id)
      if (held) return held
      const stored = disk.get(layout.codeScope, id) as Hex | null
      if (stored) memory.set(id, stored)
      return stored
    },
  }
}

export interface CodeIndex {
  /** Id of the code that the address has at the block. */
  find(address: Address, block: { readonly number: bigint }): Hex | null
  learn(address: Address, block: BlockRef, code: Hex, codeId: Hex): void
  /** Loads the rows of earlier runs, if they belong to this same chain. */
  restore(hashAt: (number: bigint) => Promise<Hex | null>): Promise<void>
  /** Forgets what was seen at this block or later. */
  forgetFrom(number: bigint): void
}

interface Entry {
  readonly from: bigint
  /** Id of the code; of the anchor the block hash. */
  readonly id: Hex
}

const anchorItem = 'anchor'

export function createCodeIndex(chainId: number, disk: DiskCache): CodeIndex {
  const scope = layout.codeAtScope(chainId)
  const entries = new Map<Address, Entry>()
  let anchor: BlockRef | null = null

  function write(item: string, { from, id }: Entry): void {
    disk.put({ scope, item, value: `${from}:${id}` })
  }

  return {
    find(address, block) {
      const entry = entries.get(address)
      return entry && entry.from <= block.number ? entry.id : null
    },
    learn(address, block, code, id) {
      if (code === '0x' || code.startsWith('0xef0100')) return
      const before = entries.get(address)
      if (before && before.id === id && before.from <= block.number) return
      const entry = { from: block.number, id }
      entries.set(address, entry)
      if (!anchor || block.number > anchor.number) {
        anchor = block
        write(anchorItem, { from: block.number, id: block.hash })
      }
      write(address, entry)
    },
    async restore(hashAt) {
      const rows = new Map(disk.all(scope).map(({ item, value }) => [item, parse(value)]))
      const last = rows.get(anchorItem)
      if (!last) return
      const actual = await hashAt(last.from)
      if (actual === null) return
      if (actual !== last.id) {
        disk.dropScope(scope)
        return
      }
      rows.delete(anchorItem)
      for (const [address, entry] of rows) {
        if (!entries.has(address as Address)) entries.set(address as Address, entry)
      }
      if (!anchor || anchor.number < last.from) anchor = { number: last.from, hash: last.id }
    },
    forgetFrom(number) {
      disk.dropScope(scope)
      anchor = null
      for (const [address, entry] of entries) {
        if (entry.from >= number) entries.delete(address)
      }
    },
  }
}

function parse(value: string): Entry {
  const [from, id] = value.split(':')
  return { from: BigInt(from ?? 0), id: id as Hex }
}
