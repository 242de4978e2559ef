/**
 * The last snapshot of positions per chain, and the permanent ids of all listings, in the catalog's file.
 * Only the main thread opens it.
 */
import type { PositionFigures, TokenFacts } from '../domain/metadata.js'
import type { Hex } from '../domain/primitives.js'
import type { Position } from '../protocols/positions.js'
import { guarded, openDatabase } from './database.js'

export interface ListedPosition extends PositionFigures {
  readonly position: Position
  readonly token: TokenFacts | null
  /** In the order of the position's own list. */
  readonly underlyingTokens: readonly TokenFacts[]
}

export interface PositionSnapshot {
  readonly chainId: number
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** Unix seconds. */
  readonly takenAt: number
  /** One per protocol and key. */
  readonly positions: readonly ListedPosition[]
}

/** Identity of a listing within its chain: protocol and key of a position, or '' and the address of a base token. */
export interface ListingKey {
  readonly protocol: string
  readonly key: string
}

/** All methods throw ForkrouteError STORAGE_UNAVAILABLE. */
export interface PositionStore {
  /** Ids in the order asked. Listings without one get the next ids, in this order. */
  idsOf(chainId: number, listings: readonly ListingKey[]): number[]
  load(chainId: number): PositionSnapshot | null
  /** Replaces the chain's snapshot. */
  save(snapshot: PositionSnapshot): void
  close(): void
}

interface SnapshotRow {
  block_number: string
  block_hash: Hex
  taken_at: number
  positions: string
}

/** @throws ForkrouteError STORAGE_UNAVAILABLE when the folder or file cannot be used. */
export function openPositionStore(dataDir: string): PositionStore {
  const db = openDatabase(dataDir, false)
  const find = db.prepare<[number, string, string], { id: number }>(
    'SELECT id FROM listings WHERE chain_id = ? AND protocol = ? AND key = ?',
  )
  const add = db.prepare<[number, string, string]>(
    'INSERT INTO listings (chain_id, protocol, key) VALUES (?, ?, ?)',
  )
  const read = db.prepare<[number], SnapshotRow>(
    'SELECT * FROM position_snapshots WHERE chain_id = ?',
  )
  const write = db.prepare<[number, string, string, number, string]>(
    'REPLACE INTO position_snapshots VALUES (?, ?, ?, ?, ?)',
  )
  return {
    idsOf: (chainId, listings) =>
      guarded(() =>
        db.transaction(() =>
          listings.map(({ protocol, key }) => {
            const known = find.get(chainId, protocol, key)
            return known?.id ?? Number(add.run(chainId, protocol, key).lastInsertRowid)
          }),
        )(),
      ),
    load(chainId) {
      const row = guarded(() => read.get(chainId))
      return row
        ? {
            chainId,
            blockNumber: BigInt(row.block_number),
            blockHash: row.block_hash,
            takenAt: row.taken_at,
            positions: JSON.parse(row.positions) as ListedPosition[],
          }
        : null
    },
    save({ chainId, blockNumber, blockHash, takenAt, positions }) {
      const text = JSON.stringify(positions)
      guarded(() => write.run(chainId, blockNumber.toString(), blockHash, takenAt, text))
    },
    close: () => db.close(),
  }
}
