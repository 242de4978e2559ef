/** What only a node could answer, as a cassette keeps it: calls, in which blocks of a range contracts changed, and notes. */
import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { Address, Hex } from '../../domain/primitives.js'
import type { ChangesQuestion } from '../node/changed-blocks.js'
import { bytesOf, hexOf } from './cassette-codec.js'
import { packed, sumOf, unpacked } from './cassette-file.js'

/** Notes are rows of `calls` under this address, at which nothing can be. */
const notesAddress: Address = '0x000000000000000000000000000000006e6f7465'

function statements(db: Database.Database) {
  return {
    callOf: db.prepare<[number, Buffer, Buffer], { value: Buffer; sum: number }>(
      'SELECT value, sum FROM calls WHERE block = ? AND target = ? AND data = ?',
    ),
    addCall: db.prepare<[number, Buffer, Buffer, Buffer, number]>(
      'INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?)',
    ),
    changesOf: db.prepare<[number, string], { numbers: string; sum: number }>(
      'SELECT numbers, sum FROM changes WHERE chain_id = ? AND question = ?',
    ),
    addChanges: db.prepare<[number, string, string, number]>(
      'INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?)',
    ),
  }
}

/** What is read is null when there is no such row, and 'damaged' when its checksum is wrong. */
export class CassetteAnswers {
  readonly #sql: ReturnType<typeof statements>

  constructor(db: Database.Database) {
    this.#sql = statements(db)
  }

  call(block: number, to: Address, data: Hex): Hex | null | 'damaged' {
    const row = this.#sql.callOf.get(block, bytesOf(to), bytesOf(data))
    if (!row) return null
    if (sumOf(block, bytesOf(to), bytesOf(data), row.value) !== row.sum) return 'damaged'
    return hexOf(row.value)
  }

  /** A text that was kept under the name. */
  note(block: number, name: string): string | null | 'damaged' {
    const value = this.call(block, notesAddress, noteKey(name))
    return value === null || value === 'damaged' ? value : unpacked(bytesOf(value))
  }

  changes(chainId: number, question: ChangesQuestion): readonly bigint[] | null | 'damaged' {
    const text = textOf(question)
    const row = this.#sql.changesOf.get(chainId, text)
    if (!row) return null
    if (sumOf(chainId, text, row.numbers) !== row.sum) return 'damaged'
    return row.numbers ? row.numbers.split(',').map(BigInt) : []
  }

  putCall(block: number, to: Address, data: Hex, value: Hex): void {
    const parts = [bytesOf(to), bytesOf(data), bytesOf(value)] as const
    this.#sql.addCall.run(block, ...parts, sumOf(block, ...parts))
  }

  putNote(block: number, name: string, text: string): void {
    this.putCall(block, notesAddress, noteKey(name), hexOf(packed(text)))
  }

  putChanges(chainId: number, question: ChangesQuestion, numbers: readonly bigint[]): void {
    const [text, list] = [textOf(question), numbers.join()]
    this.#sql.addChanges.run(chainId, text, list, sumOf(chainId, text, list))
  }
}

function textOf({ from, to, addresses, indexed }: ChangesQuestion): string {
  const events = `${from}-${to}:${[...addresses].sort().join()}`
  return indexed ? `${events}:${[...indexed].sort().join()}` : events
}

function noteKey(name: string): Hex {
  return `0x${createHash('sha256').update(name).digest('hex')}`
}
