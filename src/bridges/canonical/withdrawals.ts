/** What a transaction has withdrawn to the chain that is settled on, by the events of the L2ToL1MessagePasser. Pure. */
import { decodeEventLog, encodeAbiParameters, encodeEventTopics, getAbiItem, keccak256 } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { chains } from '../../chains/registry.js'
import { type Hex, nativeToken, toAddress } from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import type { Delivery, EventFilter } from '../bridge.js'
import { finalizeWithdrawal, messagePasserAbi } from './abi.js'
import { bridgedIn, readRelay } from './relays.js'
import { messagePasser, messenger, settlementOf, tokenBridgeOf } from './settlement.js'

const passed = [getAbiItem({ abi: messagePasserAbi, name: 'MessagePassed' })] as const
const [passedTopic] = encodeEventTopics({ abi: passed })
const [transactionType] = finalizeWithdrawal.inputs

/** As the portal takes it. */
export type Withdrawal = ReturnType<typeof withdrawalOf>

export function withdrawalEvents(source: ChainDefinition): EventFilter[] {
  return settlementOf(source) ? [{ address: messagePasser, topics: [passedTopic] }] : []
}

export function withdrawalsIn(
  logs: readonly SimulationLog[],
  source: ChainDefinition,
  known: readonly ChainDefinition[] = chains,
): Delivery[] {
  const settlement = settlementOf(source)
  if (!settlement) return []
  const destinationChainId = known.some(({ id }) => id === settlement.chainId)
    ? settlement.chainId
    : null
  return logs.flatMap(({ address, topics: [topic, ...more], data: packed }) => {
    if (toAddress(address) !== messagePasser || topic !== passedTopic) return []
    const { args } = decodeEventLog({ abi: passed, topics: [topic, ...more], data: packed })
    const { nonce, value, gasLimit, data, withdrawalHash } = args
    const [sender, target] = [toAddress(args.sender), toAddress(args.target)]
    const isMessage = sender === messenger && target === settlement.messenger
    const relay = isMessage ? readRelay(data) : null
    const paid = relay && bridgedIn(relay, tokenBridgeOf(source)?.bridge)
    const to = relay ?? { sender, target, message: data, value }
    return [
      {
        bridge: 'canonical',
        id: withdrawalHash,
        sourceChainId: source.id,
        destinationChainId,
        ...(paid ?? {
          token: nativeToken,
          amount: to.value,
          sender: to.sender,
          receiver: to.target,
        }),
        message: paid ? '0x' : to.message,
        details: {
          kind: 'withdrawal',
          portal: settlement.portal,
          messenger: settlement.messenger,
          isMessage: Number(isMessage),
          sender,
          target,
          data,
          nonce: nonce.toString(),
          value: value.toString(),
          gasLimit: gasLimit.toString(),
        },
      },
    ]
  })
}

export function withdrawalOf({ details }: Delivery) {
  const amount = (name: string) => BigInt(String(details[name]))
  return {
    nonce: amount('nonce'),
    sender: toAddress(String(details.sender)),
    target: toAddress(String(details.target)),
    value: amount('value'),
    gasLimit: amount('gasLimit'),
    data: String(details.data) as Hex,
  }
}

/** What names it at the portal. */
export function withdrawalHash({ nonce, sender, target, value, gasLimit, data }: Withdrawal): Hex {
  const args = [nonce, sender, target, value, gasLimit, data] as const
  return keccak256(encodeAbiParameters(transactionType.components, args))
}
