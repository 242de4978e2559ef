/**
 * Schemas of the API's answers: they type the handlers and become the components of the OpenAPI document.
 * Addresses are lower-case; amounts are decimal strings in the smallest unit.
 */
import { z } from 'zod'
import { type ErrorCode, errorCodes } from '../../domain/errors.js'
import { Address, BlockNumber, ChainId, Wei } from './record-parts.js'
import { Quote, Warnings } from './transactions.js'

export const Network = z
  .object({
    id: ChainId,
    name: z.string(),
    isConnected: z.boolean(),
    nativeToken: Address,
    blockNumber: BlockNumber.nullable().meta({ description: 'Newest pinned block.' }),
  })
  .meta({ id: 'Network' })

export const Block = z
  .object({
    chainId: ChainId,
    number: BlockNumber,
    hash: z.string(),
    timestamp: z.int().meta({ description: 'Unix seconds.' }),
  })
  .meta({ id: 'Block' })

export const Price = z
  .object({
    chainId: ChainId,
    address: Address,
    decimals: z.int(),
    price: z.number().meta({ description: 'USD per whole token.' }),
    symbol: z.string().optional(),
    name: z.string().optional(),
    timestamp: z.int().meta({ description: 'Unix seconds of the block.' }),
    confidence: z.number().min(0).max(1),
    blockNumber: BlockNumber,
    source: z.string(),
  })
  .meta({ id: 'Price' })

const Code = z
  .enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]])
  .meta({ id: 'ErrorCode', description: 'Stable word of the table in docs/reference/errors.md.' })

const NextStep = z
  .union([
    z
      .object({
        parameter: z.string().meta({
          description: 'Parameter to change; an item of a list by its index: amountIn[1].',
        }),
        action: z
          .int()
          .min(0)
          .optional()
          .meta({ description: 'Index of the bundle’s action whose argument it is.' }),
        value: z.string().nullable().optional().meta({
          description: 'What to give, as text; null: leave it out; absent: to be chosen.',
        }),
      })
      .meta({ id: 'ParameterStep', description: 'The same request with one parameter changed.' }),
    z
      .object({
        endpoint: z.string().meta({ description: 'Method and path.' }),
        query: z
          .record(z.string(), z.string())
          .optional()
          .meta({ description: 'Parameters of the query.' }),
      })
      .meta({ id: 'EndpointStep', description: 'Another endpoint, before it or in its place.' }),
    z
      .object({
        header: z.string().meta({ description: 'Name of the header.' }),
        value: z.string().meta({
          description: 'What it says; a part in angle brackets stands for what the caller has.',
        }),
      })
      .meta({ id: 'HeaderStep', description: 'The same request with a header.' }),
  ])
  .meta({ id: 'NextStep', description: 'What a caller may do about an error.' })

const Details = z
  .object({
    next: z.array(NextStep).optional().meta({
      description: 'What may be done about it; any one may be enough, the likeliest first.',
    }),
  })
  .catchall(z.unknown())
  .meta({ id: 'ErrorDetails', description: 'Facts about the error; which ones depends on code.' })

const ErrorFacts = z
  .object({
    statusCode: z.int().meta({ description: 'Of the same request by itself.' }),
    error: z.string().meta({ description: 'Name of the HTTP status.' }),
    message: z.union([z.string(), z.array(z.string())]),
    code: Code,
    details: Details.optional(),
  })
  .meta({ id: 'ErrorFacts', description: 'Why one of several has no answer.' })
const Failed = z.object({ error: ErrorFacts })

export const BatchItem = z.union([
  Quote,
  z
    .object({
      ladder: z
        .array(
          z.union([
            Quote.omit({ blockNumber: true, maxAmountIn: true }).extend({ amountIn: Wei }),
            Failed.extend({ amountIn: Wei }),
          ]),
        )
        .meta({ description: 'One rung for each amountIn, in the order asked.' }),
      blockNumber: BlockNumber,
    })
    .meta({ id: 'Ladder' }),
  Failed,
])

export const QuoteBatch = z
  .object({
    blockNumber: BlockNumber.meta({ description: 'Block at whose end all state was read.' }),
    chainId: ChainId,
    quotes: z.array(BatchItem).meta({ description: 'In the order asked.' }),
  })
  .meta({ id: 'QuoteBatch' })

export const Approval = z
  .object({
    tx: z.object({ to: Address, from: Address, data: z.string(), value: Wei }),
    gas: z.string().regex(/^\d+$/),
    token: Address,
    amount: Wei,
    spender: Address.meta({ description: 'As /api/v1/wallet lists it for the strategy.' }),
    warnings: Warnings,
  })
  .meta({ id: 'Approval' })

export const WalletBalance = z
  .object({
    token: Address,
    amount: Wei,
    chainId: ChainId,
    decimals: z.int(),
    price: z.string().nullable().meta({ description: 'USD per whole token.' }),
    name: z.string().nullable(),
    symbol: z.string().nullable(),
    logoUri: z.string().nullable(),
  })
  .meta({ id: 'WalletBalance' })

export const Wallet = z
  .object({
    address: Address.meta({ description: 'The wallet, which runs the steps and may hold tokens.' }),
    isDeployed: z.boolean(),
    owner: Address.meta({ description: 'The account that sends its transactions.' }),
    chainId: ChainId,
    strategies: z.record(z.string(), Address).meta({
      description:
        'Per routing strategy the contract that stands behind it: `to` of its transactions, and `spender` of its approval.',
    }),
  })
  .meta({ id: 'Wallet' })

export const Opportunities = z
  .array(
    z.array(
      z.object({
        protocol: z.string(),
        action: z.string(),
        args: z.object({
          tokenIn: Address,
          tokenOut: Address,
          amountIn: Wei,
          amount: Wei.meta({ description: 'Same as amountIn.' }),
          slippage: z.string().meta({ description: 'Basis points.' }),
        }),
      }),
    ),
  )
  .meta({ id: 'Opportunities', description: 'Bodies of bundles, the best first.' })

export const Readiness = z
  .object({
    ready: z.boolean(),
    chains: z.array(
      z.object({
        chainId: ChainId,
        ready: z.boolean(),
        blockNumber: BlockNumber.nullable(),
        ageSeconds: z.number().nullable(),
        capabilities: z.record(z.string(), z.boolean()),
        problem: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Readiness' })

export const ErrorBody = z
  .object({
    statusCode: z.int(),
    error: z.string().meta({ description: 'Name of the HTTP status.' }),
    message: z
      .union([z.string(), z.array(z.string())])
      .meta({ description: 'A list when several inputs are wrong.' }),
    code: Code,
    requestId: z.string(),
    details: Details.optional(),
  })
  .meta({ id: 'Error' })
