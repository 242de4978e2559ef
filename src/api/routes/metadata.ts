/** Networks, blocks, prices, aggregators and the account: docs/reference/api.md#networks-blocks-prices. */
import { z } from 'zod'
import { runWithin } from '../../domain/abort.js'
import type { CallContext, Engine } from '../../domain/engine.js'
import { type ErrorCode, ForkrouteError } from '../../domain/errors.js'
import type { Address as Address20 } from '../../domain/primitives.js'
import { blockOf } from '../block-of.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { Block, Network, Price } from '../records/records.js'
import {
  Address,
  BlockNumber,
  BlockTagText,
  ChainId,
  DeadlineMs,
  described,
  examples,
  listOf,
  Name,
  withDefault,
} from '../schemas.js'

const priceErrors: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'UNKNOWN_CHAIN',
  'UNKNOWN_BLOCK',
  'CHAIN_NOT_READY',
  'UPSTREAM_UNAVAILABLE',
  'STATE_UNAVAILABLE',
  'THREAD_LOST',
  'OVERLOADED',
  'DEADLINE_EXCEEDED',
]

const pathChainId = ChainId.meta({ example: 1 })
const pinning = { blockNumber: BlockNumber.optional(), deadlineMs: DeadlineMs.optional() }

const getNetworks = defineRoute({
  method: 'get',
  path: '/api/v1/networks',
  tag: 'Metadata',
  operationId: 'getNetworks',
  summary: 'Lists the supported networks.',
  description: 'isConnected says whether the chain has a block to calculate at.',
  input: z.object({
    name: Name.optional().meta({
      description: 'Title of the network or a part of it, letter case ignored.',
    }),
    chainId: ChainId.optional(),
  }),
  response: z.array(Network),
  errors: ['INVALID_REQUEST'],
})

const getBlock = defineRoute({
  method: 'get',
  path: '/api/v1/networks/{chainId}/blocks',
  tag: 'Metadata',
  operationId: 'getBlock',
  summary: 'The block of a number, a distance from the newest, or a time.',
  description:
    'Of a time it is the newest block that is not later. The number is what blockNumber of the calculations takes.',
  params: z.object({ chainId: pathChainId }),
  input: z.object({ at: withDefault(BlockTagText, { kind: 'latest', back: 0n }, 'latest') }),
  response: Block,
  errors: [
    'INVALID_REQUEST',
    'UNKNOWN_CHAIN',
    'UNKNOWN_BLOCK',
    'CHAIN_NOT_READY',
    'UPSTREAM_UNAVAILABLE',
  ],
})

const getPrice = defineRoute({
  method: 'get',
  path: '/api/v1/prices/{chainId}/{address}',
  tag: 'Metadata',
  operationId: 'getPrice',
  summary: 'USD price of one token at a block.',
  description:
    'Price in USD per whole token, from Chainlink feeds, from what a position owns, or from pools on the chain itself; 404 when none is known.',
  params: z.object({ chainId: pathChainId, address: described(Address, 'Token.', examples.weth) }),
  input: z.object(pinning),
  response: Price,
  isCalculation: true,
  errors: [...priceErrors, 'NO_PRICE'],
})

const getPrices = defineRoute({
  method: 'get',
  path: '/api/v1/prices/{chainId}',
  tag: 'Metadata',
  operationId: 'getPrices',
  summary: 'USD prices of up to 100 tokens at a block.',
  description:
    'In the order asked, duplicates included; null where no price is known. All at the same block.',
  params: z.object({ chainId: pathChainId }),
  input: z.object({
    addresses: described(listOf(Address, 1, 100), 'Tokens, 100 at most.', [
      examples.weth,
      examples.usdc,
    ]),
    ...pinning,
  }),
  response: z.array(Price.nullable()),
  isCalculation: true,
  errors: priceErrors,
})

const getAggregators = defineRoute({
  method: 'get',
  path: '/api/v1/aggregators',
  tag: 'Metadata',
  operationId: 'getAggregators',
  summary: 'Lists what only swaps: the values of ignoreAggregators.',
  description:
    'Slugs of the exchanges that a route may lead through. Lending, staking and vaults are left out by ignoreStandards.',
  input: z.object({
    chainId: described(
      ChainId.optional(),
      'Those on this chain; default: on any of the configured ones.',
    ),
  }),
  response: z.array(z.string()),
  errors: ['INVALID_REQUEST', 'UNKNOWN_CHAIN'],
})

const getAccountId = defineRoute({
  method: 'get',
  path: '/api/v1/account/accountId',
  tag: 'Account',
  operationId: 'getAccountId',
  summary: 'The account id tied to the key.',
  description:
    'bytes32, as carried in the on-chain event; zero when the service runs without keys.',
  response: z.string(),
  errors: [],
})

/** There are no partial answers: prices that are not ready by the deadline are a 504. */
async function prices(
  { engine, context }: { readonly engine: Engine; readonly context: CallContext },
  chainId: number,
  addresses: readonly Address20[],
  pin: { readonly blockNumber?: bigint | undefined; readonly deadlineMs?: number | undefined },
) {
  const read = async (signal: AbortSignal) =>
    engine.prices(chainId, addresses, pin.blockNumber, { ...context, signal })
  const found =
    pin.deadlineMs === undefined
      ? await read(context.signal)
      : await runWithin({ timeoutMs: pin.deadlineMs, outer: context.signal }, read)
  return [...found]
}

export const metadataEndpoints: readonly Endpoint[] = [
  endpoint(getNetworks, ({ engine, input }) =>
    engine
      .networks()
      .filter(
        (network) =>
          (input.chainId === undefined || network.id === input.chainId) &&
          (input.name === undefined ||
            network.name.toLowerCase().includes(input.name.toLowerCase())),
      )
      .map((network) => ({ ...network })),
  ),
  endpoint(getBlock, async ({ engine, params, input, context }) => {
    const { chainId, number, hash, timestamp } = await blockOf(
      engine,
      params.chainId,
      input.at,
      context,
    )
    return { chainId, number: Number(number), hash, timestamp: Number(timestamp) }
  }),
  endpoint(getPrice, async ({ engine, params, input, context }) => {
    const [price] = await prices({ engine, context }, params.chainId, [params.address], input)
    if (price) return price
    throw new ForkrouteError('NO_PRICE', `No price is known for ${params.address}.`, {
      ...params,
      next: [
        // A quote says what pools pay for it where too little is traded for a price.
        {
          endpoint: 'GET /api/v1/shortcuts/quote',
          query: { chainId: String(params.chainId), tokenIn: params.address },
        },
        { parameter: 'address' },
      ],
    })
  }),
  endpoint(getPrices, ({ engine, params, input, context }) =>
    prices({ engine, context }, params.chainId, input.addresses, input),
  ),
  endpoint(getAggregators, ({ engine, input }) => [...engine.aggregators(input.chainId)]),
  endpoint(getAccountId, ({ context }) => context.accountId),
]
