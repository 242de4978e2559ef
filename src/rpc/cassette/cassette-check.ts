/** Checks every row of a cassette for damage. */
import type Database from 'better-sqlite3'
import { describe } from '../node/state-item.js'
import { fromKeyBytes } from './cassette-codec.js'
import { sumOf } from './cassette-file.js'

type Column = string | number | Buffer
/** The tables, and which of their columns the checksum covers. */
const tables: readonly (readonly [table: string, columns: readonly string[]])[] = [
  ['facts', ['name', 'value']],
  ['versions', ['value']],
  ['blocks', ['chain_id', 'number', 'hash', 'header']],
  ['cells', ['key', 'value']],
  ['reads', ['block', 'cell']],
  ['codes', ['hash', 'code']],
  ['calls', ['block', 'target', 'data', 'value']],
  ['changes', ['chain_id', 'question', 'numbers']],
  ['requests', ['key', 'version', 'request', 'status', 'answer']],
  ['request_blocks', ['request', 'block', 'is_head']],
]
const withoutId = ['facts', 'reads', 'calls', 'changes', 'request_blocks']

/** One sentence per damaged row: the table, the row, and what it holds as far as that is known. */
export function damagedRows(db: Database.Database): string[] {
  return tables.flatMap(([table, columns]) => {
    const id = withoutId.includes(table) ? '' : ', id'
    const rows = db
      .prepare<[], Record<string, Column> & { sum: number }>(
        `SELECT ${columns.join(', ')}, sum${id} FROM ${table}`,
      )
      .iterate()
    const found: string[] = []
    for (const row of rows) {
      const values = columns.map((column) => row[column] as Column)
      if (sumOf(...values) === row.sum) continue
      found.push(`${table}: ${nameOf(table, row)}${placesOf(db, table, row)}`)
    }
    return found
  })
}

function nameOf(table: string, row: Record<string, Column>): string {
  const known = table === 'cells' ? fromKeyBytes(row.key as Buffer) : null
  if (known) return `row ${row.id}, ${describe(known.key)}`
  if (table === 'blocks') return `row ${row.id}, block ${row.number} of chain ${row.chain_id}`
  if (table === 'facts') return `row ${row.name}`
  if (table === 'reads') return `block row ${row.block}, cell row ${row.cell}`
  if (table === 'calls')
    return `block row ${row.block}, 0x${(row.target as Buffer).toString('hex')}`
  if (table === 'changes') return `${row.question} of chain ${row.chain_id}`
  if (table === 'request_blocks') return `request ${row.request}, block row ${row.block}`
  return `row ${row.id}`
}

/** The blocks at which a damaged value was read. */
function placesOf(db: Database.Database, table: string, row: Record<string, Column>): string {
  if (table !== 'cells') return ''
  const blocks = db
    .prepare<[number], { chain_id: number; number: number }>(
      `SELECT chain_id, number FROM reads JOIN blocks ON blocks.id = reads.block
       WHERE cell = ? ORDER BY chain_id, number`,
    )
    .all(Number(row.id))
  return blocks.map(({ chain_id, number }) => `, block ${number} of chain ${chain_id}`).join('')
}
