/** What is in a cassette, for people and programs. */
import { statSync } from 'node:fs'
import { notFound } from '../domain/common-errors.js'
import type { RecordedRequest } from '../domain/operations/checks.js'
import { CassetteBlocks } from '../rpc/cassette/cassette-blocks.js'
import { cassetteFormat, guarded, openCassetteFile } from '../rpc/cassette/cassette-file.js'
import { CassetteRequests, type RequestRow } from '../rpc/cassette/cassette-requests.js'
import { type CassetteSettings, contentsOf, type RecorderVersion, readable } from './contents.js'
import { fromRequestText, urlOf } from './request-form.js'

export interface CassetteSummary {
  readonly format: number
  /** Size of the file. */
  readonly bytes: number
  /** Null without requests. */
  readonly bytesPerRequest: number | null
  readonly versions: readonly RecorderVersion[]
  readonly settings: CassetteSettings
  readonly chains: readonly {
    readonly chainId: number
    /** Blocks with state or requests; blocks read only to search for a time do not count. */
    readonly blocks: number
    readonly firstBlock: number
    readonly lastBlock: number
  }[]
  readonly rows: Readonly<Record<'cells' | 'reads' | 'codes', number>>
  /** Number of all requests in the file; `requests` is one page of them. */
  readonly total: number
  readonly requests: readonly RecordedRequest[]
}

interface Page {
  readonly offset: number
  readonly limit: number
}

/** Number of the newest request; 0 without any. @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function lastNumber(file: string): number {
  const db = openCassetteFile(file, 'read')
  try {
    return guarded(() => new CassetteRequests(db).ids().at(-1) ?? 0)
  } finally {
    db.close()
  }
}

/**
 * @param page - of the requests; absent: all.
 * @throws ForkrouteError STORAGE_UNAVAILABLE.
 */
export function summarise(file: string, page?: Page): CassetteSummary {
  const db = openCassetteFile(file, 'read')
  try {
    return guarded(() => readable(() => read()))
  } finally {
    db.close()
  }

  function read(): CassetteSummary {
    const rows = new CassetteRequests(db)
    const used = new Set(
      db
        .prepare<[], { block: number }>(
          'SELECT block FROM reads UNION SELECT block FROM request_blocks',
        )
        .all()
        .map(({ block }) => block),
    )
    const blocks = new CassetteBlocks(db).list().filter(({ id }) => used.has(id))
    const ids = rows.ids()
    const pageIds = page ? ids.slice(page.offset, page.offset + page.limit) : ids
    const requests = pageIds.flatMap((id) => rows.get(id) ?? [])
    const count = (table: string) =>
      (db.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count
    const { size } = statSync(file)
    return {
      format: cassetteFormat,
      bytes: size,
      bytesPerRequest: ids.length ? Math.ceil(size / ids.length) : null,
      versions: rows.versions().map((text) => JSON.parse(text) as RecorderVersion),
      settings: contentsOf(rows).settings,
      chains: [...new Set(blocks.map(({ chainId }) => chainId))].map((chainId) => {
        const chainBlocks = blocks.filter((block) => block.chainId === chainId)
        const [first, last] = [chainBlocks[0]?.number ?? 0, chainBlocks.at(-1)?.number ?? 0]
        return { chainId, blocks: chainBlocks.length, firstBlock: first, lastBlock: last }
      }),
      rows: { cells: count('cells'), reads: count('reads'), codes: count('codes') },
      total: ids.length,
      requests: requests.map(summaryOf),
    }
  }
}

/** @throws ForkrouteError NOT_FOUND, STORAGE_UNAVAILABLE. */
export function readRecording(
  file: string,
  number: number,
): { readonly summary: RecordedRequest; readonly row: RequestRow } {
  const db = openCassetteFile(file, 'read')
  try {
    const row = guarded(() => readable(() => new CassetteRequests(db).get(number)))
    if (!row) throw notFound(`request ${number} in the cassette`)
    return { row, summary: guarded(() => summaryOf(row)) }
  } finally {
    db.close()
  }
}

function summaryOf(row: RequestRow): RecordedRequest {
  const request = fromRequestText(row.request)
  return {
    number: row.id,
    method: request.method,
    url: urlOf(request),
    status: row.status,
    blocks: row.blocks.map(({ chainId, number, isHead }) => ({
      chainId,
      number: Number(number),
      head: isHead,
    })),
    bytes: row.bytes,
  }
}
