/**
 * Which pools of the index a request may be interested in at a block: those between its tokens, and those by which
 * another token joins both sides. Everything is in the order of creation, so pools that were made after the block
 * change nothing, and one that is made cheaply today takes the place of none that was there before.
 */
import type { Address, BlockPin } from '../domain/primitives.js'
import type { Pool } from '../protocols/pool.js'
import {
  bytesOf,
  guarded,
  hexOf,
  type IndexDatabase,
  openIndexDatabase,
  type PoolRow,
  toPool,
} from './database.js'

export interface IndexQuestion {
  /** Keys of the chain's sources. */
  readonly sources: readonly string[]
  /** Each with the other spellings of the same token, such as native beside its wrapped token. */
  readonly tokensIn: readonly (readonly Address[])[]
  readonly tokensOut: readonly (readonly Address[])[]
  readonly connectors: readonly (readonly Address[])[]
  readonly maxHops: number
  /** Hooks that the operator allows. */
  readonly gates: readonly string[]
}

export interface IndexAnswer {
  /** The last block whose pools are known, the block itself at most; null: none. */
  readonly upTo: bigint | null
  /** Candidates: between tokens of the question, then by tokens in between. */
  readonly pools: readonly Pool[]
}

export interface IndexReader {
  find(pin: BlockPin, question: IndexQuestion): IndexAnswer
  close(): void
}

/** Pools between two tokens of the request, and between others. */
const poolsBetweenEnds = 128
const poolsOfPair = 24
/** Pools of one token in between with one token of the question. */
const poolsPerLink = 4
/** Neighbours of a token that are searched for those that it shares with another. */
const neighboursLookedAt = 192
/** Tokens in between that are looked at, and neighbours of each end for two of them in a row. */
const mostBetween = 96
const chainStarts = 12
/** Of all, since two words of the state of each are read at the block. */
const mostPools = 768
/** Blocks that a reorg may replace, where the index knows another block of the number. */
const reorgWindow = 64

/** @returns null where nothing was indexed yet. @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function openIndexReader(dataDir: string): IndexReader | null {
  const db = openIndexDatabase(dataDir, 'read')
  return db && createReader(db)
}

function createReader(db: IndexDatabase): IndexReader {
  const cursorOf = db.prepare<[number, string], { block: number }>(
    'SELECT block FROM cursors WHERE chain_id = ? AND source = ?',
  )
  const checkpointOf = db.prepare<[number, number], { hash: Buffer }>(
    'SELECT hash FROM checkpoints WHERE chain_id = ? AND block = ?',
  )
  const tokenId = db.prepare<[number, Buffer], { id: number }>(
    'SELECT id FROM tokens WHERE chain_id = ? AND address = ?',
  )
  const ofPair = db.prepare<[number, number, number, number], PoolRow>(
    `SELECT pools.* FROM pairs CROSS JOIN pools ON pools.id = pairs.pool
     WHERE token = ? AND other = ? AND pairs.block <= ?
     ORDER BY pairs.block, protocol, pools.pool LIMIT ?`,
  )
  const neighbours = db.prepare<[number, number, number], { other: number }>(
    // Numbers of tokens differ from one index to another, addresses do not.
    `SELECT other FROM links CROSS JOIN tokens ON tokens.id = links.other
     WHERE token = ? AND block <= ? ORDER BY block, address LIMIT ?`,
  )
  const linkOf = db.prepare<[number, number, number], { found: 1 }>(
    'SELECT 1 AS found FROM links WHERE token = ? AND other = ? AND block <= ?',
  )

  /** The block up to which the index holds what the block's own chain holds. */
  function reach(pin: BlockPin, sources: readonly string[]): number | null {
    const number = Number(pin.number)
    const read = sources.map((source) => cursorOf.get(pin.chainId, source)?.block ?? -1)
    const cursor = Math.min(...read)
    if (sources.length === 0 || cursor < 0) return null
    const other = checkpointOf.get(pin.chainId, number)
    const isReplaced = other !== undefined && hexOf(other.hash) !== pin.hash
    if (isReplaced) return Math.max(0, number - reorgWindow)
    return Math.min(cursor, number)
  }

  function find(pin: BlockPin, question: IndexQuestion): IndexAnswer {
    const upTo = reach(pin, question.sources)
    if (upTo === null) return { upTo: null, pools: [] }
    const allowed = new Set(question.gates)
    const found = new Map<number, Pool>()
    const ids = (groups: readonly (readonly Address[])[]) =>
      groups.map((spellings) =>
        spellings.flatMap((token) => tokenId.get(pin.chainId, bytesOf(token))?.id ?? []),
      )
    const [ins, outs, connectors] = [
      ids(question.tokensIn),
      ids(question.tokensOut),
      ids(question.connectors),
    ]
    const take = (a: number, b: number, most: number) => {
      if (a === b || found.size >= mostPools) return
      for (const row of ofPair.all(a, b, upTo, most)) {
        if (row.gate && !allowed.has(hexOf(row.gate))) continue
        if (found.size < mostPools) found.set(row.id, toPool(row))
      }
    }
    const takeAll = (from: readonly number[][], to: readonly number[][], most: number) => {
      for (const a of from.flat()) for (const b of to.flat()) take(a, b, most)
    }
    takeAll(ins, outs, poolsBetweenEnds)
    if (question.maxHops >= 2) {
      takeAll(ins, connectors, poolsOfPair)
      takeAll(connectors, outs, poolsOfPair)
    }
    if (question.maxHops >= 3) takeAll(connectors, connectors, poolsOfPair)

    const own = new Set([...ins, ...outs, ...connectors].flat())
    const near = (token: number, most: number) =>
      neighbours.all(token, upTo, most).flatMap(({ other }) => (own.has(other) ? [] : [other]))
    const between = new Set<number>()
    const join = (from: readonly number[][], to: readonly number[][]) => {
      for (const a of from.flat()) {
        for (const b of to.flat()) {
          if (a === b || between.size >= mostBetween) continue
          const [ofA, ofB] = [near(a, neighboursLookedAt), near(b, neighboursLookedAt)]
          const [few, far] = ofA.length <= ofB.length ? [ofA, b] : [ofB, a]
          for (const other of few) {
            if (between.size >= mostBetween) break
            if (linkOf.get(far, other, upTo)) between.add(other)
          }
        }
      }
    }
    if (question.maxHops >= 2) join(ins, outs)
    if (question.maxHops >= 3) {
      join(ins, connectors)
      join(connectors, outs)
    }
    for (const other of between) takeAll([[other]], [...ins, ...outs, ...connectors], poolsPerLink)
    if (question.maxHops >= 3) {
      for (const x of ins.flat().flatMap((token) => near(token, chainStarts))) {
        for (const y of outs.flat().flatMap((token) => near(token, chainStarts))) {
          if (x === y || !linkOf.get(x, y, upTo)) continue
          take(x, y, 1)
          takeAll([[x]], ins, poolsPerLink)
          takeAll([[y]], outs, poolsPerLink)
        }
      }
    }
    return { upTo: BigInt(upTo), pools: [...found.values()] }
  }

  return {
    find: (pin, question) => guarded(() => db.transaction(() => find(pin, question))()),
    close: () => db.close(),
  }
}
