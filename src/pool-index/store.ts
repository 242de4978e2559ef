/**
 * What is written into the pool index: pools, how far each source was read, and hashes of blocks. Every write is one
 * transaction, and takes part only where nobody has gone on meanwhile, so that several processes may share the file.
 */
import type { Address, Hex } from '../domain/primitives.js'
import {
  bytesOf,
  guarded,
  hexOf,
  type IndexDatabase,
  openIndexDatabase,
  type PoolRow,
  toPool,
} from './database.js'
import type { IndexedPool, PoolSource } from './sources.js'

export interface Checkpoint {
  readonly number: bigint
  readonly hash: Hex
}

/** What was read of a range of blocks. */
export interface ReadRange {
  readonly chainId: number
  /** That were read. */
  readonly sources: readonly Pick<PoolSource, 'key' | 'mostPools'>[]
  /** Both ends included. */
  readonly from: bigint
  readonly to: bigint
  readonly pools: readonly IndexedPool[]
  readonly checkpoints: readonly Checkpoint[]
}

/** Pools of declared factories that are not among the sources. */
const staleDeclared = `chain_id = @chain AND protocol = 'declared'
  AND parameters ->> 'factory' NOT IN (SELECT value FROM json_each(@kept))`

/** Hashes that are kept of a chain: many times as deep as reorgs are. */
const checkpointsKept = 256

/** @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function openIndexStore(dataDir: string): IndexStore {
  const db = openIndexDatabase(dataDir, 'write')
  if (!db) throw new RangeError('A writer creates the file.')
  return new IndexStore(db)
}

/** Its methods throw ForkrouteError STORAGE_UNAVAILABLE. */
export class IndexStore {
  readonly #db: IndexDatabase
  readonly #statements: ReturnType<typeof statementsOf>

  constructor(db: IndexDatabase) {
    this.#db = db
    this.#statements = statementsOf(db)
  }

  /** The last block that was read of each source, -1 for none. */
  cursors(chainId: number, sources: readonly string[]): ReadonlyMap<string, bigint> {
    return guarded(() => new Map(sources.map((source) => [source, this.#cursor(chainId, source)])))
  }

  /** The newest first. */
  checkpoints(chainId: number): readonly Checkpoint[] {
    const rows = guarded(() => this.#statements.newest.all(chainId))
    return rows.map(({ block, hash }) => ({ number: BigInt(block), hash: hexOf(hash) }))
  }

  /** @returns false, and nothing is written, where a source does not stand before the range any more. */
  add({ chainId, sources, from, to, pools, checkpoints }: ReadRange): boolean {
    const { setCursor, setCheckpoint, dropOld } = this.#statements
    return this.#atomic(() => {
      if (sources.some(({ key }) => this.#cursor(chainId, key) !== from - 1n)) return false
      for (const pool of pools) {
        const source = sources.find(({ key }) => key === pool.source)
        if (!source || !this.#isFull(chainId, source)) this.#put(chainId, pool)
      }
      for (const { key } of sources) setCursor.run(chainId, key, Number(to))
      for (const { number, hash } of checkpoints) {
        setCheckpoint.run(chainId, Number(number), bytesOf(hash))
      }
      dropOld.run(chainId, chainId, checkpointsKept - 1)
      return true
    })
  }

  /**
   * Makes place for the sources: those that begin later stand there, and pools of declared factories that are none of them
   * are forgotten, since the operator's file says something else now.
   */
  begin(chainId: number, sources: readonly PoolSource[]): void {
    const { cursorOf, setCursor, dropDeclared } = this.#statements
    const kept = JSON.stringify(sources.map(({ key }) => key))
    this.#atomic(() => {
      for (const statement of dropDeclared) statement.run({ chain: chainId, kept })
      for (const { key, fromBlock = 0n } of sources) {
        if (fromBlock === 0n || cursorOf.get(chainId, key)) continue
        setCursor.run(chainId, key, Number(fromBlock) - 1)
      }
    })
  }

  /** Forgets what was read after the block; -1: everything. */
  rollBack(chainId: number, to: bigint): void {
    this.#atomic(() => {
      for (const statement of this.#statements.undo) {
        statement.run({ chain: chainId, to: Number(to) })
      }
    })
  }

  /** Number of pools by protocol, in the order of their slugs. */
  counts(chainId: number): readonly { readonly protocol: string; readonly pools: number }[] {
    return guarded(() => this.#statements.countOf.all(chainId))
  }

  /** All pools of a chain, the oldest first. */
  list(chainId: number): IndexedPool[] {
    return guarded(() =>
      this.#statements.allOf.all(chainId).map((row) => ({
        ...toPool(row),
        block: BigInt(row.block),
        gate: row.gate && hexOf(row.gate),
      })),
    )
  }

  close(): void {
    this.#db.close()
  }

  #atomic<T>(work: () => T): T {
    return guarded(() => this.#db.transaction(work).immediate())
  }

  #cursor(chainId: number, source: string): bigint {
    return BigInt(this.#statements.cursorOf.get(chainId, source)?.block ?? -1)
  }

  /** Whether it has told of as many pools as are kept of it. */
  #isFull(chainId: number, { key, mostPools }: Pick<PoolSource, 'key' | 'mostPools'>): boolean {
    if (mostPools === undefined) return false
    return (this.#statements.countMade.get(chainId, key)?.pools ?? 0) >= mostPools
  }

  #put(chainId: number, pool: IndexedPool): void {
    const { addPool, addPair, addLink } = this.#statements
    const block = Number(pool.block)
    const { changes, lastInsertRowid } = addPool.run(
      chainId,
      block,
      pool.protocol,
      bytesOf(pool.id),
      pool.address === pool.id ? null : bytesOf(pool.address),
      Buffer.concat(pool.tokens.map(bytesOf)),
      JSON.stringify(pool.parameters),
      pool.gate && bytesOf(pool.gate),
    )
    if (changes === 0 || pool.onlyListed) return
    const ids = [...new Set(pool.tokens)].map((token) => this.#idOf(chainId, token))
    for (const a of ids) {
      for (const b of ids) {
        if (a === b) continue
        addPair.run(a, b, block, lastInsertRowid)
        addLink.run(a, b, block)
      }
    }
  }

  #idOf(chainId: number, token: Address): number {
    const { tokenId, addToken } = this.#statements
    const address = bytesOf(token)
    const known = tokenId.get(chainId, address)
    return known ? known.id : Number(addToken.run(chainId, address).lastInsertRowid)
  }
}

function statementsOf(db: IndexDatabase) {
  const cursorOf = db.prepare<[number, string], { block: number }>(
    'SELECT block FROM cursors WHERE chain_id = ? AND source = ?',
  )
  const setCursor = db.prepare<[number, string, number]>(
    'INSERT OR REPLACE INTO cursors (chain_id, source, block) VALUES (?, ?, ?)',
  )
  const newest = db.prepare<[number], { block: number; hash: Buffer }>(
    'SELECT block, hash FROM checkpoints WHERE chain_id = ? ORDER BY block DESC',
  )
  const setCheckpoint = db.prepare<[number, number, Buffer]>(
    'INSERT OR REPLACE INTO checkpoints (chain_id, block, hash) VALUES (?, ?, ?)',
  )
  const dropOld = db.prepare<[number, number, number]>(
    `DELETE FROM checkpoints WHERE chain_id = ? AND block <
       (SELECT block FROM checkpoints WHERE chain_id = ? ORDER BY block DESC LIMIT 1 OFFSET ?)`,
  )
  const tokenId = db.prepare<[number, Buffer], { id: number }>(
    'SELECT id FROM tokens WHERE chain_id = ? AND address = ?',
  )
  const addToken = db.prepare<[number, Buffer]>(
    'INSERT INTO tokens (chain_id, address) VALUES (?, ?)',
  )
  const addPool = db.prepare<
    [number, number, string, Buffer, Buffer | null, Buffer, string, Buffer | null]
  >(
    `INSERT INTO pools (chain_id, block, protocol, pool, address, tokens, parameters, gate)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const addPair = db.prepare<[number, number, number, number | bigint]>(
    'INSERT INTO pairs (token, other, block, pool) VALUES (?, ?, ?, ?)',
  )
  const addLink = db.prepare<[number, number, number]>(
    `INSERT INTO links (token, other, block) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET block = min(block, excluded.block)`,
  )
  const countOf = db.prepare<[number], { protocol: string; pools: number }>(
    'SELECT protocol, count(*) AS pools FROM pools WHERE chain_id = ? GROUP BY protocol ORDER BY protocol',
  )
  const allOf = db.prepare<[number], PoolRow>(
    'SELECT * FROM pools WHERE chain_id = ? ORDER BY block, protocol, pool',
  )
  const countMade = db.prepare<[number, string], { pools: number }>(
    `SELECT count(*) AS pools FROM pools
     WHERE chain_id = ? AND protocol = 'declared' AND parameters ->> 'factory' = ?`,
  )
  const dropDeclared = [
    `DELETE FROM pairs WHERE pool IN (SELECT id FROM pools WHERE ${staleDeclared})`,
    `DELETE FROM pools WHERE ${staleDeclared}`,
    `DELETE FROM cursors WHERE chain_id = @chain AND source LIKE 'declared:%'
       AND source NOT IN (SELECT value FROM json_each(@kept))`,
  ].map((sql) => db.prepare<{ chain: number; kept: string }>(sql))
  const undo = [
    `DELETE FROM pairs WHERE pool IN (SELECT id FROM pools WHERE chain_id = @chain AND block > @to)`,
    `DELETE FROM links WHERE block > @to AND token IN (SELECT id FROM tokens WHERE chain_id = @chain)`,
    'DELETE FROM pools WHERE chain_id = @chain AND block > @to',
    'DELETE FROM checkpoints WHERE chain_id = @chain AND block > @to',
    'UPDATE cursors SET block = @to WHERE chain_id = @chain AND block > @to',
  ].map((sql) => db.prepare<{ chain: number; to: number }>(sql))
  return {
    cursorOf,
    setCursor,
    newest,
    setCheckpoint,
    dropOld,
    tokenId,
    addToken,
    addPool,
    addPair,
    addLink,
    countOf,
    allOf,
    countMade,
    dropDeclared,
    undo,
  }
}
