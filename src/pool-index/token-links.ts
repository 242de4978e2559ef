/** Reads of the index by token: its number, its neighbours, and its pools with others, in the order of creation. */
import type { Address } from '../domain/primitives.js'
import { bytesOf, type IndexDatabase, type PoolRow } from './database.js'

/** token, upTo, most, gates in hexadecimal, and the other tokens by their places. */
interface PoolStatement {
  all(values: Readonly<Record<string, number | string>>): PoolRow[]
}

interface PoolsWith {
  readonly token: number
  readonly others: readonly number[]
  /** Pools of each pair at most. */
  readonly most: number
  readonly upTo: number
  /** Hooks that are allowed, in hexadecimal. */
  readonly gates: string
}

/** Tokens have a number of their own in each index. */
export class TokenLinks {
  readonly #db: IndexDatabase
  readonly #statements: ReturnType<typeof statementsOf>
  /** Keyed by which pools they give, and the number of other tokens. */
  readonly #poolsWith = new Map<string, PoolStatement>()

  constructor(db: IndexDatabase) {
    this.#db = db
    this.#statements = statementsOf(db)
  }

  /** The number of a token; undefined where no pool has it. */
  idOf(chainId: number, token: Address): number | undefined {
    return this.#statements.tokenId.get(chainId, bytesOf(token))?.id
  }

  /** Tokens that share a pool with this one, those of the oldest pools first. */
  neighbours(token: number, upTo: number, most: number): number[] {
    return this.#statements.neighbours.all(token, upTo, most).map(({ other }) => other)
  }

  /** The given tokens that share a pool with this one, in their order. */
  shared(tokens: readonly number[], token: number, upTo: number): number[] {
    const rows = this.#statements.linked.all(JSON.stringify(tokens), token, upTo)
    return rows.map(({ value }) => value)
  }

  /** Pools of one token with any of the others, each pair's oldest first. */
  poolsWith(wanted: PoolsWith): PoolRow[] {
    return this.#pools('(gate IS NULL OR instr(@gates, hex(gate)) > 0)', wanted)
  }

  /** Those with hooks that are not allowed. */
  hookedPoolsWith(wanted: PoolsWith): PoolRow[] {
    return this.#pools('gate IS NOT NULL AND instr(@gates, hex(gate)) = 0', wanted)
  }

  #pools(condition: string, { others, ...values }: PoolsWith): PoolRow[] {
    const named = Object.fromEntries(others.map((other, k) => [`other${k}`, other]))
    return this.#poolStatement(condition, others.length).all({ ...values, ...named })
  }

  #poolStatement(condition: string, others: number): PoolStatement {
    const name = `${others} ${condition}`
    const known = this.#poolsWith.get(name)
    if (known) return known
    const parts = Array.from(
      { length: others },
      (_, k) => `SELECT * FROM (SELECT pools.* FROM pairs CROSS JOIN pools ON pools.id = pairs.pool
        WHERE token = @token AND other = @other${k} AND pairs.block <= @upTo
          AND ${condition}
        ORDER BY pairs.block, protocol, pools.pool LIMIT @most)`,
    )
    const made = this.#db.prepare(parts.join(' UNION ALL ')) as unknown as PoolStatement
    this.#poolsWith.set(name, made)
    return made
  }
}

function statementsOf(db: IndexDatabase) {
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
  return { tokenId, neighbours, linked }
}
