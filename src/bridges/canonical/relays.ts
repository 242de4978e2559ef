/** Messages of the messengers, of either direction. Pure. */
import { decodeFunctionData } from 'viem'
import { type Address, type Hex, nativeToken, toAddress } from '../../domain/primitives.js'
import type { Delivery } from '../bridge.js'
import { messengerAbi, standardBridgeAbi } from './abi.js'

/** A message that the messenger of the destination is to relay. */
export interface Relay {
  readonly nonce: bigint
  readonly sender: Address
  readonly target: Address
  readonly value: bigint
  readonly minGasLimit: bigint
  readonly message: Hex
}

export function readRelay(data: Hex): Relay | null {
  const call = decoded(() => decodeFunctionData({ abi: messengerAbi, data }))
  if (call?.functionName !== 'relayMessage') return null
  const [nonce, sender, target, value, minGasLimit, message] = call.args
  return {
    nonce,
    value,
    minGasLimit,
    message,
    sender: toAddress(sender),
    target: toAddress(target),
  }
}

/**
 * What the standard bridge of the destination pays out; null: it is another call.
 *
 * @param bridge - of the destination; undefined: it is not known.
 */
export function bridgedIn(
  { target, message }: Relay,
  bridge: Address | undefined,
): Pick<Delivery, 'token' | 'amount' | 'sender' | 'receiver'> | null {
  if (target !== bridge) return null
  const call = decoded(() => decodeFunctionData({ abi: standardBridgeAbi, data: message }))
  if (!call) return null
  if (call.functionName === 'finalizeBridgeETH') {
    const [sender, receiver, amount] = call.args
    return {
      token: nativeToken,
      amount,
      sender: toAddress(sender),
      receiver: toAddress(receiver),
    }
  }
  const [token, , sender, receiver, amount] = call.args
  return {
    token: toAddress(token),
    amount,
    sender: toAddress(sender),
    receiver: toAddress(receiver),
  }
}

/** Anybody may send whatever call they like. Null where it is not that of the ABI. */
export function decoded<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch {
    return null
  }
}
