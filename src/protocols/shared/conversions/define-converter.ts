/** A protocol of conversions: each pair of tokens is a pool, found for its own pair alone and not to be imported otherwise. */
import type { VenueParameters } from '../../../chains/chain.js'
import type { PoolCaution } from '../../../domain/caution.js'
import { defined } from '../../../domain/defined.js'
import type { Address } from '../../../domain/primitives.js'
import { type Pool, unreadablePool } from '../../pool.js'
import {
  type Direction,
  defineProtocol,
  type ProtocolAdapter,
  type SwapAdapter,
} from '../../protocol.js'
import { isGiven, poolsOfPairs } from '../given-pools.js'
import { converterActions } from './actions.js'
import type { Conversion, Converter, Edge } from './conversion.js'
import { stepsOf } from './conversion-steps.js'
import { converterPositions } from './positions.js'

/** Structured-clonable where the state of the converter is. */
export interface ConverterState<State> {
  readonly own: State
  readonly edges: readonly Edge[]
}

type Facts = Pick<
  ProtocolAdapter,
  'name' | 'project' | 'category' | 'url' | 'description' | 'trust'
>

interface ConverterSwaps {
  /** Rough: what one conversion adds. */
  readonly gasPerCall: bigint
  /** What moves the rate although nobody converts; absent: nothing. */
  readonly cautions?: readonly PoolCaution[]
  /** Those it issues whose balances change by themselves; absent: none. */
  readonly rebasingTokens?: (venue: VenueParameters) => readonly Address[]
}

export function defineConverter<State, Kind extends string>(
  converter: Converter<State, Kind>,
  { gasPerCall, cautions, rebasingTokens, ...facts }: Facts & ConverterSwaps,
): SwapAdapter<ConverterState<State>> {
  const { slug } = converter
  const conversions: Readonly<Record<string, Conversion<State>>> = converter.conversions
  const found = (
    { edges }: ConverterState<State>,
    { id }: Pool,
    { tokenIn, tokenOut }: Direction,
  ) => {
    const edge = edges.find(
      (one) => one.issued === id && one.tokenIn === tokenIn && one.tokenOut === tokenOut,
    )
    const conversion = edge && conversions[edge.kind]
    return edge && conversion ? { edge, conversion } : null
  }
  return defineProtocol<ConverterState<State>>({
    slug,
    ...facts,
    swaps: {
      paysRecipient: false,
      async discover({ venue, pairs, chain }) {
        const pools = poolsOf(slug, converter.edges(venue))
        return { pools: poolsOfPairs(chain, pools, pairs), unreadable: [] }
      },
      async load({ reader, venue, pools }) {
        if (pools.length === 0) return []
        const edges = converter.edges(venue)
        const isKnown = isGiven(poolsOf(slug, edges))
        const read = await converter.load(reader, venue)
        return pools.map((pool) => {
          if (!isKnown(pool)) {
            return unreadablePool(pool, 'It is not one of the pools of the chain.')
          }
          if ('message' in read) return unreadablePool(pool, read.message)
          return { pool, state: { own: read.state, edges }, partial: false }
        })
      },
      swap(pool, state, direction, amountIn) {
        const { conversion } = found(state, pool, direction) ?? {}
        if (!conversion || amountIn <= 0n) return { amountOut: 0n, exact: true, after: () => state }
        const { amountOut, exact, after } = conversion.convert(state.own, amountIn)
        return { amountOut, exact, after: () => (after ? { ...state, own: after() } : state) }
      },
      action: ({ id }, _tokenIn, tokenOut) => (tokenOut === id ? 'deposit' : 'redeem'),
      gasEstimate: () => gasPerCall,
      ...defined({ cautions: cautions && (() => cautions), rebasingTokens }),
      encodeSwap(args) {
        const { pool, state, amountIn, executor } = args
        const way = found(state, pool, args)
        return way ? stepsOf(way, state.own, amountIn, executor) : []
      },
    },
    positions: converterPositions(converter),
    actions: { definitions: converterActions(converter) },
  })
}

/** One for each token that is issued, in the order of the edges. */
function poolsOf(protocol: string, edges: readonly Edge[]): Pool[] {
  const pools = new Map<Address, Pool>()
  for (const { issued, tokenIn, tokenOut } of edges) {
    if (pools.has(issued)) continue
    const other = tokenIn === issued ? tokenOut : tokenIn
    const tokens = [other, issued]
    pools.set(issued, { protocol, id: issued, address: issued, tokens, parameters: {} })
  }
  return [...pools.values()]
}
