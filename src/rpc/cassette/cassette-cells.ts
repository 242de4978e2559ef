/**
 * The values of a cassette: balances, nonces, code and words, each stored once however many blocks share it. Read one
 * whole block at a time, written by row.
 */
import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import type { Address, Hex } from '../../domain/primitives.js'
import type { Answer } from '../node/answer.js'
import { type ItemKey, isCode } from '../node/state-item.js'
import {
  bytesOf,
  fromIdBytes,
  fromKeyBytes,
  fromQuantityBytes,
  hexOf,
  toIdBytes,
  toKeyBytes,
  toQuantityBytes,
} from './cassette-codec.js'
import { packedBytes, sumOf, unpackedBytes } from './cassette-file.js'

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

interface Cell {
  readonly key: ItemKey
  readonly held: HeldValue
}

interface CellColumns {
  readonly key: Buffer
  readonly value: Buffer
  readonly sum: number
}

/** Cells in memory over all blocks: a block shares most of its cells with the one before. */
const maxCells = 100_000

function statements(db: Database.Database) {
  return {
    readsOf: db.prepare<[number], { cell: number; sum: number }>(
      'SELECT cell, sum FROM reads WHERE block = ?',
    ),
    cellById: db.prepare<[number], CellColumns>('SELECT key, value, sum FROM cells WHERE id = ?'),
    cellsBySum: db.prepare<[number], { id: number; key: Buffer; value: Buffer }>(
      'SELECT id, key, value FROM cells WHERE sum = ?',
    ),
    contracts: db.prepare<[], { address: Buffer }>(
      "SELECT DISTINCT substr(key, 2) AS address FROM cells WHERE substr(key, 1, 1) = x'02' AND length(value) > 0",
    ),
    addCell: db.prepare<[Buffer, Buffer, number]>(
      'INSERT INTO cells (key, value, sum) VALUES (?, ?, ?)',
    ),
    addRead: db.prepare<[number, number, number]>('INSERT OR REPLACE INTO reads VALUES (?, ?, ?)'),
    dropRead: db.prepare<[number, number]>('DELETE FROM reads WHERE block = ? AND cell = ?'),
    codeById: db.prepare<[number], { hash: Buffer; code: Buffer; sum: number }>(
      'SELECT hash, code, sum FROM codes WHERE id = ?',
    ),
    codeByHash: db.prepare<[Buffer], { id: number }>('SELECT id FROM codes WHERE hash = ?'),
    addCode: db.prepare<[Buffer, Buffer, number]>(
      'INSERT INTO codes (hash, code, sum) VALUES (?, ?, ?)',
    ),
  }
}

export class CassetteCells {
  readonly #sql: ReturnType<typeof statements>
  readonly #cells = new LRUCache<number, Cell>({ max: maxCells })
  /** While writing nothing is cached: after a rollback another cell may get the same id. */
  readonly #isCached: boolean

  constructor(db: Database.Database) {
    this.#sql = statements(db)
    this.#isCached = db.readonly
  }

  /** @param id - of the row of the block. */
  stateOf({ id }: { readonly id: number }): BlockState {
    const values = new Map<ItemKey, HeldValue>()
    const damaged: string[] = []
    for (const { cell, sum } of this.#sql.readsOf.all(id)) {
      const isReadSound = sumOf(id, cell) === sum
      const row = isReadSound ? cellRow(cell) : `row ${id}, ${cell} of reads`
      const found = this.#cellOf(cell)
      if (!found) damaged.push(row)
      else values.set(found.key, isReadSound ? found.held : { kind: 'damaged', cell, row })
    }
    return { values, damaged }
  }

  /** Accounts that have code at some block. */
  contracts(): Address[] {
    return this.#sql.contracts.all().map(({ address }) => hexOf(address))
  }

  /** Null when there is no such row; 'damaged' when its checksum is wrong. */
  code(id: number): Hex | null | 'damaged' {
    const row = this.#sql.codeById.get(id)
    if (!row) return null
    if (sumOf(row.hash, row.code) !== row.sum) return 'damaged'
    return hexOf(unpackedBytes(row.code))
  }

  /** @returns the id of the cell with this value, which is created if absent. */
  put(key: ItemKey, answer: Answer<Hex>): number {
    const keyBytes = toKeyBytes(key, answer.ok)
    const value = answer.ok ? this.#bytesOf(key, answer.value) : Buffer.from(answer.message)
    const sum = sumOf(keyBytes, value)
    const known = this.#sql.cellsBySum
      .all(sum)
      .find((cell) => cell.key.equals(keyBytes) && cell.value.equals(value))
    return known?.id ?? Number(this.#sql.addCell.run(keyBytes, value, sum).lastInsertRowid)
  }

  putRead(block: number, cell: number): void {
    this.#sql.addRead.run(block, cell, sumOf(block, cell))
  }

  removeRead(block: number, cell: number): void {
    this.#sql.dropRead.run(block, cell)
  }

  /** Null where not even the key is known. */
  #cellOf(id: number): Cell | null {
    const known = this.#cells.get(id)
    if (known) return known
    const row = this.#sql.cellById.get(id)
    const key = row && fromKeyBytes(row.key)
    if (!row || !key) return null
    const cell = { key: key.key, held: heldIn(id, row, key.isReadable) }
    if (this.#isCached) this.#cells.set(id, cell)
    return cell
  }

  #bytesOf(key: ItemKey, value: Hex): Buffer {
    if (!isCode(key)) return toQuantityBytes(value)
    return value === '0x' ? Buffer.alloc(0) : toIdBytes(this.#idOfCode(value))
  }

  #idOfCode(code: Hex): number {
    const bytes = bytesOf(code)
    const hash = createHash('sha256').update(bytes).digest()
    const known = this.#sql.codeByHash.get(hash)
    if (known) return known.id
    const small = packedBytes(bytes)
    return Number(this.#sql.addCode.run(hash, small, sumOf(hash, small)).lastInsertRowid)
  }
}

function cellRow(id: number): string {
  return `row ${id} of cells`
}

function heldIn(cell: number, { key, value, sum }: CellColumns, isReadable: boolean): HeldValue {
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
