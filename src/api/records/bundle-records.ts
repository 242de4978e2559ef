/** The answer to a bundle on the wire: docs/reference/api.md#bundles. */
import { z } from 'zod'
import type {
  BundleArrival as Arrival,
  BundleAnswer,
  TransactionOutput,
} from '../../domain/bundle.js'
import { defined } from '../../domain/defined.js'
import { explanationFields } from '../../domain/explanation.js'
import { Cautions, cautionsOf } from './caution-records.js'
import {
  BundleArrival,
  BundleArrivals,
  crosschain,
  toCost,
  toCrosschain,
  UnprotectedList,
} from './crosschain-records.js'
import { explanation } from './explanation.js'
import { OverlayOfAnswer } from './overlay-records.js'
import { Address, BlockNumber, SignedWei, Wei } from './record-parts.js'
import { RouteStep, toSteps } from './steps.js'
import { traceOf } from './trace-records.js'
import {
  Approvals,
  feesOf,
  Gas,
  MaxAmountsIn,
  OverridesOfRequest,
  Prerequisites,
  PriceImpact,
  TraceOfTransaction,
  Transaction,
  toAmounts,
  toPrerequisites,
  toTransaction,
  Warnings,
  warningsOf,
} from './transactions.js'
import { marks, marksOf } from './validity-records.js'

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
    ...marks,
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
      description: 'Of a bundle that leads over one bridge: what happens on destinationChainId.',
    }),
    arrivals: BundleArrivals.optional().meta({
      description:
        'In place of arrival, of a bundle that leads over several: what each of them brings, in the order in which it is sent.',
    }),
    trace: TraceOfTransaction,
    overrides: OverridesOfRequest,
    overlay: OverlayOfAnswer,
    warnings: Warnings,
    cautions: Cautions,
    ...explanation,
  })
  .meta({ id: 'Bundle' })

/** Raw units, keyed by token, that the bundle's receiver and the receivers that actions name get together. */
function amountsOf(
  { outputs, payments }: Pick<BundleAnswer, 'outputs' | 'payments'>,
  amountOf: (output: TransactionOutput) => bigint,
): Record<string, string> {
  const sums = new Map<string, bigint>()
  for (const output of [...(outputs ?? []), ...payments]) {
    sums.set(output.token, (sums.get(output.token) ?? 0n) + amountOf(output))
  }
  return Object.fromEntries([...sums].map(([token, amount]) => [token, amount.toString()]))
}

/** For tokens that both go in and come out: what comes out less what goes in, raw units, negative where it is less. */
function netAmountsOf({ inputs, ...answer }: BundleAnswer) {
  const out = amountsOf(answer, ({ amountOut }) => amountOut)
  const both = inputs.filter(({ token }) => out[token] !== undefined)
  if (!both.length) return {}
  const net = both.map(({ token, amount }) => [token, String(BigInt(out[token] ?? 0) - amount)])
  return { netAmounts: Object.fromEntries(net) }
}

function toPayments(payments: BundleAnswer['payments']) {
  if (!payments.length) return {}
  return {
    payments: payments.map(({ action, token, receiver, amountOut, minAmountOut }) => ({
      action,
      token,
      receiver,
      amountOut: amountOut.toString(),
      minAmountOut: minAmountOut.toString(),
    })),
  }
}

function toArrivals({ crosschain }: BundleAnswer) {
  if (!crosschain) return {}
  const [one, another] = crosschain.arrivals
  if (one && !another) return { arrival: toArrival(one) }
  return {
    arrivals: crosschain.arrivals.map((each) => ({
      action: each.action,
      ...defined({ callbackAction: each.callbackAction }),
      bridge: each.bridge,
      destinationChainId: each.block.chainId,
      destinationBlockNumber: Number(each.block.number),
      bridgeFee: toCost(each.bridgeFee),
      ...toArrival(each),
    })),
  }
}

function toArrival(arrival: Arrival) {
  const { receiver, delivered, payments } = arrival
  return {
    receiver,
    delivered: { token: delivered.token, amount: delivered.amount.toString() },
    amountsOut: amountsOf(arrival, ({ amountOut }) => amountOut),
    minAmountsOut: amountsOf(arrival, ({ minAmountOut }) => minAmountOut),
    ...toPayments(payments),
    ...unprotectedOf(arrival),
  }
}

/** What several bridges bring is on no one chain where their destinations differ. */
function crosschainOf({ crosschain }: BundleAnswer) {
  if (!crosschain) return {}
  const { destinationChainId, destinationBlockNumber, ...fields } = toCrosschain(crosschain)
  const chainIds = new Set(crosschain.arrivals.map(({ block }) => block.chainId))
  return chainIds.size > 1 ? fields : { destinationChainId, destinationBlockNumber, ...fields }
}

export function toBundle(answer: BundleAnswer): z.output<typeof Bundle> {
  const blockNumber = Number(answer.block.number)
  return {
    bundle: answer.actions.map((action) => ({ ...action })),
    ...defined({ gas: answer.gas?.toString() }),
    amountsOut: amountsOf(answer, ({ amountOut }) => amountOut),
    minAmountsOut: amountsOf(answer, ({ minAmountOut }) => minAmountOut),
    amountsIn: toAmounts(answer.inputs),
    maxAmountsIn: toAmounts(answer.maximums),
    ...netAmountsOf(answer),
    ...toPayments(answer.payments),
    route: toSteps(answer),
    createdAt: blockNumber,
    blockNumber,
    ...marksOf(answer),
    tx: toTransaction(answer),
    priceImpact: answer.priceImpact,
    ...feesOf(answer),
    ...toPrerequisites(answer.prerequisites),
    ...unprotectedOf(answer),
    ...crosschainOf(answer),
    ...toArrivals(answer),
    ...traceOf(answer),
    ...warningsOf(answer),
    ...cautionsOf(answer),
    ...explanationFields(answer.explanation),
  }
}

/** Absent where everything is enforced. */
function unprotectedOf({ unprotected }: Pick<BundleAnswer, 'unprotected'>) {
  return unprotected.length > 0 ? { unprotected: unprotected.map((one) => ({ ...one })) } : {}
}
