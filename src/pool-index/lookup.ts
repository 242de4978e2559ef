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
  /** `upTo` of the answers at the block, which is all that changes while the index goes on. */
  upTo(pin: BlockPin, sources: readonly string[]): bigint | null
  find(pin: BlockPin, question: IndexQuestion): IndexAnswer
  /** What the sources of one protocol tell of for its list of positions. */
  listed(pin: BlockPin, sources: readonly string[], protocol: string): IndexAnswer
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
/** The most pools of one answer, since two words of the state of each are read at the block. */
const mostPools = 512
/** The most pools of one protocol in a list of positions, since each is read at the block. */
const mostListed = 512
/** Blocks that a reorg may replace, where the index knows another block of the number. */
const reorgWindow = 64

/** @returns null where nothing was indexed yet. @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function openIndexReader(dataDir: string): IndexReader | null {
  const db = openIndexDatabase(dataDir, 'read')
  return db && createReader(db)
}

/** token, upTo, most, gates in hexadecimal, and the other tokens by their places. */
interface Statement {
  all(values: Readonly<Record<string, number | string>>): PoolRow[]
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
  const neighbours = db.prepare<[number, number, number], { other: number }>(
    // Numbers of tokens differ from one index to another, addresses do not.
    `SELECT other FROM links CROSS JOIN tokens ON tokens.id = links.other
     WHERE token = ? AND block <= ? ORDER BY block, address LIMIT ?`,
  )
  const linked = db.prepare<[string, number, number], { value: number }>(
    `SELECT near.value FROM json_each(?) near CROSS JOIN links
     ON links.token = ? AND links.other = near.value AND links.block <= ? ORDER BY near.key`,
  )
  const oldest = db.prepare<[number, string, number, number], PoolRow>(
    'SELECT * FROM pools WHERE chain_id = ? AND protocol = ? AND block <= ? ORDER BY block, pool LIMIT ?',
  )
  const ofToken = new Map<number, Statement>()
  /** Pools of one token with any of so many others, each pair's oldest first. */
  const poolsWith = (others: number): Statement => {
    const parts = Array.from(
      { length: others },
      (_, k) => `SELECT * FROM (SELECT pools.* FROM pairs CROSS JOIN pools ON pools.id = pairs.pool
        WHERE token = @token AND other = @other${k} AND pairs.block <= @upTo
          AND (gate IS NULL OR instr(@gates, hex(gate)) > 0)
        ORDER BY pairs.block, protocol, pools.pool LIMIT @most)`,
    )
    const made =
      ofToken.get(others) ?? (db.prepare(parts.join(' UNION ALL ')) as unknown as Statement)
    ofToken.set(others, made)
    return made
  }

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
    const { maxHops } = question
    const gates = question.gates.map((gate) => gate.slice(2).toUpperCase()).join()
    const found = new Map<number, Pool>()
    const ids = (groups: readonly (readonly Address[])[]) =>
      groups.flat().flatMap((token) => tokenId.get(pin.chainId, bytesOf(token))?.id ?? [])
    const take = (token: number, others: readonly number[], most: number) => {
      const asked = others.filter((other) => other !== token)
      if (asked.length === 0 || found.size >= mostPools) return
      const named = Object.fromEntries(asked.map((other, k) => [`other${k}`, other]))
      for (const row of poolsWith(asked.length).all({ token, upTo, most, gates, ...named })) {
        if (found.size < mostPools) found.set(row.id, toPool(row))
      }
    }
    const near = keptBy((token: number) =>
      neighbours
        .all(token, upTo, neighboursLookedAt)
        .flatMap(({ other }) => (own.includes(other) ? [] : [other])),
    )
    const shared = (few: readonly number[], token: number) =>
      linked.all(JSON.stringify(few), token, upTo).map(({ value }) => value)

    const [ins, outs] = [ids(question.tokensIn), ids(question.tokensOut)]
    const connectors = ids(question.connectors)
    const own = [...new Set([...ins, ...outs, ...connectors])]
    for (const token of ins) take(token, outs, poolsBetweenEnds)
    if (maxHops >= 2) for (const token of [...ins, ...outs]) take(token, connectors, poolsOfPair)
    if (maxHops >= 3) {
      for (const [k, token] of connectors.entries())
        take(token, connectors.slice(k + 1), poolsOfPair)
    }
    const between = new Set<number>()
    const join = (from: readonly number[], to: readonly number[]) => {
      for (const a of from) {
        for (const b of to) {
          if (a === b || between.size >= mostBetween) continue
          const isFirst = near(a).length <= near(b).length
          for (const other of shared(near(isFirst ? a : b), isFirst ? b : a)) {
            if (between.size < mostBetween) between.add(other)
          }
        }
      }
    }
    if (maxHops >= 2) join(ins, outs)
    if (maxHops >= 3) {
      join(ins, connectors)
      join(connectors, outs)
    }
    for (const other of between) take(other, own, poolsPerLink)
    if (maxHops >= 3) {
      const [firsts, lasts] = [ins, outs].map((tokens) =>
        tokens.flatMap((token) => near(token).slice(0, chainStarts)),
      ) as [number[], number[]]
      for (const x of firsts) {
        const next = shared(lasts, x)
        if (next.length === 0) continue
        take(x, next, 1)
        take(x, ins, poolsPerLink)
        for (const y of next) take(y, outs, poolsPerLink)
      }
    }
    return { upTo: BigInt(upTo), pools: [...found.values()] }
  }

  return {
    upTo: (pin, sources) =>
      guarded(() => {
        const block = reach(pin, sources)
        return block === null ? null : BigInt(block)
      }),
    find: (pin, question) => guarded(() => db.transaction(() => find(pin, question))()),
    listed: (pin, sources, protocol) =>
      guarded(() =>
        db.transaction(() => {
          const upTo = reach(pin, sources)
          if (upTo === null) return { upTo: null, pools: [] }
          const rows = oldest.all(pin.chainId, protocol, upTo, mostListed)
          return { upTo: BigInt(upTo), pools: rows.map(toPool) }
        })(),
      ),
    close: () => db.close(),
  }
}

function keptBy<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>()
  return (key) => {
    const value = known.get(key) ?? make(key)
    known.set(key, value)
    return value
  }
}
