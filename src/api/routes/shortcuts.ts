/** Routes and quotes: docs/reference/api.md#routes-and-quotes. */
import type { ErrorCode } from '../../domain/errors.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { shortcutInputs } from '../inputs/route-fields.js'
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
