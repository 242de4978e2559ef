/**
 * Pools that one question may be interested in: between its tokens, with its connectors, and by which other tokens join
 * both of its sides. How many are looked at is bounded at each step, since each costs reads of the state.
 */
import type { Address } from '../domain/primitives.js'
import type { Pool } from '../protocols/pool.js'
import { toPool } from './database.js'
import type { TokenLinks } from './token-links.js'

/** Pools between two tokens of the request, and between others. */
const poolsBetweenEnds = 128
const poolsOfPair = 24
/** Pools of one token in between with one token of the question. */
const poolsPerLink = 6
/** Neighbours of a token that are searched for those that it shares with another. */
const neighboursLookedAt = 192
/** Tokens in between that are looked at, and neighbours of each end for two of them in a row. */
const mostBetween = 96
const chainStarts = 12
/** The most pools of one answer, since two words of the state of each are read at the block. */
const mostPools = 512
/** The same of pools whose hooks no list names, which are run at each block: of each pair, and in all. */
const hookedOfPair = 16
const mostHooked = 48

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
  /** Whether pools with other hooks are named, too, beside all others. */
  readonly runsHooks: boolean
}

export interface SearchedQuestion extends Omit<IndexQuestion, 'sources'> {
  readonly chainId: number
  /** The last block whose pools count. */
  readonly upTo: number
}

export interface FoundPools {
  /** Candidates: between tokens of the question, then by tokens in between. */
  readonly pools: readonly Pool[]
  /** Pools of the tokens of the question whose hooks no list names. */
  readonly hooked: readonly Pool[]
  /** Wrapped forms of tokens of the question, which count as these tokens: each with the token, then itself. Absent: none. */
  readonly wrapped?: readonly Pool[]
}

export function poolsFor(links: TokenLinks, question: SearchedQuestion): FoundPools {
  const { maxHops } = question
  const search = new PoolSearch(links, question)
  search.takeBetweenEnds()
  if (maxHops >= 2) search.takeWithConnectors()
  if (maxHops >= 3) search.takeBetweenConnectors()
  search.takeByTokensBetween()
  if (maxHops >= 3) search.takeByTwoTokensBetween()
  if (question.runsHooks) {
    search.takeHookedBetweenEnds()
    if (maxHops >= 2) search.takeHookedWithConnectors()
  }
  return search.found()
}

class PoolSearch {
  readonly #links: TokenLinks
  readonly #upTo: number
  readonly #maxHops: number
  readonly #gates: string
  readonly #ins: readonly number[]
  readonly #outs: readonly number[]
  readonly #connectors: readonly number[]
  /** The tokens that the question names. */
  readonly #own: readonly number[]
  readonly #found = new Map<number, Pool>()
  readonly #hooked = new Map<number, Pool>()
  /** Neighbours of tokens, but for the question's own. */
  readonly #near = new Map<number, readonly number[]>()

  constructor(links: TokenLinks, question: SearchedQuestion) {
    const { chainId, tokensIn, tokensOut, connectors, gates } = question
    const ids = (groups: readonly (readonly Address[])[]) =>
      groups.flat().flatMap((token) => links.idOf(chainId, token) ?? [])
    this.#links = links
    this.#upTo = question.upTo
    this.#maxHops = question.maxHops
    this.#gates = gates.map((gate) => gate.slice(2).toUpperCase()).join()
    this.#ins = ids(tokensIn)
    this.#outs = ids(tokensOut)
    this.#connectors = ids(connectors)
    this.#own = [...new Set([...this.#ins, ...this.#outs, ...this.#connectors])]
  }

  found(): FoundPools {
    return { pools: [...this.#found.values()], hooked: [...this.#hooked.values()] }
  }

  takeBetweenEnds(): void {
    for (const token of this.#ins) this.#take(token, this.#outs, poolsBetweenEnds)
  }

  takeWithConnectors(): void {
    for (const token of [...this.#ins, ...this.#outs]) {
      this.#take(token, this.#connectors, poolsOfPair)
    }
  }

  takeBetweenConnectors(): void {
    for (const [k, token] of this.#connectors.entries()) {
      this.#take(token, this.#connectors.slice(k + 1), poolsOfPair)
    }
  }

  takeByTokensBetween(): void {
    for (const token of this.#tokensBetween()) this.#take(token, this.#own, poolsPerLink)
  }

  /** Neighbours of one end that have a pool with a neighbour of the other. */
  takeByTwoTokensBetween(): void {
    const firsts = this.#starts(this.#ins)
    const lasts = this.#starts(this.#outs)
    for (const x of firsts) {
      const next = this.#shared(lasts, x)
      if (next.length === 0) continue
      this.#take(x, next, 1)
      this.#take(x, this.#ins, poolsPerLink)
      for (const y of next) this.#take(y, this.#outs, poolsPerLink)
    }
  }

  takeHookedBetweenEnds(): void {
    for (const token of this.#ins) this.#takeHooked(token, this.#outs)
  }

  takeHookedWithConnectors(): void {
    for (const token of [...this.#ins, ...this.#outs]) this.#takeHooked(token, this.#connectors)
  }

  /** Beside the others and after them, so that they take the place of none. */
  #takeHooked(token: number, others: readonly number[]): void {
    const asked = others.filter((other) => other !== token)
    if (asked.length === 0) return
    const question = {
      token,
      others: asked,
      most: hookedOfPair,
      upTo: this.#upTo,
      gates: this.#gates,
    }
    for (const row of this.#links.hookedPoolsWith(question)) {
      if (this.#hooked.size < mostHooked) this.#hooked.set(row.id, toPool(row))
    }
  }

  #starts(tokens: readonly number[]): number[] {
    return tokens.flatMap((token) => this.#neighbours(token).slice(0, chainStarts))
  }

  #take(token: number, others: readonly number[], most: number): void {
    const asked = others.filter((other) => other !== token)
    if (asked.length === 0 || this.#found.size >= mostPools) return
    const [upTo, gates] = [this.#upTo, this.#gates]
    for (const row of this.#links.poolsWith({ token, others: asked, most, upTo, gates })) {
      if (this.#found.size < mostPools) this.#found.set(row.id, toPool(row))
    }
  }

  /** Tokens that have a pool with each of two tokens of the question. */
  #tokensBetween(): ReadonlySet<number> {
    const between = new Set<number>()
    const join = (from: readonly number[], to: readonly number[]) => {
      for (const a of from) {
        for (const b of to) {
          if (a === b || between.size >= mostBetween) continue
          const isFirst = this.#neighbours(a).length <= this.#neighbours(b).length
          const few = this.#neighbours(isFirst ? a : b)
          for (const other of this.#shared(few, isFirst ? b : a)) {
            if (between.size < mostBetween) between.add(other)
          }
        }
      }
    }
    if (this.#maxHops >= 2) join(this.#ins, this.#outs)
    if (this.#maxHops >= 3) {
      join(this.#ins, this.#connectors)
      join(this.#connectors, this.#outs)
    }
    return between
  }

  #neighbours(token: number): readonly number[] {
    const known = this.#near.get(token)
    if (known) return known
    const all = this.#links.neighbours(token, this.#upTo, neighboursLookedAt)
    const others = all.filter((other) => !this.#own.includes(other))
    this.#near.set(token, others)
    return others
  }

  #shared(tokens: readonly number[], token: number): number[] {
    return this.#links.shared(tokens, token, this.#upTo)
  }
}
