/**
 * What became of an order whose tokens have arrived: it ran, or its fallback receiver was paid. By logs where there are
 * any, else by state: the clone of an order that ran is there, that of a failed one is undone with it.
 */
import {
  decodeEventLog,
  encodeEventTopics,
  getAbiItem,
  padHex,
  size,
  slice,
  toFunctionSelector,
} from 'viem'
import type { Address, Hex } from '../domain/primitives.js'
import type { StateReader } from '../domain/state.js'
import { deliveryExecutor, executorContracts } from '../executor/deployments.js'
import type { Delivery, DeliveryStatus, LogReader } from './bridge.js'

const { abi, address: destinationReceiver } = executorContracts.DestinationReceiver
const deliveryFailed = getAbiItem({ abi, name: 'DeliveryFailed' })
const [deliveryFailedTopic] = encodeEventTopics({ abi: [deliveryFailed] })
/** Without its argument: both of our contracts revert, and an account without code answers nothing. */
const refused = toFunctionSelector(
  getAbiItem({ abi: executorContracts.DestinationExecutor.abi, name: 'runProgram' }),
)
const lyingThere = `The chain has no contract ${destinationReceiver}: what was delivered lies there, and is anybody's who deploys it.`
const orderFailed = 'The order failed, and its fallback receiver was paid what was delivered.'

/** The topics of what the DestinationReceiver logs when it pays the message's fallback receiver. */
export function failureTopics({ token, message }: Pick<Delivery, 'token' | 'message'>): Hex[] {
  return [deliveryFailedTopic as Hex, padHex(token, { size: 32 }), slice(message, 0, 32)]
}

/** Whether what is delivered runs an order of ours; anybody may send other messages to other contracts. */
export function runsOrder(delivery: Pick<Delivery, 'message' | 'receiver'>, by: Address): boolean {
  return delivery.receiver === by && size(delivery.message) >= 96
}

/**
 * Of a delivery that has arrived and was carried out, with an order for our DestinationReceiver.
 * @param transactionHash - that carried it out; null where it is not known.
 */
export async function orderOutcome(
  delivery: Delivery,
  transactionHash: Hex | null,
  reader: StateReader,
  logs: LogReader,
): Promise<DeliveryStatus> {
  const failures = { address: destinationReceiver, topics: failureTopics(delivery) }
  const found = transactionHash === null ? null : await logs(failures)
  const failure = found
    ?.filter((log) => log.transactionHash === transactionHash)
    .map(({ topics, data }) => {
      const log = { topics: topics as [Hex, ...Hex[]], data }
      return decodeEventLog({ abi: [deliveryFailed], ...log }).args
    })
    .find(({ amount }) => amount === delivery.amount)
  if (failure) {
    return { status: 'failed', transactionHash, error: orderFailed, revertData: failure.reason }
  }
  return { ...(await outcomeByState(delivery, reader, found !== null)), transactionHash }
}

/** @param hasNotFailed - logs tell so. */
async function outcomeByState(
  { message }: Delivery,
  reader: StateReader,
  hasNotFailed: boolean,
): Promise<Pick<DeliveryStatus, 'status' | 'error'>> {
  const [receiver, executor] = await reader.call([
    { to: destinationReceiver, data: refused },
    { to: deliveryExecutor(message), data: refused },
  ])
  if (hasCode(executor)) return { status: 'delivered' }
  if (!receiver?.ok && !hasCode(receiver)) return { status: 'unknown' }
  // Across pays an address without code, and does not call it.
  if (!hasCode(receiver)) return { status: 'unknown', error: lyingThere }
  if (executor?.ok !== true || hasNotFailed) return { status: 'unknown' }
  return { status: 'failed', error: orderFailed }
}

function hasCode(read: Awaited<ReturnType<StateReader['call']>>[number] | undefined): boolean {
  return read?.ok === false && read.reason === 'reverted'
}
