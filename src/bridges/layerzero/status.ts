/** Where a delivery over LayerZero is, by the destination's state; logs only name transactions. */
import {
  decodeEventLog,
  encodeEventTopics,
  encodeFunctionData,
  getAbiItem,
  hexToBigInt,
  padHex,
} from 'viem'
import type { BridgeRetry } from '../../domain/bridges/check.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import { contractAddress } from '../../executor/deployments.js'
import type { BridgeAdapter, Delivery, DeliveryStatus, LogReader } from '../bridge.js'
import { failureTopics, orderOutcome, runsOrder, runTopics } from '../order-outcome.js'
import { endpointAbi, oftAbi, payoutAbi } from './abi.js'
import { packetOf, poolOn } from './deliveries.js'
import { type Family, landingOf } from './family.js'
import { composeOf, paymentOf, payoutOf, receiveOf } from './retries.js'

const composeDelivered = [getAbiItem({ abi: endpointAbi, name: 'ComposeDelivered' })] as const
const [composeDeliveredTopic] = encodeEventTopics({ abi: composeDelivered })
const received = [getAbiItem({ abi: oftAbi, name: 'OFTReceived' })] as const
/** In the endpoint's queue, of a message that was carried out. */
const composed = 1n

const unverifiedWords =
  'LayerZero’s verifiers have not confirmed it on the destination, and nothing can be done before they have.'
const unreceivedWords =
  'LayerZero’s verifiers have confirmed it on the destination, and nobody has had it received. Anybody may.'
const unpaidWords =
  'The pool could not pay the receiver, and keeps what it owes it. Anybody may have it try again.'
const uncomposedWords =
  'The receiver has been paid, and what is to be done with it has not been carried out. Anybody may have it carried out, with the gas and value that were ordered.'

export async function status(
  family: Family,
  ...[delivery, destination, reader, logs]: Parameters<BridgeAdapter['status']>
): Promise<DeliveryStatus> {
  const pool = poolOn(family, destination, delivery)
  const unknown = { status: 'unknown', transactionHash: null } as const
  if (!pool) return unknown
  const { guid, sender, receiver, srcEid, nonce } = packetOf(delivery)
  const path = [receiver, srcEid, padHex(sender, { size: 32 })] as const
  const queued = [pool.pool, delivery.receiver, guid, 0] as const
  const reads = await reader.call([
    {
      to: pool.endpoint,
      data: encodeFunctionData({ abi: endpointAbi, functionName: 'composeQueue', args: queued }),
    },
    {
      to: pool.endpoint,
      data: encodeFunctionData({ abi: endpointAbi, functionName: 'lazyInboundNonce', args: path }),
    },
    {
      to: pool.endpoint,
      data: encodeFunctionData({
        abi: endpointAbi,
        functionName: 'inboundPayloadHash',
        args: [...path, nonce],
      }),
    },
    ...(family.paysOutOfPools ? [unpaidCall(pool.pool, guid)] : []),
  ])
  const words = reads.map((read) => (read.ok && read.value !== '0x' ? BigInt(read.value) : null))
  const [queue = null, reached = null, verified = null, kept = null] = words
  const unpaid = family.paysOutOfPools ? kept : 0n
  if (queue === null || reached === null || verified === null || unpaid === null) return unknown
  if (unpaid !== 0n) {
    const told = waiting(unpaidWords, payoutOf(delivery, pool, unpaid))
    return { ...told, cause: paymentOf(delivery, pool) }
  }
  if (queue !== composed && queue !== 0n) {
    return waiting(
      uncomposedWords,
      composeOf(delivery, { endpoint: pool.endpoint, from: pool.pool }, queue),
    )
  }
  if (queue !== composed && verified !== 0n) {
    return waiting(unreceivedWords, receiveOf(delivery, pool.endpoint))
  }
  if (queue !== composed && reached < nonce) return waiting(unverifiedWords)
  const receipt = await receiptOf(delivery, pool.pool, guid, logs)
  if (delivery.message === '0x') {
    return { status: 'delivered', transactionHash: receipt?.transactionHash ?? null }
  }
  // Received, and nothing is queued: the pool queues what has a message in the same call.
  if (queue === 0n) return unknown
  const transactionHash = receipt
    ? await composedBy({ delivery, ...pool, guid, logs, since: receipt.blockNumber })
    : null
  if (!runsOrder(delivery, landingOf(pool))) return { status: 'delivered', transactionHash }
  return orderOutcome(delivery, transactionHash, reader, logs)
}

function unpaidCall(to: Address, guid: Hex) {
  const args = [guid, 0] as const
  return {
    to,
    data: encodeFunctionData({ abi: payoutAbi, functionName: 'unreceivedTokens', args }),
  }
}

function waiting(error: string, retry?: BridgeRetry | null): DeliveryStatus {
  return { status: 'inflight', transactionHash: null, error, ...(retry && { retry }) }
}

async function receiptOf(delivery: Delivery, pool: Address, guid: Hex, logs: LogReader) {
  const args = { guid, toAddress: delivery.receiver }
  const topics = encodeEventTopics({ abi: received, args }) as Hex[]
  return (await logs({ address: pool, topics }))?.[0]
}

/**
 * The endpoint logs what it carried out without any topic but the event's. Orders that ran and orders that failed are
 * logged for their fallback receiver, in few blocks: those of the endpoint are looked at there.
 */
async function composedBy(args: {
  readonly delivery: Delivery
  readonly endpoint: Address
  readonly pool: Address
  readonly guid: Hex
  readonly logs: LogReader
  /** The compose is not before this block. */
  readonly since: bigint
}): Promise<Hex | null> {
  const { delivery, endpoint, pool, guid, logs, since } = args
  const address = contractAddress('DestinationReceiver')
  const found = await Promise.all([
    logs({ address, topics: failureTopics(delivery) }),
    logs({ address, topics: runTopics(delivery) }),
  ])
  const blocks = found.flatMap((some) => (some ?? []).map(({ blockNumber }) => blockNumber))
  for (const blockNumber of new Set(blocks.filter((block) => block >= since))) {
    const topics = [composeDeliveredTopic as Hex]
    const composes = (await logs({ address: endpoint, topics, blockNumber })) ?? []
    const compose = composes.find((log) => isComposeOf(log, { pool, to: delivery.receiver, guid }))
    if (compose) return compose.transactionHash
  }
  return null
}

function isComposeOf(
  { topics, data }: SimulationLog,
  { pool, to, guid }: { pool: Address; to: Address; guid: Hex },
): boolean {
  const { args } = decodeEventLog({
    abi: composeDelivered,
    topics: topics as [Hex, ...Hex[]],
    data,
  })
  const isSame = toAddress(args.from) === pool && toAddress(args.to) === to
  return isSame && hexToBigInt(args.guid) === hexToBigInt(guid) && args.index === 0
}
