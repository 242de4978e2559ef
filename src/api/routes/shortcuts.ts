/** Routes and quotes: docs/reference/api.md#routes-and-quotes. */
import type { z } from 'zod'
import { invalidRequest } from '../../domain/common-errors.js'
import type { RouteAnswer } from '../../domain/engine.js'
import type { ErrorCode } from '../../domain/errors.js'
import type { AnsweredRequest } from '../../domain/operations/evidence.js'
import { defineRoute, type Endpoint, endpoint, type HandlerArgs } from '../contract.js'
import {
  evidenceInput,
  type QuoteInput,
  type RouteInput,
  shortcutInputs,
} from '../inputs/route-fields.js'
import { toExplainedQuote, toRouteRequest } from '../inputs/route-request.js'
import { exactQuoteRules, exactRouteRules } from '../inputs/route-rules.js'
import { toWhatIf, whatIfInputs } from '../inputs/what-if.js'
import type { Dialect } from '../records/dialect.js'
import {
  overridesOf,
  Quote,
  RouteTransaction,
  toQuote,
  toRouteTransaction,
} from '../records/transactions.js'

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

export function shortcutEndpoints(dialect: Dialect): Endpoint[] {
  const inputs = shortcutInputs(dialect)
  const exactRoute = inputs.exactRoute.extend(evidenceInput)
  const exactQuote = inputs.exactQuote.extend(evidenceInput)
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
  const routed = async (
    args: Args<RouteInput>,
    changes: ReturnType<typeof toWhatIf> = {},
  ): Promise<z.output<typeof RouteTransaction>> => {
    const { engine, input, context } = args
    const request = { ...toRouteRequest(input), ...simulationFor(input) }
    const answer = await engine.route(request, { ...context, ...changes })
    const record = toRouteTransaction(answer, input.priceImpact)
    return {
      ...record,
      ...overridesOf(changes),
      ...(await evidenceOf('route', args, record, answer)),
    }
  }
  const quoted = async (
    args: Args<QuoteInput>,
    changes: ReturnType<typeof toWhatIf> = {},
  ): Promise<z.output<typeof Quote>> => {
    const { engine, input, context } = args
    const request = { ...toExplainedQuote(input), ...simulationFor(input) }
    const answer = await engine.quote(request, { ...context, ...changes })
    const record = toQuote(answer, input.priceImpact)
    return {
      ...record,
      ...overridesOf(changes),
      ...(await evidenceOf('quote', args, record, answer)),
    }
  }
  return [
    endpoint(getRoute, (args) => routed(args)),
    endpoint(postRoute, (args) => routed(args, toWhatIf(args.input))),
    endpoint(getQuote, (args) => quoted(args)),
    endpoint(postQuote, (args) => quoted(args, toWhatIf(args.input))),
  ]
}

type Args<Input> = Pick<
  HandlerArgs<unknown, Input & { readonly evidence: boolean }>,
  'engine' | 'input' | 'context' | 'operations'
>

interface EvidenceInput {
  readonly evidence: boolean
  readonly chainId: number
  readonly destinationChainId?: number | undefined
  readonly permit?: boolean | undefined
}

/** @throws ForkrouteError INVALID_REQUEST where no verifier could run the transaction. */
function simulationFor({ evidence, chainId, destinationChainId, permit }: EvidenceInput) {
  if (!evidence) return {}
  const isFar = destinationChainId !== undefined && destinationChainId !== chainId
  if (permit)
    throw invalidRequest(['evidence is not given with permit: the signature is not there yet.'])
  if (isFar)
    throw invalidRequest(['evidence is not given over a bridge: two chains decide the answer.'])
  return { includeSimulation: true }
}

/** Nothing where the request asks for none. */
async function evidenceOf(
  endpoint: AnsweredRequest['endpoint'],
  { operations, input }: Args<object>,
  record: AnsweredRequest['record'],
  answer: RouteAnswer,
): Promise<{ evidence?: Record<string, unknown> }> {
  if (!input.evidence) return {}
  return {
    evidence: {
      ...(await operations.evidence.of({ endpoint, input: { ...input }, record, answer })),
    },
  }
}
