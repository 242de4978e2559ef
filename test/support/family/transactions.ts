/** Answers that are calculated: what a client of the API family reads in routes, quotes and bundles. */
import { z } from 'zod'
import { ErrorFacts } from './records.js'
import {
  Address,
  BlockNumber,
  Bytes,
  ChainId,
  Impact,
  Pool,
  PositionId,
  Share,
  SignedWei,
  Text,
  Warnings,
  Wei,
} from './values.js'

const segment = z.looseObject({
  action: Text,
  protocol: Text,
  primary: Address.optional(),
  tokenIn: z.array(Address).min(1),
  tokenOut: z.array(Address).min(1),
})

const leg = z.looseObject({
  tokenIn: Address,
  tokenOut: Address,
  protocol: Text,
  pool: Pool,
  share: Share,
})

/** Lists are lists also where they hold one. */
export const Step = z.looseObject({
  action: Text,
  protocol: Text,
  tokenIn: z.array(Address),
  tokenOut: z.array(Address),
  positionInId: z.array(Text),
  positionOutId: z.array(Text),
  chainId: ChainId,
  primary: Address.optional(),
  internalRoutes: z.array(leg).min(1).optional(),
  internalRouteSegments: z.array(z.array(segment).min(1)).min(1).optional(),
  amountIn: z.array(Wei).optional(),
  amountOut: z.array(Wei).optional(),
})

const Transaction = z.looseObject({
  data: Bytes,
  to: Address,
  from: Address,
  value: Wei,
  chainId: ChainId,
})

/** One of several outputs is a string, several are a list. */
const oneOrList = z.union([Wei, z.array(Wei).min(2)])

const candidate = z.looseObject({
  path: z
    .array(
      z.looseObject({
        tokenIn: Address,
        tokenOut: Address,
        protocol: Text,
        pool: Pool.optional(),
        share: Share.optional(),
      }),
    )
    .min(1),
  estimatedAmountOut: Wei.nullable().optional(),
  amountOut: oneOrList.nullable(),
  gas: Wei.nullable(),
  valueAfterGas: SignedWei.nullable(),
  status: z.enum(['chosen', 'measured', 'reverted', 'unreadable', 'skipped']),
  reason: Text.optional(),
})

const explanation = {
  candidates: z.array(candidate).optional(),
  pools: z
    .looseObject({
      considered: z.int().nonnegative(),
      refused: z.array(z.looseObject({ pool: Pool, reason: Text })),
    })
    .optional(),
}

const call: z.ZodType = z.looseObject({
  type: z.enum(['CALL', 'STATICCALL', 'DELEGATECALL', 'CALLCODE', 'CREATE', 'CREATE2']),
  from: Address,
  to: Address.nullable(),
  value: Wei,
  gasUsed: Wei,
  error: Text.nullable(),
  get calls() {
    return z.array(call)
  },
})

const extras = {
  ...explanation,
  trace: z
    .looseObject({
      call: call.nullable(),
      movements: z.array(
        z.looseObject({ token: Address, from: Address, to: Address, amount: Wei }),
      ),
      names: z.record(Address, Text),
    })
    .optional(),
  overrides: z.looseObject({}).optional(),
  warnings: Warnings,
}

const money = z.looseObject({ native: Wei, usd: z.number().nullable() })

/** What a route and a route into a position have in common. */
const routed = {
  route: z.array(Step).min(1),
  gas: Wei,
  priceImpact: Impact.nullable().optional(),
  createdAt: BlockNumber,
  blockNumber: BlockNumber,
  tx: Transaction,
  feeAmount: z.array(Wei).min(1).optional(),
  ...extras,
}

export const Route = z.looseObject({
  ...routed,
  amountOut: oneOrList,
  minAmountOut: oneOrList,
  amountIn: Wei.optional(),
  maxAmountIn: Wei.optional(),
  gasCost: money.optional(),
  permit: z
    .looseObject({
      kind: z.enum(['eip2612', 'permit2']),
      typedData: z.looseObject({
        domain: z.looseObject({}),
        types: z.looseObject({}),
        primaryType: Text,
        message: z.looseObject({}),
      }),
    })
    .optional(),
  bridgingEstimates: z
    .array(
      z.looseObject({
        fromChainId: ChainId,
        toChainId: ChainId,
        token: Address,
        estimatedSeconds: z.number(),
      }),
    )
    .optional(),
})

export const Plan = z.looseObject({
  destinationChainId: ChainId,
  destinationBlockNumber: BlockNumber,
  tokenOut: Address,
  receiver: Address,
  transactions: z.array(Route).min(1),
  amountOut: Wei.nullable(),
  minAmountOut: Wei,
  unenforced: z.array(Text),
})

const prerequisite = { from: Address, to: Address, data: Bytes }

/** Transactions that the account has to send first. */
const beforehand = {
  prerequisites: z
    .array(z.looseObject({ ...prerequisite, purpose: Text }))
    .min(1)
    .optional(),
  approvals: z
    .array(z.looseObject({ ...prerequisite, value: Wei, description: Text }))
    .min(1)
    .optional(),
}

export const Nontokenized = z.looseObject({
  ...routed,
  amountOut: Wei,
  minAmountOut: Wei,
  amountDeposited: Wei,
  maxAmountsIn: z.record(Address, Wei),
  positionOut: PositionId,
  ...beforehand,
})

/** Without `blockNumber` where the whole answer has one. */
const quoted = {
  amountOut: Wei,
  route: z.array(Step).min(1),
  gas: Wei,
  priceImpact: Impact.nullable().optional(),
  feeAmount: z.array(Wei).min(1).optional(),
  amountIn: Wei.optional(),
  maxAmountIn: Wei.optional(),
  ...extras,
}

export const Quote = z.looseObject({ ...quoted, blockNumber: BlockNumber })

const failed = z.looseObject({ error: ErrorFacts })

export const Quotes = z.looseObject({
  blockNumber: BlockNumber,
  chainId: ChainId,
  quotes: z
    .array(
      z.union([
        failed,
        z.looseObject({
          blockNumber: BlockNumber,
          ladder: z
            .array(
              z.union([
                failed.extend({ amountIn: Wei }),
                z.looseObject({ ...quoted, amountIn: Wei }),
              ]),
            )
            .min(1),
        }),
        Quote,
      ]),
    )
    .min(1),
})

const amounts = z.record(Address, Wei)

export const Bundle = z.looseObject({
  bundle: z
    .array(z.looseObject({ protocol: Text, action: Text, args: z.record(z.string(), z.unknown()) }))
    .min(1),
  gas: Wei.optional(),
  amountsOut: amounts,
  minAmountsOut: amounts,
  amountsIn: amounts,
  maxAmountsIn: amounts,
  netAmounts: z.record(Address, SignedWei).optional(),
  route: z.array(Step),
  createdAt: BlockNumber,
  blockNumber: BlockNumber,
  tx: Transaction,
  priceImpact: Impact.nullable(),
  feeAmount: z.union([z.array(Wei).min(1), amounts]).optional(),
  unprotected: z
    .array(
      z.looseObject({
        token: Address.optional(),
        receiver: Address.optional(),
        reason: Text,
      }),
    )
    .min(1)
    .optional(),
  ...beforehand,
  ...extras,
})

/** Of the experimental cross-chain endpoint, whose value is hexadecimal. */
export const Multichain = z.looseObject({
  createdAt: BlockNumber,
  tx: z.looseObject({
    from: Address,
    chainId: ChainId,
    value: z.string().regex(/^0x(0|[1-9a-f][0-9a-f]*)$/, 'is no hexadecimal number'),
    to: Address,
    data: Bytes,
  }),
})
