/** Where a deposit is, by what the messenger of its chain remembers of messages; logs only name transactions. */
import { encodeEventTopics, encodeFunctionData, getAbiItem, type Hex, size } from 'viem'
import { contractAddress } from '../../executor/deployments.js'
import type { BridgeAdapter } from '../bridge.js'
import { orderOutcome, runsOrder } from '../order-outcome.js'
import { messengerAbi } from './abi.js'
import { encodeRelay, messageHash, relayOf } from './deposits.js'
import { depositGas } from './metering.js'
import { messenger } from './settlement.js'
import { withdrawalStatus } from './withdrawal-status.js'

const relayed = [getAbiItem({ abi: messengerAbi, name: 'RelayedMessage' })] as const

const untold =
  'It was deposited past the messenger, so that no contract tells whether it has arrived.'
const failed =
  'Its call failed on the destination, for want of gas or since the receiver took no ether: the ether waits in the messenger. Anybody may have it tried again.'

export const status: BridgeAdapter['status'] = async (delivery, _destination, reader, logs) => {
  if (delivery.details.kind === 'withdrawal') return withdrawalStatus(delivery, reader, logs)
  const relay = relayOf(delivery)
  if (!relay) return { status: 'unknown', transactionHash: null, error: untold }
  const hash = messageHash(delivery)
  const reads = await reader.call(
    (['successfulMessages', 'failedMessages'] as const).map((functionName) => ({
      to: messenger,
      data: encodeFunctionData({ abi: messengerAbi, functionName, args: [hash] }),
    })),
  )
  const words = reads.map((read) => (read.ok && read.value !== '0x' ? BigInt(read.value) : null))
  const [isRelayed = null, hasFailed = null] = words
  if (isRelayed === null || hasFailed === null) return { status: 'unknown', transactionHash: null }
  if (isRelayed === 0n) {
    if (hasFailed === 0n) return { status: 'inflight', transactionHash: null }
    // With less the relay succeeds and its call fails again, which no node's estimate can tell.
    const gas = depositGas(size(relay.message), relay.minGasLimit)
    const retry = { to: messenger, data: encodeRelay(relay), value: 0n, gas }
    const { target: to, value, message, minGasLimit } = relay
    const cause = { from: messenger, to, value, data: message, gasLimit: minGasLimit + gas }
    return { status: 'inflight', transactionHash: null, error: failed, retry, cause }
  }
  const topics = encodeEventTopics({ abi: relayed, args: { msgHash: hash } }) as Hex[]
  const relays = await logs({ address: messenger, topics })
  const transactionHash = relays?.[0]?.transactionHash ?? null
  if (!runsOrder(delivery, contractAddress('DestinationReceiver'))) {
    return { status: 'delivered', transactionHash }
  }
  return orderOutcome(delivery, transactionHash, reader, logs)
}
