/**
 * Where a ticket is, by the precompile that keeps those that are not redeemed. A node alone answers for it: it has no code
 * that a fork could run.
 */
import { encodeEventTopics, encodeFunctionData, getAbiItem, type Hex } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { contractAddress } from '../../executor/deployments.js'
import type { Delivery, DeliveryStatus, LogReader, NodeCall } from '../bridge.js'
import { orderOutcome, runsOrder } from '../order-outcome.js'
import { retryablesAbi, type TicketInbox } from './inbox.js'
import { simulateTicket } from './tickets.js'

export interface StatusReaders {
  readonly reader: StateReader
  readonly logs: LogReader
  readonly callNode: NodeCall
}

const untold = { status: 'unknown', transactionHash: null } as const
const waiting =
  'Its first try has failed on the destination, for want of gas or by its call: the ticket is kept, and anybody may redeem it.'
const canceled =
  'The ticket was cancelled by its beneficiary, who was paid back on the destination.'
const gone =
  'The ticket is gone: it was redeemed, or its time ended. Without an order only the transactions of its tries tell which.'

const created = [getAbiItem({ abi: retryablesAbi, name: 'TicketCreated' })] as const
const scheduled = [getAbiItem({ abi: retryablesAbi, name: 'RedeemScheduled' })] as const
const canceledEvent = [getAbiItem({ abi: retryablesAbi, name: 'Canceled' })] as const

/** Of the call of the precompile besides the ticket's. */
const gasOfRedeem = 200_000n

export async function ticketStatus(
  delivery: Delivery,
  { retryables: address }: TicketInbox,
  { blockTimeSeconds }: Pick<ChainDefinition, 'blockTimeSeconds'>,
  { reader, logs, callNode }: StatusReaders,
): Promise<DeliveryStatus> {
  const id = delivery.id as Hex
  const data = encodeFunctionData({ abi: retryablesAbi, functionName: 'getLifetime' })
  const args = [id] as const
  const asked = encodeFunctionData({ abi: retryablesAbi, functionName: 'getTimeout', args })
  const [lifetime, timeout] = await Promise.all([callNode(address, data), callNode(address, asked)])
  if (!lifetime || lifetime === '0x') return untold
  if (timeout && timeout !== '0x') return unredeemed(delivery, address, BigInt(timeout))
  const named = { ticketId: id }
  const [births, tries, ends] = await Promise.all([
    logs({ address, topics: encodeEventTopics({ abi: created, args: named }) as Hex[] }),
    logs({ address, topics: encodeEventTopics({ abi: scheduled, args: named }) as Hex[] }),
    logs({ address, topics: encodeEventTopics({ abi: canceledEvent, args: named }) as Hex[] }),
  ])
  if (!births || !tries || !ends) return untold
  if (births.length === 0) return { status: 'inflight', transactionHash: null }
  const [end] = ends
  if (end) {
    return { status: 'failed', transactionHash: end.transactionHash, error: canceled }
  }
  const last = tries.at(-1)
  if (!last) return { ...untold, error: gone }
  const retryHash = last.topics[2] ?? null
  if (runsOrder(delivery, contractAddress('DestinationReceiver'))) {
    const told = await orderOutcome(delivery, retryHash, reader, logs)
    // A stand-in of the precompile runs the call within the transaction that redeems.
    return told.status === 'inflight' && retryHash !== last.transactionHash
      ? orderOutcome(delivery, last.transactionHash, reader, logs)
      : told
  }
  // Blocks come no slower than so, and a ticket that has not ended yet is gone by a redeem alone.
  const blocks = reader.block.number - (births[0]?.blockNumber ?? 0n)
  const hasTime = Number(blocks) * blockTimeSeconds < Number(BigInt(lifetime))
  return hasTime
    ? { status: 'delivered', transactionHash: retryHash }
    : { status: 'unknown', transactionHash: retryHash, error: gone }
}

/** @param timeout - unix seconds until which it is kept. */
function unredeemed(delivery: Delivery, retryables: Address, timeout: bigint): DeliveryStatus {
  const args = [delivery.id as Hex] as const
  const call = simulateTicket(delivery, 0n)
  const { from, to, value = 0n, data, gasLimit = 0n } = call
  const ends = new Date(Number(timeout) * 1_000).toISOString()
  return {
    status: 'inflight',
    transactionHash: null,
    error: `${waiting} It is kept until ${ends}.`,
    retry: {
      to: retryables,
      data: encodeFunctionData({ abi: retryablesAbi, functionName: 'redeem', args }),
      value: 0n,
      // A redeem gives the call all the gas that it has left.
      gas: gasLimit + gasOfRedeem,
    },
    instead: { from, to, value, data, gasLimit },
  }
}
