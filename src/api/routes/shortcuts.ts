/** Routes and quotes: docs/api.md#routes-and-quotes. */
import type { z } from 'zod'
import type { PrerequisiteRecord } from '../../domain/bundle.js'
import type {
  GasCost,
  QuoteRequest,
  RequestInput,
  RouteAnswer,
  RouteRequest,
} from '../../domain/engine.js'
import type { ErrorCode } from '../../domain/errors.js'
import { explanationFields, oneOrList } from '../../domain/explanation.js'
import { tokenAmounts, zip } from '../../domain/lists.js'
import type { RoutePermit } from '../../domain/permit.js'
import { type Cost, defaultCentiBps } from '../../domain/primitives.js'
import type { PoolChoice } from '../../domain/router-settings.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import type { Dialect } from '../records/dialect.js'
import { toSteps } from '../records/steps.js'
import { traceOf } from '../records/trace-records.js'
import { Quote, RouteTransaction } from '../records/transactions.js'
import { crosschainFields, toCrosschain } from './crosschain-fields.js'
import { toExplain } from './explanation.js'
import {
  exactQuoteRules,
  exactRouteRules,
  type PoolChoiceInput,
  type QuoteInput,
  type RouteInput,
  shortcutInputs,
} from './shortcut-inputs.js'
import { overridesOf, toWhatIf, whatIfInputs } from './what-if-inputs.js'

export const calculationErrors: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'UNKNOWN_CHAIN',
  'UNKNOWN_BLOCK',
  'NO_ROUTE',
  'SIMULATION_REVERTED',
  'SIMULATION_TOO_LARGE',
  'NOT_FUNDABLE',
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
  const { fromAddress, deadline, permit, trace } = input
  const explain = toExplain(input.explain)
  return {
    ...toPlanRequest(input),
    fromAddress,
    ...(deadline && { deadline }),
    ...(permit && { permit }),
    ...(trace && { includeTrace: true }),
    ...(explain && { explain }),
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

function toExplainedQuote(input: QuoteInput): QuoteRequest {
  const explain = toExplain(input.explain)
  return { ...toQuoteRequest(input), ...(explain && { explain }) }
}

function exactOutput({ amountOut: [amountOut] = [] }: Pick<QuoteInput, 'amountOut'>) {
  return amountOut === undefined ? {} : { amountOut }
}

export function hasFee(inputs: readonly RequestInput[]): boolean {
  return inputs.some(({ feeBps }) => feeBps !== undefined)
}

/** Undefined where nothing is restricted. */
export function toPoolChoice(input: PoolChoiceInput): PoolChoice | undefined {
  const { excludePools, onlyPools, excludeTokens } = input
  const lists = [excludePools, onlyPools, excludeTokens]
  return lists.some(({ length }) => length > 0)
    ? { excludePools, onlyPools, excludeTokens }
    : undefined
}

/** A route of a plan: its sender need not have the funds, so there may be none. */
export function toPlanRequest(
  input: Omit<
    RouteInput,
    'fromAddress' | 'blockNumber' | 'deadlineMs' | 'deadline' | 'permit' | 'trace' | 'proof'
  > & {
    [K in 'fromAddress' | 'blockNumber' | 'deadlineMs' | 'proof']?: RouteInput[K] | undefined
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
    ignoreAggregators: input.ignoreAggregators,
    ignoreStandards: input.ignoreStandards,
    includeTransactionCost: input.includeTransactionCost,
    includePriceImpact: input.priceImpact,
    ...defined({
      fromAddress: input.fromAddress,
      receiver: input.receiver,
      toEoa: input.toEoa,
      spender: input.spender,
      refundReceiver: input.refundReceiver,
      feeReceiver: hasFee(inputs) ? input.feeReceiver : undefined,
      referralCode: input.referralCode,
      poolChoice: toPoolChoice(input),
      crosschain: toCrosschain(input),
      router: input.proof && { proof: input.proof },
      blockNumber: input.blockNumber,
      deadlineMs: input.deadlineMs,
    }),
  }
}

export function toQuoteRequest(
  input: Omit<QuoteInput, 'blockNumber' | 'deadlineMs' | 'proof'> & {
    [K in 'blockNumber' | 'deadlineMs' | 'proof']?: QuoteInput[K]
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
    ignoreAggregators: input.ignoreAggregators,
    ignoreStandards: input.ignoreStandards,
    includeTransactionCost: false,
    includePriceImpact: input.priceImpact,
    ...defined({
      fromAddress: input.fromAddress,
      feeReceiver: hasFee(inputs) ? input.feeReceiver : undefined,
      poolChoice: toPoolChoice(input),
      crosschain: toCrosschain(input),
      router: input.proof && { proof: input.proof },
      blockNumber: input.blockNumber,
      deadlineMs: input.deadlineMs,
    }),
  }
}

/** The first amount as a string, and beside it the list of all where there are several. */
export function withList<N extends string>(name: N, amounts: readonly bigint[]) {
  const all = amounts.map(String)
  return {
    [name]: all[0] ?? '0',
    ...(all.length > 1 && { [`${name}List`]: all }),
  } as { [K in N]: string } & { [K in `${N}List`]?: string[] }
}

/** Absent where there are none. */
export function toPrerequisites(list: readonly PrerequisiteRecord[]) {
  if (list.length === 0) return {}
  return {
    prerequisites: list.map((one) => ({ ...one })),
    approvals: list.map(({ from, to, data, purpose }) => ({
      from,
      to,
      data,
      value: '0',
      description: purpose,
    })),
  }
}

function exactInput({ input }: RouteAnswer) {
  return input && { amountIn: input.amountIn.toString(), maxAmountIn: input.maxAmountIn.toString() }
}

function extras(answer: RouteAnswer) {
  return {
    ...(answer.proof && { proof: answer.proof }),
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

function toPermit({ kind, typedData, signature }: RoutePermit) {
  const { domain, types, primaryType, message } = typedData
  return {
    kind,
    typedData: {
      domain: { ...domain },
      types: Object.fromEntries(
        Object.entries(types).map(([name, fields]) => [name, fields.map((one) => ({ ...one }))]),
      ),
      primaryType,
      message: { ...message },
    },
    signature: { ...signature },
  }
}

function toRouteTransaction(
  answer: RouteAnswer,
  withPriceImpact: boolean,
): z.output<typeof RouteTransaction> {
  const { tx, gasCost, permit } = answer
  return {
    route: toSteps(answer),
    gas: answer.gas.toString(),
    amountOut: oneOrList(answer.outputs.map(({ amountOut }) => amountOut)),
    minAmountOut: oneOrList(answer.outputs.map(({ minAmountOut }) => minAmountOut)),
    ...exactInput(answer),
    ...(withPriceImpact && { priceImpact: answer.priceImpact }),
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
    ...crosschainFields(answer),
    ...(permit && { permit: toPermit(permit) }),
    ...traceOf(answer),
    ...extras(answer),
    ...explanationFields(answer.explanation),
  }
}

export function toQuote(answer: RouteAnswer, withPriceImpact: boolean): z.output<typeof Quote> {
  return {
    ...withList(
      'amountOut',
      answer.outputs.map(({ amountOut }) => amountOut),
    ),
    ...exactInput(answer),
    route: toSteps(answer),
    gas: answer.gas.toString(),
    ...(withPriceImpact && { priceImpact: answer.priceImpact }),
    ...extras(answer),
    blockNumber: Number(answer.block.number),
    ...crosschainFields(answer),
    ...explanationFields(answer.explanation),
  }
}

export function shortcutEndpoints(dialect: Dialect): Endpoint[] {
  const { exactRoute, exactQuote } = shortcutInputs(dialect)
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
    input: exactRoute.extend(whatIfInputs),
    method: 'post',
    operationId: 'postRoute',
    summary: 'As the GET, with the inputs in a JSON body.',
    description:
      'Lists are JSON arrays; a single value is taken as a list of one. Amounts are strings, or integers up to 2^53.',
  })
  const quoteContract = {
    path: '/api/v1/shortcuts/quote',
    tag: 'Shortcuts',
    input: exactQuote,
    response: Quote,
    rules: exactQuoteRules,
    isCalculation: true,
    errors: calculationErrors,
  }
  const getQuote = defineRoute({
    ...quoteContract,
    method: 'get',
    operationId: 'getQuote',
    summary: 'Estimates the output of a route; needs no funds and no allowance.',
    description:
      'As route, with the funds of the sender overridden in the simulation. Without fromAddress, for a sender that is nobody.',
  })
  const postQuote = defineRoute({
    ...quoteContract,
    input: exactQuote.extend(whatIfInputs),
    method: 'post',
    operationId: 'postQuote',
    summary: 'As the GET, with the inputs in a JSON body, and with overrides of state and block.',
    description: 'Lists are JSON arrays; a single value is taken as a list of one.',
  })
  return [
    endpoint(getRoute, async ({ engine, input, context }) =>
      toRouteTransaction(await engine.route(toRouteRequest(input), context), input.priceImpact),
    ),
    endpoint(postRoute, async ({ engine, input, context }) => {
      const changes = toWhatIf(input)
      const answer = await engine.route(toRouteRequest(input), { ...context, ...changes })
      return { ...toRouteTransaction(answer, input.priceImpact), ...overridesOf(changes) }
    }),
    endpoint(getQuote, async ({ engine, input, context }) =>
      toQuote(await engine.quote(toExplainedQuote(input), context), input.priceImpact),
    ),
    endpoint(postQuote, async ({ engine, input, context }) => {
      const changes = toWhatIf(input)
      const answer = await engine.quote(toExplainedQuote(input), { ...context, ...changes })
      return { ...toQuote(answer, input.priceImpact), ...overridesOf(changes) }
    }),
  ]
}
