/**
 * Plans and results as text between processes (`plan-json.ts`). Everything is checked when it is read, since anybody
 * with access to the queue may have written it.
 */
import { z } from 'zod'
import type {
  BacktestBlock,
  BacktestPlan,
  BacktestRow,
  CrosschainRow,
  PlanVariant,
} from '../../domain/backtest.js'
import { type CrosschainTerms, crosschainModes } from '../../domain/bridges/terms.js'
import { type ErrorCode, errorCodes, ForkrouteError } from '../../domain/errors.js'
import { routingStrategies } from '../../domain/order.js'
import { fromPlanRecord, type PlanRecord, type QuoteRecord } from '../../domain/plan-record.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { PoolChoice, RouterSettings } from '../../domain/router-settings.js'
import { fromJson, planToJson, toJson } from '../plan-json.js'

/** Every field is named: what a schema does not know would be lost on the way. */
type Shape<T> = { readonly [K in keyof T]-?: z.ZodType }
type Route = Extract<BacktestRow['outcome'], { readonly ok: true }>

/** Characters of a plan, or of the results of one block. */
export const maxMessageLength = 8 * 1024 * 1024

const uint = z.bigint().nonnegative()
const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .transform((text) => text as Address)
const hex = z
  .string()
  .regex(/^0x[0-9a-f]*$/)
  .transform((text) => text as Hex)
const names = z.array(z.string())

const router = z.strictObject({
  maxHops: z.int().exactOptional(),
  candidates: z.int().exactOptional(),
  splits: z.boolean().exactOptional(),
  poolBlacklist: names.exactOptional(),
  proof: z.enum(['all', 'adaptive']).exactOptional(),
} satisfies Shape<RouterSettings>)

const fields = z.strictObject({
  chainId: z.int(),
  fromAddress: address.exactOptional(),
  strategy: z.enum(routingStrategies),
  executionMode: z.enum(['user', 'backend']),
  tokensIn: z.array(address),
  amountsIn: z.array(uint),
  tokensOut: z.array(address),
  receiver: address.exactOptional(),
  toEoa: z.boolean().exactOptional(),
  spender: address.exactOptional(),
  refundReceiver: address.exactOptional(),
  limit: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('slippage'), centiBps: uint }),
    z.strictObject({ kind: z.literal('minimum'), minAmountsOut: z.array(uint) }),
  ]),
  feesBps: z.array(uint).exactOptional(),
  feeReceiver: address.exactOptional(),
  ignoreAggregators: names,
  ignoreStandards: names,
  referralCode: z.string().exactOptional(),
  includeTransactionCost: z.boolean(),
  includePriceImpact: z.boolean(),
  blockNumber: uint.exactOptional(),
  deadlineMs: z.number().exactOptional(),
  router: router.exactOptional(),
  poolChoice: z
    .strictObject({
      excludePools: names,
      onlyPools: names,
      excludeTokens: z.array(address),
    } satisfies Shape<PoolChoice>)
    .exactOptional(),
  crosschain: z
    .strictObject({
      destinationChainId: z.int(),
      destinationBlockNumber: uint.exactOptional(),
      mode: z.enum(crosschainModes),
      ignoreBridges: names,
      destinationFeeReceiver: address.exactOptional(),
      gasDrop: uint.exactOptional(),
      positionOut: z.string().exactOptional(),
    } satisfies Shape<CrosschainTerms>)
    .exactOptional(),
} satisfies Shape<QuoteRecord>)

const request = fields.refine(
  ({ tokensIn, amountsIn, feesBps = amountsIn, tokensOut, limit }) =>
    tokensIn.length === amountsIn.length &&
    feesBps.length === amountsIn.length &&
    (limit.kind === 'slippage' || limit.minAmountsOut.length === tokensOut.length),
  'lists that belong together differ in length',
)

const plan = z.strictObject({
  name: z.string(),
  chainId: z.int(),
  range: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('step'), from: uint, to: uint, step: uint }),
    z.strictObject({
      kind: z.literal('changes'),
      from: uint,
      to: uint,
      addresses: z.array(address),
    }),
  ]),
  requests: z.array(z.strictObject({ name: z.string(), request })),
  variants: z.array(
    z.strictObject({
      name: z.string(),
      router,
      ignoreStandards: names,
      centiBps: uint.exactOptional(),
    } satisfies Shape<PlanVariant>),
  ),
  baseline: z.string(),
  delays: z.array(z.int()),
  deliverySeconds: z.array(z.int()).exactOptional(),
} satisfies Shape<PlanRecord>) satisfies z.ZodType<PlanRecord>

/** An error as data: see `toWireError`. */
export const wireError = z.object({
  code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  messages: names.exactOptional(),
  details: z.record(z.string(), z.unknown()).exactOptional(),
})

const execution = z.discriminatedUnion('status', [
  z.object({
    delay: z.int(),
    status: z.literal('filled'),
    amountsOut: z.array(uint),
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

const row = z.object({
  blockNumber: uint,
  request: z.string(),
  variant: z.string(),
  milliseconds: z.number(),
  outcome: z.discriminatedUnion('ok', [
    z.object({
      ok: z.literal(true),
      amountsOut: z.array(uint),
      minAmountsOut: z.array(uint),
      gas: uint,
      gasCost: uint,
      gasCostUsd: z.number().nullable(),
      gasCostOut: uint.nullable().exactOptional(),
      priceImpact: z.number().nullable(),
      price: z.number().nullable(),
      path: z.array(z.object({ protocol: z.string(), pool: z.string(), shareBps: z.number() })),
      warnings: names.exactOptional(),
      crosschain: z
        .object({
          bridge: z.string(),
          destinationBlock: uint,
          bridgeFee: uint,
          deliveries: z.array(delivery),
        } satisfies Shape<CrosschainRow>)
        .exactOptional(),
    } satisfies Shape<Route>),
    z.object({ ok: z.literal(false), error: wireError }),
  ]),
  executions: z.array(execution),
} satisfies Shape<BacktestRow>)

const block = z.object({
  blockNumber: uint,
  blockHash: hex,
  timestamp: uint,
  rows: z.array(row),
} satisfies Shape<BacktestBlock>) satisfies z.ZodType<BacktestBlock>

/** @throws ForkrouteError INVALID_REQUEST when it is longer than `maxMessageLength`. */
export function encodePlan(plan: BacktestPlan): string {
  return limited('The plan is', planToJson(plan))
}

/** @throws ForkrouteError INVALID_REQUEST when it is longer than `maxMessageLength`. */
export function encodeBlock(block: BacktestBlock): string {
  return limited('The results of a block are', toJson(block))
}

function limited(subject: string, text: string): string {
  if (text.length <= maxMessageLength) return text
  throw new ForkrouteError(
    'INVALID_REQUEST',
    `${subject} longer than ${maxMessageLength} characters.`,
  )
}

/** @throws ForkrouteError INTERNAL for anything but an encoded plan. */
export function decodePlan(text: string): BacktestPlan {
  return fromPlanRecord(read(plan, text, 'a plan'))
}

/** @throws ForkrouteError INTERNAL for anything but the encoded results of a block. */
export function decodeBlock(text: string): BacktestBlock {
  return read(block, text, 'results of a block')
}

/** @throws ForkrouteError INTERNAL for what is no JSON of that form; the message names fields, never values. */
export function read<T>(schema: z.ZodType<T>, text: string, what: string): T {
  let value: unknown
  try {
    if (text.length > maxMessageLength) throw new Error('too long')
    value = fromJson(text)
  } catch {
    throw new ForkrouteError('INTERNAL', `What was read is not ${what}.`)
  }
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const where = error.issues.slice(0, 3).map(({ path }) => path.join('.') || 'the whole')
  throw new ForkrouteError('INTERNAL', `What was read is not ${what} (${where.join(', ')}).`)
}
