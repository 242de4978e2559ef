/** Reads the index for people: what is in it, a page at a time, and how far it has come. */
import type { ChainDefinition } from '../chains/chain.js'
import type { Address } from '../domain/primitives.js'
import type { Pool } from '../protocols/pool.js'
import { bytesOf, guarded, openIndexDatabase, type PoolRow, toPool } from './database.js'
import { sourcesOf } from './sources.js'

export interface IndexState {
  /** The last block that was read of every factory; null: nothing is read. */
  readonly readTo: number | null
  readonly protocols: readonly { readonly protocol: string; readonly pools: number }[]
}

/** What is absent lets every pool pass. */
export interface IndexSearch {
  readonly chainId: number
  readonly protocol?: string | undefined
  /** That it holds, and by which routes find it. */
  readonly token?: Address | undefined
  /** Id or address. */
  readonly pool?: string | undefined
  /** `poolKey` of those that pass. */
  readonly among?: readonly string[] | undefined
  readonly offset: number
  readonly limit: number
}

/** The oldest first, and how many fit; none where there is no index. @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function searchIndex(
  dataDir: string,
  { chainId, protocol, token, pool, among, offset, limit }: IndexSearch,
): { readonly total: number; readonly pools: readonly (Pool & { readonly block: number })[] } {
  const db = openIndexDatabase(dataDir, 'read')
  if (!db) return { total: 0, pools: [] }
  const fits = `FROM pools WHERE chain_id = @chainId
    AND (@protocol IS NULL OR protocol = @protocol)
    AND (@token IS NULL OR id IN (SELECT pool FROM pairs WHERE token =
      (SELECT id FROM tokens WHERE chain_id = @chainId AND address = @token)))
    AND (@pool IS NULL OR @pool IN (pool, address))
    AND (@among IS NULL OR protocol || ':0x' || lower(hex(pool)) IN (SELECT value FROM json_each(@among)))`
  const terms = {
    chainId,
    protocol: protocol ?? null,
    token: token === undefined ? null : bytesOf(token),
    pool: pool === undefined ? null : bytesOf(pool),
    among: among ? JSON.stringify(among) : null,
  }
  try {
    return guarded(() => ({
      total: db
        .prepare<[object], { count: number }>(`SELECT count(*) AS count ${fits}`)
        .all(terms)
        .reduce((sum, { count }) => sum + count, 0),
      pools: db
        .prepare<[object], PoolRow>(
          `SELECT * ${fits} ORDER BY block, protocol, pool LIMIT @limit OFFSET @offset`,
        )
        .all({ ...terms, limit, offset })
        .map((row) => ({ ...toPool(row), block: row.block })),
    }))
  } finally {
    db.close()
  }
}

/** Pools of declared factories by the name of their venue. @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function countOfVenues(dataDir: string): ReadonlyMap<string, number> {
  const db = openIndexDatabase(dataDir, 'read')
  if (!db) return new Map()
  try {
    const rows = guarded(() =>
      db
        .prepare<[], { venue: string; pools: number }>(
          `SELECT parameters ->> 'venue' AS venue, count(*) AS pools FROM pools
           WHERE protocol = 'declared' GROUP BY venue`,
        )
        .all(),
    )
    return new Map(rows.map(({ venue, pools }) => [venue, pools]))
  } finally {
    db.close()
  }
}

/** @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function indexState(dataDir: string, chain: ChainDefinition): IndexState {
  const db = openIndexDatabase(dataDir, 'read')
  if (!db) return { readTo: null, protocols: [] }
  try {
    return guarded(() => {
      const cursors = new Map(
        db
          .prepare<[number], { source: string; block: number }>(
            'SELECT source, block FROM cursors WHERE chain_id = ?',
          )
          .all(chain.id)
          .map(({ source, block }) => [source, block]),
      )
      const ends = sourcesOf(chain).sources.map(({ key }) => cursors.get(key) ?? -1)
      const readTo = Math.min(...ends)
      return {
        readTo: ends.length > 0 && readTo >= 0 ? readTo : null,
        protocols: db
          .prepare<[number], { protocol: string; pools: number }>(
            `SELECT protocol, count(*) AS pools FROM pools WHERE chain_id = ?
             GROUP BY protocol ORDER BY protocol`,
          )
          .all(chain.id),
      }
    })
  } finally {
    db.close()
  }
}
