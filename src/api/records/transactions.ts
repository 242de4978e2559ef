/**
 * Answers with a route, as JSON puts them on the wire: transactions, quotes and bundles.
 * Addresses are lower-case; amounts are decimal strings in the smallest unit.
 */
import { z } from 'zod'
import {
  BundleArrival,
  cost,
  crosschain,
  routeCrosschain,
  UnprotectedList,
} from './crosschain-records.js'
import { explanation, onlyExplained } from './explanation.js'
import { Address, BlockNumber, ChainId, SignedWei, Wei, WeiOrList } from './record-parts.js'
import { Trace } from './trace-records.js'

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
    protocol: z.string().meta({
      description: 'Slug of the protocol; of several, that of the pool which takes most.',
    }),
    protocols: z.array(z.string()).optional().meta({
      description:
        'Of a step over several protocols the slugs of all, those that take most of its input first.',
    }),
    tokenIn: z.array(Address),
    tokenOut: z.array(Address),
    positionInId: z.array(z.string()),
    positionOutId: z.array(z.string()),
    chainId: ChainId,
    sourceChainId: ChainId.optional().meta({
      description: 'Of a bridge: the chain it leads from.',
    }),
    destinationChainId: ChainId.optional().meta({
      description: 'Of a bridge: the chain it leads to. The steps after it are there.',
    }),
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

const PriceImpact = z.number().nullable().meta({
  description:
    'Basis points, fees included, rounded to two decimals; null without USD prices, absent with priceImpact=false.',
})
export const Warnings = z.array(z.string()).optional().meta({
  description:
    'Present when something was left out that could have mattered, or when the gas is by later rules than those of the block.',
})
const Gas = z.string().regex(/^\d+$/).meta({
  description: 'Gas that the simulated transaction used; send about 50% more.',
})

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
    kind: z.enum(['eip2612', 'permit2']).meta({
      description:
        "eip2612: the token's own permit, which needs no allowance. permit2: Permit2, which the sender must have " +
        'allowed to take the token.',
    }),
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

const TraceOfTransaction = Trace.nullable()
  .optional()
  .meta({ description: 'Only with trace=true; null where the transaction cannot be traced.' })
const OverridesOfRequest = Overrides.optional().meta({
  description: 'What the request changed of state and block; absent: nothing.',
})

const ProofOfAnswer = z
  .literal('adaptive')
  .optional()
  .meta({ description: 'Only where not every candidate was simulated; see proof of the request.' })

export const RouteTransaction = z
  .object({
    route: z.array(RouteStep),
    gas: Gas,
    amountOut: WeiOrList,
    minAmountOut: WeiOrList.meta({ description: 'What the transaction enforces.' }),
    ...exactInput,
    priceImpact: PriceImpact.optional(),
    createdAt: BlockNumber.meta({ description: 'Block at whose end all state was read.' }),
    blockNumber: BlockNumber.meta({ description: 'Same as createdAt.' }),
    tx: Transaction,
    feeAmount: z.array(Wei).optional(),
    gasCost: GasCost.optional(),
    ...routeCrosschain,
    permit: Permit.optional().meta({ description: 'Only with permit=true.' }),
    trace: TraceOfTransaction,
    overrides: OverridesOfRequest,
    proof: ProofOfAnswer,
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
    ...exactInput,
    route: z.array(RouteStep),
    gas: Gas,
    priceImpact: PriceImpact.optional(),
    feeAmount: z.array(Wei).optional(),
    blockNumber: BlockNumber,
    ...routeCrosschain,
    overrides: OverridesOfRequest,
    proof: ProofOfAnswer,
    warnings: Warnings,
    ...explanation,
  })
  .meta({ id: 'Quote' })

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

/** Each input with the most that is kept of it. */
const MaxAmountsIn = z.record(Address, Wei).meta({
  description:
    'The most that the transaction keeps of each input, by token, raw units: what is above it comes back to ' +
    'refundReceiver, or the transaction reverts.',
})

export const NontokenizedTransaction = RouteTransaction.omit({
  ...onlyExplained,
  amountIn: true,
  maxAmountIn: true,
})
  .extend({
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
    maxAmountsIn: MaxAmountsIn,
    positionOut: z.string(),
    prerequisites: Prerequisites,
    approvals: Approvals,
  })
  .meta({ id: 'NontokenizedTransaction' })

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
        'Raw units that the receiver is paid, and those that actions name as receivers, by token; empty with skipQuote.',
    }),
    minAmountsOut: z
      .record(Address, Wei)
      .meta({ description: 'What the transaction enforces, by token.' }),
    amountsIn: z
      .record(Address, Wei)
      .meta({ description: 'What is taken from the sender, by token.' }),
    maxAmountsIn: MaxAmountsIn,
    netAmounts: z.record(Address, SignedWei).optional().meta({
      description:
        'amountsOut less amountsIn of each token that goes in and comes out, raw units; absent: none does.',
    }),
    payments: z
      .array(
        z
          .object({
            action: z.int().meta({ description: 'Index of the action that pays.' }),
            token: Address,
            receiver: Address.meta({ description: 'Who gets it.' }),
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
    ...crosschain,
    arrival: BundleArrival.optional().meta({
      description: 'Of a bundle with a bridge action: what happens on destinationChainId.',
    }),
    trace: TraceOfTransaction,
    overrides: OverridesOfRequest,
    warnings: Warnings,
    ...explanation,
  })
  .meta({ id: 'Bundle' })

/** Of the cross-chain endpoint of its own form. */
export const MultichainRoute = z
  .object({
    createdAt: BlockNumber.meta({
      description: 'Number of the source block at whose end the state was read.',
    }),
    tx: z
      .object({
        from: Address.meta({ description: 'The sender.' }),
        chainId: ChainId.meta({ description: 'EIP-155 id of the source chain.' }),
        value: z
          .string()
          .regex(/^0x[0-9a-f]+$/)
          .meta({ description: 'Wei, hexadecimal.' }),
        to: Address.meta({ description: 'The contract to call.' }),
        data: z.string().meta({ description: 'Call data, hexadecimal.' }),
      })
      .meta({ description: 'The unsigned transaction on the source chain.' }),
  })
  .meta({ id: 'MultichainRoute', description: 'The source transaction of a route between chains.' })
