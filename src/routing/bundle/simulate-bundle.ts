/** Runs a bundle, whole or as far as it is planned, and reports which action fails, in which call, and why. */
import { gasForOrder } from '../../bridges/bridge.js'
import type { PrerequisiteRecord } from '../../domain/bundle.js'
import { defined } from '../../domain/defined.js'
import type { Order, UnsignedTransaction } from '../../domain/order.js'
import type { Hex, TokenAmount } from '../../domain/primitives.js'
import {
  mergeOverrides,
  type SimulationRequest,
  type SimulationSuccess,
} from '../../domain/state.js'
import { buildDeliveryMessage, decodeAmountsOut } from '../../executor/compile.js'
import { toSimulation } from '../route/built.js'
import { lendersBeside } from '../route/lenders.js'
import { pullerOf } from '../route/permit.js'
import { fundSender, senderState, withOverrides } from '../route/sender-state.js'
import type { BundleContext, DeliveredInput } from './bundle-context.js'
import { failedTransfer, failure } from './failures/step-failure.js'
import { emptyExecutor, simulateDelivery, touchedBy } from './simulate-delivery.js'
import { unreadable } from './tools.js'

export interface SimulatedBundle {
  readonly tx: UnsignedTransaction
  /** How it was simulated. */
  readonly request: SimulationRequest
  readonly result: SimulationSuccess
  /** What the receiver gained of each output of the order. */
  readonly gained: readonly TokenAmount[]
  /** For a delivery: the message that the bridge carries. */
  readonly message?: Hex
}

/**
 * @param owners - index of the action of each step.
 * @throws ForkrouteError SIMULATION_REVERTED naming action, protocol, call and reason; INSUFFICIENT_BALANCE and
 *   INSUFFICIENT_ALLOWANCE where funds are checked; NOT_FUNDABLE, STATE_UNAVAILABLE.
 */
export async function simulateBundle(
  builder: BundleContext,
  order: Order,
  actionOfStep: readonly number[],
  more: Pick<SimulationRequest, 'logsNative'> = {},
): Promise<SimulatedBundle> {
  const { task, args, permitted } = builder
  if (args.delivered) {
    return simulateDelivered(builder, args.delivered, { order, actionOfStep, more })
  }
  const { strategy, fromAddress, executionMode } = args.request
  const isChecked = executionMode === 'user'
  const { permit } = args
  const taken = [...order.inputs, ...(permit?.kind === 'permit2' ? [permit] : [])]
  const inputs = isChecked ? taken : [...taken, ...permitted]
  const { loans } = builder
  const prerequisites = isChecked
    ? []
    : prerequisitesOf(builder).map(({ from, to, data }) => ({ from, to, data }))
  const signed = pullerOf(permit)
  const sender = { strategy, fromAddress, isChecked, loans, prerequisites, ...signed }
  const funded = await fundSender(task, sender, inputs)
  const tx = builder.transaction(order)
  const lent = await senderState(task, funded, (tokens) => lendersBeside(task, tokens, tx.data))
  const simulationState = withOverrides(lent, ...builder.ahead)
  const request = { ...more, ...toSimulation({ tx, simulationState }, args.request) }
  const [result] = await task.simulator.simulate([request])
  if (result?.status === 'success') {
    return { tx, request, result, gained: decodeAmountsOut(order, result.returnData) }
  }
  if (result?.status === 'reverted') {
    const transfer = await failedTransfer(builder, order, result, async (shortened) => {
      const { data, value } = builder.transaction(shortened)
      const [tried] = await task.simulator.simulate([{ ...request, data, value }])
      return tried?.status === 'reverted'
    })
    throw failure(builder, ranOf(builder, order, actionOfStep, transfer), result)
  }
  throw unreadable(result?.message ?? 'no answer')
}

/** The order as what carries it: a transaction, or the message of a delivery. */
export function asSent(
  builder: BundleContext,
  order: Order,
): Pick<SimulatedBundle, 'tx'> | Required<Pick<SimulatedBundle, 'message'>> {
  const { delivered } = builder.args
  return delivered ? { message: messageOf(delivered, order) } : { tx: builder.transaction(order) }
}

function messageOf({ fallbackReceiver, gas, callValue }: DeliveredInput, order: Order): Hex {
  const minimumValue = defined({ minimumValue: callValue })
  return buildDeliveryMessage({ order, fallbackReceiver, minimumGas: gas, ...minimumValue })
}

/**
 * Simulates the order as the bridge delivers it. An order that fails there is a failure here, although the fallback
 * receiver is paid.
 */
async function simulateDelivered(
  builder: BundleContext,
  delivered: DeliveredInput,
  what: {
    readonly order: Order
    readonly actionOfStep: readonly number[]
    readonly more: Pick<SimulationRequest, 'logsNative'>
  },
): Promise<SimulatedBundle> {
  const { order, actionOfStep, more } = what
  const { delivery, gas } = delivered
  const message = messageOf(delivered, order)
  const overrides = await emptyExecutor(builder.task, touchedBy(order), message)
  const simulated = await simulateDelivery(builder.task, delivered.bridge, {
    delivery: { ...delivery, message },
    gas: gasForOrder(gas),
    overrides: mergeOverrides(overrides, ...builder.ahead),
    ...more,
    measure: order.outputs.map(({ token }) => ({ token, owner: order.receiver })),
  })
  const { request, result } = simulated
  const tx = { from: request.from, to: request.to, data: request.data, value: request.value }
  if (result.status === 'success') {
    const gained = result.deltas.map(({ token, amount }) => ({ token, amount }))
    return { tx, request, result, gained, message }
  }
  if (result.status === 'reverted') {
    throw failure(builder, ranOf(builder, order, actionOfStep, null), result)
  }
  throw unreadable(result.message)
}

/** Transactions that the account must have sent before, in order. */
export function prerequisitesOf({ draft, account }: BundleContext): PrerequisiteRecord[] {
  return draft.actions.flatMap(({ prerequisites }) =>
    prerequisites.map(({ from = account, to, data, purpose }) => ({ from, to, data, purpose })),
  )
}

function ranOf(
  builder: BundleContext,
  { steps }: Order,
  actionOfStep: readonly number[],
  transfer: number | null,
) {
  return { steps, actionOfStep, transfer, prerequisites: prerequisitesOf(builder) }
}
