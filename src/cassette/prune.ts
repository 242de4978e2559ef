/** Removes requests from a cassette, and then all state that no remaining request needs. */
import { fromIdBytes, toKeyBytes } from '../rpc/cassette/cassette-codec.js'
import { guarded, openCassetteFile } from '../rpc/cassette/cassette-file.js'
import { CassetteRequests, type RequestRow } from '../rpc/cassette/cassette-requests.js'
import { readable } from './contents.js'
import { fromRequestText } from './request-form.js'

export interface Pruning {
  /** Numbers of requests. */
  readonly numbers?: readonly number[]
  /** Requests of this path below /api/v1. */
  readonly path?: string
  /** Requests calculated at one of these blocks. */
  readonly blocks?: readonly number[]
}

/** How far back the code of a contract sees hashes of blocks. */
const visibleBlocks = 256
/** First byte of the keys of code. */
const codeKind = toKeyBytes(`c${'0'.repeat(40)}`)[0] ?? 0

/**
 * Removes requests that match any of the criteria. State belongs to a block, and stays as long as a request at that
 * block does.
 * @returns numbers of the removed requests.
 * @throws ForkrouteError STORAGE_UNAVAILABLE, also while a recorder has the file open.
 */
export function pruneCassette(file: string, pruning: Pruning): number[] {
  const db = openCassetteFile(file, 'write')
  try {
    const requests = new CassetteRequests(db)
    const removed = guarded(() =>
      readable(() =>
        db.transaction(() => {
          const rows = requests.ids().flatMap((id) => requests.get(id) ?? [])
          const leaving = rows.filter((row) => isMeant(row, pruning))
          for (const { id } of leaving) requests.remove(id)
          dropUnneeded(db)
          return leaving.map(({ id }) => id)
        })(),
      ),
    )
    guarded(() => db.exec('VACUUM'))
    return removed
  } finally {
    db.close()
  }
}

function isMeant(row: RequestRow, { numbers, path, blocks }: Pruning): boolean {
  return (
    numbers?.includes(row.id) === true ||
    (path !== undefined && fromRequestText(row.request).path === path) ||
    row.blocks.some(({ number }) => blocks?.includes(Number(number)))
  )
}

function dropUnneeded(db: ReturnType<typeof openCassetteFile>): void {
  const needed = 'SELECT block FROM request_blocks'
  db.exec(`
    DELETE FROM reads WHERE block NOT IN (${needed});
    DELETE FROM calls WHERE block NOT IN (${needed});
    DELETE FROM cells WHERE id NOT IN (SELECT cell FROM reads);
    DELETE FROM blocks WHERE id NOT IN (${needed}) AND NOT EXISTS (
      SELECT 1 FROM blocks later WHERE later.id IN (${needed}) AND later.chain_id = blocks.chain_id
        AND later.number BETWEEN blocks.number AND blocks.number + ${visibleBlocks}
    );
    DELETE FROM versions WHERE id NOT IN (SELECT version FROM requests);
  `)
  const held = new Set<number>()
  const keys = db.prepare<[], { key: Buffer; value: Buffer }>('SELECT key, value FROM cells')
  for (const { key, value } of keys.iterate()) {
    if (key[0] === codeKind && value.length > 0) held.add(fromIdBytes(value))
  }
  const drop = db.prepare<[number]>('DELETE FROM codes WHERE id = ?')
  for (const { id } of db.prepare<[], { id: number }>('SELECT id FROM codes').all()) {
    if (!held.has(id)) drop.run(id)
  }
}
