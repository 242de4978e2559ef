/**
 * What a request may flow through, in layers: input -> one token -> another token -> output, each step one swap.
 * Every walk through the layers is a path of at most three swaps that visits no token twice, and every such path
 * is a walk: so flows have no cycles, and misaligned pools cannot be milked beyond the amount that passes by.
 */
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { poolKey } from '../../../src/protocols/pool.js'
import type { MarketPool } from '../../../src/routing/market/market-view.js'

/** One direction of a pool. */
export interface Lane {
  readonly market: MarketPool
  readonly tokenIn: Address
  readonly tokenOut: Address
}

/** Lanes side by side. */
export type Link = readonly Lane[]

/** Links by place of the tokens between. */
export interface Network {
  readonly direct: Link
  /** Input to each token between. */
  readonly first: readonly Link[]
  /** From each token between to each other; empty where paths have two swaps at most. */
  readonly middle: readonly (readonly Link[])[]
  /** From each token between to the output. */
  readonly last: readonly Link[]
}

export interface Request {
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Raw units, > 0. */
  readonly amountIn: bigint
}

export interface Place {
  readonly pools: readonly MarketPool[]
  readonly wrappedNative: Address
  /** Swaps on a path, 1 to 3; wrapping counts as none. */
  readonly maxHops: number
}

/**
 * Native and wrapped native are one token, since wrapping is free: a path that sells the one to buy the other makes
 * a round trip, and is none here.
 *
 * @throws RangeError for more than three hops, for which there are too few layers, and where input and output are one.
 */
export function buildNetwork(
  { pools, wrappedNative, maxHops }: Place,
  { tokenIn, tokenOut }: Omit<Request, 'amountIn'>,
): Network {
  if (maxHops < 1 || maxHops > 3) throw new RangeError('Paths have one to three hops.')
  const family: readonly Address[] = [nativeToken, wrappedNative]
  const nodeOf = (token: Address) => (family.includes(token) ? family : [token])
  const [source, sink] = [nodeOf(tokenIn), nodeOf(tokenOut)]
  if (source.includes(tokenOut)) throw new RangeError('Input and output are the same token.')
  const nodes = new Map<Address, readonly Address[]>()
  const all = new Set(pools.flatMap(({ loaded }) => loaded.pool.tokens))
  for (const token of [...all].sort()) {
    if (source.includes(token) || sink.includes(token) || maxHops === 1) continue
    const node = nodeOf(token)
    nodes.set(node[0] ?? token, node)
  }
  const between = [...nodes.values()]
  const lanes = (from: readonly Address[], to: readonly Address[]): Lane[] =>
    pools.flatMap((market) => {
      const { tokens } = market.loaded.pool
      const ins = from.filter((token) => tokens.includes(token))
      const outs = to.filter((token) => tokens.includes(token))
      return ins.flatMap((a) => outs.map((b) => ({ market, tokenIn: a, tokenOut: b })))
    })
  return {
    direct: lanes(source, sink),
    first: between.map((node) => lanes(source, node)),
    middle: between.map((from) =>
      between.map((to) => (maxHops < 3 || from === to ? [] : lanes(from, to))),
    ),
    last: between.map((node) => lanes(node, sink)),
  }
}

export function lanesOf({ direct, first, middle, last }: Network): Lane[] {
  return [direct, ...first, ...middle.flat(), ...last].flat()
}

export function laneKey({ market, tokenIn, tokenOut }: Lane): string {
  return `${poolKey(market.loaded.pool)}:${tokenIn}>${tokenOut}`
}
