/**
 * Paths from one token to another over the pools of a market: bounded hops, native maths, no I/O.
 * Ranks only; the fork decides.
 */
import { type Address, isNative, nativeToken } from '../domain/primitives.js'
import { type Hop, hopKey, wrapGas } from './hop.js'
import type { MarketPool } from './market.js'

export interface Path {
  readonly hops: readonly Hop[]
  /** Raw units of the last token by native maths. */
  readonly amountOut: bigint
  /** False when any hop's quote is an estimate. */
  readonly exact: boolean
  /** Rough gas of the hops alone. */
  readonly gas: bigint
  /** Identity for ties and for removing doubles: pool id first, then protocol and token, since pools of many tokens and shared ids exist. */
  readonly key: string
}

/** Partial paths kept per node of a token path: more finds little, costs much. */
const beamWidth = 3
/** Complete paths kept per token path. */
const pathsPerTokenPath = 6
/** Candidates that are chosen by output without gas. */
const plainBest = 3

type Adjacency = ReadonlyMap<Address, ReadonlyMap<Address, readonly MarketPool[]>>

/** Directed token graph; a pool of n tokens is n * (n - 1) edges. */
export function buildGraph(pools: readonly MarketPool[]): Adjacency {
  const graph = new Map<Address, Map<Address, MarketPool[]>>()
  for (const market of pools) {
    for (const tokenIn of market.loaded.pool.tokens) {
      for (const tokenOut of market.loaded.pool.tokens) {
        if (tokenIn === tokenOut) continue
        const targets = graph.get(tokenIn) ?? new Map<Address, MarketPool[]>()
        graph.set(tokenIn, targets)
        const edge = targets.get(tokenOut)
        if (edge) edge.push(market)
        else targets.set(tokenOut, [market])
      }
    }
  }
  return graph
}

export interface SearchArgs {
  readonly graph: Adjacency
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Raw units, > 0. */
  readonly amountIn: bigint
  /** Swaps at most; wrapping and unwrapping count as none. */
  readonly maxHops: number
  readonly wrappedNative: Address
  /** Raw units that a million gas costs; absent where no price is known. */
  readonly gasCostIn?: bigint | undefined
  readonly gasCostOut?: bigint | undefined
  /** Pools in other states than those of the market. */
  readonly states?: ReadonlyMap<MarketPool, unknown>
}

const gasUnit = 1_000_000n

/**
 * Paths with a positive output, best first by native output after gas, ties by fewer hops, then by pool ids.
 * A path visits no token twice and uses no pool twice.
 */
export function findPaths(args: SearchArgs): Path[] {
  const found: Path[] = []
  const start: Path = { hops: [], amountOut: args.amountIn, exact: true, gas: 0n, key: '' }
  explore(args, args.tokenIn, [start], new Set([args.tokenIn]), 0, found)
  return ranked(args, args.tokenOut, found)
}

/** Best first by amount after gas at the token where all of the paths end. */
function ranked(args: SearchArgs, token: Address, paths: readonly Path[]): Path[] {
  let best = 0n
  for (const { amountOut } of paths) if (amountOut > best) best = amountOut
  const gasCost = (gas: bigint): bigint => {
    if (token === args.tokenOut && args.gasCostOut !== undefined) {
      return (gas * args.gasCostOut) / gasUnit
    }
    // Between the ends: what the gas costs of the input, at the rate of the best path so far.
    return (gas * (args.gasCostIn ?? 0n) * best) / (gasUnit * args.amountIn)
  }
  return paths
    .map((path) => ({ path, net: path.amountOut - gasCost(path.gas) }))
    .sort((a, b) => (a.net === b.net ? breakTie(a.path, b.path) : a.net > b.net ? -1 : 1))
    .map(({ path }) => path)
}

function breakTie(a: Path, b: Path): number {
  if (a.hops.length !== b.hops.length) return a.hops.length - b.hops.length
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}

function explore(
  args: SearchArgs,
  token: Address,
  partials: readonly Path[],
  visited: ReadonlySet<Address>,
  swaps: number,
  found: Path[],
): void {
  for (const [next, hops] of neighbours(args, token)) {
    if (visited.has(next)) continue
    const isSwap = hops.kind === 'swap'
    const swapsAfter = swaps + (isSwap ? 1 : 0)
    if (swapsAfter > args.maxHops) continue
    const arrives = next === args.tokenOut
    if (!arrives && !canStillArrive(args, next, swapsAfter)) continue
    const extended = ranked(args, next, extend(args, partials, token, next, hops))
    if (!extended.length) continue
    if (arrives) found.push(...extended.slice(0, pathsPerTokenPath))
    else {
      const beam = extended.slice(0, beamWidth)
      explore(args, next, beam, new Set([...visited, next]), swapsAfter, found)
    }
  }
}

type Neighbour =
  | { readonly kind: 'wrap' | 'unwrap' }
  | { readonly kind: 'swap'; readonly pools: readonly MarketPool[] }

function* neighbours(args: SearchArgs, token: Address): Generator<readonly [Address, Neighbour]> {
  for (const [next, pools] of args.graph.get(token) ?? []) yield [next, { kind: 'swap', pools }]
  if (isNative(token)) yield [args.wrappedNative, { kind: 'wrap' }]
  if (token === args.wrappedNative) yield [nativeToken, { kind: 'unwrap' }]
}

/** Prunes dead ends one hop early: with no swap left only an unwrap or wrap may reach the target. */
function canStillArrive(args: SearchArgs, token: Address, swaps: number): boolean {
  const { tokenOut, wrappedNative, graph } = args
  const twins = (a: Address, b: Address) =>
    (isNative(a) && b === wrappedNative) || (isNative(b) && a === wrappedNative)
  if (twins(token, tokenOut)) return true
  const left = args.maxHops - swaps
  if (left <= 0) return false
  if (left > 1) return true
  const sources = [token, ...(token === wrappedNative ? [nativeToken] : [])]
  if (isNative(token)) sources.push(wrappedNative)
  const targets = [tokenOut, ...(isNative(tokenOut) ? [wrappedNative] : [])]
  if (tokenOut === wrappedNative) targets.push(nativeToken)
  return sources.some((from) => targets.some((to) => graph.get(from)?.has(to)))
}

function extend(
  { states }: SearchArgs,
  partials: readonly Path[],
  tokenIn: Address,
  tokenOut: Address,
  neighbour: Neighbour,
): Path[] {
  if (neighbour.kind !== 'swap') {
    return partials
      .filter((path) => path.hops.at(-1)?.kind !== (neighbour.kind === 'wrap' ? 'unwrap' : 'wrap'))
      .map((path) => ({
        ...path,
        hops: [...path.hops, { kind: neighbour.kind, tokenIn, tokenOut }],
        gas: path.gas + wrapGas,
        key: `${path.key}/${neighbour.kind}`,
      }))
  }
  const extended: Path[] = []
  for (const path of partials) {
    for (const market of neighbour.pools) {
      if (uses(path, market)) continue
      const { pool, state } = market.loaded
      const current = states?.has(market) ? states.get(market) : state
      const quote = market.adapter.amountOut(pool, current, tokenIn, tokenOut, path.amountOut)
      if (quote.amountOut <= 0n) continue
      extended.push({
        hops: [...path.hops, { kind: 'swap', tokenIn, tokenOut, market }],
        amountOut: quote.amountOut,
        exact: path.exact && quote.exact,
        gas: path.gas + market.adapter.gasEstimate(pool, state),
        key: `${path.key}/${pool.id}:${pool.protocol}>${tokenOut}`,
      })
    }
  }
  return extended
}

function uses(path: Path, market: MarketPool): boolean {
  return path.hops.some((hop) => hop.kind === 'swap' && hop.market === market)
}

/**
 * The candidates that are simulated: the best by rank, those of the highest plain output (gas is only estimated),
 * every direct pool, and paths over pools that the others do not use, so that one unreadable or deceptive pool
 * cannot spoil them all.
 *
 * @param paths - best first.
 * @param count - how many at most.
 */
export function selectDiverse(paths: readonly Path[], count: number): Path[] {
  const chosen = new Map<string, Path>()
  const take = (path: Path) => {
    if (chosen.size < count) chosen.set(path.key, path)
  }
  for (const path of paths.slice(0, Math.ceil(count / 2))) take(path)
  const byOutput = paths.toSorted((a, b) =>
    a.amountOut === b.amountOut ? breakTie(a, b) : a.amountOut > b.amountOut ? -1 : 1,
  )
  for (const path of byOutput.slice(0, plainBest)) take(path)
  const swaps = (path: Path) => path.hops.filter((hop) => hop.kind === 'swap')
  for (const path of paths.filter((each) => swaps(each).length === 1)) take(path)
  const covered = new Set([...chosen.values()].flatMap((path) => swaps(path).map(hopKey)))
  for (const path of paths) {
    if (swaps(path).every((hop) => covered.has(hopKey(hop)))) continue
    take(path)
    for (const hop of swaps(path)) covered.add(hopKey(hop))
  }
  for (const path of paths) take(path)
  return [...chosen.values()]
}
