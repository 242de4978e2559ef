/**
 * The file of a cassette: one SQLite database with everything that recorded answers depend on. Its tables, how it is
 * opened, and what its faults are called. Rows have checksums against damage, not against forgery.
 */
import { existsSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync, constants, crc32 } from 'node:zlib'
import Database from 'better-sqlite3'
import { ForkrouteError } from '../../domain/errors.js'

/** Version of the tables; a file of another one is refused. */
export const cassetteFormat = 1
/** `fkrt`, in the header of the file. */
const applicationId = 0x666b7274

/**
 * facts: what all requests share, such as the settings. cells: an account's balance, nonce, code or word with one
 * value, held once however many blocks had it. reads: which blocks did. codes: by SHA-256, named in cells by id.
 * calls: what only a node could answer. changes: in which blocks of a range contracts left events. request_blocks: where a request was calculated, and whether as the newest block.
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

/**
 * @param use - write: made when it is absent, and no other process may open it meanwhile; read: never written.
 * @throws ForkrouteError STORAGE_UNAVAILABLE: absent, no cassette, another format, locked, damaged, disk full.
 */
export function openCassetteFile(file: string, use: 'read' | 'write'): Database.Database {
  if (use === 'read' && !existsSync(file)) throw unavailable('there is no such file')
  return guarded(() => {
    // What an interrupted recording left is put in order first; that needs to write.
    if (use === 'read' && existsSync(`${file}-journal`)) connect(file, 'write').close()
    return connect(file, use)
  })
}

function connect(file: string, use: 'read' | 'write'): Database.Database {
  const db = new Database(file, { readonly: use === 'read', timeout: lockTimeoutMs })
  try {
    if (use === 'write') {
      db.pragma('locking_mode = EXCLUSIVE')
      db.pragma('synchronous = NORMAL')
      // Takes the lock, which lasts until the end of the connection, however that comes.
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
  if (format === cassetteFormat) return
  throw unavailable(
    `it has format ${format}, and this version of forkroute reads format ${cassetteFormat}; record it again`,
  )
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

/** Runs one use of the file. @throws ForkrouteError STORAGE_UNAVAILABLE for faults of the file. */
export function guarded<T>(use: () => T): T {
  try {
    return use()
  } catch (cause) {
    const code = String((cause as { code?: unknown }).code ?? '')
    const [, reason] = reasons.find(([pattern]) => pattern.test(code)) ?? []
    if (reason !== undefined) throw unavailable(reason)
    throw code.startsWith('SQLITE_') ? unavailable(code) : cause
  }
}

/** CRC-32 of the parts, of which none can pass as another's end. */
export function sumOf(...parts: readonly (Uint8Array | string | number)[]): number {
  let sum = 0
  for (const part of parts) {
    const bytes = typeof part === 'number' ? String(part) : part
    sum = crc32(`${bytes.length}:`, sum)
    // Of no bytes at all zlib makes another start in place of no change.
    if (bytes.length > 0) sum = crc32(bytes, sum)
  }
  return sum
}

/** Of text that is written once and read often. */
export function packed(text: string): Buffer {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 }
  return brotliCompressSync(text, { params })
}

export function unpacked(bytes: Uint8Array): string {
  return brotliDecompressSync(bytes).toString()
}

/** Bytes as they are, compressed. */
export function packedBytes(bytes: Uint8Array): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
}

export const unpackedBytes = (bytes: Uint8Array): Buffer => brotliDecompressSync(bytes)
