/** Simulates what a bridge delivers, as whoever delivers it would. */
import { decodeEventLog } from 'viem'
import type { BridgeAdapter, Delivery } from '../../bridges/bridge.js'
import { contractErrorsAbi } from '../../bridges/registry.js'
import type { Touched } from '../../domain/bridges/touched.js'
import { defined } from '../../domain/defined.js'
import type { Order } from '../../domain/order.js'
import { type Hex, isNative, type TokenAmount } from '../../domain/primitives.js'
import {
  mergeOverrides,
  type SimulationLog,
  type SimulationRequest,
  type SimulationResult,
  type StateOverrides,
} from '../../domain/state.js'
import { deliveryExecutor, executorContracts } from '../../executor/deployments.js'
import { decodeRevert } from '../../forks/revert.js'
import { slotsFor } from '../../forks/tokens/token-access.js'
import type { Task } from '../block/task.js'

const zeroWord: Hex = `0x${'0'.repeat(64)}`

/** What a bridge that pays and calls in one transaction needs of it besides. */
const gasOfPayment = 500_000n

export interface SimulatedDelivery {
  readonly request: SimulationRequest
  /** `reverted` too where an order failed and the fallback receiver was paid, with the order's reason. */
  readonly result: SimulationResult
  /** What was measured where the fallback receiver was paid; absent elsewhere. */
  readonly fallback?: readonly TokenAmount[]
}

/**
 * @param sent.gas - of the call that delivers, as in `DeliveryTerms`.
 */
export async function simulateDelivery(
  task: Task,
  bridge: BridgeAdapter,
  sent: { readonly delivery: Delivery; readonly gas: bigint } & Pick<
    SimulationRequest,
    'measure' | 'logsNative' | 'overrides'
  >,
): Promise<SimulatedDelivery> {
  const { delivery, gas, ...more } = sent
  const { funds, ...simulation } = bridge.simulation(delivery, task.chain, task.pin, gas)
  const given = funds
    ? await task.simulator.fund(funds.token, funds.owner, {
        balance: funds.amount,
        spender: funds.spender,
        allowance: funds.amount,
      })
    : {}
  const overrides = mergeOverrides(simulation.overrides, given ?? {}, sent.overrides ?? {})
  const gasLimit = simulation.gasLimit ?? (gas > 0n ? gas + gasOfPayment : undefined)
  const request: SimulationRequest = {
    ...simulation,
    ...more,
    overrides,
    ...defined({ gasLimit }),
  }
  if (given === null) {
    const message = `the balance of ${funds?.token} cannot be overridden`
    return { request, result: { status: 'unreadable', message } }
  }
  const [result] = await task.simulator.simulate([request])
  if (!result) return { request, result: { status: 'unreadable', message: 'no answer' } }
  if (result.status !== 'success') return { request, result }
  const kept = bridge.failureIn?.(result.logs)
  if (kept) {
    const { gasUsed } = result
    return { request, result: { status: 'reverted', gasUsed, returnData: '0x', reason: kept } }
  }
  const reason = failureIn(result.logs)
  if (reason === null) return { request, result }
  const { gasUsed } = result
  const failed = { returnData: reason, reason: decodeRevert(reason, contractErrorsAbi) }
  return {
    request,
    result: { status: 'reverted', gasUsed, ...failed },
    fallback: result.deltas,
  }
}

const { DestinationReceiver } = executorContracts

export function touchedBy({ inputs, outputs, sweep, steps }: Order): Touched {
  const tokens = new Set([...inputs, ...outputs].map(({ token }) => token))
  for (const token of sweep) tokens.add(token)
  const approvals = steps.flatMap((step) =>
    step.kind === 'approve' ? [{ token: step.token, spender: step.spender }] : [],
  )
  return { tokens: [...tokens], approvals }
}

/**
 * What an order finds that nobody has seen before: each message has an Executor of its own, at an address that follows
 * from the message, so that nothing is there, nor in what tokens keep of it. Said in place of asking a node for a dozen
 * values, each of which would cost a round trip. What somebody may put there until the delivery only adds to it.
 *
 * @returns Overrides; with a cassette none, which holds what was read.
 */
export async function emptyExecutor(
  task: Task,
  { tokens, approvals }: Touched,
  message: Hex,
): Promise<StateOverrides> {
  if (task.settings.cassette) return {}
  const executor = deliveryExecutor(message)
  const parties = new Set([executor])
  const slots = await Promise.all(
    tokens.map(async (token) => {
      const access = isNative(token) ? null : await task.simulator.accessOf(token)
      const pairs = approvals.flatMap((one) =>
        one.token === token ? [[executor, one.spender] as const] : [],
      )
      return access ? slotsFor({ ...access, slots: [] }, parties, pairs) : []
    }),
  )
  await task.archive.assumeEmpty([executor])
  return mergeOverrides(
    ...slots
      .flat()
      .map(({ address, slot }) => ({ [address]: { stateDiff: { [slot]: zeroWord } } })),
  )
}

/** Why the order failed: revert data, cut off where it is long; null where it did not. */
export function failureIn(logs: readonly SimulationLog[]): Hex | null {
  for (const { address, topics, data } of logs) {
    if (address.toLowerCase() !== DestinationReceiver.address) continue
    const event = decodeEventLog({
      abi: DestinationReceiver.abi,
      topics: topics as [Hex, ...Hex[]],
      data,
      strict: false,
    })
    if (event.eventName === 'DeliveryFailed') return event.args.reason ?? '0x'
  }
  return null
}
