/** Records of lists and look-ups: what a client of the API family reads in them. */
import { z } from 'zod'
import {
  Address,
  BlockNumber,
  Bytes,
  ChainId,
  PositionId,
  Slug,
  Text,
  Texts,
  Url,
  Warnings,
  Wei,
  Word32,
} from './values.js'

const nullableText = Text.nullable()
const figure = z.number().nullable()
const logos = z.array(Url)

/** One body for every error, and nothing else in it. */
export const ErrorFacts = z.looseObject({
  statusCode: z.int().min(400).max(599),
  error: Text,
  // One that is alone is no list.
  message: z.union([Text, Texts.min(2)]),
  code: z.string().regex(/^[A-Z][A-Z0-9_]+$/, 'is no stable word'),
})

export const ErrorBody = z.strictObject({
  ...ErrorFacts.shape,
  requestId: Text,
  details: z.record(z.string(), z.unknown()).optional(),
})

export const Network = z.looseObject({
  id: ChainId,
  name: Text,
  isConnected: z.boolean(),
  nativeToken: Address,
  blockNumber: BlockNumber.nullable(),
})

export const Block = z.looseObject({
  chainId: ChainId,
  number: BlockNumber,
  hash: Word32,
  timestamp: z.int().positive(),
})

export const Price = z.looseObject({
  chainId: ChainId,
  address: Address,
  decimals: z.int().min(0).max(255),
  price: z.number().positive(),
  symbol: Text.optional(),
  name: Text.optional(),
  timestamp: z.int().positive(),
  confidence: z.number().min(0).max(1),
  blockNumber: BlockNumber,
  source: Text,
})

export const Meta = z.looseObject({
  total: z.int().nonnegative(),
  lastPage: z.int().nonnegative(),
  currentPage: z.int().positive(),
  perPage: z.int().min(1).max(1_000),
  prev: z.int().nullable(),
  next: z.int().nullable(),
  cursor: z.int().nullable(),
})

const underlyingToken = z.looseObject({
  address: Address,
  chainId: ChainId,
  type: z.enum(['defi', 'base']),
  decimals: z.int().min(0).max(255),
  // Metadata: of a record that has it, each of its parts has it, too.
  symbol: nullableText.optional(),
  name: nullableText.optional(),
  logosUri: logos.optional(),
})

export const Token = z.looseObject({
  ...underlyingToken.shape,
  underlyingTokens: z
    .union([z.array(Address), z.array(underlyingToken)])
    .nullable()
    .optional(),
  project: nullableText,
  protocolSlug: Slug.nullable(),
  protocol: Slug.nullable(),
  primaryAddress: Address.nullable(),
  apy: figure,
  apyBase: figure,
  apyReward: figure,
  tvl: figure,
})

export const TokenPage = z.looseObject({ meta: Meta, data: z.array(Token) })

/** Of a position that is `type` 0, a base token, or 1, a token of a protocol. */
const positionToken = z.looseObject({
  id: Text,
  address: Address,
  name: nullableText,
  symbol: nullableText,
  decimals: z.int().nullable(),
  chain: ChainId,
  type: z.int(),
  project: nullableText,
  protocol: nullableText,
  poolAddress: Address.nullable(),
  primaryAddress: Address.nullable(),
  underlyingTokens: z.array(Address).nullable(),
})

const chain = z.looseObject({ id: ChainId, name: Text })

export const Protocol = z.looseObject({
  name: Text,
  slug: Slug,
  project: Text,
  logo: Url.nullable(),
  logosUri: logos,
  url: Url,
  description: Text,
  twitter: nullableText,
  category: Text,
  chains: z.array(chain).min(1),
  chainIds: z.array(ChainId).min(1),
})

export const Position = z.looseObject({
  id: Text,
  chainId: ChainId,
  name: nullableText,
  subtitle: z.string().nullable(),
  apy: figure,
  apyBase: figure,
  apyReward: figure,
  tvl: figure,
  primaryAddress: Address.nullable(),
  poolAddress: Address.nullable(),
  token: positionToken.nullable(),
  tokenAddress: Address.nullable(),
  underlyingTokens: z.array(Address),
  rewardTokens: z.array(Address),
  project: nullableText,
  protocol: Protocol.nullable(),
})

export const NontokenizedPage = z.looseObject({
  meta: Meta,
  data: z.array(
    z.looseObject({
      chainId: ChainId,
      project: Text,
      protocol: Slug,
      address: Address,
      positionId: PositionId,
      primaryAddress: Address,
      name: Text,
      underlyingTokens: z.array(underlyingToken).min(1),
    }),
  ),
})

export const Project = z.looseObject({
  title: Text,
  id: Text,
  chainIds: z.string().regex(/^\d+(,\d+)*$/, 'are no comma-separated chain ids'),
  chains: z.array(ChainId),
  logo: Url.nullable(),
  url: Url,
  description: Text,
  twitter: nullableText,
  category: Text,
  poolCount: z.int().nonnegative(),
  protocol: Slug,
  protocols: z.array(Slug).min(1),
})

const origin = z.looseObject({ slug: Slug, url: Url })

export const Standard = z.looseObject({
  protocol: origin,
  forks: z.array(origin),
  methods: z.array(
    z.looseObject({
      method: Text,
      name: Text,
      functionNames: Texts,
      supportedChains: z.array(chain).min(1),
      inputs: z.record(Text, Text),
    }),
  ),
  actions: z.array(
    z.looseObject({
      action: Text,
      name: Text,
      functionNames: Texts,
      supportedChains: z.array(chain).min(1),
      inputs: Texts,
    }),
  ),
})

const typedInputs = z.record(
  Text,
  z.looseObject({ type: Text, description: Text, optional: z.boolean().optional() }),
)

const action = { name: Text, action: Text, inputTypes: typedInputs }

/** By the dialect of the service. */
export const Action = {
  specification: z.looseObject({ ...action, inputs: z.record(Text, Text) }),
  family: z.looseObject({ ...action, inputs: typedInputs }),
}

export const Balance = z.looseObject({
  token: Address,
  amount: Wei,
  chainId: ChainId,
  decimals: z.int().min(0).max(255),
  price: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'is no decimal string')
    .nullable(),
  name: nullableText,
  symbol: nullableText,
  logoUri: Url.nullable(),
})

export const Approval = z.looseObject({
  tx: z.looseObject({ to: Address, from: Address, data: Bytes, value: z.literal('0') }),
  gas: Wei,
  token: Address,
  amount: Wei,
  spender: Address,
  warnings: Warnings,
})

export const Wallet = z.looseObject({
  address: Address,
  isDeployed: z.boolean(),
  owner: Address,
  chainId: ChainId,
  strategies: z.looseObject({ router: Address, delegate: Address, 'svcwallet-v2': Address }),
})

/** Each can be sent as the body of a bundle. */
export const Opportunities = z.array(
  z
    .array(
      z.looseObject({
        protocol: z.literal('svc'),
        action: z.literal('route'),
        args: z.looseObject({ tokenIn: Address, tokenOut: Address, amount: Wei, slippage: Text }),
      }),
    )
    .length(1),
)

export const MessagingPools = z
  .array(
    z.looseObject({
      pool: Address,
      chainId: ChainId,
      destinationChainId: ChainId,
      token: Address,
      decimals: z.int(),
      destinationData: z.looseObject({ pool: Address, token: Address, decimals: z.int() }),
    }),
  )
  .nullable()

const bridgeStatus = z.enum(['pending', 'inflight', 'delivered', 'failed', 'unknown'])

const delivery = {
  destinationChainId: ChainId.optional(),
  destinationTxHash: Word32.optional(),
  status: bridgeStatus,
  error: Text.optional(),
  sourceEvent: z
    .looseObject({ token: Address, amount: Wei, receiver: Address, blockNumber: BlockNumber })
    .optional(),
  destinationEvent: z.looseObject({ blockNumber: BlockNumber }).optional(),
}

export const BridgeCheck = z.looseObject({
  sourceChainId: ChainId,
  sourceTxHash: Word32,
  ...delivery,
  hops: z.array(z.looseObject(delivery)).min(2).optional(),
})

export const BridgeTransfer = BridgeCheck.extend({ seenAt: z.int() })
export const BridgeStreamEnd = z.strictObject({ reason: z.enum(['settled', 'time']) })
export const BridgeTransfers = z.strictObject({
  searched: z.array(z.strictObject({ chainId: ChainId, fromBlock: z.int(), toBlock: z.int() })),
  unsearched: z.array(z.strictObject({ chainId: ChainId, error: z.string() })),
  count: z.int(),
  transfers: z.array(
    z.strictObject({
      sourceChainId: ChainId,
      sourceTxHash: Word32,
      blockNumber: z.int(),
      timestamp: z.int(),
      bridges: z.array(z.string()).min(1),
    }),
  ),
})

const touchedPools = z.array(
  z.looseObject({ protocol: Text.nullable(), address: Address, id: Text.nullable() }),
)

/** Ours, or why there is none. */
const ownSwap = z
  .union([
    z.looseObject({
      amountOut: Wei,
      gas: Wei,
      l1DataFee: Wei.nullable().optional(),
      amountOutBps: z.number(),
      netBps: z.number().nullable(),
      result: z.enum(['won', 'lost', 'tied']).nullable(),
    }),
    z.looseObject({ error: z.looseObject({ code: Text, message: Text }) }),
  ])
  .nullable()

export const Hindsight = z.looseObject({
  transactions: z.array(
    z.looseObject({
      chainId: ChainId,
      hash: Word32,
      blockNumber: BlockNumber,
      transactionIndex: z.int(),
      from: Address,
      to: Address.nullable(),
      status: z.enum(['success', 'reverted']),
      reason: Text.nullable(),
      gasUsed: Wei,
      gasPrice: Wei,
      l1DataFee: Wei.nullable().optional(),
      swap: z
        .looseObject({
          payer: Address,
          tokenIn: Address,
          amountIn: Wei,
          tokenOut: Address,
          amountOut: Wei,
          receiver: Address,
        })
        .nullable(),
      noSwap: Text.nullable(),
      through: touchedPools,
      before: ownSwap,
      atItsPlace: ownSwap,
      sandwich: z
        .looseObject({ attacker: Address, fronts: z.array(Word32).min(1), pools: touchedPools })
        .nullable(),
    }),
  ),
  warnings: Warnings,
})

export const AccountId = Word32
