/**
 * Schemas of the API's answers: they type the handlers and become the components of the OpenAPI document.
 * Addresses are lower-case; amounts are decimal strings in the smallest unit.
 */
import { z } from 'zod'
import { type ErrorCode, errorCodes } from '../../domain/errors.js'
import { explanation, onlyExplained } from './explanation.js'
import { Address, ChainId, Wei, WeiOrList } from './record-parts.js'
import { Trace } from './trace-records.js'

const BlockNumber = z.int().min(0)

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

const RouteSegment = z
  .object({
    action: z.string(),
    protocol: z.string(),
    primary: Address.optional(),
    tokenIn: z.array(Address),
    tokenOut: z.array(Address),
    positionInId: z.array(z.string()),
    positionOutId: z.array(z.string()),
  })
  .meta({ id: 'RouteSegment', description: 'One pool of a route step.' })

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
          pool: z
            .string()
            .meta({ description: 'Its address, or its 32-byte id where it has one.' }),
          share: z.number().meta({ description: "Part of the step's input, basis points." }),
          primary: Address.meta({ description: 'Contract that is called.' }),
        }),
      )
      .optional()
      .meta({ description: 'The pools that one step swaps in.' }),
    internalRouteSegments: z
      .array(z.array(RouteSegment))
      .optional()
      .meta({
        description:
          'The same pools as ways beside each other, each a list of segments one after the other, as clients of this ' +
          'family of APIs have typed internalRoutes.',
      }),
    amountIn: z
      .array(Wei)
      .optional()
      .meta({
        description:
          'What the step took in the simulation of the transaction, in the order of tokenIn; absent where the simulation ' +
          'does not tell.',
      }),
    amountOut: z
      .array(Wei)
      .optional()
      .meta({ description: 'What it gave, in the order of tokenOut; likewise.' }),
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

const PriceImpact = z.number().nullable().meta({
  description:
    'Basis points, fees included, rounded to two decimals; null without USD prices, absent with priceImpact=false.',
})
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

const byteOffset = z.int().min(0)
const Permit = z
  .object({
    kind: z
      .enum(['permit2'])
      .meta({ description: 'Permit2, which the sender must have allowed to take the token.' }),
    typedData: z
      .object({
        domain: z.record(z.string(), z.unknown()).meta({ description: 'Of EIP-712.' }),
        types: z
          .record(z.string(), z.array(z.object({ name: z.string(), type: z.string() })))
          .meta({ description: 'Of EIP-712, EIP712Domain included.' }),
        primaryType: z.string().meta({ description: 'Name of the type of message.' }),
        message: z.record(z.string(), z.unknown()).meta({
          description: 'Amounts in the smallest unit, times in unix seconds: decimal strings.',
        }),
      })
      .meta({ description: 'What fromAddress signs, with eth_signTypedData_v4.' }),
    signature: z
      .object({
        r: byteOffset.meta({ description: 'Byte of tx.data at which its 32 bytes begin.' }),
        s: byteOffset.meta({ description: 'Byte of tx.data at which its 32 bytes begin.' }),
        v: byteOffset.meta({ description: 'Byte of tx.data that is 27 or 28.' }),
      })
      .meta({ description: 'Where the signature goes; a stand-in of the same gas is there.' }),
  })
  .meta({ id: 'Permit' })

const Overrides = z
  .object({
    accounts: z.array(Address).meta({ description: 'Accounts of stateOverrides.' }),
    code: z
      .array(Address)
      .meta({ description: "Those whose code is not the chain's: anything may be made up." }),
    timestamp: z
      .int()
      .optional()
      .meta({ description: 'Of the simulated block, unix seconds, where asked for.' }),
    baseFee: Wei.optional().meta({
      description: 'Of the simulated block, wei per gas, where asked for.',
    }),
  })
  .meta({
    id: 'Overrides',
    description:
      'Present where the request changed state or block: the answer is not of the chain.',
  })

export const RouteTransaction = z
  .object({
    route: z.array(RouteStep),
    gas: Gas,
    amountOut: WeiOrList,
    minAmountOut: WeiOrList.meta({ description: 'What the transaction enforces.' }),
    priceImpact: PriceImpact.optional(),
    createdAt: BlockNumber.meta({ description: 'Block at whose end all state was read.' }),
    blockNumber: BlockNumber.meta({ description: 'Same as createdAt.' }),
    tx: Transaction,
    feeAmount: z.array(Wei).optional(),
    gasCost: GasCost.optional(),
    permit: Permit.optional().meta({ description: 'Only with permit=true.' }),
    trace: Trace.nullable().optional(),
    overrides: Overrides.optional(),
    warnings: Warnings,
    ...explanation,
  })
  .meta({ id: 'RouteTransaction' })

/** Beside an amount of the first of several tokens. */
const listOf = (tokens: string) =>
  z
    .array(Wei)
    .optional()
    .meta({ description: `Raw units of all ${tokens}, in their order; absent where there is one.` })

export const Quote = z
  .object({
    amountOut: Wei.meta({
      description: 'What the receiver gains of the first tokenOut, raw units.',
    }),
    amountOutList: listOf('tokenOut'),
    route: z.array(RouteStep),
    gas: Gas,
    priceImpact: PriceImpact.optional(),
    feeAmount: z.array(Wei).optional(),
    blockNumber: BlockNumber,
    overrides: Overrides.optional(),
    warnings: Warnings,
    ...explanation,
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

const Prerequisites = z
  .array(z.object({ from: Address, to: Address, data: z.string(), purpose: z.string() }))
  .optional()
  .meta({ description: 'Transactions that the account must have sent before.' })
const Approvals = z
  .array(
    z
      .object({ from: Address, to: Address, data: z.string(), value: Wei, description: z.string() })
      .meta({ id: 'RequiredApproval' }),
  )
  .optional()
  .meta({ description: 'The prerequisites again, each as a transaction with its description.' })

export const NontokenizedTransaction = RouteTransaction.omit(onlyExplained).extend({
  priceImpact: PriceImpact,
  amountOut: Wei.meta({ description: 'Same as amountDeposited.' }),
  amountOutList: listOf('tokens of the position'),
  minAmountOut: Wei.meta({
    description: 'What the transaction enforces of amountDeposited, raw units.',
  }),
  minAmountOutList: listOf('tokens of the position'),
  amountDeposited: Wei.meta({
    description: 'What enters the position of its first token, raw units.',
  }),
  amountDepositedList: listOf('tokens of the position'),
  positionOut: z.string(),
  prerequisites: Prerequisites,
  approvals: Approvals,
}).meta({ id: 'NontokenizedTransaction' })

const ActionItem = z
  .object({ protocol: z.string(), action: z.string(), args: z.record(z.string(), z.unknown()) })
  .meta({ id: 'BundleAction' })

export const Bundle = z
  .object({
    bundle: z.array(ActionItem).meta({ description: 'The actions as understood.' }),
    gas: Gas.optional().meta({
      description:
        'Gas units that the simulated transaction used; send about 50% more. Absent with skipQuote.',
    }),
    amountsOut: z.record(Address, Wei).meta({
      description:
        'Raw units that the receiver gains, and those that actions name as receivers, by token; empty with skipQuote.',
    }),
    minAmountsOut: z
      .record(Address, Wei)
      .meta({ description: 'What the transaction enforces, by token.' }),
    amountsIn: z
      .record(Address, Wei)
      .meta({ description: 'What is taken from the sender, by token.' }),
    payments: z
      .array(
        z
          .object({
            action: z.int().meta({ description: 'Index of the action that pays.' }),
            token: Address,
            receiver: Address,
            amountOut: Wei.meta({ description: 'What arrives, raw units; a part of amountsOut.' }),
            minAmountOut: Wei.meta({
              description: 'What must arrive at least, raw units; a part of minAmountsOut.',
            }),
          })
          .meta({ id: 'Payment' }),
      )
      .optional()
      .meta({
        description:
          'What actions pay themselves to the receivers that they name; absent: nothing.',
      }),
    route: z.array(RouteStep),
    createdAt: BlockNumber.meta({ description: 'Block at whose end all state was read.' }),
    blockNumber: BlockNumber.meta({ description: 'Same as createdAt.' }),
    tx: Transaction,
    priceImpact: PriceImpact.meta({
      description: 'Basis points; null without USD prices, and where debts or calls take part.',
    }),
    feeAmount: z.array(Wei).optional().meta({
      description:
        'Raw units of each fee that an action charges, in the order of the actions; absent: none does.',
    }),
    prerequisites: Prerequisites,
    approvals: Approvals,
    unprotected: UnprotectedList,
    trace: Trace.nullable().optional(),
    overrides: Overrides.optional(),
    warnings: Warnings,
    ...explanation,
  })
  .meta({ id: 'Bundle' })

const Code = z
  .enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]])
  .meta({ id: 'ErrorCode', description: 'Stable word of the table in docs/errors.md.' })

const ErrorFacts = z
  .object({
    statusCode: z.int().meta({ description: 'Of the same request by itself.' }),
    error: z.string().meta({ description: 'Name of the HTTP status.' }),
    message: z.union([z.string(), z.array(z.string())]),
    code: Code,
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
            Quote.omit({ blockNumber: true }).extend({ amountIn: Wei }),
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
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Error' })
