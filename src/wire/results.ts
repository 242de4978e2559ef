/** The results of one block between processes. Everything is checked when it is read. */
import { z } from 'zod'
import type { BacktestBlock, BacktestRow, CrosschainRow } from '../domain/backtest.js'
import { hindsightBlock } from './hindsight.js'
import { address, hex, list, names, type Shape, uint, wireError } from './parts.js'

type Route = Extract<BacktestRow['outcome'], { readonly ok: true }>

const execution = z.discriminatedUnion('status', [
  z.object({
    delay: z.int(),
    status: z.literal('filled'),
    amountsOut: list(uint),
    gas: uint,
    warnings: names.exactOptional(),
  }),
  z.object({
    delay: z.int(),
    status: z.literal('reverted'),
    reason: z.string(),
    gas: uint,
    warnings: names.exactOptional(),
  }),
  z.object({ delay: z.int(), status: z.literal('unknown'), message: z.string() }),
])

const arrived = { seconds: z.int(), blockNumber: uint }
const delivery = z.discriminatedUnion('status', [
  z.object({ ...arrived, status: z.literal('delivered'), amount: uint }),
  z.object({
    ...arrived,
    status: z.literal('fallback'),
    token: address,
    amount: uint,
    reason: z.string(),
  }),
  z.object({ ...arrived, status: z.literal('reverted'), reason: z.string() }),
  z.object({ seconds: z.int(), status: z.literal('unknown'), message: z.string() }),
])

const crosschain = z.object({
  bridge: z.string(),
  destinationBlock: uint,
  bridgeFee: uint,
  deliveries: list(delivery),
} satisfies Shape<CrosschainRow>)

const route = z.object({
  ok: z.literal(true),
  amountsOut: list(uint),
  minAmountsOut: list(uint),
  gas: uint,
  gasCost: uint,
  gasCostUsd: z.number().nullable(),
  gasCostOut: uint.nullable().exactOptional(),
  priceImpact: z.number().nullable(),
  price: z.number().nullable(),
  path: list(z.object({ protocol: z.string(), pool: z.string(), shareBps: z.number() })),
  warnings: names.exactOptional(),
  crosschain: crosschain.exactOptional(),
} satisfies Shape<Route>)

const row = z.object({
  blockNumber: uint,
  request: z.string(),
  variant: z.string(),
  milliseconds: z.number(),
  outcome: z.discriminatedUnion('ok', [
    route,
    z.object({ ok: z.literal(false), error: wireError }),
  ]),
  executions: list(execution),
} satisfies Shape<BacktestRow>)

const backtestBlock = z.object({
  kind: z.undefined().exactOptional(),
  blockNumber: uint,
  blockHash: hex,
  timestamp: uint,
  rows: list(row),
} satisfies Shape<BacktestBlock>)

export const blockCodec = z.discriminatedUnion('kind', [backtestBlock, hindsightBlock])
