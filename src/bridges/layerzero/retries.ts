/** Calls by which anybody has a message of LayerZero's carried on from where it waits. Pure. */
import { concatHex, encodeFunctionData, encodePacked, keccak256, padHex, parseAbi } from 'viem'
import type { BridgeRetry } from '../../domain/bridges/check.js'
import { type Address, type Hex, isNative } from '../../domain/primitives.js'
import type { Delivery, DeliveryStatus } from '../bridge.js'
import { endpointAbi, payoutAbi } from './abi.js'
import { intrinsicGas, packetOf } from './deliveries.js'
import type { OmnichainToken } from './family.js'
import { toComposeMessage } from './packet.js'

const erc20 = parseAbi(['function transfer(address to, uint256 amount)'])

/** Has the endpoint give a message that is verified to its application. */
export function receiveOf(delivery: Delivery, endpoint: Address): BridgeRetry {
  const { srcEid, sender, nonce, receiver, guid, payload } = packetOf(delivery)
  const origin = { srcEid, sender: padHex(sender, { size: 32 }), nonce }
  const args = [origin, receiver, guid, payload, '0x'] as const
  const data = encodeFunctionData({ abi: endpointAbi, functionName: 'lzReceive', args })
  return { to: endpoint, data, value: 0n }
}

/**
 * Has the endpoint give the receiver what it was paid for, with the gas and value that were ordered.
 *
 * @param from - the contract that has paid and queued it.
 * @param queued - what the endpoint keeps of it. Null: that is of another message.
 */
export function composeOf(
  delivery: Delivery,
  { endpoint, from }: { readonly endpoint: Address; readonly from: Address },
  queued: bigint,
): BridgeRetry | null {
  const { guid, composeGas, composeValue } = packetOf(delivery)
  const message = composedMessage(delivery)
  if (BigInt(keccak256(message)) !== queued) return null
  const args = [from, delivery.receiver, guid, 0, message, '0x'] as const
  const data = encodeFunctionData({ abi: endpointAbi, functionName: 'lzCompose', args })
  const gas = composeGas > 0n ? { gas: composeGas + intrinsicGas(data) } : {}
  return { to: endpoint, data, value: composeValue, ...gas }
}

/** Has the pool pay what it could not. @param kept - its hash of that. Null: that is of something else. */
export function payoutOf(
  delivery: Delivery,
  { pool }: Pick<OmnichainToken, 'pool'>,
  kept: bigint,
): BridgeRetry | null {
  const { guid, srcEid, composed } = packetOf(delivery)
  const { receiver, amount } = delivery
  const message = composed === '0x' ? '0x' : composedMessage(delivery)
  const hash = keccak256(
    concatHex([
      encodePacked(['uint32', 'address', 'uint256'], [srcEid, receiver, amount]),
      message,
    ]),
  )
  if (BigInt(hash) !== kept) return null
  const args = [guid, 0, srcEid, receiver, amount, message] as const
  const data = encodeFunctionData({ abi: payoutAbi, functionName: 'retryReceiveToken', args })
  return { to: pool, data, value: 0n }
}

/** The payment by itself. */
export function paymentOf(
  { receiver, amount, token }: Delivery,
  { pool }: Pick<OmnichainToken, 'pool'>,
): DeliveryStatus['cause'] & object {
  if (isNative(token)) return { from: pool, to: receiver, data: '0x', value: amount }
  const data = encodeFunctionData({ abi: erc20, args: [receiver, amount] })
  return { from: pool, to: token, data, value: 0n }
}

function composedMessage(delivery: Delivery): Hex {
  const { nonce, srcEid, composed } = packetOf(delivery)
  return toComposeMessage({ nonce, srcEid, amount: delivery.amount, composed })
}
