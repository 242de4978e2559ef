/**
 * Schemas of the API's answers: they type the handlers and become the components of the OpenAPI document.
 * Addresses are lower-case; amounts are decimal strings in the smallest unit.
 */
import { z } from 'zod'
import { Address, ChainId } from './record-parts.js'

const Wei = z
  .string()
  .regex(/^\d+$/)
  .meta({ id: 'Wei', description: 'Unsigned integer in the smallest unit, decimal string.' })
const BlockNumber = z.int().min(0)
/** One value for one tokenOut, a list in the order of tokenOut for several. */
const WeiOrList = z.union([Wei, z.array(Wei)])

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

const RouteStep = z
  .object({
    action: z.string(),
    protocol: z.string(),
    tokenIn: z.array(Address),
    tokenOut: z.array(Address),
    positionInId: z.array(z.string()),
    positionOutId: z.array(z.string()),
    chainId: ChainId,
    primary: Address.optional(),
    internalRoutes: z
      .array(
        z.object({
          tokenIn: Address,
          tokenOut: Address,
          protocol: z.string(),
          pool: z.string(),
          share: z.number().meta({ description: "Part of the step's input, basis points." }),
        }),
      )
      .optional(),
    args: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'RouteStep' })

const Transaction = z
  .object({
    data: z.string(),
    to: Address,
    from: Address,
    value: Wei,
    chainId: ChainId,
  })
  .meta({ id: 'Transaction', description: 'Valid and unsigned.' })

/** Of a request with amountOut. */
const exactInput = {
  amountIn: Wei.optional().meta({
    description:
      'With amountOut in the request: the least amount of tokenIn that gives it, fee included; what the transaction ' +
      'spends, and what has to be allowed.',
  }),
  maxAmountIn: Wei.optional().meta({
    description: 'With amountOut in the request: amountIn with the slippage on top, rounded up.',
  }),
}

const PriceImpact = z
  .number()
  .nullable()
  .meta({ description: 'Basis points, fees included; null without USD prices.' })
const Warnings = z.array(z.string()).optional().meta({
  description:
    'Present when something was left out that could have mattered, or when the gas is by later rules than those of the block.',
})
const Gas = z.string().meta({
  description: 'Gas that the simulated transaction used; send about 50% more.',
})

const cost = {
  native: Wei,
  usd: z.number().nullable().meta({ description: 'Null without a price.' }),
}
const GasCost = z
  .object({
    ...cost,
    l1DataFee: z
      .object(cost)
      .nullable()
      .optional()
      .meta({
        description:
          'On top of the gas: what posting the transaction to L1 costs. Only on chains that charge it; null when the ' +
          'chain does not say.',
      }),
  })
  .meta({ id: 'GasCost', description: 'Gas used, at the base fee of the next block plus the tip.' })

export const RouteTransaction = z
  .object({
    route: z.array(RouteStep),
    gas: Gas,
    amountOut: WeiOrList,
    minAmountOut: WeiOrList.meta({ description: 'What the transaction enforces.' }),
    ...exactInput,
    priceImpact: PriceImpact,
    createdAt: BlockNumber.meta({ description: 'Block at whose end all state was read.' }),
    blockNumber: BlockNumber.meta({ description: 'Same as createdAt.' }),
    tx: Transaction,
    feeAmount: z.array(Wei).optional(),
    gasCost: GasCost.optional(),
    warnings: Warnings,
  })
  .meta({ id: 'RouteTransaction' })

export const Quote = z
  .object({
    amountOut: WeiOrList,
    ...exactInput,
    route: z.array(RouteStep),
    gas: Gas,
    priceImpact: PriceImpact.optional(),
    feeAmount: z.array(Wei).optional(),
    blockNumber: BlockNumber,
    warnings: Warnings,
  })
  .meta({ id: 'Quote' })

const UnprotectedList = z
  .array(
    z
      .object({
        action: z.int().meta({ description: 'Index of the action that yields it.' }),
        token: Address.optional(),
        position: z.string().optional(),
        receiver: Address.optional(),
        reason: z.string(),
      })
      .meta({ id: 'Unprotected' }),
  )
  .optional()
  .meta({ description: 'Outputs that the transaction does not enforce; absent: all are.' })

export const NontokenizedTransaction = RouteTransaction.omit({
  amountIn: true,
  maxAmountIn: true,
})
  .extend({
    amountDeposited: WeiOrList.meta({
      description: 'What enters the position; a list where it is made of several tokens.',
    }),
    positionOut: z.string(),
    prerequisites: z
      .array(z.object({ from: Address, to: Address, data: z.string(), purpose: z.string() }))
      .optional()
      .meta({ description: 'Transactions that the account must have sent before.' }),
  })
  .meta({ id: 'NontokenizedTransaction' })

const ActionItem = z
  .object({ protocol: z.string(), action: z.string(), args: z.record(z.string(), z.unknown()) })
  .meta({ id: 'BundleAction' })

export const Bundle = z
  .object({
    bundle: z.array(ActionItem).meta({ description: 'The actions as understood.' }),
    gas: Gas.nullable().meta({ description: 'Null with skipQuote.' }),
    amountsOut: z
      .record(Address, Wei)
      .meta({ description: 'What the receiver gains, by token; empty with skipQuote.' }),
    minAmountsOut: z
      .record(Address, Wei)
      .meta({ description: 'What the transaction enforces, by token.' }),
    amountsIn: z
      .record(Address, Wei)
      .meta({ description: 'What is taken from the sender, by token.' }),
    route: z.array(RouteStep),
    createdAt: BlockNumber.meta({ description: 'Block at whose end all state was read.' }),
    blockNumber: BlockNumber.meta({ description: 'Same as createdAt.' }),
    tx: Transaction,
    priceImpact: PriceImpact.meta({
      description: 'Basis points; null without USD prices, and where debts or calls take part.',
    }),
    prerequisites: z
      .array(z.object({ from: Address, to: Address, data: z.string(), purpose: z.string() }))
      .optional()
      .meta({ description: 'Transactions that the account must have sent before.' }),
    unprotected: UnprotectedList,
    warnings: Warnings,
  })
  .meta({ id: 'Bundle' })

const ErrorFacts = z
  .object({
    statusCode: z.int().meta({ description: 'Of the same request by itself.' }),
    error: z.string().meta({ description: 'Name of the HTTP status.' }),
    message: z.union([z.string(), z.array(z.string())]),
    code: z.string().meta({ description: 'Stable word of the table in docs/errors.md.' }),
    details: z.record(z.string(), z.unknown()).optional(),
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
    gas: z.string(),
    token: Address,
    amount: Wei,
    spender: Address,
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
    address: Address,
    isDeployed: z.boolean(),
    owner: Address,
    chainId: ChainId,
    strategies: z
      .record(z.string(), Address)
      .meta({ description: 'Per routing strategy: the address that acts.' }),
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
    code: z.string().meta({ description: 'Stable word of the table in docs/errors.md.' }),
    requestId: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Error' })
