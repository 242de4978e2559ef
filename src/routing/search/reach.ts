/**
 * Which tokens can still reach the target: keeps the search out of dead ends without walking the whole graph.
 */
import { LRUCache } from 'lru-cache'
import { type Address, isNative, nativeToken } from '../../domain/primitives.js'
import type { MarketView } from '../market/market-view.js'
import type { Edge } from './edge.js'
import { byDepth, TokenGraph } from './graph.js'

/** Sets of tokens near the target are kept up to this size; beyond it, each token is checked on demand. */
const largestSet = 256
/** Neighbours looked at per neighbour that is wanted. */
const lookedAtPerWanted = 16
/** Edges whose depth the amount exceeds this many times yield next to nothing; a few are followed all the same. */
const hopelessFactor = 8
const followedAnyhow = 8
/** Targets of one view that are remembered: a request searches a dozen times for the same one. */
const mostTargets = 8

/** The wrapped token of native, native of the wrapped token. */
export function wrappedCounterpart(token: Address, wrappedNative: Address): Address | null {
  if (isNative(token)) return wrappedNative
  return token === wrappedNative ? nativeToken : null
}

export class Reach {
  readonly #graph: TokenGraph
  readonly #wrappedNative: Address
  /** The target and its wrapped counterpart. */
  readonly targets: readonly Address[]
  /** At index n: tokens from which n swaps reach a target; null where they are too many to list. */
  readonly #near: (ReadonlySet<Address> | null)[]
  /** Edges that arrive, by swaps and count, then by the token that they leave. */
  readonly #arriving = new Map<string, Map<Address, readonly Edge[]>>()

  constructor(graph: TokenGraph, target: Address, wrappedNative: Address, maxHops: number) {
    this.#graph = graph
    this.#wrappedNative = wrappedNative
    this.targets = this.#withCounterpart(target)
    this.#near = [new Set(this.targets)]
    for (let hops = 1; hops < maxHops; hops++) this.#near.push(this.#before(this.#near.at(-1)))
  }

  /**
   * Edges of a token from whose end the target can be reached in at most `swaps` more swaps, at most `count`,
   * the deepest first where there are many, without those that are far too shallow for the amount.
   */
  onward(token: Address, amount: bigint, swaps: number, count: number): readonly Edge[] {
    const bounds = `${swaps}/${count}`
    const known = this.#arriving.get(bounds) ?? new Map<Address, readonly Edge[]>()
    this.#arriving.set(bounds, known)
    const edges = known.get(token) ?? this.#toArrive(token, swaps, count)
    known.set(token, edges)
    if (amount === 0n) return edges
    const least = Number(amount) / hopelessFactor
    return edges.filter(
      ({ depth }, index) => index < followedAnyhow || depth === 0 || depth >= least,
    )
  }

  #toArrive(token: Address, swaps: number, count: number): Edge[] {
    const edges = this.#graph.edgesOf(token)
    const near = this.#near[swaps]
    if (near && near.size < edges.length) {
      const found = [...near].flatMap((next) => this.#graph.edge(token, next) ?? [])
      return found.sort(byDepth).slice(0, count)
    }
    const found: Edge[] = []
    for (const edge of edges.slice(0, count * lookedAtPerWanted)) {
      if (found.length === count) break
      if (this.#arrives(edge.tokenOut, swaps, token)) found.push(edge)
    }
    return found
  }

  #arrives(token: Address, swaps: number, from: Address): boolean {
    const near = this.#near[swaps]
    if (near) return near.has(token)
    const closer = this.#near[swaps - 1]
    return this.#withCounterpart(token).some((source) => {
      const edges = this.#graph.edgesOf(source)
      if (closer && closer.size < edges.length) {
        return [...closer].some((next) => next !== from && this.#graph.edge(source, next))
      }
      return edges
        .slice(0, largestSet)
        .some(({ tokenOut }) => tokenOut !== from && this.#arrives(tokenOut, swaps - 1, source))
    })
  }

  #before(tokens: ReadonlySet<Address> | null | undefined): ReadonlySet<Address> | null {
    if (!tokens) return null
    const found = new Set(tokens)
    for (const token of tokens) {
      const edges = this.#graph.edgesOf(token)
      if (found.size + edges.length > 2 * largestSet) return null
      for (const edge of edges)
        for (const each of this.#withCounterpart(edge.tokenOut)) found.add(each)
    }
    return found.size > largestSet ? null : found
  }

  #withCounterpart(token: Address): readonly Address[] {
    const counterpart = wrappedCounterpart(token, this.#wrappedNative)
    return counterpart ? [token, counterpart] : [token]
  }
}

/** The reaches of one view of the market, for its next searches. */
export class Reaches {
  readonly #graph: TokenGraph
  readonly #known = new LRUCache<string, Reach>({ max: mostTargets })

  constructor(view: MarketView) {
    this.#graph = view.memory(TokenGraph)
  }

  of(target: Address, wrappedNative: Address, maxHops: number): Reach {
    const key = `${target}/${wrappedNative}/${maxHops}`
    const reach = this.#known.get(key) ?? new Reach(this.#graph, target, wrappedNative, maxHops)
    this.#known.set(key, reach)
    return reach
  }
}
