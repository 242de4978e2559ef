/** Routes and quotes: docs/api.md#routes-and-quotes. */
import type { z } from 'zod'
import type {
  Cost,
  GasCost,
  QuoteRequest,
  RequestInput,
  RouteAnswer,
  RouteRequest,
} from '../../domain/engine.js'
import type { ErrorCode } from '../../domain/errors.js'
import { tokenAmounts, zip } from '../../domain/lists.js'
import { defaultCentiBps } from '../../domain/primitives.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { Quote, RouteTransaction } from '../records/records.js'
import {
  exactQuoteRules,
  exactRouteRules,
  type QuoteInput,
  type RouteInput,
  shortcutInputs,
} from './shortcut-inputs.js'

export const calculationErrors: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'UNKNOWN_CHAIN',
  'UNKNOWN_BLOCK',
  'NO_ROUTE',
  'SIMULATION_REVERTED',
  'SIMULATION_TOO_LARGE',
  'CHAIN_NOT_READY',
  'UPSTREAM_UNAVAILABLE',
  'STATE_UNAVAILABLE',
  'FORK_UNAVAILABLE',
  'THREAD_LOST',
  'OVERLOADED',
  'DEADLINE_EXCEEDED',
]

/** Without the keys whose value is undefined. */
export function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(value).filter(([, field]) => field !== undefined),
  ) as never
}

function toRouteRequest(input: RouteInput): RouteRequest {
  const { fromAddress, deadline } = input
  return { ...toPlanRequest(input), fromAddress, ...(deadline && { deadline }) }
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

function exactOutput({ amountOut: [amountOut] = [] }: Pick<QuoteInput, 'amountOut'>) {
  return amountOut === undefined ? {} : { amountOut }
}

export function hasFee(inputs: readonly RequestInput[]): boolean {
  return inputs.some(({ feeBps }) => feeBps !== undefined)
}

/** A route of a plan: its sender need not have the funds, so there may be none. */
export function toPlanRequest(
  input: Omit<RouteInput, 'fromAddress' | 'blockNumber' | 'deadlineMs' | 'deadline'> & {
    [K in 'fromAddress' | 'blockNumber' | 'deadlineMs']?: RouteInput[K] | undefined
  },
): QuoteRequest {
  const inputs = toInputs(input, input.fee)
  return {
    chainId: input.chainId,
    strategy: input.routingStrategy,
    executionMode: input.executionMode,
    inputs,
    tokensOut: input.tokenOut,
    ...exactOutput(input),
    limit: input.minAmountOut
      ? { kind: 'minimum', minimums: tokenAmounts(input.tokenOut, input.minAmountOut) }
      : { kind: 'slippage', centiBps: input.slippage ?? defaultCentiBps },
    ignoreAggregators: lowerCased(input.ignoreAggregators),
    ignoreStandards: lowerCased(input.ignoreStandards),
    includeTransactionCost: input.includeTransactionCost,
    includePriceImpact: true,
    ...defined({
      fromAddress: input.fromAddress,
      receiver: input.receiver,
      toEoa: input.toEoa,
      spender: input.spender,
      refundReceiver: input.refundReceiver,
      feeReceiver: hasFee(inputs) ? input.feeReceiver : undefined,
      referralCode: input.referralCode,
      blockNumber: input.blockNumber,
      deadlineMs: input.deadlineMs,
    }),
  }
}

export function toQuoteRequest(
  input: Omit<QuoteInput, 'blockNumber' | 'deadlineMs'> & {
    [K in 'blockNumber' | 'deadlineMs']?: QuoteInput[K]
  },
): QuoteRequest {
  const [fee, ...others] = input.fee ?? []
  const isOneForAll = fee !== undefined && others.length === 0
  const inputs = toInputs(input, isOneForAll ? input.tokenIn.map(() => fee) : input.fee)
  return {
    chainId: input.chainId,
    strategy: input.routingStrategy,
    executionMode: 'backend',
    inputs,
    tokensOut: input.tokenOut,
    ...exactOutput(input),
    limit: { kind: 'slippage', centiBps: defaultCentiBps },
    ignoreAggregators: lowerCased(input.ignoreAggregators),
    ignoreStandards: lowerCased(input.ignoreStandards),
    includeTransactionCost: false,
    includePriceImpact: input.priceImpact,
    ...defined({
      fromAddress: input.fromAddress,
      feeReceiver: hasFee(inputs) ? input.feeReceiver : undefined,
      blockNumber: input.blockNumber,
      deadlineMs: input.deadlineMs,
    }),
  }
}

export function lowerCased(names: readonly string[]): string[] {
  return names.map((name) => name.toLowerCase())
}

/** One value for one tokenOut, a list for several. */
export function oneOrList(amounts: readonly bigint[]): string | string[] {
  const all = amounts.map(String)
  return all.length === 1 ? all.join() : all
}

/** Plain copies with the fields in their documented order; optional fields only where they apply. */
export function toSteps(answer: Pick<RouteAnswer, 'route'>) {
  return answer.route.map((step) => ({
    action: step.action,
    protocol: step.protocol,
    tokenIn: [...step.tokenIn],
    tokenOut: [...step.tokenOut],
    positionInId: [...step.positionInId],
    positionOutId: [...step.positionOutId],
    chainId: step.chainId,
    ...(step.primary && { primary: step.primary }),
    ...(step.internalRoutes && { internalRoutes: step.internalRoutes.map((leg) => ({ ...leg })) }),
    ...(step.args && { args: { ...step.args } }),
  }))
}

function exactInput({ input }: RouteAnswer) {
  return input && { amountIn: input.amountIn.toString(), maxAmountIn: input.maxAmountIn.toString() }
}

function extras(answer: RouteAnswer) {
  return {
    ...(answer.fees && { feeAmount: answer.fees.map(({ amount }) => amount.toString()) }),
    ...(answer.warnings.length > 0 && { warnings: [...answer.warnings] }),
  }
}

function toGasCost({ l1DataFee, ...gas }: GasCost) {
  const toCost = ({ native, usd }: Cost) => ({ native: native.toString(), usd })
  return {
    ...toCost(gas),
    ...(l1DataFee !== undefined && { l1DataFee: l1DataFee && toCost(l1DataFee) }),
  }
}

function toRouteTransaction(answer: RouteAnswer): z.output<typeof RouteTransaction> {
  const { tx, gasCost } = answer
  return {
    route: toSteps(answer),
    gas: answer.gas.toString(),
    amountOut: oneOrList(answer.outputs.map(({ amountOut }) => amountOut)),
    minAmountOut: oneOrList(answer.outputs.map(({ minAmountOut }) => minAmountOut)),
    ...exactInput(answer),
    priceImpact: answer.priceImpact,
    createdAt: Number(answer.block.number),
    blockNumber: Number(answer.block.number),
    tx: {
      data: tx.data,
      to: tx.to,
      from: tx.from,
      value: tx.value.toString(),
      chainId: answer.chainId,
    },
    ...(gasCost && { gasCost: toGasCost(gasCost) }),
    ...extras(answer),
  }
}

export function toQuote(answer: RouteAnswer, withPriceImpact: boolean): z.output<typeof Quote> {
  return {
    amountOut: oneOrList(answer.outputs.map(({ amountOut }) => amountOut)),
    ...exactInput(answer),
    route: toSteps(answer),
    gas: answer.gas.toString(),
    ...(withPriceImpact && { priceImpact: answer.priceImpact }),
    ...extras(answer),
    blockNumber: Number(answer.block.number),
  }
}

export function shortcutEndpoints(serviceName: string): Endpoint[] {
  const { exactRoute, exactQuote } = shortcutInputs(serviceName)
  const routeContract = {
    path: '/api/v1/shortcuts/route',
    tag: 'Shortcuts',
    input: exactRoute,
    response: RouteTransaction,
    rules: exactRouteRules,
    isCalculation: true,
    errors: [
      ...calculationErrors,
      'INSUFFICIENT_BALANCE',
      'INSUFFICIENT_ALLOWANCE',
    ] satisfies ErrorCode[],
  }
  const getRoute = defineRoute({
    ...routeContract,
    method: 'get',
    operationId: 'getRoute',
    summary: 'Finds the best route and returns it as one unsigned transaction.',
    description:
      'Candidates run as real transactions on a fork of one block; amountOut and gas are what the returned ' +
      'transaction did there as the first of the next block. Funds and allowance must be there; see quote.',
  })
  const postRoute = defineRoute({
    ...routeContract,
    method: 'post',
    operationId: 'postRoute',
    summary: 'As the GET, with the inputs in a JSON body.',
    description:
      'Lists are JSON arrays; a single value is taken as a list of one. Amounts are strings, or integers up to 2^53.',
  })
  const getQuote = defineRoute({
    method: 'get',
    path: '/api/v1/shortcuts/quote',
    tag: 'Shortcuts',
    operationId: 'getQuote',
    summary: 'Estimates the output of a route; needs no funds and no allowance.',
    description:
      'As route, with the funds of the sender overridden in the simulation. Without fromAddress, for a sender that is nobody.',
    input: exactQuote,
    response: Quote,
    rules: exactQuoteRules,
    isCalculation: true,
    errors: calculationErrors,
  })
  return [
    ...[getRoute, postRoute].map((definition) =>
      endpoint(definition, async ({ engine, input, context }) =>
        toRouteTransaction(await engine.route(toRouteRequest(input), context)),
      ),
    ),
    endpoint(getQuote, async ({ engine, input, context }) =>
      toQuote(await engine.quote(toQuoteRequest(input), context), input.priceImpact),
    ),
  ]
}
