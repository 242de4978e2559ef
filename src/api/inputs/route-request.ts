/** The domain's requests that the parsed fields of a route or a quote are. */
import type { CrosschainTerms } from '../../domain/bridges/terms.js'
import { defined } from '../../domain/defined.js'
import type { QuoteRequest, RequestInput, RouteRequest } from '../../domain/engine.js'
import { tokenAmounts, zip } from '../../domain/lists.js'
import { defaultCentiBps } from '../../domain/primitives.js'
import type { PoolChoice } from '../../domain/router-settings.js'
import { type AutoSlippage, defaultMaxSlippageBps } from '../../domain/validity.js'
import { toExplain } from './explanation.js'
import type { PoolChoiceInput, QuoteInput, RouteInput } from './route-fields.js'

/** Fields that a plan of a backtest does not have, or leaves to its blocks and variants. */
type LeftOut = 'blockNumber' | 'deadlineMs' | 'proof' | 'alternatives'
type SearchInput = Omit<
  QuoteInput,
  | 'tokenOut'
  | 'amountOut'
  | 'priceImpact'
  | 'explain'
  | 'fee'
  | 'fromAddress'
  | 'routingStrategy'
  | 'slippage'
  | 'maxSlippage'
  | LeftOut
> & {
  [K in 'blockNumber' | 'deadlineMs']?: QuoteInput[K] | undefined
}

export function toRouteRequest(input: RouteInput): RouteRequest {
  const { fromAddress, deadline, once, permit, trace, alternatives } = input
  return {
    ...toPlanRequest(input),
    fromAddress,
    ...defined({ deadline, explain: toExplain(input.explain), alternatives, once }),
    ...defined({ permit: permit || undefined, includeTrace: trace || undefined }),
  }
}

export function toExplainedQuote(input: QuoteInput): QuoteRequest {
  const { explain, alternatives } = input
  return { ...toQuoteRequest(input), ...defined({ explain: toExplain(explain), alternatives }) }
}

/** A route of a plan: its sender need not have the funds, so there may be none. */
export function toPlanRequest(
  input: Omit<RouteInput, 'fromAddress' | 'deadline' | 'once' | 'permit' | 'trace' | LeftOut> & {
    [K in 'fromAddress' | LeftOut]?: RouteInput[K] | undefined
  },
): QuoteRequest {
  const inputs = toInputs(input, input.fee)
  return {
    ...toSearch(input, inputs),
    ...toOutputs(input),
    strategy: input.routingStrategy,
    executionMode: input.executionMode,
    limit: input.minAmountOut
      ? { kind: 'minimum', minimums: tokenAmounts(input.tokenOut, input.minAmountOut) }
      : { kind: 'slippage', centiBps: statedSlippage(input) ?? defaultCentiBps },
    ...toAutoSlippage(input),
    includeTransactionCost: input.includeTransactionCost,
    ...defined({
      fromAddress: input.fromAddress,
      receiver: input.receiver,
      toEoa: input.toEoa,
      spender: input.spender,
      refundReceiver: input.refundReceiver,
      referralCode: input.referralCode,
    }),
  }
}

export function toQuoteRequest(
  input: Omit<QuoteInput, LeftOut> & { [K in LeftOut]?: QuoteInput[K] },
): QuoteRequest {
  const [fee, ...others] = input.fee ?? []
  const isOneForAll = fee !== undefined && others.length === 0
  const inputs = toInputs(input, isOneForAll ? input.tokenIn.map(() => fee) : input.fee)
  return {
    ...toSearch(input, inputs),
    ...toOutputs(input),
    strategy: input.routingStrategy,
    executionMode: 'backend',
    limit: { kind: 'slippage', centiBps: defaultCentiBps },
    ...toAutoSlippage(input),
    includeTransactionCost: false,
    ...defined({ fromAddress: input.fromAddress }),
  }
}

interface SlippageInput {
  readonly slippage?: bigint | 'auto' | undefined
  readonly maxSlippage?: number | undefined
}

/** Hundredths of a basis point; undefined where none is stated. */
export function statedSlippage({ slippage }: SlippageInput): bigint | undefined {
  return slippage === 'auto' ? undefined : slippage
}

/** Nothing where the slippage is not to be measured. */
export function toAutoSlippage({ slippage, maxSlippage }: SlippageInput): {
  readonly autoSlippage?: AutoSlippage
} {
  if (slippage !== 'auto') return {}
  const maxBps = maxSlippage === undefined ? defaultMaxSlippageBps : BigInt(maxSlippage)
  return { autoSlippage: { maxBps } }
}

/** What everything that searches for routes says alike. */
export function toSearch(input: SearchInput, inputs: readonly RequestInput[]) {
  const hasFee = inputs.some(({ feeBps }) => feeBps !== undefined)
  return {
    chainId: input.chainId,
    inputs,
    ignoreAggregators: input.ignoreAggregators,
    ignoreStandards: input.ignoreStandards,
    ...defined({
      feeReceiver: hasFee ? input.feeReceiver : undefined,
      poolChoice: toPoolChoice(input),
      crosschain: toCrosschain(input),
      blockNumber: input.blockNumber,
      deadlineMs: input.deadlineMs,
      isFirstInBlock: input.blockPosition === 'first' || undefined,
    }),
  }
}

function toOutputs(
  input: Pick<QuoteInput, 'tokenOut' | 'amountOut' | 'priceImpact'> & {
    readonly proof?: QuoteInput['proof']
  },
) {
  const [amountOut] = input.amountOut ?? []
  return {
    tokensOut: input.tokenOut,
    includePriceImpact: input.priceImpact,
    ...defined({ amountOut, router: input.proof && { proof: input.proof } }),
  }
}

/** @param fees - basis points, one per amountIn; only zeros: no fee. */
export function toInputs(
  { tokenIn, amountIn = [0n] }: Pick<QuoteInput, 'tokenIn' | 'amountIn'>,
  fees: readonly bigint[] = [],
): RequestInput[] {
  const inputs = tokenAmounts(tokenIn, amountIn)
  if (!fees.some((bps) => bps > 0n)) return inputs
  return zip(inputs, fees).map(([input, feeBps]) => ({ ...input, feeBps }))
}

/** Undefined where nothing is restricted. */
export function toPoolChoice(input: PoolChoiceInput): PoolChoice | undefined {
  const { excludePools, onlyPools, excludeTokens } = input
  const lists = [excludePools, onlyPools, excludeTokens]
  return lists.some(({ length }) => length > 0)
    ? { excludePools, onlyPools, excludeTokens }
    : undefined
}

/** Undefined where the route stays on its chain. */
function toCrosschain(
  input: Pick<
    QuoteInput,
    | 'chainId'
    | 'destinationChainId'
    | 'destinationBlockNumber'
    | 'crosschainRouteMode'
    | 'ignoreBridges'
    | 'bridge'
    | 'destinationFeeReceiver'
    | 'gasDrop'
  >,
): CrosschainTerms | undefined {
  const { chainId, destinationChainId, destinationBlockNumber } = input
  const { bridge, destinationFeeReceiver, gasDrop } = input
  if (destinationChainId === undefined || destinationChainId === chainId) return undefined
  return {
    destinationChainId,
    mode: input.crosschainRouteMode,
    ignoreBridges: input.ignoreBridges,
    ...defined({ bridge, destinationBlockNumber, destinationFeeReceiver, gasDrop }),
  }
}
