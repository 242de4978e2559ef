/** The requests of a cassette, their answers, and the facts that they share. */
import type Database from 'better-sqlite3'
import type { Hex } from '../../domain/primitives.js'
import { bytesOf, hexOf } from './cassette-codec.js'
import { packed, sumOf, unpacked } from './cassette-file.js'

/** A request with its answer, as the recording service hands it over. */
export interface RequestEntry {
  /** The same for equal requests: hash of the canonical form, without the account that asked. */
  readonly key: Hex
  /** The request as JSON text. */
  readonly request: string
  readonly status: number
  /** The exact text. */
  readonly answer: string
  /** Blocks at which it was calculated; `isHead`: as the newest block. */
  readonly blocks: readonly RequestBlock[]
}

export interface NumberedEntry extends RequestEntry {
  /** Number to store it under; null: the next free one. */
  readonly number: number | null
}

export interface RequestBlock {
  readonly chainId: number
  readonly number: bigint
  readonly hash: Hex
  readonly isHead: boolean
}

export interface RequestRow extends RequestEntry {
  /** Its number in the cassette. */
  readonly id: number
  readonly blocks: readonly (RequestBlock & { readonly id: number })[]
  /** JSON text: the software that recorded it. */
  readonly version: string
  /** Bytes that the request and its answer take in the file. */
  readonly bytes: number
}

/** What all requests of a cassette share, as JSON texts by name, and the recording software, as JSON text. */
export interface CassetteHead {
  readonly facts: Readonly<Record<string, string>>
  readonly version: string
}

/** A row whose checksum is wrong. The message names it. */
export class DamagedRow extends Error {
  override readonly name = 'DamagedRow'
}

interface Columns {
  readonly key: Buffer
  readonly version: number
  readonly request: Buffer
  readonly status: number
  readonly answer: Buffer
  readonly sum: number
}

interface BlockColumns {
  readonly block: number
  readonly is_head: number
  readonly sum: number
  readonly chain_id: number
  readonly number: number
  readonly hash: Buffer
}

export class CassetteRequests {
  readonly #statements: ReturnType<typeof statementsOf>

  constructor(db: Database.Database) {
    this.#statements = statementsOf(db)
  }

  /** @throws DamagedRow. */
  facts(): Record<string, string> {
    return Object.fromEntries(
      this.#statements.allFacts.all().map(({ name, value, sum }) => {
        if (sumOf(name, value) !== sum) throw new DamagedRow(`row ${name} of facts`)
        return [name, unpacked(value)]
      }),
    )
  }

  putFacts(facts: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(facts)) {
      const value = packed(text)
      this.#statements.putFact.run(name, value, sumOf(name, value))
    }
  }

  versions(): string[] {
    return this.#versions().map(({ value }) => value)
  }

  /** Numbers of all requests, ascending. */
  ids(): number[] {
    return this.#statements.allIds.all().map(({ id }) => id)
  }

  /** Numbers of equal requests, the newest first. */
  idsOf(key: Hex): number[] {
    return this.#statements.byKey.all(bytesOf(key)).map(({ id }) => id)
  }

  /** Null: no such request. @throws DamagedRow. */
  get(id: number): RequestRow | null {
    const row = this.#statements.byId.get(id)
    if (!row) return null
    const { key, version, request, status, answer } = row
    if (sumOf(key, version, request, status, answer) !== row.sum) {
      throw new DamagedRow(`row ${id} of requests`)
    }
    return {
      id,
      key: hexOf(key),
      request: unpacked(request),
      status,
      answer: unpacked(answer),
      version: this.#versions().find((one) => one.id === version)?.value ?? '{}',
      bytes: request.length + answer.length,
      blocks: this.#blocksOf(id),
    }
  }

  /** Replaces an equal request at the same blocks. A number already in use is not taken. @returns its number. */
  put(entry: NumberedEntry, version: string, blockIds: readonly number[]): number {
    const { addVersion, versionOf, byKey, byId, add, addBlock } = this.#statements
    addVersion.run(version, sumOf(version))
    const versionId = versionOf.get(version)?.id ?? 0
    const same = byKey
      .all(bytesOf(entry.key))
      .find(({ id }) => isSame(this.get(id), entry, blockIds))?.id
    if (same !== undefined) this.remove(same)
    const [key, request, answer] = [bytesOf(entry.key), packed(entry.request), packed(entry.answer)]
    const sum = sumOf(key, versionId, request, entry.status, answer)
    const columns = [key, versionId, request, entry.status, answer, sum] as const
    const free = entry.number !== null && byId.get(entry.number) ? null : entry.number
    const id = Number(add.run(same ?? free, ...columns).lastInsertRowid)
    for (const [index, block] of blockIds.entries()) {
      const isHead = entry.blocks[index]?.isHead ? 1 : 0
      addBlock.run(id, block, isHead, sumOf(id, block, isHead))
    }
    return id
  }

  remove(id: number): void {
    this.#statements.drop.run(id)
    this.#statements.dropBlocks.run(id)
  }

  #blocksOf(request: number): RequestRow['blocks'] {
    return this.#statements.blocksOf.all(request).map((row) => {
      const { block, is_head, hash } = row
      if (sumOf(request, block, is_head) !== row.sum || hash === null) {
        throw new DamagedRow(`row ${request}, ${block} of request_blocks`)
      }
      return {
        id: block,
        chainId: row.chain_id,
        number: BigInt(row.number),
        hash: hexOf(hash),
        isHead: is_head === 1,
      }
    })
  }

  #versions(): { id: number; value: string }[] {
    return this.#statements.allVersions.all().map(({ id, value, sum }) => {
      if (sumOf(value) !== sum) throw new DamagedRow(`row ${id} of versions`)
      return { id, value }
    })
  }
}

function statementsOf(db: Database.Database) {
  const allFacts = db.prepare<[], { name: string; value: Buffer; sum: number }>(
    'SELECT name, value, sum FROM facts ORDER BY name',
  )
  const putFact = db.prepare<[string, Buffer, number]>(
    'INSERT OR REPLACE INTO facts VALUES (?, ?, ?)',
  )
  const allVersions = db.prepare<[], { id: number; value: string; sum: number }>(
    'SELECT id, value, sum FROM versions ORDER BY id',
  )
  const addVersion = db.prepare<[string, number]>(
    'INSERT OR IGNORE INTO versions (value, sum) VALUES (?, ?)',
  )
  const versionOf = db.prepare<[string], { id: number }>('SELECT id FROM versions WHERE value = ?')
  const allIds = db.prepare<[], { id: number }>('SELECT id FROM requests ORDER BY id')
  const byKey = db.prepare<[Buffer], { id: number }>(
    'SELECT id FROM requests WHERE key = ? ORDER BY id DESC',
  )
  const byId = db.prepare<[number], Columns>('SELECT * FROM requests WHERE id = ?')
  const blocksOf = db.prepare<[number], BlockColumns>(
    `SELECT request_blocks.block, is_head, request_blocks.sum, chain_id, number, hash
     FROM request_blocks LEFT JOIN blocks ON blocks.id = request_blocks.block
     WHERE request = ? ORDER BY chain_id, number`,
  )
  const add = db.prepare<[number | null, Buffer, number, Buffer, number, Buffer, number]>(
    'INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const drop = db.prepare<[number]>('DELETE FROM requests WHERE id = ?')
  const addBlock = db.prepare<[number, number, number, number]>(
    'INSERT INTO request_blocks VALUES (?, ?, ?, ?)',
  )
  const dropBlocks = db.prepare<[number]>('DELETE FROM request_blocks WHERE request = ?')
  return {
    allFacts,
    putFact,
    allVersions,
    addVersion,
    versionOf,
    allIds,
    byKey,
    byId,
    blocksOf,
    add,
    drop,
    addBlock,
    dropBlocks,
  }
}

/** The same request of the same caller at the same blocks. */
function isSame(row: RequestRow | null, entry: RequestEntry, blockIds: readonly number[]): boolean {
  if (!row || row.request !== entry.request || row.blocks.length !== blockIds.length) return false
  return row.blocks.every(({ id, isHead }) => {
    const index = blockIds.indexOf(id)
    return index >= 0 && entry.blocks[index]?.isHead === isHead
  })
}
