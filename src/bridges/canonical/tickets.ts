/** Retryable tickets that a transaction has made, by the logs of inbox and bridge, and how their call is simulated. Pure. */
import {
  concatHex,
  decodeEventLog,
  encodeEventTopics,
  encodeFunctionData,
  getAbiItem,
  hexToBigInt,
  keccak256,
  numberToHex,
  size,
  slice,
  toHex,
  toRlp,
} from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { chains } from '../../chains/registry.js'
import {
  type Address,
  type Hex,
  nativeToken,
  toAddress,
  zeroAddress,
} from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import type { Delivery, DeliverySimulation, EventFilter } from '../bridge.js'
import { deliver } from './abi.js'
import { orderIn } from './deposits.js'
import { inboxAbi, inboxOf } from './inbox.js'
import { aliasedAs } from './settlement.js'

const [delivered, numbered] = [
  [getAbiItem({ abi: inboxAbi, name: 'InboxMessageDelivered' })],
  [getAbiItem({ abi: inboxAbi, name: 'MessageDelivered' })],
] as const
const [deliveredTopic] = encodeEventTopics({ abi: delivered })
const [numberedTopic] = encodeEventTopics({ abi: numbered })
/** The kind of a message that makes a ticket. */
const submitRetryable = 9
/** The type of the transaction that the destination makes of it. @see OffchainLabs/nitro, go-ethereum, ArbitrumSubmitRetryableTx */
const submitType: Hex = '0x69'
const word = 32

/** Of a transaction before its call, and at most of each byte of its data. */
const intrinsicGas = { base: 21_000n, perByte: 16n }
/** Of a payment to an account, or to a contract that takes it by its `receive`. */
const paymentGas = 100_000n

/** What a ticket must have so that its first try gives the call so much. @param gas - as in `DeliveryTerms`; 0: it pays. */
export function ticketGas(bytes: number, gas: bigint): bigint {
  if (gas === 0n) return paymentGas
  return gas + intrinsicGas.base + BigInt(bytes) * intrinsicGas.perByte
}

/** What a ticket's call is. */
export function ticketCall(amount: bigint, message: Hex): Hex {
  const args = [nativeToken, amount, message] as const
  return message === '0x' ? '0x' : encodeFunctionData({ abi: [deliver], args })
}

/** A ticket as the destination takes it. */
export interface Ticket {
  readonly chainId: number
  readonly messageNumber: bigint
  /** The alias of whom the inbox was called by. */
  readonly from: Address
  /** Wei per gas of the source's block. */
  readonly baseFee: bigint
  readonly deposit: bigint
  readonly maxFeePerGas: bigint
  readonly gasLimit: bigint
  readonly to: Address
  readonly callValue: bigint
  readonly beneficiary: Address
  readonly maxSubmissionCost: bigint
  readonly feeRefund: Address
  readonly data: Hex
}

/** Names it at the precompile: the hash of the transaction that makes it. */
export function ticketId(ticket: Ticket): Hex {
  const number = (value: bigint) => (value === 0n ? '0x' : toHex(value))
  const { chainId, messageNumber, from, baseFee, deposit, maxFeePerGas, gasLimit } = ticket
  const { to, callValue, beneficiary, maxSubmissionCost, feeRefund, data } = ticket
  const fields: Hex[] = [
    number(BigInt(chainId)),
    numberToHex(messageNumber, { size: word }),
    from,
    number(baseFee),
    number(deposit),
    number(maxFeePerGas),
    number(gasLimit),
    // A creation.
    to === zeroAddress ? '0x' : to,
    number(callValue),
    beneficiary,
    number(maxSubmissionCost),
    feeRefund,
    data,
  ]
  return keccak256(concatHex([submitType, toRlp(fields.map(evenHex))]))
}

/** Numbers have no leading zeros, and whole bytes. */
function evenHex(hex: Hex): Hex {
  return hex.length % 2 === 0 ? hex : `0x0${hex.slice(2)}`
}

export function ticketEvents({ id }: ChainDefinition): EventFilter[] {
  return chains.flatMap((destination) => {
    const place = inboxOf(destination)
    if (place?.chainId !== id) return []
    return [
      { address: place.bridge, topics: [numberedTopic] },
      { address: place.inbox, topics: [deliveredTopic] },
    ]
  })
}

export function ticketsIn(
  logs: readonly SimulationLog[],
  source: ChainDefinition,
  known: readonly ChainDefinition[] = chains,
): Delivery[] {
  return known.flatMap((destination) => {
    const place = inboxOf(destination)
    if (place?.chainId !== source.id) return []
    return logs.flatMap((log) => {
      if (toAddress(log.address) !== place.inbox || log.topics[0] !== deliveredTopic) return []
      const { args } = decodeEventLog({ abi: delivered, ...withTopics(log) })
      const message = messageOf(logs, place.bridge, args.messageNum)
      if (message?.kind !== submitRetryable) return []
      const ticket = readTicket(destination.id, args.messageNum, message, args.data)
      return ticket ? [toDelivery(ticket, source, destination)] : []
    })
  })
}

/** What the bridge has said of a message of the inbox. */
function messageOf(logs: readonly SimulationLog[], bridge: Address, number: bigint) {
  for (const log of logs) {
    if (toAddress(log.address) !== bridge || log.topics[0] !== numberedTopic) continue
    const { args } = decodeEventLog({ abi: numbered, ...withTopics(log) })
    if (args.messageIndex === number) return args
  }
  return null
}

function withTopics({ topics, data }: SimulationLog) {
  return { topics: topics as [Hex, ...Hex[]], data }
}

/** Words: to, call value, deposit, submission cost, fee refund, beneficiary, gas, its price, bytes of the data; then the data. */
export function readTicket(
  chainId: number,
  messageNumber: bigint,
  { sender, baseFeeL1: baseFee }: { readonly sender: Hex; readonly baseFeeL1: bigint },
  packed: Hex,
): Ticket | null {
  if (size(packed) < 9 * word) return null
  const at = (place: number) => slice(packed, place * word, (place + 1) * word)
  const number = (place: number) => hexToBigInt(at(place))
  const address = (place: number) => toAddress(slice(at(place), 12))
  return {
    chainId,
    messageNumber,
    from: toAddress(sender),
    baseFee,
    to: address(0),
    callValue: number(1),
    deposit: number(2),
    maxSubmissionCost: number(3),
    feeRefund: address(4),
    beneficiary: address(5),
    gasLimit: number(6),
    maxFeePerGas: number(7),
    data: size(packed) > 9 * word ? slice(packed, 9 * word) : '0x',
  }
}

function toDelivery(
  ticket: Ticket,
  source: ChainDefinition,
  { id: destinationChainId }: ChainDefinition,
): Delivery {
  const { from, to, callValue: amount, data, gasLimit } = ticket
  const order = orderIn({ target: to, value: amount, message: data })
  return {
    bridge: 'canonical',
    id: ticketId(ticket),
    sourceChainId: source.id,
    destinationChainId,
    token: nativeToken,
    amount,
    // The inbox takes everybody's alias, contract or not.
    sender: aliasedAs(from),
    receiver: to,
    message: order ?? data,
    details: {
      kind: order === null ? 'ticket' : 'ticket-order',
      from,
      data,
      gas: Number(gasLimit),
    },
  }
}

export function isTicket({ details }: Pick<Delivery, 'details'>): boolean {
  return details.kind === 'ticket' || details.kind === 'ticket-order'
}

/** The call of the ticket, of its sender, to whom its value comes with it. @param callGas - as in `DeliveryTerms`. */
export function simulateTicket(
  { details, receiver: to, amount: value, message }: Delivery,
  callGas: bigint,
): DeliverySimulation & { readonly from: Address } {
  const from = toAddress(String(details.from))
  const isOrder = details.kind === 'ticket-order'
  const data = isOrder ? ticketCall(value, message) : (String(details.data) as Hex)
  const given = BigInt(details.gas ?? 0)
  const gasLimit = isOrder && callGas > 0n ? ticketGas(size(data), callGas) : given
  return { from, to, value, data, gasLimit, overrides: { [from]: { balance: value } } }
}
