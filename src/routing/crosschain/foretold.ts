/** What would come of the call by which something that waits is delivered, by simulation at the pinned block. */
import type { BridgeAdapter, Delivery, DeliveryStatus } from '../../bridges/bridge.js'
import { contractErrorsAbi } from '../../bridges/registry.js'
import type { BridgeRetry } from '../../domain/bridges/check.js'
import { defined } from '../../domain/defined.js'
import type { Address } from '../../domain/primitives.js'
import { decodeRevert } from '../../forks/revert.js'
import type { Task } from '../block/task.js'
import { failureIn, simulateDelivery } from '../bundle/simulate-delivery.js'

/** Anybody, with enough to pay for gas and value. */
const stranger: Address = '0x00000000000000000000000000000000005741a9'
const money = 10n ** 24n

/** The status with what its `retry` would do now; its `fill` stays only where it would go through. */
export async function foretold(
  task: Task,
  bridge: BridgeAdapter,
  delivery: Delivery,
  found: DeliveryStatus,
): Promise<DeliveryStatus> {
  const { retry, cause, instead, fill, ...rest } = found
  if (retry) {
    const told = await failureOf(task, bridge, { retry, cause, instead })
    return { ...rest, retry, ...defined({ error: joined(rest.error, told) }) }
  }
  if (!fill) return found
  const sent = { delivery, gas: 0n, measure: [], overrides: {} }
  const { result, fallback } = await simulateDelivery(task, bridge, sent)
  if (result.status !== 'reverted') return found
  if (fallback) {
    return { ...found, ...defined({ error: joined(rest.error, orderFails(result.reason)) }) }
  }
  const error = joined(rest.error, `A fill would fail now: ${result.reason}.`)
  return { ...rest, ...defined({ error }) }
}

/** A sentence; null: it would go through, or that cannot be told. */
async function failureOf(
  task: Task,
  bridge: BridgeAdapter,
  told: {
    readonly retry: BridgeRetry
    readonly cause: DeliveryStatus['cause']
    readonly instead: DeliveryStatus['instead']
  },
): Promise<string | null> {
  const { cause, instead } = told
  const { gas, ...call } = told.retry
  const made = instead ?? { from: stranger, ...call, ...defined({ gasLimit: gas }) }
  const request = { ...made, overrides: { [made.from]: { balance: made.value + money } } }
  const [result] = await task.simulator.simulate([request])
  if (!result || result.status === 'unreadable') return null
  const kept = result.status === 'reverted' ? result.reason : bridge.failureIn?.(result.logs)
  if (kept) return `That would fail now: ${(await reasonOf(task, cause)) ?? kept}.`
  const failure = result.status === 'success' ? failureIn(result.logs) : null
  return failure && orderFails(decodeRevert(failure, contractErrorsAbi))
}

/** Why the call within it fails; null where none is named, or it succeeds by itself. */
async function reasonOf(task: Task, cause: DeliveryStatus['cause']): Promise<string | null> {
  if (!cause) return null
  const overrides = { [cause.from]: { balance: cause.value + money } }
  const [result] = await task.simulator.simulate([{ ...cause, overrides }])
  return result?.status === 'reverted' ? result.reason : null
}

function orderFails(reason: string): string {
  return `Its order would fail now, and its fallback receiver be paid: ${reason}.`
}

function joined(error: string | undefined, told: string | null): string | undefined {
  return [error, told].filter((part) => part).join(' ') || undefined
}
