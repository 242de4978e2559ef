/** What a source transaction has sent over LayerZero, by its logs, and how its delivery is simulated. Pure. */
import {
  concatHex,
  decodeEventLog,
  encodeEventTopics,
  encodeFunctionData,
  getAbiItem,
  numberToHex,
  padHex,
  size,
  slice,
} from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { chains } from '../../chains/registry.js'
import { type Address, type Hex, toAddress, zeroAddress } from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import type { BridgeAdapter, Delivery, DeliverySimulation, EventFilter, Lane } from '../bridge.js'
import { laneDecimals, toTokenOut } from '../decimals.js'
import { endpointAbi, oftAbi, receiverAbi } from './abi.js'
import { type Family, layerZeroChain, type OmnichainToken } from './family.js'
import { composeOptionOf } from './options.js'
import {
  amountBytes,
  messageOf,
  type Packet,
  readPacket,
  type Transfer,
  toComposeMessage,
} from './packet.js'

const packetSent = [getAbiItem({ abi: endpointAbi, name: 'PacketSent' })] as const
const [packetSentTopic] = encodeEventTopics({ abi: packetSent })
const oftSent = [getAbiItem({ abi: oftAbi, name: 'OFTSent' })] as const
const [oftSentTopic] = encodeEventTopics({ abi: oftSent })
/** Anybody: composes are simulated as of an executor that nobody knows. */
const executor: Address = '0x00000000000000000000000000000000000e8ec0'

const gasMoney = 10n ** 18n

/** The chain's pool of the asset that is delivered; undefined where it has none. */
export function poolOn(
  { tokensOn }: Pick<Family, 'tokensOn'>,
  chain: Pick<ChainDefinition, 'bridges'>,
  { details }: Pick<Delivery, 'details'>,
): OmnichainToken | undefined {
  return tokensOn(chain).find(({ symbol }) => symbol === details.symbol)
}

/** The packets of all who send over LayerZero are among them: those of pools cannot be told by their topics. */
export function sentEvents(family: Family, source: ChainDefinition): EventFilter[] {
  const layerZero = layerZeroChain(source)
  const pools = family.tokensOn(source).map(({ pool }) => pool)
  if (!layerZero || pools.length === 0) return []
  return [
    { address: pools, topics: [oftSentTopic] },
    { address: layerZero.endpoint, topics: [packetSentTopic] },
  ]
}

export function deliveriesIn(
  family: Family,
  logs: readonly SimulationLog[],
  source: ChainDefinition,
  known: readonly ChainDefinition[] = chains,
): Delivery[] {
  const layerZero = layerZeroChain(source)
  if (!layerZero) return []
  const receipts = receiptsIn(logs, family.tokensOn(source))
  return logs.flatMap(({ address, topics: [topic, ...more], data }) => {
    if (toAddress(address) !== layerZero.endpoint || topic !== packetSentTopic) return []
    const { args } = decodeEventLog({ abi: packetSent, topics: [topic, ...more], data })
    const packet = readPacket(args.encodedPayload)
    const transfer = packet && family.readTransfer(packet.payload)
    const receipt = packet && receipts.get(packet.guid)
    if (!transfer || !receipt || packet.sender !== receipt.pool.messenger) return []
    return [toDelivery({ family, packet, transfer, receipt, options: args.options, source, known })]
  })
}

interface Receipt {
  readonly pool: OmnichainToken
  /** Who called the pool. */
  readonly sender: Address
  /** Raw units of the source's token. */
  readonly amountReceived: bigint
}

/** What pools say that they have sent, by guid: Stargate's packets name none. */
function receiptsIn(
  logs: readonly SimulationLog[],
  pools: readonly OmnichainToken[],
): ReadonlyMap<Hex, Receipt> {
  const entries = logs.flatMap(({ address, topics: [topic, ...more], data }) => {
    const pool = pools.find((one) => one.pool === toAddress(address))
    if (!pool || topic !== oftSentTopic) return []
    const { args } = decodeEventLog({ abi: oftSent, topics: [topic, ...more], data })
    const sender = toAddress(args.fromAddress)
    return [[args.guid, { pool, sender, amountReceived: args.amountReceivedLD }] as const]
  })
  return new Map(entries)
}

function toDelivery(args: {
  readonly family: Family
  readonly packet: Packet
  readonly transfer: Transfer
  readonly receipt: Receipt
  readonly options: Hex
  readonly source: ChainDefinition
  readonly known: readonly ChainDefinition[]
}): Delivery {
  const { family, packet, transfer, receipt, options, source, known } = args
  const { symbol, decimals = null } = receipt.pool
  const destination = known.find((chain) => layerZeroChain(chain)?.eid === packet.dstEid)
  const pool = destination && poolOn(family, destination, { details: { symbol } })
  const sides: Pick<Lane, 'decimals'> = laneDecimals(decimals, pool?.decimals ?? null)
  const compose = composeOptionOf(options)
  return {
    bridge: family.slug,
    id: packet.guid,
    sourceChainId: source.id,
    destinationChainId: destination?.id ?? null,
    token: pool?.token ?? zeroAddress,
    amount: toTokenOut(sides, receipt.amountReceived),
    sender: receipt.sender,
    receiver: transfer.paid,
    message: messageOf(transfer.composed),
    details: {
      symbol,
      guid: packet.guid,
      nonce: packet.nonce.toString(),
      srcEid: packet.srcEid,
      sender: packet.sender,
      receiver: packet.receiver,
      payload: packet.payload,
      composed: transfer.composed,
      composeGas: compose.gas.toString(),
      composeValue: compose.value.toString(),
    },
  }
}

/** What its packet said, as far as the destination needs it. */
export function packetOf({ details }: Delivery) {
  const hex = (name: string) => String(details[name]) as Hex
  return {
    guid: hex('guid'),
    nonce: BigInt(String(details.nonce)),
    srcEid: Number(details.srcEid),
    sender: toAddress(hex('sender')),
    receiver: toAddress(hex('receiver')),
    payload: hex('payload'),
    composed: hex('composed'),
    composeGas: BigInt(String(details.composeGas)),
    composeValue: BigInt(String(details.composeValue)),
  }
}

export function withAmounts(
  family: Pick<Family, 'readTransfer'>,
  ...[delivery, { delivered }]: Parameters<NonNullable<BridgeAdapter['withAmounts']>>
): Delivery {
  const { payload, composed } = packetOf(delivery)
  const { amountShared } = family.readTransfer(payload) ?? {}
  if (!amountShared) return delivery
  // The amount stands before what is composed, in the decimals that all sides share.
  const end = size(payload) - size(composed)
  const shared = numberToHex((delivered * amountShared) / delivery.amount, { size: amountBytes })
  const parts = [slice(payload, 0, end - amountBytes), shared, composed]
  return {
    ...delivery,
    amount: delivered,
    details: { ...delivery.details, payload: concatHex(parts) },
  }
}

export function simulation(
  family: Family,
  ...[delivery, destination, , gas]: Parameters<BridgeAdapter['simulation']>
): DeliverySimulation {
  const packet = packetOf(delivery)
  const { guid, nonce, srcEid } = packet
  const { payload, composed } = carrying(packet, delivery.message)
  const { endpoint = zeroAddress, pool = zeroAddress } = poolOn(family, destination, delivery) ?? {}
  const origin = { srcEid, nonce, sender: padHex(packet.sender, { size: 32 }) }
  // The call is the endpoint's. The packet's verification, which comes before it, is not to be had ahead of time.
  const receipt = {
    from: endpoint,
    to: packet.receiver,
    data: encodeFunctionData({
      abi: receiverAbi,
      functionName: 'lzReceive',
      args: [origin, guid, payload, executor, '0x'],
    }),
  }
  if (delivery.message === '0x') return { ...receipt, value: 0n, overrides: {} }
  const message = toComposeMessage({ nonce, srcEid, amount: delivery.amount, composed })
  const data = encodeFunctionData({
    abi: endpointAbi,
    functionName: 'lzCompose',
    args: [pool, delivery.receiver, guid, 0, message, '0x'],
  })
  const callGas = gas > 0n ? gas : packet.composeGas
  return {
    from: executor,
    to: endpoint,
    data,
    value: packet.composeValue,
    before: [receipt],
    // Whoever it is has the value that was paid for, and gas money.
    overrides:
      packet.composeValue > 0n ? { [executor]: { balance: packet.composeValue + gasMoney } } : {},
    // What the executor gives the call, and what a transaction of nothing but it costs on top.
    ...(callGas > 0n && { gasLimit: callGas + intrinsicGas(data) }),
  }
}

/** The packet with another message in place of its own, which stands at the end. */
function carrying(
  { payload, composed }: Pick<ReturnType<typeof packetOf>, 'payload' | 'composed'>,
  message: Hex,
) {
  if (size(composed) === 0) return { payload, composed }
  const other = concatHex([slice(composed, 0, 32), message])
  return { composed: other, payload: concatHex([slice(payload, 0, -size(composed)), other]) }
}

/** @see EIP-2028 */
export function intrinsicGas(data: Hex): bigint {
  let zeros = 0
  for (let at = 2; at < data.length; at += 2) if (data.startsWith('00', at)) zeros += 1
  return 21_000n + 4n * BigInt(zeros) + 16n * BigInt(size(data) - zeros)
}
