/** Positions worth entering, as bodies of a bundle: docs/reference/api.md#opportunities. */
import { z } from 'zod'
import type { ErrorCode } from '../../domain/errors.js'
import type { Opportunity } from '../../domain/metadata.js'
import { defaultCentiBps, toBps } from '../../domain/primitives.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { Opportunities } from '../records/records.js'
import { Address, Amount, ChainId, described, examples, Slippage, withDefault } from '../schemas.js'

const errors: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'UNKNOWN_CHAIN',
  'OPPORTUNITIES_DISABLED',
  'CHAIN_NOT_READY',
  'UPSTREAM_UNAVAILABLE',
  'STATE_UNAVAILABLE',
  'FORK_UNAVAILABLE',
  'THREAD_LOST',
  'OVERLOADED',
  'DEADLINE_EXCEEDED',
]

const common = {
  chainId: withDefault(ChainId, 1, 1),
  slippage: described(
    withDefault(Slippage, defaultCentiBps, toBps(defaultCentiBps)),
    'Basis points, as the actions are to have it.',
  ),
}

const description =
  'Each element is the body of a bundle. Positions that are made of the token and hold at least ' +
  'OPPORTUNITIES_MIN_TVL_USD are ranked by what it would earn there in a year (APY times USD); the ten best are given ' +
  'whose route a quote has proven. Off unless the operator switches it on.'

const ofAddress = defineRoute({
  method: 'get',
  path: '/api/v1/opportunities/{address}',
  tag: 'Opportunities',
  operationId: 'getOpportunities',
  summary: 'Positions that an address can enter with what it holds.',
  description: `${description} Amounts are whole balances; 0.01 of the native token stays for gas.`,
  params: z.object({
    address: described(Address, 'Who holds the tokens.', examples.sender),
  }),
  input: z.object(common),
  response: Opportunities,
  isCalculation: true,
  readsListings: true,
  errors,
})

const ofToken = defineRoute({
  method: 'get',
  path: '/api/v1/opportunities/tokenIn/{tokenAddress}',
  tag: 'Opportunities',
  operationId: 'getOpportunitiesOfToken',
  summary: 'Positions to enter with a token.',
  description,
  params: z.object({ tokenAddress: described(Address, 'Token to enter with.', examples.usdc) }),
  input: z.object({
    ...common,
    amountIn: described(Amount.optional(), 'Raw units; one whole token when absent.'),
  }),
  response: Opportunities,
  isCalculation: true,
  readsListings: true,
  errors,
})

export function opportunityEndpoints(serviceName: string): Endpoint[] {
  const toBundles = (found: readonly Opportunity[], centiBps: bigint) =>
    found.map(({ tokenIn, tokenOut, amountIn: units }) => {
      const amount = units.toString()
      const args = { tokenIn, tokenOut, amountIn: amount, amount, slippage: toBps(centiBps) }
      return [{ protocol: serviceName, action: 'route', args }]
    })
  return [
    endpoint(ofAddress, async ({ engine, params, input, context }) => {
      const of = { kind: 'address', address: params.address } as const
      const found = await engine.opportunities({ chainId: input.chainId, of }, context)
      return toBundles(found, input.slippage)
    }),
    endpoint(ofToken, async ({ engine, params, input, context }) => {
      const { chainId, amountIn } = input
      const of = { kind: 'token', address: params.tokenAddress } as const
      return toBundles(
        await engine.opportunities({ chainId, of, amountIn }, context),
        input.slippage,
      )
    }),
  ]
}
