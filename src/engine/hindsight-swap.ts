/** Our transaction in place of a mined swap, and how the two compare after gas. */
import type { ChainDefinition } from '../chains/chain.js'
import { canonicalToken } from '../chains/chain.js'
import { defined } from '../domain/defined.js'
import type { CallContext, Engine, QuoteRequest, RouteAnswer } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { MinedSwap, NoOwnSwap, OwnSwap, TouchedPool, Verdict } from '../domain/hindsight.js'
import {
  type Address,
  type BlockPin,
  bpsOf,
  defaultCentiBps,
  nativeDecimals,
  nativeToken,
} from '../domain/primitives.js'
import type { WhatIf } from '../domain/what-if.js'
import { type PoolTrade, poolOf } from '../mined/pool-trades.js'

/** A difference up to this is a tie, basis points. */
const tieBps = 0.1

/** A swap as it was mined. */
export interface TheirSwap {
  readonly swap: MinedSwap
  readonly from: Address
  readonly gasUsed: bigint
  /** Wei per gas. */
  readonly gasPrice: bigint
}

/** Where ours is carried out. */
export interface OwnPlace {
  readonly chain: ChainDefinition
  /** The block before theirs. */
  readonly parent: BlockPin
  /** The state behind the transactions before theirs; undefined: the end of the block before. */
  readonly whatIf: WhatIf | undefined
  readonly valueOfGas: ValueOfGas
  readonly context: CallContext
}

/** Gas at the price that their transaction paid, in raw units of what they got; null where a price is missing. */
export type ValueOfGas = (gas: bigint) => bigint | null

/** By the prices at the end of the block before. */
export async function readValueOfGas(
  engine: Pick<Engine, 'prices'>,
  { chain, parent, context }: Pick<OwnPlace, 'chain' | 'parent' | 'context'>,
  { swap, gasPrice }: TheirSwap,
): Promise<ValueOfGas> {
  const token = swap.tokenOut
  const prices = await engine.prices(chain.id, [nativeToken, token], parent.number, context)
  const [native = null, out = null] = prices
  return (gas) => valueIn(gas * gasPrice, { chain, token, native, out })
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
    return compareWith(answer, theirs, place.valueOfGas)
  } catch (error) {
    if (!(error instanceof ForkrouteError) || !isAnswer(error)) throw error
    return { code: error.code, message: error.message }
  }
}

/** Whether it says that there is no such swap, and not that the service could not look. */
function isAnswer({ status }: ForkrouteError): boolean {
  return status === 422 || status === 400
}

function toQuote({ chain, parent }: OwnPlace, { swap, from }: TheirSwap): QuoteRequest {
  return {
    chainId: chain.id,
    blockNumber: parent.number,
    fromAddress: from,
    ...(swap.receiver !== from && { receiver: swap.receiver }),
    strategy: 'router',
    executionMode: 'backend',
    inputs: [{ token: swap.tokenIn, amount: swap.amountIn }],
    tokensOut: [swap.tokenOut],
    limit: { kind: 'slippage', centiBps: defaultCentiBps },
    ignoreAggregators: [],
    ignoreStandards: [],
    includeTransactionCost: false,
    includePriceImpact: false,
  }
}

function compareWith(
  { outputs, gas, tx, route }: RouteAnswer,
  { swap, gasUsed }: TheirSwap,
  valueOfGas: ValueOfGas,
): OwnSwap {
  const amountOut = outputs[0]?.amountOut ?? 0n
  const more = amountOut - swap.amountOut
  const [ownGas, theirGas] = [valueOfGas(gas), valueOfGas(gasUsed)]
  const netBps =
    ownGas === null || theirGas === null ? null : bpsOf(more - ownGas + theirGas, swap.amountOut)
  return {
    amountOut,
    gas,
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
  makers: ReadonlyMap<Address, Address>,
  { venues }: ChainDefinition,
): TouchedPool[] {
  const pools = new Map(trades.map((trade) => [poolOf(trade), trade]))
  return [...pools.values()].map(({ address, id, family }) => {
    const maker = family === 'factory' ? makers.get(address) : address
    const isOf = (parameters: object) => maker && Object.values(parameters).flat().includes(maker)
    const [slug = null] = Object.entries(venues).find(([, parameters]) => isOf(parameters)) ?? []
    return { protocol: family === 'curve' && venues.curve ? 'curve' : slug, address, id }
  })
}
