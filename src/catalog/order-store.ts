/** Signed orders by those who imported them, in the catalog's file. Several processes may have it open. */
import type Database from 'better-sqlite3'
import { invalidRequest } from '../domain/common-errors.js'
import { compareText } from '../domain/lists.js'
import type { Hex } from '../domain/primitives.js'
import type {
  ImportedOrder,
  OrderQuery,
  OrderVisibility,
  SignedOrder,
} from '../domain/signed-order.js'
import { guarded, openDatabase } from './database.js'

/** Orders of one owner on all chains. */
export const mostOrders = 2_000

interface Row {
  readonly owner: string
  readonly visibility: OrderVisibility
  readonly imported_at: number
  readonly text: string
}

/** All methods throw ForkrouteError STORAGE_UNAVAILABLE. An owner is the id of a key. */
export class OrderStore {
  readonly #db: Database.Database
  readonly #own: Database.Statement<[string, number], { hash: string; text: string }>
  readonly #all: Database.Statement<[number], { hash: string; text: string }>

  /** @throws ForkrouteError STORAGE_UNAVAILABLE when the folder or file cannot be used. */
  constructor(dataDir: string) {
    this.#db = openDatabase(dataDir, false)
    this.#own = this.#db.prepare('SELECT hash, text FROM orders WHERE owner = ? AND chain_id = ?')
    this.#all = this.#db.prepare(
      `SELECT hash, text FROM orders WHERE visibility = 'all' AND chain_id = ? ORDER BY owner DESC`,
    )
  }

  /** One that is known is replaced. @throws ForkrouteError INVALID_REQUEST beyond `mostOrders`. */
  import(
    owner: string,
    visibility: OrderVisibility,
    orders: readonly SignedOrder[],
  ): { readonly added: number; readonly updated: number } {
    return guarded(() =>
      this.#db
        .transaction(() => {
          const before = this.#count(owner)
          const put = this.#db.prepare('REPLACE INTO orders VALUES (?, ?, ?, ?, ?, ?)')
          const now = Date.now()
          for (const order of orders) {
            const { chainId, hash } = order
            put.run(chainId, hash, owner, visibility, now, JSON.stringify(order))
          }
          const added = this.#count(owner) - before
          if (before + added > mostOrders) {
            throw invalidRequest([
              `orders are more than the ${mostOrders} that one key may have: ${before} are there, remove some`,
            ])
          }
          return { added, updated: orders.length - added }
        })
        .immediate(),
    )
  }

  /** The oldest first. */
  ordersOf(
    owner: string,
    { chainId, offset, limit }: OrderQuery,
  ): { readonly total: number; readonly orders: readonly ImportedOrder[] } {
    return guarded(() => {
      const own = 'FROM orders WHERE owner = ? AND chain_id = ?'
      const total = this.#db
        .prepare<[string, number], { n: number }>(`SELECT count(*) AS n ${own}`)
        .get(owner, chainId)
      const rows = this.#db
        .prepare<[string, number, number, number], Row>(
          `SELECT * ${own} ORDER BY imported_at, hash LIMIT ? OFFSET ?`,
        )
        .all(owner, chainId, limit, offset)
      return {
        total: total?.n ?? 0,
        orders: rows.map(({ text, visibility, imported_at: importedAt }) => ({
          ...(JSON.parse(text) as SignedOrder),
          visibility,
          importedAt,
        })),
      }
    })
  }

  /** @returns how many of them there were. */
  remove(owner: string, chainId: number, hashes: readonly Hex[]): number {
    return guarded(() => {
      const drop = this.#db.prepare(
        'DELETE FROM orders WHERE owner = ? AND chain_id = ? AND hash = ?',
      )
      return this.#db.transaction(() =>
        hashes.reduce((sum, hash) => sum + drop.run(owner, chainId, hash).changes, 0),
      )()
    })
  }

  /** Its own orders and those of all, each once, by hash. Of two records with one hash its own counts. */
  usableBy(owner: string, chainId: number): readonly SignedOrder[] {
    return guarded(() => {
      const rows = [...this.#all.all(chainId), ...this.#own.all(owner, chainId)]
      const byHash = new Map(rows.map(({ hash, text }) => [hash, text]))
      return [...byHash.entries()]
        .sort(([a], [b]) => compareText(a, b))
        .map(([, text]) => JSON.parse(text) as SignedOrder)
    })
  }

  /** Takes over the orders of another data folder. */
  takeFrom(dataDir: string): void {
    const other = new OrderStore(dataDir)
    try {
      const all = other.#db.prepare<[], Row>('SELECT * FROM orders').all()
      for (const { owner, visibility, text } of all) {
        this.import(owner, visibility, [JSON.parse(text) as SignedOrder])
      }
    } finally {
      other.close()
    }
  }

  close(): void {
    this.#db.close()
  }

  #count(owner: string): number {
    const row = this.#db
      .prepare<[string], { n: number }>('SELECT count(*) AS n FROM orders WHERE owner = ?')
      .get(owner)
    return row?.n ?? 0
  }
}
