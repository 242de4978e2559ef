/** The blocks of a cassette: their rows, their headers, and which of them counts under its number. */
import type Database from 'better-sqlite3'
import type { Hex } from '../../domain/primitives.js'
import type { BlockRef } from '../node/answer.js'
import type { BlockJson } from '../node/header.js'
import { bytesOf, hexOf } from './cassette-codec.js'
import { packed, sumOf, unpacked } from './cassette-file.js'

export interface BlockRow {
  readonly id: number
  readonly chainId: number
  readonly number: number
  readonly hash: Hex
}

interface BlockColumns {
  readonly id: number
  readonly chain_id: number
  readonly number: number
  readonly hash: Buffer
}

interface HeaderColumns {
  readonly chain_id: number
  readonly number: number
  readonly hash: Buffer
  readonly header: Buffer
  readonly sum: number
}

const columns = 'SELECT id, chain_id, number, hash FROM blocks'

function statements(db: Database.Database) {
  return {
    byHash: db.prepare<[number, Buffer], BlockColumns>(
      `${columns} WHERE chain_id = ? AND hash = ?`,
    ),
    byNumber: db.prepare<[number, number], BlockColumns>(
      `${columns} WHERE chain_id = ? AND number = ? ORDER BY canonical DESC, id DESC`,
    ),
    all: db.prepare<[], BlockColumns>(`${columns} ORDER BY chain_id, number, id`),
    header: db.prepare<[number], HeaderColumns>(
      'SELECT chain_id, number, hash, header, sum FROM blocks WHERE id = ?',
    ),
    add: db.prepare<[number, number, Buffer, Buffer, number]>(
      'INSERT INTO blocks (chain_id, number, hash, canonical, header, sum) VALUES (?, ?, ?, 0, ?, ?)',
    ),
    setHeader: db.prepare<[Buffer, number, number]>(
      'UPDATE blocks SET header = ?, sum = ? WHERE id = ?',
    ),
    setCanonical: db.prepare<[Buffer, number, number]>(
      'UPDATE blocks SET canonical = (hash = ?) WHERE chain_id = ? AND number = ?',
    ),
  }
}

export class CassetteBlocks {
  readonly #sql: ReturnType<typeof statements>

  constructor(db: Database.Database) {
    this.#sql = statements(db)
  }

  find(chainId: number, ref: bigint | Hex): BlockRow | null {
    const row =
      typeof ref === 'bigint'
        ? this.#sql.byNumber.get(chainId, Number(ref))
        : this.#sql.byHash.get(chainId, bytesOf(ref))
    return row ? toBlockRow(row) : null
  }

  /** Blocks of a chain, by number; of all chains when none is given. */
  list(chainId?: number): BlockRow[] {
    const rows = this.#sql.all.all().map(toBlockRow)
    return rows.filter((row) => chainId === undefined || row.chainId === chainId)
  }

  /** Null when there is no header; 'damaged' when its checksum is wrong. */
  header(id: number): BlockJson | null | 'damaged' {
    const row = this.#sql.header.get(id)
    if (!row || row.header.length === 0) return null
    const { chain_id, number, hash, header, sum } = row
    if (sumOf(chain_id, number, hash, header) !== sum) return 'damaged'
    return JSON.parse(unpacked(header)) as BlockJson
  }

  /** @returns the id of the row, which is created if absent. */
  put(chainId: number, { number, hash }: BlockRef, header: BlockJson | null): number {
    const bytes = header ? packed(JSON.stringify(header)) : Buffer.alloc(0)
    const at = Number(number)
    const sum = sumOf(chainId, at, bytesOf(hash), bytes)
    const known = this.#sql.byHash.get(chainId, bytesOf(hash))
    if (!known) {
      return Number(this.#sql.add.run(chainId, at, bytesOf(hash), bytes, sum).lastInsertRowid)
    }
    const isWithoutHeader = this.#sql.header.get(known.id)?.header.length === 0
    if (header && isWithoutHeader) this.#sql.setHeader.run(bytes, sum, known.id)
    return known.id
  }

  /** From now on the block is the one that has its number. */
  setCanonical(chainId: number, { number, hash }: BlockRef): void {
    this.#sql.setCanonical.run(bytesOf(hash), chainId, Number(number))
  }
}

function toBlockRow({ id, chain_id, number, hash }: BlockColumns): BlockRow {
  return { id, chainId: chain_id, number, hash: hexOf(hash) }
}
