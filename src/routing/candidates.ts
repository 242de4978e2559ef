/**
 * What is worth simulating: one path per leg, the best by native maths and diverse in pools.
 */
import { type Address, bpsDenominator } from '../domain/primitives.js'
import { graphOf } from './graph.js'
import type { MarketPool } from './market.js'
import type { Leg } from './plan-route.js'
import { findPaths, type Path, selectDiverse } from './search.js'

export interface Candidate {
  readonly legs: readonly Leg[]
  /** Identity for ties: pools in order. */
  readonly key: string
}

/** The pools that a candidate swaps in, in order. */
export function swapsOf({ legs }: Candidate): MarketPool[] {
  const hops = legs.flatMap(({ path }) => path.hops)
  return hops.flatMap((hop) => (hop.kind === 'swap' ? [hop.market] : []))
}

export interface CandidateArgs {
  readonly pools: readonly MarketPool[]
  readonly wrappedNative: Address
  readonly tokensIn: readonly Address[]
  /** Raw units, fee already taken. */
  readonly amountsIn: readonly bigint[]
  readonly tokensOut: readonly Address[]
  readonly maxHops: number
  readonly count: number
  /** Raw units of the token that a million gas costs; undefined where no price is known. */
  gasCost(token: Address): bigint | undefined
  /** Pools that the request may use; absent: all. */
  readonly isAllowed?: ((market: MarketPool) => boolean) | undefined
  /** True from the moment when the search shall end with what it has. */
  readonly shouldStop?: (() => boolean) | undefined
}

export interface CandidateSet {
  /** Best first by native maths. */
  readonly candidates: readonly Candidate[]
  /** The pair without any path, when there is one; then there are no candidates. */
  readonly missing: { readonly tokenIn: Address; readonly tokenOut: Address } | null
  /** True when the search was told to stop: there may be better paths. */
  readonly wasCut: boolean
}

/**
 * Several outputs share each input equally (the last takes the remainder); several inputs are merged
 * into each output. With one leg the candidates are its diverse best paths; with several, the best
 * paths of all legs together, then the same with one leg's path exchanged at a time.
 */
export function findCandidates(args: CandidateArgs): CandidateSet {
  const graph = graphOf(args.pools)
  let wasCut = false
  const shouldStop = () => {
    wasCut ||= args.shouldStop?.() ?? false
    return wasCut
  }
  const options: {
    tokenIn: Address
    tokenOut: Address
    amountIn: bigint
    bps: number
    paths: Path[]
  }[] = []
  for (const [i, tokenIn] of args.tokensIn.entries()) {
    let rest = args.amountsIn[i] ?? 0n
    for (const [j, tokenOut] of args.tokensOut.entries()) {
      const bps = Math.floor(Number(bpsDenominator) / (args.tokensOut.length - j))
      const amountIn = (rest * BigInt(bps)) / bpsDenominator
      rest -= amountIn
      const paths = findPaths({
        graph,
        tokenIn,
        tokenOut,
        amountIn,
        maxHops: args.maxHops,
        wrappedNative: args.wrappedNative,
        gasCostIn: args.gasCost(tokenIn),
        gasCostOut: args.gasCost(tokenOut),
        isAllowed: args.isAllowed,
        shouldStop,
      })
      if (!paths.length) return { candidates: [], missing: { tokenIn, tokenOut }, wasCut }
      options.push({ tokenIn, tokenOut, amountIn, bps, paths })
    }
  }
  const legs = options.map(({ paths, ...leg }) => ({
    leg,
    paths: selectDiverse(paths, args.count),
  }))
  const choose = (chosen: readonly number[]): Candidate | null => {
    const picked: Leg[] = []
    for (const [index, { leg, paths }] of legs.entries()) {
      const path = paths[chosen[index] ?? 0]
      if (!path) return null
      picked.push({ ...leg, path })
    }
    return { legs: picked, key: picked.map(({ path }) => path.key).join('+') }
  }
  const best = legs.map(() => 0)
  const picks = [choose(best)]
  for (let alternative = 1; alternative < args.count; alternative++) {
    for (const index of legs.keys()) picks.push(choose(best.with(index, alternative)))
  }
  const candidates = picks.filter((pick) => pick !== null).slice(0, args.count)
  return { candidates, missing: null, wasCut }
}
