/**
 * Where a burn is. Its number, by which the destination's state knows it, comes with the attestation; without one, events
 * tell, and two burns that are the same in all they say are told as one.
 */
import {
  decodeEventLog,
  encodeEventTopics,
  encodeFunctionData,
  getAbiItem,
  hexToBigInt,
} from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import type { Hex } from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import type { BridgeAdapter, Delivery, DeliveryStatus, LogReader } from '../bridge.js'
import { orderOutcome, runsOrder } from '../order-outcome.js'
import { messengerAbi, transmitterAbi } from './abi.js'
import { type CctpChain, cctpChain, landingOf } from './chain.js'
import { deliveryTransaction, isClaimable } from './claim.js'
import { feeIn, isBodyOf, readBurn } from './message.js'

const minted = [getAbiItem({ abi: messengerAbi, name: 'MintAndWithdraw' })] as const
const received = [getAbiItem({ abi: transmitterAbi, name: 'MessageReceived' })] as const
const [receivedTopic] = encodeEventTopics({ abi: received })

const claimPath = 'GET /api/v1/cctp/bridge/claim'
const named = 'It is attested, and the burn names somebody who alone may have it minted.'
const unclaimed = `It is attested, and nobody has had it minted: the transaction that ${claimPath} answers does.`
const waiting = `Nobody has had it minted. When Circle has attested it, the transaction that ${claimPath} answers does.`
const untold =
  'Only events of the destination, or the attestation (CCTP_ATTESTATION_URL), tell whether it was minted, and there are none.'

export const status: BridgeAdapter['status'] = async (delivery, destination, reader, logs) => {
  const cctp = cctpChain(destination)
  if (!cctp) return { status: 'unknown', transactionHash: null }
  const nonce =
    delivery.details.nonce === undefined ? null : (String(delivery.details.nonce) as Hex)
  if (nonce !== null) {
    const data = encodeFunctionData({
      abi: transmitterAbi,
      functionName: 'usedNonces',
      args: [nonce],
    })
    const [read] = await reader.call([{ to: cctp.transmitter, data }])
    if (!read?.ok || read.value === '0x') return { status: 'unknown', transactionHash: null }
    if (hexToBigInt(read.value) === 0n) return attested(delivery, destination)
  }
  const found = nonce
    ? await receiptByNonce(cctp, nonce, logs)
    : await receiptByBody(cctp, delivery, logs)
  if (found === null && nonce === null) {
    return { status: 'unknown', transactionHash: null, error: untold }
  }
  if (!found && nonce === null) {
    return { status: 'inflight', transactionHash: null, error: waiting }
  }
  return outcome(cctp, { delivery, receipt: found ?? null, reader, logs })
}

function attested(delivery: Delivery, destination: ChainDefinition): DeliveryStatus {
  const waits = { status: 'inflight', transactionHash: null } as const
  if (!isClaimable(delivery, destination)) return { ...waits, error: named }
  const signed = ['attestedMessage', 'attestation'].map((name) => delivery.details[name] as Hex)
  const [message = '0x', attestation = '0x'] = signed
  const { to, data } = deliveryTransaction(delivery, destination, { message, attestation })
  return { ...waits, error: unclaimed, retry: { to, data, value: 0n } }
}

type Received = SimulationLog & { readonly transactionHash: Hex }

async function outcome(
  cctp: CctpChain,
  args: {
    readonly delivery: Delivery
    readonly receipt: Received | null
    readonly reader: Parameters<BridgeAdapter['status']>[2]
    readonly logs: LogReader
  },
): Promise<DeliveryStatus> {
  const { delivery, receipt, reader, logs } = args
  const transactionHash = receipt?.transactionHash ?? null
  if (!runsOrder(delivery, landingOf(cctp))) return { status: 'delivered', transactionHash }
  const burnt = readBurn(String(delivery.details.head) as Hex)?.amount ?? delivery.amount
  // Attesters may keep less than they may.
  const amount = receipt ? burnt - feeIn(bodyOf(receipt)) : delivery.amount
  return orderOutcome({ ...delivery, amount }, transactionHash, reader, logs)
}

/** Undefined: no event tells it; null: there are no events. */
async function receiptByNonce(
  { transmitter }: CctpChain,
  nonce: Hex,
  logs: LogReader,
): Promise<Received | undefined | null> {
  const topics = encodeEventTopics({ abi: received, args: { nonce } }) as (Hex | null)[]
  return firstOf(await logs({ address: transmitter, topics }))
}

/** As `receiptByNonce`, by the mints for the receiver: what was received stands in their blocks. */
async function receiptByBody(
  { messenger, transmitter }: CctpChain,
  delivery: Delivery,
  logs: LogReader,
): Promise<Received | undefined | null> {
  const { receiver: mintRecipient, token: mintToken, message } = delivery
  const head = String(delivery.details.head) as Hex
  const topics = encodeEventTopics({ abi: minted, args: { mintRecipient, mintToken } }) as Hex[]
  const mints = await logs({ address: messenger, topics })
  if (mints === null) return null
  for (const blockNumber of new Set(mints.map((mint) => mint.blockNumber))) {
    const all = await logs({ address: transmitter, topics: [receivedTopic as Hex], blockNumber })
    const own = all?.find((log) => isSourceOf(log, head) && isBodyOf(bodyOf(log), head, message))
    if (own) return own
  }
  return undefined
}

function firstOf(found: readonly Received[] | null): Received | undefined | null {
  return found === null ? null : found[0]
}

function argsOf({ topics, data }: SimulationLog) {
  return decodeEventLog({ abi: received, topics: topics as [Hex, ...Hex[]], data }).args
}

function bodyOf(log: SimulationLog): Hex {
  return argsOf(log).messageBody
}

function isSourceOf(log: SimulationLog, head: Hex): boolean {
  return argsOf(log).sourceDomain === readBurn(head)?.sourceDomain
}
