/**
 * The most that an amount can become on its way to the target, were every swap paid at the best rate that any pool
 * gives for less. A search that only wants better than a known rate skips what cannot be: no quote is needed for it.
 * Pools pay larger amounts worse, so nothing is lost; those of many tokens in changed states may be a little better.
 */
import type { Address } from '../../domain/primitives.js'
import type { MarketPool } from '../market/market.js'
import { type Edge, exponentOf } from './edge.js'
import type { TokenGraph } from './graph.js'
import { type Reach, wrappedCounterpart } from './reach.js'

/** More than rounding may take from a rate on the whole way. */
const tolerance = 1 + 1e-7

interface CeilingArgs {
  readonly graph: TokenGraph
  readonly reach: Reach
  readonly wrappedNative: Address
  /** Pools in other states than those of the graph. */
  readonly states: ReadonlyMap<MarketPool, unknown>
  /** Raw units of the target that a path must exceed. */
  readonly moreThan: number
}

export class Ceiling {
  readonly #args: CeilingArgs
  /** By edge and exponent of the amount. */
  readonly #rates = new Map<Edge, number[]>()

  constructor(args: CeilingArgs) {
    this.#args = args
  }

  /** Whether an amount through this edge, and where it does not end at a target by one more swap, may give enough. */
  mayReach(edge: Edge, amountIn: bigint, isLast: boolean): boolean {
    const amount = Number(amountIn)
    const there = amount * this.#bestRate(edge, amount)
    const most = isLast ? there : there * this.#lastRate(edge.tokenOut, there)
    return most * tolerance > this.#args.moreThan
  }

  /** The best rate of a token, or its counterpart, into a target. */
  #lastRate(token: Address, amount: number): number {
    let best = 0
    const { graph, reach, wrappedNative } = this.#args
    for (const from of [token, wrappedCounterpart(token, wrappedNative)]) {
      for (const target of reach.targets) {
        if (from === target) return 1
        const edge = from && graph.edge(from, target)
        if (edge) best = Math.max(best, this.#bestRate(edge, amount))
      }
    }
    return best
  }

  #bestRate(edge: Edge, amount: number): number {
    const known = this.#rates.get(edge) ?? []
    this.#rates.set(edge, known)
    const exponent = exponentOf(amount)
    const rate = known[exponent] ?? edge.bestRate(amount, this.#args.states)
    known[exponent] = rate
    return rate
  }
}
