/** What hindsight found at one block, between processes and in the store. Everything is checked when it is read. */
import { z } from 'zod'
import type {
  Hindsight,
  HindsightBlock,
  MinedSwap,
  NoOwnSwap,
  OwnSwap,
  Sandwich,
  TouchedPool,
} from '../domain/hindsight.js'
import { address, hex, list, names, type Shape, uint } from './parts.js'

const pool = z.object({
  protocol: z.string().nullable(),
  address,
  id: hex.nullable(),
} satisfies Shape<TouchedPool>)

const swap = z.object({
  payer: address,
  tokenIn: address,
  amountIn: uint,
  tokenOut: address,
  amountOut: uint,
  receiver: address,
} satisfies Shape<MinedSwap>)

const ownSwap = z.object({
  amountOut: uint,
  gas: uint,
  l1DataFee: uint.nullable().exactOptional(),
  tx: z.object({ from: address, to: address, data: hex, value: uint }),
  route: list(z.object({ protocol: z.string(), pool: z.string() })),
  amountOutBps: z.number(),
  netBps: z.number().nullable(),
  result: z.enum(['won', 'lost', 'tied']).nullable(),
} satisfies Shape<OwnSwap>)

const noOwnSwap = z.object({
  code: z.string(),
  message: z.string(),
} satisfies Shape<NoOwnSwap>)

const own = z.union([ownSwap, noOwnSwap]).nullable()

const sandwich = z.object({
  attacker: address,
  fronts: list(hex),
  backs: list(hex),
  pools: list(pool),
  loss: z.bigint().nullable(),
  lossBps: z.number().nullable(),
} satisfies Shape<Sandwich>)

const transaction = z.object({
  chainId: z.int(),
  hash: hex,
  blockNumber: uint,
  transactionIndex: z.int(),
  from: address,
  to: address.nullable(),
  status: z.enum(['success', 'reverted']),
  reason: z.string().nullable(),
  revertsSince: uint.nullable(),
  gasUsed: uint,
  gasPrice: uint,
  l1DataFee: uint.nullable().exactOptional(),
  swap: swap.nullable(),
  noSwap: z.string().nullable(),
  through: list(pool),
  before: own,
  atItsPlace: own,
  sandwich: sandwich.nullable(),
} satisfies Shape<Hindsight>)

export const hindsightBlock = z.object({
  kind: z.literal('hindsight'),
  blockNumber: uint,
  blockHash: hex,
  timestamp: uint,
  transactions: list(transaction),
  warnings: names,
} satisfies Shape<HindsightBlock>)
