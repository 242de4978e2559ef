/**
 * The most that an amount can become on its way to the target, were every swap paid at the best rate that any pool
 * gives for less. A search that wants only paths better than others skips what cannot be: no quote is needed for it.
 * Pools pay larger amounts worse, so nothing is lost; those of many tokens in changed states may be a little better.
 */
import type { Address } from '../../domain/primitives.js'
import { type ChangedPools, type Edge, exponentOf } from './edge.js'
import type { TokenGraph } from './graph.js'
import { type Reach, wrappedCounterpart } from './reach.js'

/** More than rounding may take from a rate on the whole way. */
const tolerance = 1 + 1e-7

/** Edges with more swaps to go are not judged: too many ways lead on from there. */
const mostSwaps = 2

const unchanged: ChangedPools = new Map()

interface CeilingArgs {
  readonly graph: TokenGraph
  readonly reach: Reach
  readonly wrappedNative: Address
  /** Pools in other states than those of the graph. */
  readonly changed: ReadonlyMap<Edge, ChangedPools>
  /** Neighbours of one token that the search follows. */
  readonly width: number
  /** Where all pools of an edge end before the amount, the rate of less counts: what gets there may be less. */
  readonly mayBeLess: boolean
}

export class Ceiling {
  readonly #args: CeilingArgs
  /** By token, exponent of the amount and swaps to go. */
  readonly #onward = new Map<Address, number[]>()
  /** Best rates of edges that have pools in a changed state, by exponent of the amount. */
  readonly #rates = new Map<Edge, number[]>()

  constructor(args: CeilingArgs) {
    this.#args = args
  }

  /** The most that an amount through this edge, and by `left` more swaps to a target, can give. */
  most(edge: Edge, amountIn: bigint, left: number): number {
    if (left > mostSwaps) return Number.POSITIVE_INFINITY
    const amount = Number(amountIn)
    return this.mostFrom(edge.tokenOut, amount * this.#bestRate(edge, amount) * tolerance, left)
  }

  /** The most that an amount of a token can give by `left` swaps to a target. */
  mostFrom(token: Address, amount: number, left: number): number {
    if (left > mostSwaps) return Number.POSITIVE_INFINITY
    return left === 0 ? amount : amount * this.#onwardRate(token, amount, left)
  }

  /** The best rate by which an amount of a token, or of its counterpart, becomes a target in at most `left` swaps. */
  #onwardRate(token: Address, amount: number, left: number): number {
    const { graph, reach, wrappedNative, width } = this.#args
    const known = this.#onward.get(token) ?? []
    this.#onward.set(token, known)
    const place = exponentOf(amount) * (mostSwaps + 1) + left
    const before = known[place]
    if (before !== undefined) return before
    let best = 0
    for (const from of [token, wrappedCounterpart(token, wrappedNative)]) {
      if (!from) continue
      if (reach.targets.includes(from)) best = Math.max(best, 1)
      for (const target of reach.targets) {
        const edge = graph.edge(from, target)
        if (edge) best = Math.max(best, this.#bestRate(edge, amount))
      }
      for (const edge of left > 1 ? reach.onward(from, 0n, left - 1, width) : []) {
        const rate = this.#bestRate(edge, amount)
        best = Math.max(best, rate * this.#onwardRate(edge.tokenOut, amount * rate, left - 1))
      }
    }
    known[place] = best
    return best
  }

  #bestRate(edge: Edge, amount: number): number {
    const { mayBeLess } = this.#args
    const changed = this.#args.changed.get(edge)
    if (!changed) return edge.bestRate(amount, unchanged, mayBeLess)
    const known = this.#rates.get(edge) ?? []
    this.#rates.set(edge, known)
    const exponent = exponentOf(amount)
    const rate = known[exponent] ?? edge.bestRate(amount, changed, mayBeLess)
    known[exponent] = rate
    return rate
  }
}
