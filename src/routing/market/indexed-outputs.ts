/**
 * What pools of the index give for amounts of any size, by their depths and fees alone: a pool that nobody has traded in
 * for long pays small amounts best, however shallow it is. Estimates choose what is loaded; they never become amounts.
 */
import type { Address } from '../../domain/primitives.js'
import type { Pool } from '../../protocols/pool.js'

export interface RankedPool {
  readonly pool: Pool
  /** Raw units that trade near the price, by token; native counts as its wrapped token. */
  readonly depth: ReadonlyMap<Address, bigint>
  /** Hundredths of a basis point; null: its depths do not tell what it gives. */
  readonly feePips: number | null
}

/** Pools are compared at the deepest one's amount over each of these, whatever amount is asked for. */
const parts = [1, 2, 3, 4, 5, 6, 7].map((power) => 16 ** power)
const pipsOfAll = 1_000_000
/** Ways that promise more than this over those through known tokens mostly lead through one that cannot be sold. */
const mostGain = 1.1
/** Ways that are kept for each amount. */
const waysPerAmount = 2

/** A pool as a constant product in one direction. */
interface Product {
  readonly pool: RankedPool
  /** Raw units of tokenIn and tokenOut. */
  readonly reserveIn: number
  readonly reserveOut: number
  /** Part of the input that the fee leaves. */
  readonly kept: number
}

/** A way through pools, one after the other, and the raw units that come out. */
interface Way {
  readonly pools: readonly RankedPool[]
  readonly output: number
}

const nowhere: Way = { pools: [], output: 0 }

interface Ends {
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Tokens other than the ends that any route may lead through. */
  readonly connectors: readonly Address[]
  /** Tokens that are compared with these. */
  readonly strangers: readonly Address[]
  readonly maxHops: number
}

export class IndexedOutputs {
  /** By tokenIn, then tokenOut. */
  readonly #products = new Map<Address, Map<Address, Product[]>>()
  readonly #deepest = new Map<Address, bigint>()

  constructor(pools: readonly RankedPool[]) {
    for (const pool of pools) {
      const [a, b] = pool.depth
      for (const [token, amount] of pool.depth) {
        if (amount > this.deepestOf(token)) this.#deepest.set(token, amount)
      }
      if (pool.feePips === null || !a || !b) continue
      const kept = (pipsOfAll - pool.feePips) / pipsOfAll
      this.#put(pool, kept, a, b)
      this.#put(pool, kept, b, a)
    }
  }

  /** Raw units of the token that its deepest pool trades near the price. */
  deepestOf(token: Address): bigint {
    return this.#deepest.get(token) ?? 0n
  }

  /** The pools that give most for some amount of the token. */
  bestFor(tokenIn: Address, tokenOut: Address): readonly RankedPool[] {
    const best = this.#amountsOf(tokenIn).flatMap(
      (output) => this.#step({ pools: [], output }, tokenIn, tokenOut).pools,
    )
    return [...new Set(best)]
  }

  /**
   * The pools of ways through one stranger, and at most one connector, that give more for some amount than all ways
   * through connectors alone.
   */
  payingWays(ends: Ends): readonly RankedPool[] {
    if (ends.maxHops < 2) return []
    const ways = this.#amountsOf(ends.tokenIn).flatMap((amount) => this.#waysThatPay(ends, amount))
    return [...new Set(ways.flatMap(({ pools }) => pools))]
  }

  #put(
    pool: RankedPool,
    kept: number,
    [tokenIn, amountIn]: readonly [Address, bigint],
    [tokenOut, amountOut]: readonly [Address, bigint],
  ): void {
    const onward = this.#products.get(tokenIn) ?? new Map<Address, Product[]>()
    this.#products.set(tokenIn, onward)
    const product = { pool, kept, reserveIn: Number(amountIn), reserveOut: Number(amountOut) }
    onward.set(tokenOut, [...(onward.get(tokenOut) ?? []), product])
  }

  /** Raw units, from large to small. */
  #amountsOf(token: Address): readonly number[] {
    const deepest = Number(this.deepestOf(token))
    return parts.map((part) => deepest / part).filter((amount) => amount >= 1)
  }

  #waysThatPay(
    { tokenIn, tokenOut, connectors, strangers, maxHops }: Ends,
    amount: number,
  ): readonly Way[] {
    const start: Way = { pools: [], output: amount }
    const isLong = maxHops >= 3
    const near = connectors.map((token) => ({ token, way: this.#step(start, tokenIn, token) }))
    const known = mostOf([
      this.#step(start, tokenIn, tokenOut),
      ...near.flatMap(({ token, way }) => [
        this.#step(way, token, tokenOut),
        ...(isLong ? this.#byOne(way, token, tokenOut, connectors) : []),
      ]),
    ]).output
    const through = strangers.map((stranger) => {
      const first = this.#step(start, tokenIn, stranger)
      const before = isLong ? near.map(({ token, way }) => this.#step(way, token, stranger)) : []
      return mostOf([
        ...[first, ...before].map((way) => this.#step(way, stranger, tokenOut)),
        ...(isLong ? this.#byOne(first, stranger, tokenOut, connectors) : []),
      ])
    })
    return through
      .filter(({ output }) => output > known && output < known * mostGain)
      .sort((a, b) => b.output - a.output)
      .slice(0, waysPerAmount)
  }

  /** The way continued by two swaps, one for each token in between. */
  #byOne(way: Way, token: Address, tokenOut: Address, between: readonly Address[]): Way[] {
    if (way.output === 0) return []
    return between.map((next) => this.#step(this.#step(way, token, next), next, tokenOut))
  }

  /** The way continued by the pool that gives most. */
  #step({ pools, output }: Way, tokenIn: Address, tokenOut: Address): Way {
    if (output === 0) return nowhere
    let [best, most]: [RankedPool | null, number] = [null, 0]
    for (const product of this.#products.get(tokenIn)?.get(tokenOut) ?? []) {
      const { pool, reserveIn, reserveOut, kept } = product
      const taken = output * kept
      const given = (reserveOut * taken) / (reserveIn + taken)
      if (given > most) [best, most] = [pool, given]
    }
    return best ? { pools: [...pools, best], output: most } : nowhere
  }
}

function mostOf(ways: readonly Way[]): Way {
  return ways.reduce((best, way) => (way.output > best.output ? way : best), nowhere)
}
