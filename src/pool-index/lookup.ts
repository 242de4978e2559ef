/**
 * Which pools of the index a request may be interested in at a block: those between its tokens, and those by which
 * another token joins both sides. Everything is in the order of creation, so pools that were made after the block
 * change nothing, and one that is made cheaply today takes the place of none that was there before.
 */
import type { Address, BlockPin } from '../domain/primitives.js'
import type { Pool } from '../protocols/pool.js'
import {
  guarded,
  hexOf,
  type IndexDatabase,
  openIndexDatabase,
  type PoolRow,
  toPool,
} from './database.js'
import { type FoundPools, type IndexQuestion, poolsFor } from './pool-search.js'
import { TokenLinks } from './token-links.js'

export interface IndexAnswer extends FoundPools {
  /** The last block whose pools are known, the block itself at most; null: none. */
  readonly upTo: bigint | null
}

/** The most pools of one protocol in a list of positions, since each is read at the block. */
const mostListed = 512
/** Blocks that a reorg may replace, where the index knows another block of the number. */
const reorgWindow = 64

/** @returns null where nothing was indexed yet. @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function openIndexReader(dataDir: string): IndexReader | null {
  const db = openIndexDatabase(dataDir, 'read')
  return db && new IndexReader(db)
}

/** Its methods throw ForkrouteError STORAGE_UNAVAILABLE. */
export class IndexReader {
  readonly #db: IndexDatabase
  readonly #statements: ReturnType<typeof statementsOf>
  readonly #links: TokenLinks

  constructor(db: IndexDatabase) {
    this.#db = db
    this.#statements = statementsOf(db)
    this.#links = new TokenLinks(db)
  }

  /** `upTo` of the answers at the block, which is all that changes while the index goes on. */
  upTo(pin: BlockPin, sources: readonly string[]): bigint | null {
    const block = guarded(() => this.#reach(pin, sources))
    return block === null ? null : BigInt(block)
  }

  find(pin: BlockPin, question: IndexQuestion): IndexAnswer {
    return this.#answer(pin, question.sources, (upTo) =>
      poolsFor(this.#links, { ...question, chainId: pin.chainId, upTo }),
    )
  }

  /** What the sources of one protocol tell of for its list of positions. */
  listed(pin: BlockPin, sources: readonly string[], protocol: string): IndexAnswer {
    return this.#answer(pin, sources, (upTo) => ({
      pools: this.#statements.oldest.all(pin.chainId, protocol, upTo, mostListed).map(toPool),
      hooked: [],
    }))
  }

  /** Pools of these factories of one protocol, the oldest first, as far as the sources are known. */
  madeBy(
    pin: BlockPin,
    sources: readonly string[],
    { protocol, factories }: { readonly protocol: string; readonly factories: readonly Address[] },
  ): readonly Pool[] {
    const { made } = this.#statements
    const { pools } = this.#answer(pin, sources, (upTo) => ({
      pools: made
        .all(pin.chainId, protocol, upTo, JSON.stringify(factories), mostListed)
        .map(toPool),
      hooked: [],
    }))
    return pools
  }

  close(): void {
    this.#db.close()
  }

  /** In one transaction, so that the pools are those of the block that the answer names. */
  #answer(
    pin: BlockPin,
    sources: readonly string[],
    poolsUpTo: (block: number) => FoundPools,
  ): IndexAnswer {
    const read = (): IndexAnswer => {
      const upTo = this.#reach(pin, sources)
      if (upTo === null) return { upTo: null, pools: [], hooked: [] }
      return { upTo: BigInt(upTo), ...poolsUpTo(upTo) }
    }
    return guarded(() => this.#db.transaction(read)())
  }

  /** The block up to which the index holds what the block's own chain holds. */
  #reach(pin: BlockPin, sources: readonly string[]): number | null {
    const { cursorOf, checkpointOf } = this.#statements
    const number = Number(pin.number)
    const read = sources.map((source) => cursorOf.get(pin.chainId, source)?.block ?? -1)
    const cursor = Math.min(...read)
    if (sources.length === 0 || cursor < 0) return null
    const other = checkpointOf.get(pin.chainId, number)
    const isReplaced = other !== undefined && hexOf(other.hash) !== pin.hash
    if (isReplaced) return Math.max(0, number - reorgWindow)
    return Math.min(cursor, number)
  }
}

function statementsOf(db: IndexDatabase) {
  const cursorOf = db.prepare<[number, string], { block: number }>(
    'SELECT block FROM cursors WHERE chain_id = ? AND source = ?',
  )
  const checkpointOf = db.prepare<[number, number], { hash: Buffer }>(
    'SELECT hash FROM checkpoints WHERE chain_id = ? AND block = ?',
  )
  const oldest = db.prepare<[number, string, number, number], PoolRow>(
    'SELECT * FROM pools WHERE chain_id = ? AND protocol = ? AND block <= ? ORDER BY block, pool LIMIT ?',
  )
  const made = db.prepare<[number, string, number, string, number], PoolRow>(
    `SELECT * FROM pools WHERE chain_id = ? AND protocol = ? AND block <= ?
       AND json_extract(parameters, '$.factory') IN (SELECT value FROM json_each(?))
     ORDER BY block, pool LIMIT ?`,
  )
  return { cursorOf, checkpointOf, oldest, made }
}
