/** Simulates what a bridge delivers, as whoever delivers it would. */
import { decodeEventLog } from 'viem'
import type { BridgeAdapter, Delivery } from '../../bridges/bridge.js'
import type { Order } from '../../domain/order.js'
import { type Address, type Hex, isNative, type TokenAmount } from '../../domain/primitives.js'
import {
  mergeOverrides,
  type SimulationLog,
  type SimulationRequest,
  type SimulationResult,
} from '../../domain/state.js'
import { deliveryExecutor, executorContracts } from '../../executor/deployments.js'
import { executorErrorsAbi } from '../../executor/errors.js'
import { decodeRevert } from '../../forks/revert.js'
import { slotsFor } from '../../forks/tokens/token-access.js'
import type { TaskRun } from '../context/task-context.js'

/** What a bridge that pays and calls in one transaction needs of it besides. */
const gasOfPayment = 500_000n

export interface Landed {
  readonly request: SimulationRequest
  /** `reverted` too where an order failed and the fallback receiver was paid, with the order's reason. */
  readonly result: SimulationResult
  /** What was measured where the fallback receiver was paid; absent elsewhere. */
  readonly fallback?: readonly TokenAmount[]
}

/**
 * @param landing.gas - of the call that delivers, as in `Parcel`.
 */
export async function simulateLanding(
  run: TaskRun,
  bridge: BridgeAdapter,
  landing: { readonly delivery: Delivery; readonly gas: bigint } & Pick<
    SimulationRequest,
    'measure' | 'logsNative'
  >,
): Promise<Landed> {
  const { delivery, gas, ...more } = landing
  const { funds, ...simulation } = bridge.simulation(delivery, run.block.chain, run.pin, gas)
  const given = funds
    ? await run.fund(funds.token, funds.owner, {
        balance: funds.amount,
        spender: funds.spender,
        allowance: funds.amount,
      })
    : {}
  const overrides = mergeOverrides(simulation.overrides, given ?? {})
  const gasLimit = simulation.gasLimit ?? (gas > 0n ? gas + gasOfPayment : undefined)
  const request: SimulationRequest = {
    ...{ ...simulation, ...more, overrides },
    ...(gasLimit !== undefined && { gasLimit }),
  }
  if (given === null) {
    const message = `the balance of ${funds?.token} cannot be overridden`
    return { request, result: { status: 'unreadable', message } }
  }
  const [result] = await run.simulate([request])
  if (!result) return { request, result: { status: 'unreadable', message: 'no answer' } }
  if (result.status !== 'success') return { request, result }
  const reason = failureIn(result.logs)
  if (reason === null) return { request, result }
  const { gasUsed } = result
  const failed = { returnData: reason, reason: decodeRevert(reason, executorErrorsAbi) }
  return {
    request,
    result: { status: 'reverted', gasUsed, ...failed },
    fallback: result.deltas,
  }
}

const { DestinationReceiver } = executorContracts

/**
 * Reads in bulk what a fork would read one by one for an order that nobody has seen before: each message has an Executor
 * of its own, whose account and whose balances and allowances of each token are new to every fork.
 */
export async function readDeliveryAhead(
  run: TaskRun,
  { inputs, outputs, sweep, steps }: Order,
  message: Hex,
): Promise<void> {
  if (run.settings.cassette === 'replay') return
  const executor = deliveryExecutor(message)
  const parties = new Set([executor])
  const tokens = new Set([...inputs, ...outputs].map(({ token }) => token))
  for (const token of sweep) tokens.add(token)
  /** Whom the order lets take a token. */
  const pairsOf = (token: Address) =>
    steps.flatMap((step) =>
      step.kind === 'approve' && step.token === token ? [[executor, step.spender] as const] : [],
    )
  const slots = await Promise.all(
    [...tokens].map(async (token) => {
      const access = isNative(token) ? null : await run.accessOf(token)
      return access ? slotsFor({ ...access, slots: [] }, parties, pairsOf(token)) : []
    }),
  )
  await run.readAhead({ accounts: [executor], slots: slots.flat(), topics: [] })
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
