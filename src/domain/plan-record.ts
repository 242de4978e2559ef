/**
 * Plans of backtests in the form in which they are stored, sent to workers and shown: a request has its tokens and
 * amounts as parallel lists. Pure.
 */
import type { BacktestPlan, PlanRequest } from './backtest.js'
import { defined } from './defined.js'
import type { QuoteRequest } from './engine.js'
import { at, tokenAmounts } from './lists.js'
import type { Address } from './primitives.js'

export interface QuoteRecord
  extends Omit<QuoteRequest, 'inputs' | 'amountOut' | 'limit' | 'explain'> {
  readonly tokensIn: readonly Address[]
  readonly amountsIn: readonly bigint[]
  readonly limit:
    | { readonly kind: 'slippage'; readonly centiBps: bigint }
    | { readonly kind: 'minimum'; readonly minAmountsOut: readonly bigint[] }
  /** Basis points, one per amountIn; absent without a fee. */
  readonly feesBps?: readonly bigint[]
}

export interface PlanRecord extends Omit<BacktestPlan, 'requests'> {
  readonly requests: readonly (Omit<PlanRequest, 'request'> & { readonly request: QuoteRecord })[]
}

export function toPlanRecord(plan: BacktestPlan): PlanRecord {
  return {
    ...plan,
    requests: plan.requests.map((one) => ({ ...one, request: toQuoteRecord(one.request) })),
  }
}

/** @throws TypeError when parallel lists differ in length. */
export function fromPlanRecord(record: PlanRecord): BacktestPlan {
  return {
    ...record,
    requests: record.requests.map((one) => ({ ...one, request: fromQuoteRecord(one.request) })),
  }
}

/** The order of the keys is part of the stored form. */
function toQuoteRecord(request: QuoteRequest): QuoteRecord {
  const {
    chainId,
    strategy,
    executionMode,
    inputs,
    tokensOut,
    limit,
    ignoreAggregators,
    ignoreStandards,
    includeTransactionCost,
    includePriceImpact,
    fromAddress,
    receiver,
    toEoa,
    spender,
    refundReceiver,
    // Rows of a plan have no place for it.
    explain: _,
    ...others
  } = request
  const feesBps = inputs.flatMap(({ feeBps }) => feeBps ?? [])
  return {
    chainId,
    strategy,
    executionMode,
    tokensIn: inputs.map(({ token }) => token),
    amountsIn: inputs.map(({ amount }) => amount),
    tokensOut,
    limit:
      limit.kind === 'slippage'
        ? limit
        : { kind: 'minimum', minAmountsOut: limit.minimums.map(({ amount }) => amount) },
    ignoreAggregators,
    ignoreStandards,
    includeTransactionCost,
    includePriceImpact,
    ...(fromAddress && { fromAddress }),
    ...(receiver && { receiver }),
    ...defined({ toEoa }),
    ...(spender && { spender }),
    ...(refundReceiver && { refundReceiver }),
    ...(feesBps.length > 0 && { feesBps }),
    ...others,
  }
}

function fromQuoteRecord(record: QuoteRecord): QuoteRequest {
  const { tokensIn, amountsIn, feesBps, limit, ...request } = record
  return {
    ...request,
    inputs: tokenAmounts(tokensIn, amountsIn).map((input, index) => ({
      ...input,
      ...(feesBps && { feeBps: at(feesBps, index) }),
    })),
    limit:
      limit.kind === 'slippage'
        ? limit
        : { kind: 'minimum', minimums: tokenAmounts(record.tokensOut, limit.minAmountsOut) },
  }
}
