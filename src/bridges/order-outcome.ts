/**
 * What became of an order whose tokens have arrived: it ran, or its fallback receiver was paid. By events where there are
 * any, else by state, which tells failures alone: the clone of a failed order is undone with it, and where one is, it may
 * be that of an earlier delivery with the same message.
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
import { type Address, type Hex, toAddress } from '../domain/primitives.js'
import type { StateReader } from '../domain/state.js'
import { deliveryExecutor, executorContracts } from '../executor/deployments.js'
import type { Delivery, DeliveryStatus, LogReader } from './bridge.js'

const { abi, address: destinationReceiver } = executorContracts.DestinationReceiver
const deliveryFailed = getAbiItem({ abi, name: 'DeliveryFailed' })
const routed = getAbiItem({ abi, name: 'Routed' })
const [deliveryFailedTopic] = encodeEventTopics({ abi: [deliveryFailed] })
/** Without its argument: both of our contracts revert, and an account without code answers nothing. */
const refused = toFunctionSelector(
  getAbiItem({ abi: executorContracts.DestinationExecutor.abi, name: 'runProgram' }),
)
const lyingThere = `The chain has no contract ${destinationReceiver}: what was delivered lies there, and is anybody's who deploys it.`
const behind = 'It has arrived, and the events that tell whether its order ran are not there yet.'
const untold =
  'It has arrived. Whether its order ran or its fallback receiver was paid, only events tell, and the nodes give none.'
const orderFailed = 'The order failed, and its fallback receiver was paid what was delivered.'

/** The topics of what the DestinationReceiver logs when it pays the message's fallback receiver. */
export function failureTopics({ token, message }: Pick<Delivery, 'token' | 'message'>): Hex[] {
  return [deliveryFailedTopic as Hex, padHex(token, { size: 32 }), slice(message, 0, 32)]
}

/** The topics of what it logs when an order with that fallback receiver has run. */
export function runTopics({ message }: Pick<Delivery, 'message'>): (Hex | null)[] {
  const sender = toAddress(slice(message, 12, 32))
  return encodeEventTopics({ abi: [routed], args: { sender } }) as (Hex | null)[]
}

/** Whether what is delivered runs an order of ours; anybody may send other messages to other contracts. */
export function runsOrder(delivery: Pick<Delivery, 'message' | 'receiver'>, by: Address): boolean {
  return delivery.receiver === by && size(delivery.message) >= 96
}

/**
 * Outcome of an order for our DestinationReceiver whose delivery has been carried out. Each order leaves an event,
 * whether it ran or failed: without either, the events are behind the state.
 * @param transactionHash - that carried it out; null where it is not known.
 */
export async function orderOutcome(
  delivery: Delivery,
  transactionHash: Hex | null,
  reader: StateReader,
  logs: LogReader,
): Promise<DeliveryStatus> {
  const address = destinationReceiver
  const [failures, runs] = await Promise.all([
    logs({ address, topics: failureTopics(delivery) }),
    logs({ address, topics: runTopics(delivery) }),
  ])
  const isOwn = (log: { readonly transactionHash: Hex }) => log.transactionHash === transactionHash
  const failure = failures
    ?.filter(isOwn)
    .map(({ topics, data }) => {
      const log = { topics: topics as [Hex, ...Hex[]], data }
      return decodeEventLog({ abi: [deliveryFailed], ...log }).args
    })
    .find(({ amount }) => amount === delivery.amount)
  if (failure) {
    return { status: 'failed', transactionHash, error: orderFailed, revertData: failure.reason }
  }
  if (runs?.some(isOwn)) return { status: 'delivered', transactionHash }
  return { ...(await outcomeByState(delivery, reader, failures !== null)), transactionHash }
}

/** @param hasEvents - of which none tells the outcome so far. */
async function outcomeByState(
  { message }: Delivery,
  reader: StateReader,
  hasEvents: boolean,
): Promise<Pick<DeliveryStatus, 'status' | 'error'>> {
  const [receiver, executor] = await reader.call([
    { to: destinationReceiver, data: refused },
    { to: deliveryExecutor(message), data: refused },
  ])
  // An earlier delivery with the same message leaves the same clone.
  if (hasCode(executor)) {
    return hasEvents ? { status: 'inflight', error: behind } : { status: 'unknown', error: untold }
  }
  if (!receiver?.ok && !hasCode(receiver)) return { status: 'unknown' }
  // Across pays an address without code, and does not call it.
  if (!hasCode(receiver)) return { status: 'unknown', error: lyingThere }
  return executor?.ok ? { status: 'failed', error: orderFailed } : { status: 'unknown' }
}

function hasCode(read: Awaited<ReturnType<StateReader['call']>>[number] | undefined): boolean {
  return read?.ok === false && read.reason === 'reverted'
}
