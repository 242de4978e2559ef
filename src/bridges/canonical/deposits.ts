/** What a source transaction has deposited, by the portal's logs, and how its delivery is simulated. Pure. */
import {
  concatHex,
  decodeEventLog,
  decodeFunctionData,
  encodeEventTopics,
  encodeFunctionData,
  getAbiItem,
  hexToBigInt,
  keccak256,
  size,
  slice,
} from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { chains } from '../../chains/registry.js'
import { type Address, type Hex, nativeToken, toAddress } from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import { contractAddress } from '../../executor/deployments.js'
import type { BridgeAdapter, Delivery, EventFilter } from '../bridge.js'
import { deliver, messengerAbi, portalAbi } from './abi.js'
import { depositGas } from './metering.js'
import { bridgedIn, decoded, type Relay, readRelay } from './relays.js'
import { aliasOf, messenger, settlementOf, standardBridge } from './settlement.js'

const deposited = [getAbiItem({ abi: portalAbi, name: 'TransactionDeposited' })] as const
const [depositedTopic] = encodeEventTopics({ abi: deposited })
const failedRelay = getAbiItem({ abi: messengerAbi, name: 'FailedRelayedMessage' })
const [failedRelayTopic] = encodeEventTopics({ abi: [failedRelay] })

/** Of both sides. */
const messengers = new Set(
  chains.flatMap((chain) => [messenger, ...[settlementOf(chain)?.messenger ?? []].flat()]),
)

/** Gas of the target's call beyond what `DeliveryTerms` allow for around an order: the messenger has its own. */
const spareGas = 100_000n
/** For an account or a contract that is paid without a call: their `receive` and an event. */
const paymentGas = 40_000n

/** What the messenger is asked to give the target's call at least. @param gas - as in `DeliveryTerms`. */
export function minGasOf(gas: bigint): bigint {
  return gas > spareGas ? gas - spareGas : paymentGas
}

/** A transaction that the destination makes of a deposit. */
interface Deposit {
  readonly from: Address
  readonly to: Address
  /** Wei that come to be with it. */
  readonly mint: bigint
  readonly value: bigint
  readonly gas: bigint
  readonly data: Hex
}

/** Of the portals of all chains that settle on this one. */
export function depositEvents(source: ChainDefinition): EventFilter[] {
  const portals = chains.flatMap((chain) => {
    const settlement = settlementOf(chain)
    return settlement?.chainId === source.id ? [settlement.portal] : []
  })
  return portals.length > 0 ? [{ address: portals, topics: [depositedTopic] }] : []
}

export function deliveriesIn(
  logs: readonly SimulationLog[],
  source: ChainDefinition,
  known: readonly ChainDefinition[] = chains,
): Delivery[] {
  return logs.flatMap((log) => {
    if (log.topics[0] !== depositedTopic) return []
    const portal = toAddress(log.address)
    for (const destination of known) {
      const settlement = settlementOf(destination)
      if (settlement?.chainId !== source.id || settlement.portal !== portal) continue
      const deposit = readDeposit(log)
      if (!deposit) return []
      const isMessage = deposit.to === messenger && deposit.from === aliasOf(settlement.messenger)
      const relay = isMessage ? readRelay(deposit.data) : null
      const places = { sourceChainId: source.id, destinationChainId: destination.id }
      return [{ bridge: 'canonical', ...places, ...toDelivery(deposit, relay) }]
    }
    return []
  })
}

/** Bytes: mint 32, value 32, gas 8, whether it creates a contract 1, data. Null: another version. */
function readDeposit({ topics, data }: SimulationLog): Deposit | null {
  const { args } = decodeEventLog({ abi: deposited, topics: topics as [Hex, ...Hex[]], data })
  const { from, to, version, opaqueData: packed } = args
  if (version !== 0n) return null
  return {
    from: toAddress(from),
    to: toAddress(to),
    mint: hexToBigInt(slice(packed, 0, 32)),
    value: hexToBigInt(slice(packed, 32, 64)),
    gas: hexToBigInt(slice(packed, 64, 72)),
    data: size(packed) > 73 ? slice(packed, 73) : '0x',
  }
}

/** The relay of a delivery; null: it was deposited without the messenger, which remembers nothing of it. */
export function relayOf({ details }: Delivery): Relay | null {
  return details.kind === 'deposit' ? null : readRelay(depositOf(details).data)
}

/** Names the message at the messenger of the destination. */
export function messageHash({ details }: Delivery): Hex {
  return keccak256(depositOf(details).data)
}

type Told = Omit<Delivery, 'bridge' | 'sourceChainId' | 'destinationChainId'>

function toDelivery(deposit: Deposit, relay: Relay | null): Told {
  const { from, to, mint, value, gas, data } = deposit
  const kept = { from, to, data, mint: mint.toString(), value: value.toString(), gas: Number(gas) }
  const token = nativeToken
  if (!relay) {
    const id = keccak256(concatHex([from, data]))
    const details = { kind: 'deposit', ...kept }
    return { id, token, amount: value, sender: from, receiver: to, message: data, details }
  }
  const id = keccak256(data)
  const order = orderIn(relay)
  if (order !== null) {
    const details = { kind: 'order', ...kept }
    const { value: amount, sender, target: receiver } = relay
    return { id, token, amount, sender, receiver, message: order, details }
  }
  const details = { kind: 'message', ...kept }
  const bridged = bridgedIn(relay, standardBridge)
  if (bridged) return { id, ...bridged, message: '0x', details }
  const { target: receiver, message, value: amount, sender } = relay
  return { id, token, amount, sender, receiver, message, details }
}

/** The message of a delivery to our DestinationReceiver; null: it is another call. */
export function orderIn({
  target,
  value,
  message,
}: Pick<Relay, 'target' | 'value' | 'message'>): Hex | null {
  if (target !== contractAddress('DestinationReceiver')) return null
  const call = decoded(() => decodeFunctionData({ abi: [deliver], data: message }))
  if (!call) return null
  const [token, amount, order] = call.args
  return toAddress(token) === nativeToken && amount === value ? order : null
}

function depositOf(details: Delivery['details']): Deposit {
  const hex = (name: string) => String(details[name]) as Hex
  const amount = (name: string) => BigInt(String(details[name]))
  return {
    from: toAddress(hex('from')),
    to: toAddress(hex('to')),
    mint: amount('mint'),
    value: amount('value'),
    gas: amount('gas'),
    data: hex('data'),
  }
}

export const simulation: BridgeAdapter['simulation'] = (delivery, _destination, _pin, gas) => {
  const deposit = depositOf(delivery.details)
  const { data, gas: gasLimit } = carrying(delivery, deposit, gas)
  const { from, to, value, mint } = deposit
  // What was deposited comes to be with the transaction, and the sender of a message has nothing besides.
  return { from, to, value, data, gasLimit, overrides: { [from]: { balance: mint } } }
}

/** The deposit with the delivery's message in place of its own, and with the gas that this one would buy. */
function carrying(
  delivery: Delivery,
  { data, gas }: Deposit,
  callGas: bigint,
): { readonly data: Hex; readonly gas: bigint } {
  const relay = delivery.details.kind === 'order' ? relayOf(delivery) : null
  if (!relay) return { data, gas }
  const args = [nativeToken, relay.value, delivery.message] as const
  const message = encodeFunctionData({ abi: [deliver], args })
  const minGasLimit = callGas > 0n ? minGasOf(callGas) : relay.minGasLimit
  const { nonce, sender, target, value } = relay
  return {
    data: encodeRelay({ nonce, sender, target, value, minGasLimit, message }),
    gas: callGas > 0n ? depositGas(size(message), minGasLimit) : gas,
  }
}

export function encodeRelay(relay: Relay): Hex {
  const { nonce, sender, target, value, minGasLimit, message } = relay
  const args = [nonce, sender, target, value, minGasLimit, message] as const
  return encodeFunctionData({ abi: messengerAbi, functionName: 'relayMessage', args })
}

/** A relay whose call fails is a success of its transaction: the message is kept for another try. */
export function failureIn(logs: readonly SimulationLog[]): string | null {
  const isFailed = logs.some(
    ({ address, topics }) => messengers.has(toAddress(address)) && topics[0] === failedRelayTopic,
  )
  return isFailed ? 'the call of the messenger fails, and the message waits for another try' : null
}
