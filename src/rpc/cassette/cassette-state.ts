/** State and blocks in a cassette: read one whole block at a time, written by row. Blocks share equal values. */
import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import type { Address, Hex } from '../../domain/primitives.js'
import type { Answer, BlockRef } from '../node/answer.js'
import type { ChangesQuestion } from '../node/changed-blocks.js'
import type { BlockJson } from '../node/header.js'
import { type ItemKey, isCode } from '../node/state-item.js'
import {
  fromIdBytes,
  fromKeyBytes,
  fromQuantityBytes,
  toIdBytes,
  toKeyBytes,
  toQuantityBytes,
} from './cassette-codec.js'
import { packed, packedBytes, sumOf, unpacked, unpackedBytes } from './cassette-file.js'

export interface BlockRow {
  readonly id: number
  readonly chainId: number
  readonly number: number
  readonly hash: Hex
}

/** A value at one block; `damaged` names the table and the row whose checksum is wrong. */
export type HeldValue =
  | { readonly kind: 'value'; readonly cell: number; readonly bytes: Buffer }
  | { readonly kind: 'unreadable'; readonly cell: number; readonly message: string }
  | { readonly kind: 'damaged'; readonly cell: number; readonly row: string }

export interface BlockState {
  readonly values: ReadonlyMap<ItemKey, HeldValue>
  /** Rows that are too damaged to know which key they belong to. */
  readonly damaged: readonly string[]
}

export interface CassetteState {
  findBlock(chainId: number, ref: bigint | Hex): BlockRow | null
  /** Blocks of a chain, by number; of all chains when none is given. */
  blocks(chainId?: number): BlockRow[]
  /** Null when there is no header; 'damaged' when its checksum is wrong. */
  header(id: number): BlockJson | null | 'damaged'
  stateOf(block: BlockRow): BlockState
  /** Accounts that have code at some block. */
  contracts(): Address[]
  /** Null when there is no such row; 'damaged' when its checksum is wrong. */
  code(id: number): Hex | null | 'damaged'
  call(block: number, to: Address, data: Hex): Hex | null | 'damaged'
  /** As `call`: a text that was kept under the name. */
  note(block: number, name: string): string | null | 'damaged'
  changes(chainId: number, question: ChangesQuestion): readonly bigint[] | null | 'damaged'
  /** Id of the row, which is created if absent. */
  putBlock(chainId: number, block: BlockRef, header: BlockJson | null): number
  setCanonical(chainId: number, block: BlockRef): void
  /** Id of the cell with this value, which is created if absent. */
  putCell(key: ItemKey, answer: Answer<Hex>): number
  putRead(block: number, cell: number): void
  removeRead(block: number, cell: number): void
  putCall(block: number, to: Address, data: Hex, value: Hex): void
  putNote(block: number, name: string, text: string): void
  putChanges(chainId: number, question: ChangesQuestion, numbers: readonly bigint[]): void
}

/** Notes are rows of `calls` under this address, at which nothing can be. */
const notesAddress: Address = '0x000000000000000000000000000000006e6f7465'

interface Cell {
  readonly key: ItemKey
  readonly held: HeldValue
}

/** Cells in memory over all blocks: a block shares most of its cells with the one before. */
const maxCells = 100_000

interface BlockColumns {
  readonly id: number
  readonly chain_id: number
  readonly number: number
  readonly hash: Buffer
}

export function cassetteState(db: Database.Database): CassetteState {
  const cells = new LRUCache<number, Cell>({ max: maxCells })
  const blockColumns = 'SELECT id, chain_id, number, hash FROM blocks'
  const byHash = db.prepare<[number, Buffer], BlockColumns>(
    `${blockColumns} WHERE chain_id = ? AND hash = ?`,
  )
  const byNumber = db.prepare<[number, number], BlockColumns>(
    `${blockColumns} WHERE chain_id = ? AND number = ? ORDER BY canonical DESC, id DESC`,
  )
  const allBlocks = db.prepare<[], BlockColumns>(`${blockColumns} ORDER BY chain_id, number, id`)
  const headerOf = db.prepare<
    [number],
    { chain_id: number; number: number; hash: Buffer; header: Buffer; sum: number }
  >('SELECT chain_id, number, hash, header, sum FROM blocks WHERE id = ?')
  const addBlock = db.prepare<[number, number, Buffer, Buffer, number]>(
    'INSERT INTO blocks (chain_id, number, hash, canonical, header, sum) VALUES (?, ?, ?, 0, ?, ?)',
  )
  const setHeader = db.prepare<[Buffer, number, number]>(
    'UPDATE blocks SET header = ?, sum = ? WHERE id = ?',
  )
  const setCanonical = db.prepare<[Buffer, number, number]>(
    'UPDATE blocks SET canonical = (hash = ?) WHERE chain_id = ? AND number = ?',
  )
  const readsOf = db.prepare<[number], { cell: number; sum: number }>(
    'SELECT cell, sum FROM reads WHERE block = ?',
  )
  const cellById = db.prepare<[number], { key: Buffer; value: Buffer; sum: number }>(
    'SELECT key, value, sum FROM cells WHERE id = ?',
  )
  const cellsBySum = db.prepare<[number], { id: number; key: Buffer; value: Buffer }>(
    'SELECT id, key, value FROM cells WHERE sum = ?',
  )
  const allContracts = db.prepare<[], { address: Buffer }>(
    "SELECT DISTINCT substr(key, 2) AS address FROM cells WHERE substr(key, 1, 1) = x'02' AND length(value) > 0",
  )
  const addCell = db.prepare<[Buffer, Buffer, number]>(
    'INSERT INTO cells (key, value, sum) VALUES (?, ?, ?)',
  )
  const addRead = db.prepare<[number, number, number]>(
    'INSERT OR REPLACE INTO reads VALUES (?, ?, ?)',
  )
  const dropRead = db.prepare<[number, number]>('DELETE FROM reads WHERE block = ? AND cell = ?')
  const codeById = db.prepare<[number], { hash: Buffer; code: Buffer; sum: number }>(
    'SELECT hash, code, sum FROM codes WHERE id = ?',
  )
  const codeByHash = db.prepare<[Buffer], { id: number }>('SELECT id FROM codes WHERE hash = ?')
  const addCode = db.prepare<[Buffer, Buffer, number]>(
    'INSERT INTO codes (hash, code, sum) VALUES (?, ?, ?)',
  )
  const callOf = db.prepare<[number, Buffer, Buffer], { value: Buffer; sum: number }>(
    'SELECT value, sum FROM calls WHERE block = ? AND target = ? AND data = ?',
  )
  const addCall = db.prepare<[number, Buffer, Buffer, Buffer, number]>(
    'INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?)',
  )

  const changesOf = db.prepare<[number, string], { numbers: string; sum: number }>(
    'SELECT numbers, sum FROM changes WHERE chain_id = ? AND question = ?',
  )
  const addChanges = db.prepare<[number, string, string, number]>(
    'INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?)',
  )

  /** Null where not even the key is known. */
  function cellOf(id: number): Cell | null {
    const known = cells.get(id)
    if (known) return known
    const row = cellById.get(id)
    const key = row && fromKeyBytes(row.key)
    if (!row || !key) return null
    const cell = { key: key.key, held: heldIn(id, row, key.isReadable) }
    // Not cached while writing: after a rollback another cell may get the same id.
    if (db.readonly) cells.set(id, cell)
    return cell
  }

  function findBlock(chainId: number, ref: bigint | Hex): BlockRow | null {
    const row =
      typeof ref === 'bigint'
        ? byNumber.get(chainId, Number(ref))
        : byHash.get(chainId, bytesOf(ref))
    return row ? toBlockRow(row) : null
  }

  return {
    findBlock,
    blocks: (chainId) =>
      allBlocks
        .all()
        .map(toBlockRow)
        .filter((row) => chainId === undefined || row.chainId === chainId),
    header(id) {
      const row = headerOf.get(id)
      if (!row || row.header.length === 0) return null
      const { chain_id, number, hash, header, sum } = row
      if (sumOf(chain_id, number, hash, header) !== sum) return 'damaged'
      return JSON.parse(unpacked(header)) as BlockJson
    },
    stateOf({ id }) {
      const values = new Map<ItemKey, HeldValue>()
      const damaged: string[] = []
      for (const { cell, sum } of readsOf.all(id)) {
        const isReadSound = sumOf(id, cell) === sum
        const row = isReadSound ? cellRow(cell) : `row ${id}, ${cell} of reads`
        const found = cellOf(cell)
        if (!found) damaged.push(row)
        else values.set(found.key, isReadSound ? found.held : { kind: 'damaged', cell, row })
      }
      return { values, damaged }
    },
    contracts: () =>
      allContracts.all().map(({ address }) => `0x${address.toString('hex')}` as const),
    code(id) {
      const row = codeById.get(id)
      if (!row) return null
      if (sumOf(row.hash, row.code) !== row.sum) return 'damaged'
      return `0x${unpackedBytes(row.code).toString('hex')}`
    },
    call(block, to, data) {
      const row = callOf.get(block, bytesOf(to), bytesOf(data))
      if (!row) return null
      if (sumOf(block, bytesOf(to), bytesOf(data), row.value) !== row.sum) return 'damaged'
      return `0x${row.value.toString('hex')}`
    },
    note(block, name) {
      const value = this.call(block, notesAddress, noteKey(name))
      return value === null || value === 'damaged' ? value : unpacked(bytesOf(value))
    },
    changes(chainId, question) {
      const text = textOf(question)
      const row = changesOf.get(chainId, text)
      if (!row) return null
      if (sumOf(chainId, text, row.numbers) !== row.sum) return 'damaged'
      return row.numbers ? row.numbers.split(',').map(BigInt) : []
    },
    putChanges(chainId, question, numbers) {
      const [text, list] = [textOf(question), numbers.join()]
      addChanges.run(chainId, text, list, sumOf(chainId, text, list))
    },
    putBlock(chainId, { number, hash }, header) {
      const bytes = header ? packed(JSON.stringify(header)) : Buffer.alloc(0)
      const at = Number(number)
      const sum = sumOf(chainId, at, bytesOf(hash), bytes)
      const known = byHash.get(chainId, bytesOf(hash))
      if (!known)
        return Number(addBlock.run(chainId, at, bytesOf(hash), bytes, sum).lastInsertRowid)
      if (header && headerOf.get(known.id)?.header.length === 0) setHeader.run(bytes, sum, known.id)
      return known.id
    },
    setCanonical: (chainId, { number, hash }) =>
      void setCanonical.run(bytesOf(hash), chainId, Number(number)),
    putCell(key, answer) {
      const keyBytes = toKeyBytes(key, answer.ok)
      const value = answer.ok ? valueBytes(key, answer.value) : Buffer.from(answer.message)
      const sum = sumOf(keyBytes, value)
      const known = cellsBySum
        .all(sum)
        .find((cell) => cell.key.equals(keyBytes) && cell.value.equals(value))
      return known?.id ?? Number(addCell.run(keyBytes, value, sum).lastInsertRowid)
    },
    putRead: (block, cell) => void addRead.run(block, cell, sumOf(block, cell)),
    removeRead: (block, cell) => void dropRead.run(block, cell),
    putCall,
    putNote: (block, name, text) =>
      putCall(block, notesAddress, noteKey(name), `0x${packed(text).toString('hex')}`),
  }

  function putCall(block: number, to: Address, data: Hex, value: Hex): void {
    const parts = [bytesOf(to), bytesOf(data), bytesOf(value)] as const
    addCall.run(block, ...parts, sumOf(block, ...parts))
  }

  function valueBytes(key: ItemKey, value: Hex): Buffer {
    if (!isCode(key)) return toQuantityBytes(value)
    return value === '0x' ? Buffer.alloc(0) : toIdBytes(idOfCode(value))
  }

  function idOfCode(code: Hex): number {
    const bytes = bytesOf(code)
    const hash = createHash('sha256').update(bytes).digest()
    const known = codeByHash.get(hash)
    if (known) return known.id
    const small = packedBytes(bytes)
    return Number(addCode.run(hash, small, sumOf(hash, small)).lastInsertRowid)
  }
}

const cellRow = (id: number) => `row ${id} of cells`

function heldIn(
  cell: number,
  { key, value, sum }: { readonly key: Buffer; readonly value: Buffer; readonly sum: number },
  isReadable: boolean,
): HeldValue {
  if (sumOf(key, value) !== sum) return { kind: 'damaged', cell, row: cellRow(cell) }
  return isReadable
    ? { kind: 'value', cell, bytes: value }
    : { kind: 'unreadable', cell, message: value.toString() }
}

/** Decodes an undamaged value. @param code - returns code by its row id. */
export function decodeValue(
  key: ItemKey,
  bytes: Buffer,
  code: (id: number) => Hex | null | 'damaged',
): Hex | null | 'damaged' {
  if (!isCode(key)) return fromQuantityBytes(bytes)
  return bytes.length === 0 ? '0x' : code(fromIdBytes(bytes))
}

function textOf({ from, to, addresses }: ChangesQuestion): string {
  return `${from}-${to}:${[...addresses].sort().join()}`
}

function toBlockRow({ id, chain_id, number, hash }: BlockColumns): BlockRow {
  return { id, chainId: chain_id, number, hash: `0x${hash.toString('hex')}` }
}

function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

function noteKey(name: string): Hex {
  return `0x${createHash('sha256').update(name).digest('hex')}`
}
