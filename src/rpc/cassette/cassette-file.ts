/**
 * The file of a cassette: one SQLite database with everything that recorded answers depend on. Defines its tables,
 * opens it, and translates its faults. Rows have checksums against damage, not against forgery.
 *
 * The folder owns that file: its tables, what is written while recording, and its check. In: answers of nodes, and
 * requests with their answers. Out: the same, by block. Errors: ForkrouteError STORAGE_UNAVAILABLE.
 */
import { existsSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync, constants, crc32 } from 'node:zlib'
import type Database from 'better-sqlite3'
import { storageGuard } from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import { openSqlite } from '../../platform/sqlite.js'

/** Version of the tables; a file of any other version is refused. */
export const cassetteFormat = 1
/** `fkrt`, in the header of the file. */
const applicationId = 0x666b7274

/**
 * facts: what all requests share, such as the settings. cells: an account's balance, nonce, code or storage word with
 * one value, stored once however many blocks share it. reads: which blocks have which cell. codes: contract code by
 * SHA-256; cells refer to it by id. calls: answers that only a node could give. changes: in which blocks of a range
 * contracts emitted events. request_blocks: the blocks of a request, and whether each counted as the newest.
 */
const schema = `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE versions (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE, sum INTEGER NOT NULL) STRICT;
  CREATE TABLE blocks (
    id INTEGER PRIMARY KEY, chain_id INTEGER NOT NULL, number INTEGER NOT NULL, hash BLOB NOT NULL,
    canonical INTEGER NOT NULL, header BLOB NOT NULL, sum INTEGER NOT NULL, UNIQUE (chain_id, hash)
  ) STRICT;
  CREATE INDEX blocks_by_number ON blocks (chain_id, number);
  CREATE TABLE cells (id INTEGER PRIMARY KEY, key BLOB NOT NULL, value BLOB NOT NULL, sum INTEGER NOT NULL) STRICT;
  CREATE INDEX cells_by_sum ON cells (sum);
  CREATE TABLE reads (
    block INTEGER NOT NULL, cell INTEGER NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (block, cell)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE codes (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, code BLOB NOT NULL, sum INTEGER NOT NULL) STRICT;
  CREATE TABLE calls (
    block INTEGER NOT NULL, target BLOB NOT NULL, data BLOB NOT NULL, value BLOB NOT NULL, sum INTEGER NOT NULL,
    PRIMARY KEY (block, target, data)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE changes (
    chain_id INTEGER NOT NULL, question TEXT NOT NULL, numbers TEXT NOT NULL, sum INTEGER NOT NULL,
    PRIMARY KEY (chain_id, question)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE requests (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL, version INTEGER NOT NULL, request BLOB NOT NULL,
    status INTEGER NOT NULL, answer BLOB NOT NULL, sum INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX requests_by_key ON requests (key);
  CREATE TABLE request_blocks (
    request INTEGER NOT NULL, block INTEGER NOT NULL, is_head INTEGER NOT NULL, sum INTEGER NOT NULL,
    PRIMARY KEY (request, block)
  ) STRICT, WITHOUT ROWID;
`
const lockTimeoutMs = 1_000
/** Bounds one value of the file. The longest that a recording has made is a hundredth of it. */
const mostUnpackedBytes = 64 * 1024 * 1024

/**
 * @param use - write: created when absent, and locked against other processes; read: never written.
 * @throws ForkrouteError STORAGE_UNAVAILABLE: absent, not a cassette, another format, locked, damaged, disk full.
 */
export function openCassetteFile(file: string, use: 'read' | 'write'): Database.Database {
  if (use === 'read' && !existsSync(file)) throw unavailable('there is no such file')
  return guarded(() => {
    // An interrupted recording leaves a journal. SQLite has to roll it back first, which needs a writable connection.
    if (use === 'read' && existsSync(`${file}-journal`)) connect(file, 'write').close()
    return connect(file, use)
  })
}

function connect(file: string, use: 'read' | 'write'): Database.Database {
  const db = openSqlite(file, { readonly: use === 'read', timeout: lockTimeoutMs })
  try {
    // Whatever a file of somebody else declares runs no function, and broken pages are seen before they are followed.
    db.pragma('trusted_schema = OFF')
    db.pragma('cell_size_check = ON')
    if (use === 'write') {
      db.pragma('locking_mode = EXCLUSIVE')
      db.pragma('synchronous = NORMAL')
      // Takes the lock, which lasts as long as the connection, even if the process is killed.
      db.transaction(() => prepare(db)).immediate()
    } else check(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function prepare(db: Database.Database): void {
  const { count } = db.prepare('SELECT count(*) AS count FROM sqlite_schema').get() as {
    count: number
  }
  if (count === 0) {
    db.exec(schema)
    db.pragma(`application_id = ${applicationId}`)
    db.pragma(`user_version = ${cassetteFormat}`)
  }
  check(db)
}

function check(db: Database.Database): void {
  const number = (name: string) => Number(db.pragma(name, { simple: true }))
  if (number('application_id') !== applicationId) throw unavailable('the file is no cassette')
  const format = number('user_version')
  if (format !== cassetteFormat) {
    throw unavailable(
      `it has format ${format}, and this version of forkroute reads format ${cassetteFormat}; record it again`,
    )
  }
  // A view or a trigger in place of a table would run for as long as its author likes.
  if (declarationsOf(db) !== ownDeclarations()) {
    throw unavailable('its tables are not those of a cassette')
  }
}

/** Everything that the file declares: tables, indexes, and what a cassette has none of. */
function declarationsOf(db: Database.Database): string {
  const rows = db
    .prepare<[], { type: string; name: string; tbl_name: string; sql: string | null }>(
      'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name',
    )
    .all()
  return JSON.stringify(
    rows.map(({ type, name, tbl_name, sql }) => [type, name, tbl_name, sql?.replace(/\s+/g, ' ')]),
  )
}

/** What `schema` declares, as SQLite keeps it. */
function ownDeclarations(): string {
  const db = openSqlite(':memory:')
  try {
    db.exec(schema)
    return declarationsOf(db)
  } finally {
    db.close()
  }
}

function unavailable(reason: string): ForkrouteError {
  return new ForkrouteError('STORAGE_UNAVAILABLE', `The cassette cannot be used: ${reason}.`)
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'another process records into it'],
  [/^SQLITE_NOTADB/, 'the file is no cassette'],
  [/^SQLITE_CORRUPT/, 'the file is damaged, and SQLite cannot read it'],
  [/^SQLITE_FULL/, 'the disk is full'],
  [/^SQLITE_CANTOPEN/, 'the file cannot be opened'],
  [/^SQLITE_READONLY/, 'the file cannot be written'],
  [/^SQLITE_IOERR/, 'the disk does not take or give it (SQLITE_IOERR)'],
]

/** Runs one use of the file. Throws ForkrouteError STORAGE_UNAVAILABLE for faults of the file. */
export const guarded = storageGuard((cause) => {
  if (cause instanceof SyntaxError) return unavailable('a value in it is not of its form')
  const code = String((cause as { code?: unknown }).code ?? '')
  const [, reason] = reasons.find(([pattern]) => pattern.test(code)) ?? []
  if (reason !== undefined) return unavailable(reason)
  return code.startsWith('SQLITE_') ? unavailable(code) : cause
})

/** CRC-32 of the parts with their boundaries, so that moving a byte between two parts changes it. */
export function sumOf(...parts: readonly (Uint8Array | string | number)[]): number {
  let sum = 0
  for (const part of parts) {
    const bytes = typeof part === 'number' ? String(part) : part
    sum = crc32(`${bytes.length}:`, sum)
    // For an empty input zlib restarts the checksum instead of leaving it unchanged.
    if (bytes.length > 0) sum = crc32(bytes, sum)
  }
  return sum
}

/** Higher ones allocate megabytes for each value, which takes a busy machine a tenth of a second, to save a few bytes. */
const quality = 5

/** Compresses text that is written once and read often. */
export function packed(text: string): Buffer {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 22 }
  return brotliCompressSync(text, { params })
}

/** @throws ForkrouteError STORAGE_UNAVAILABLE for what is not packed, or longer than 64 MB: a hundred bytes can stand for any length. */
export function unpackedBytes(bytes: Uint8Array): Buffer {
  try {
    return brotliDecompressSync(bytes, { maxOutputLength: mostUnpackedBytes })
  } catch (cause) {
    const { code } = cause as { code?: string }
    if (code === 'ERR_BUFFER_TOO_LARGE') throw unavailable('a value in it is longer than 64 MB')
    throw code?.startsWith('ERR_')
      ? unavailable('a value in it is not packed as it should be')
      : cause
  }
}

/** Throws what `unpackedBytes` throws. */
export function unpacked(bytes: Uint8Array): string {
  return unpackedBytes(bytes).toString()
}

/** Compresses bytes. */
export function packedBytes(bytes: Uint8Array): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
}
