/** Answers as tests receive them: amounts as bigint and by token, and the pools on the path as a list. */
import type { AnswerOf } from '../client/calls.js'
import type { BundleAction, PrerequisiteRecord } from '../domain/bundle.js'
import { defined } from '../domain/defined.js'
import type { GasCost } from '../domain/engine.js'
import { at, tokenAmounts } from '../domain/lists.js'
import type { UnsignedTransaction } from '../domain/order.js'
import {
  type Address,
  bpsDenominator,
  type Hex,
  type TokenAmount,
  toAddress,
} from '../domain/primitives.js'
import type { RouteStepRecord } from '../domain/route-step.js'

/** One pool, market or vault on the path. */
export interface PathPart {
  readonly protocol: string
  /** Address or pool id, lower-case. */
  readonly pool: string
  /** Share of its step's input, basis points. */
  readonly shareBps: number
}

/** Raw units by token, lower-case. */
export type AmountsByToken = Readonly<Record<Address, bigint>>

/** The fields that all answers share. */
export interface Delivery {
  /** What the receiver gains of the first tokenOut, raw units, measured; 0 where nothing was simulated. */
  readonly amountOut: bigint
  /** The same for every tokenOut. */
  readonly amountsOut: AmountsByToken
  /** In the order of the steps; wrapping is left out. */
  readonly path: readonly PathPart[]
  /** Steps as the API reports them. */
  readonly route: readonly RouteStepRecord[]
  /** Basis points; null when not known. */
  readonly priceImpact: number | null
  /** Block at whose end all state was read. */
  readonly blockNumber: bigint
  readonly warnings: readonly string[]
}

export interface QuoteResult extends Delivery {
  readonly gas: bigint
  /** For a request with amountOut, raw units: what the transaction spends, and the same with slippage on top. */
  readonly amountIn?: bigint
  readonly maxAmountIn?: bigint
  /** Present only with a fee, in the order of amountIn. */
  readonly feeAmounts?: readonly bigint[]
}

/** Ready to be sent: what viem's `sendTransaction` takes. */
export interface Transaction extends UnsignedTransaction {
  readonly chainId: number
}

export interface RouteResult extends QuoteResult {
  /** The minimum of the first tokenOut that the transaction enforces, raw units; below, of every tokenOut. */
  readonly minAmountOut: bigint
  readonly minAmountsOut: AmountsByToken
  readonly tx: Transaction
  readonly gasCost?: GasCost
}

export interface BundleResult extends Delivery {
  readonly actions: readonly BundleAction[]
  /** Null with skipQuote. */
  readonly gas: bigint | null
  readonly minAmountOut: bigint
  readonly minAmountsOut: AmountsByToken
  /** What is taken from the sender. */
  readonly amountsIn: AmountsByToken
  readonly tx: Transaction
  /** Transactions that the account must have sent before. */
  readonly prerequisites: readonly PrerequisiteRecord[]
}

/** The answers as the typed client returns them. */
export type WireQuote = AnswerOf<'postQuote'>
export type WireRoute = AnswerOf<'postRoute'>
export type WireBundle = AnswerOf<'postBundle'>
export type PriceResult = AnswerOf<'getPrices'>[number]

/** @param tokensOut - of the request. */
export function toQuoteResult(
  answer: Omit<WireQuote | WireRoute, 'priceImpact'> & {
    readonly priceImpact?: number | null | undefined
  },
  tokensOut: readonly string[],
): QuoteResult {
  const outputs = amountsOf(tokensOut, listed(answer))
  return {
    amountOut: at(outputs, 0).amount,
    amountsOut: byToken(outputs),
    gas: answer.gas,
    ...defined({
      amountIn: answer.amountIn,
      maxAmountIn: answer.maxAmountIn,
      feeAmounts: answer.feeAmount,
    }),
    ...common(answer),
  }
}

/** A quote of several tokenOut gives the list beside the first amount. */
function listed(
  answer: Pick<WireQuote, 'amountOut' | 'amountOutList'> | Pick<WireRoute, 'amountOut'>,
) {
  return ('amountOutList' in answer && answer.amountOutList) || answer.amountOut
}

/** @param tokensOut - of the request. */
export function toRouteResult(answer: WireRoute, tokensOut: readonly string[]): RouteResult {
  const minimums = amountsOf(tokensOut, answer.minAmountOut)
  return {
    ...toQuoteResult(answer, tokensOut),
    minAmountOut: at(minimums, 0).amount,
    minAmountsOut: byToken(minimums),
    tx: toTransaction(answer.tx),
    ...defined({ gasCost: answer.gasCost && toGasCost(answer.gasCost) }),
  }
}

export function toBundleResult(answer: WireBundle): BundleResult {
  const outputs = entriesOf(answer.amountsOut)
  const minimums = entriesOf(answer.minAmountsOut)
  return {
    actions: answer.bundle,
    amountOut: outputs[0]?.amount ?? 0n,
    amountsOut: byToken(outputs),
    minAmountOut: minimums[0]?.amount ?? 0n,
    minAmountsOut: byToken(minimums),
    amountsIn: byToken(entriesOf(answer.amountsIn)),
    gas: answer.gas ?? null,
    tx: toTransaction(answer.tx),
    prerequisites: (answer.prerequisites ?? []) as PrerequisiteRecord[],
    ...common(answer),
  }
}

function common(
  answer: Pick<WireQuote, 'route' | 'blockNumber' | 'warnings'> & {
    readonly priceImpact?: number | null | undefined
  },
) {
  const route = answer.route as readonly RouteStepRecord[]
  return {
    path: toPath(route),
    priceImpact: answer.priceImpact ?? null,
    blockNumber: BigInt(answer.blockNumber),
    route,
    warnings: answer.warnings ?? [],
  }
}

function toTransaction({ from, to, data, value, chainId }: WireRoute['tx']): Transaction {
  return {
    from: toAddress(from),
    to: toAddress(to),
    data: data as Hex,
    value,
    chainId,
  }
}

function toGasCost({ l1DataFee, ...cost }: NonNullable<WireRoute['gasCost']>): GasCost {
  return { ...cost, ...defined({ l1DataFee }) }
}

/** @param amounts - one for the only token, a list for several. */
function amountsOf(tokens: readonly string[], amounts: bigint | readonly bigint[]): TokenAmount[] {
  return tokenAmounts(tokens.map(toAddress), [amounts].flat())
}

function entriesOf(amounts: Readonly<Record<string, bigint>>): TokenAmount[] {
  return Object.entries(amounts).map(([token, amount]) => ({
    token: toAddress(token),
    amount,
  }))
}

function byToken(amounts: readonly TokenAmount[]): AmountsByToken {
  return Object.fromEntries(amounts.map(({ token, amount }) => [token, amount]))
}

function toPath(route: readonly RouteStepRecord[]): PathPart[] {
  return route.flatMap(({ action, protocol, primary, internalRoutes }) => {
    if (internalRoutes?.length) {
      return internalRoutes.map((leg) => ({
        protocol: leg.protocol,
        pool: leg.pool,
        shareBps: leg.share,
      }))
    }
    const isWrapping = action === 'wrap' || action === 'unwrap'
    return primary && !isWrapping
      ? [{ protocol, pool: primary, shareBps: Number(bpsDenominator) }]
      : []
  })
}
