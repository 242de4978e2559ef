/** Our transaction in place of a mined swap, and how the two compare after gas. */
import type { ChainDefinition } from '../chains/chain.js'
import { canonicalToken } from '../chains/chain.js'
import type { WhatIf } from '../domain/changes/what-if.js'
import { defined } from '../domain/defined.js'
import type { CallContext, Engine, QuoteRequest, RouteAnswer } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { MinedSwap, NoOwnSwap, OwnSwap, TouchedPool, Verdict } from '../domain/hindsight.js'
import { zip } from '../domain/lists.js'
import {
  type Address,
  type BlockPin,
  bpsOf,
  defaultCentiBps,
  nativeDecimals,
  nativeToken,
} from '../domain/primitives.js'
import { type PoolTrade, poolOf } from '../mined/pool-trades.js'
import type { PoolMaker } from '../mined/replay-block.js'
import { protocolBySlug } from '../protocols/registry.js'

/** A difference up to this is a tie, basis points. */
const tieBps = 0.1

/** A swap as it was mined. */
export interface TheirSwap {
  readonly swap: MinedSwap
  readonly gasUsed: bigint
  /** Wei per gas. */
  readonly gasPrice: bigint
  /** Wei; null: not known, or the chain charges none. */
  readonly l1DataFee: bigint | null
}

/** Where ours is carried out. */
export interface OwnPlace {
  readonly chain: ChainDefinition
  /** The block before theirs. */
  readonly parent: BlockPin
  /** The state behind the transactions before theirs; undefined: the end of the block before. */
  readonly whatIf: WhatIf | undefined
  readonly worthOf: ValueOfWei
  readonly context: CallContext
}

/** Wei in raw units of what they got; null where a price is missing. */
export type ValueOfWei = (wei: bigint) => bigint | null

/** By the prices at the end of the block before. */
export async function readValueOfWei(
  engine: Pick<Engine, 'prices'>,
  { chain, parent, context }: Pick<OwnPlace, 'chain' | 'parent' | 'context'>,
  token: Address,
): Promise<ValueOfWei> {
  const prices = await engine.prices(chain.id, [nativeToken, token], parent.number, context)
  const [native = null, out = null] = prices
  return (wei) => valueIn(wei, { chain, token, native, out })
}

/** @returns why there is none, where we find no route for the pair. */
export async function ownSwap(
  engine: Pick<Engine, 'quote'>,
  place: OwnPlace,
  theirs: TheirSwap,
): Promise<OwnSwap | NoOwnSwap> {
  try {
    const { whatIf: _, ...plain } = place.context
    const asked = { ...plain, ...defined({ whatIf: place.whatIf }) }
    const answer = await engine.quote(toQuote(place, theirs), asked)
    return compareWith(answer, theirs, place)
  } catch (error) {
    if (!(error instanceof ForkrouteError) || !isAnswer(error)) throw error
    return { code: error.code, message: error.message }
  }
}

/** Whether it says that there is no such swap, and not that the service could not look. */
function isAnswer({ status }: ForkrouteError): boolean {
  return status === 422 || status === 400
}

function toQuote({ chain, parent }: OwnPlace, { swap }: TheirSwap): QuoteRequest {
  return {
    chainId: chain.id,
    blockNumber: parent.number,
    fromAddress: swap.payer,
    ...(swap.receiver !== swap.payer && { receiver: swap.receiver }),
    strategy: 'router',
    executionMode: 'backend',
    inputs: [{ token: swap.tokenIn, amount: swap.amountIn }],
    tokensOut: [swap.tokenOut],
    limit: { kind: 'slippage', centiBps: defaultCentiBps },
    ignoreAggregators: [],
    ignoreStandards: [],
    includeTransactionCost: chain.l1DataFee !== undefined,
    includePriceImpact: false,
    // It is carried out at their place: who swapped ahead is in the state.
    isFirstInBlock: true,
  }
}

function compareWith(
  { outputs, gas, gasCost, tx, route }: RouteAnswer,
  { swap, gasUsed, gasPrice, l1DataFee: theirFee }: TheirSwap,
  { chain, worthOf }: Pick<OwnPlace, 'chain' | 'worthOf'>,
): OwnSwap {
  const amountOut = outputs[0]?.amountOut ?? 0n
  const more = amountOut - swap.amountOut
  const ownFee = gasCost?.l1DataFee?.native ?? null
  // A fee that is known of one side alone would count against that side.
  const fees = ownFee === null || theirFee === null ? [0n, 0n] : [ownFee, theirFee]
  const [ownCost, theirCost] = zip([gas, gasUsed], fees).map(([units, fee]) =>
    worthOf(units * gasPrice + fee),
  )
  const netBps =
    isNumber(ownCost) && isNumber(theirCost)
      ? bpsOf(more - ownCost + theirCost, swap.amountOut)
      : null
  return {
    amountOut,
    gas,
    ...(chain.l1DataFee && { l1DataFee: ownFee }),
    tx,
    route: route.flatMap(({ internalRoutes, protocol, primary = '' }) =>
      internalRoutes
        ? internalRoutes.map((leg) => ({ protocol: leg.protocol, pool: leg.pool }))
        : [{ protocol, pool: primary }],
    ),
    amountOutBps: bpsOf(more, swap.amountOut),
    netBps,
    result: netBps === null ? null : verdictOf(netBps),
  }
}

function isNumber(value: bigint | null | undefined): value is bigint {
  return typeof value === 'bigint'
}

export function verdictOf(netBps: number): Verdict {
  if (Math.abs(netBps) <= tieBps) return 'tied'
  return netBps > 0 ? 'won' : 'lost'
}

type Price = { readonly price: number; readonly decimals: number } | null

/** Wei in raw units of the token; null where a price is missing. */
function valueIn(
  wei: bigint,
  of: {
    readonly chain: ChainDefinition
    readonly token: Address
    readonly native: Price
    readonly out: Price
  },
): bigint | null {
  const { chain, token, native, out } = of
  if (canonicalToken(chain, token) === chain.wrappedNative) return wei
  if (!native || !out || out.price === 0) return null
  const tokens = (Number(wei) / 10 ** nativeDecimals) * (native.price / out.price)
  return BigInt(Math.round(tokens * 10 ** out.decimals))
}

/** Each pool once, in the order of the first trade. */
export function touchedPools(
  trades: readonly PoolTrade[],
  makers: ReadonlyMap<Address, PoolMaker>,
  chain: ChainDefinition,
): TouchedPool[] {
  const pools = new Map(trades.map((trade) => [poolOf(trade), trade]))
  return [...pools.values()].map(({ address, id, family }) => {
    if (family === 'curve' && chain.venues.curve) return { protocol: 'curve', address, id }
    const maker = family === 'factory' ? makers.get(address) : { factory: address }
    return { protocol: maker ? madeBy(chain, address, maker) : null, address, id }
  })
}

/** The venue whose contract has made the pool; null: none of the chain. */
function madeBy({ venues }: ChainDefinition, pool: Address, maker: PoolMaker): string | null {
  const found = Object.entries(venues).find(([slug, venue]) => {
    if ('factory' in maker) return Object.values(venue).flat().includes(maker.factory)
    return protocolBySlug(slug)?.swaps?.pairAt?.(venue, maker.tokens) === pool
  })
  return found?.[0] ?? null
}
