/**
 * Plans of jobs between their domain values and the form in which they are stored, sent to workers and shown. The
 * folder owns such codecs: one for each subject, whose schema is the form outside of the process and whose other side is
 * the domain's type. Each direction checks the value, since anybody with access to a queue may have written it, and throws
 * ZodError for what does not fit. The order of the fields here is the order of the keys of what is stored.
 */
import { z } from 'zod'
import type { BacktestPlan, JobPlan, PlanVariant } from '../domain/backtest.js'
import { type CrosschainTerms, crosschainModes } from '../domain/bridges/terms.js'
import type { QuoteRequest } from '../domain/engine.js'
import type { HindsightPlan } from '../domain/hindsight.js'
import { at, tokenAmounts } from '../domain/lists.js'
import { routingStrategies } from '../domain/order.js'
import type { PoolChoice, RouterSettings } from '../domain/router-settings.js'
import type { AutoSlippage } from '../domain/validity.js'
import { address, list, names, type Shape, uint } from './parts.js'

const router = z.strictObject({
  maxHops: z.int().exactOptional(),
  candidates: z.int().exactOptional(),
  splits: z.boolean().exactOptional(),
  poolBlacklist: names.exactOptional(),
  proof: z.enum(['all', 'adaptive']).exactOptional(),
} satisfies Shape<RouterSettings>)

const poolChoice = z.strictObject({
  excludePools: names,
  onlyPools: names,
  excludeTokens: list(address),
} satisfies Shape<PoolChoice>)

const autoSlippage = z.strictObject({ maxBps: uint } satisfies Shape<AutoSlippage>)

const crosschain = z.strictObject({
  destinationChainId: z.int(),
  mode: z.enum(crosschainModes),
  ignoreBridges: names,
  bridge: z.string().exactOptional(),
  destinationBlockNumber: uint.exactOptional(),
  destinationFeeReceiver: address.exactOptional(),
  gasDrop: uint.exactOptional(),
  positionOut: z.string().exactOptional(),
} satisfies Shape<CrosschainTerms>)

/** Fields that have another form here: tokens and amounts are parallel lists. A row has no place for more. */
type Restated = 'inputs' | 'amountOut' | 'limit' | 'explain' | 'alternatives' | 'includeSimulation'
type Lists = Record<'tokensIn' | 'amountsIn' | 'limit' | 'feesBps', unknown>

const quoteRecord = z
  .strictObject({
    chainId: z.int(),
    strategy: z.enum(routingStrategies),
    executionMode: z.enum(['user', 'backend']),
    tokensIn: list(address),
    amountsIn: list(uint),
    tokensOut: list(address),
    limit: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('slippage'), centiBps: uint }),
      z.strictObject({ kind: z.literal('minimum'), minAmountsOut: list(uint) }),
    ]),
    ignoreAggregators: names,
    ignoreStandards: names,
    includeTransactionCost: z.boolean(),
    includePriceImpact: z.boolean(),
    fromAddress: address.exactOptional(),
    receiver: address.exactOptional(),
    toEoa: z.boolean().exactOptional(),
    spender: address.exactOptional(),
    refundReceiver: address.exactOptional(),
    /** Basis points, one per amountIn; absent without a fee. */
    feesBps: list(uint).exactOptional(),
    feeReceiver: address.exactOptional(),
    referralCode: z.string().exactOptional(),
    poolChoice: poolChoice.exactOptional(),
    crosschain: crosschain.exactOptional(),
    router: router.exactOptional(),
    autoSlippage: autoSlippage.exactOptional(),
    blockNumber: uint.exactOptional(),
    deadlineMs: z.number().exactOptional(),
    isFirstInBlock: z.boolean().exactOptional(),
  } satisfies Shape<Omit<QuoteRequest, Restated> & Lists>)
  .refine(
    ({ tokensIn, amountsIn, feesBps = amountsIn, tokensOut, limit }) =>
      tokensIn.length === amountsIn.length &&
      feesBps.length === amountsIn.length &&
      (limit.kind === 'slippage' || limit.minAmountsOut.length === tokensOut.length),
    'lists that belong together differ in length',
  )

const quoteCodec = z.codec(quoteRecord, z.custom<QuoteRequest>(), {
  decode: ({ tokensIn, amountsIn, feesBps, limit, ...request }) => ({
    ...request,
    inputs: tokenAmounts(tokensIn, amountsIn).map((input, index) => ({
      ...input,
      ...(feesBps && { feeBps: at(feesBps, index) }),
    })),
    limit:
      limit.kind === 'slippage'
        ? limit
        : {
            kind: 'minimum' as const,
            minimums: tokenAmounts(request.tokensOut, limit.minAmountsOut),
          },
  }),
  encode: ({ inputs, limit, amountOut: _amountOut, explain: _explain, ...request }) => {
    const feesBps = inputs.flatMap(({ feeBps }) => feeBps ?? [])
    return {
      ...request,
      tokensIn: inputs.map(({ token }) => token),
      amountsIn: inputs.map(({ amount }) => amount),
      limit:
        limit.kind === 'slippage'
          ? limit
          : { kind: 'minimum' as const, minAmountsOut: limit.minimums.map(({ amount }) => amount) },
      ...(feesBps.length > 0 && { feesBps }),
    }
  },
})

const range = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('step'), from: uint, to: uint, step: uint }),
  z.strictObject({ kind: z.literal('changes'), from: uint, to: uint, addresses: list(address) }),
])

const variant = z.strictObject({
  name: z.string(),
  router,
  ignoreStandards: names,
  centiBps: uint.exactOptional(),
  autoSlippage: autoSlippage.exactOptional(),
} satisfies Shape<PlanVariant>)

const backtestPlan = z.strictObject({
  kind: z.undefined().exactOptional(),
  name: z.string(),
  chainId: z.int(),
  range,
  requests: list(z.strictObject({ name: z.string(), request: quoteCodec })),
  variants: list(variant),
  baseline: z.string(),
  delays: list(z.int()),
  deliverySeconds: list(z.int()).exactOptional(),
} satisfies Shape<BacktestPlan>)

const hindsightPlan = z.strictObject({
  kind: z.literal('hindsight'),
  name: z.string(),
  chainId: z.int(),
  range: z.strictObject({ from: uint, to: uint }),
  since: z.int().exactOptional(),
} satisfies Shape<HindsightPlan>)

export const planCodec = z.discriminatedUnion('kind', [backtestPlan, hindsightPlan])

export function toPlanRecord(plan: BacktestPlan): z.input<typeof backtestPlan>
export function toPlanRecord(plan: JobPlan): z.input<typeof planCodec>
export function toPlanRecord(plan: JobPlan): z.input<typeof planCodec> {
  return z.encode(planCodec, plan)
}
