/**
 * CCTP: an attester, which signs every burn at once, and whoever has it minted, as nobody does unasked on real chains. A
 * fast burn is charged one basis point, as long as it allows as much.
 */
import {
  decodeEventLog,
  encodeFunctionData,
  encodePacked,
  keccak256,
  parseAbi,
  toEventSelector,
} from 'viem'
import { sign } from 'viem/accounts'
import { deliveryTransaction } from '../../bridges/cctp/claim.js'
import { attestedMessage, finality, readBurn } from '../../bridges/cctp/message.js'
import type { Hex } from '../../domain/primitives.js'
import { cctpAttester, cctpRelayer } from '../accounts.js'
import type { DeliveryState, PendingDelivery } from './pending-delivery.js'
import type { RelayedChain, RelayedLog } from './relayed-chain.js'

const abi = parseAbi([
  'event MessageSent(bytes message)',
  'function receiveMessage(bytes message, bytes attestation)',
  'function usedNonces(bytes32 nonce) view returns (uint256)',
])

export const messageSent = toEventSelector(abi[0])

/** More than any order takes; what is not used costs nothing. */
const mintGas = 8_000_000n
/** Enough to begin, too little for an order. */
const starvedGas = 200_000n
/** 1/1_000_000 of a fast burn. */
const fastFeeMillionths = 100n

export interface AttestedBurn {
  readonly message: Hex
  readonly attestation: Hex
  readonly eventNonce: Hex
}

/** What the attester signs of a log; null where it is no burn. */
export async function attest(
  { topics, data, blockHash, logIndex }: RelayedLog,
  source: RelayedChain,
): Promise<AttestedBurn | null> {
  const { message } = decodeEventLog({ abi, eventName: 'MessageSent', topics, data }).args
  const burn = readBurn(message)
  if (!burn || burn.sender !== source.bridges.cctp.messenger) return null
  const isFast = burn.minFinality < finality.standard
  const wanted = isFast ? (burn.amount * fastFeeMillionths) / 1_000_000n : 0n
  const isCharged = isFast && wanted <= burn.maxFee
  const place = encodePacked(
    ['uint256', 'bytes32', 'uint256'],
    [BigInt(source.chainId), blockHash, BigInt(logIndex)],
  )
  const eventNonce = keccak256(place)
  const attested = attestedMessage(burn.head, burn.hook, {
    nonce: eventNonce,
    finality: isCharged ? finality.fast : finality.standard,
    fee: isCharged ? wanted : 0n,
  })
  const attestation = await sign({
    hash: keccak256(attested),
    privateKey: cctpAttester.privateKey,
    to: 'hex',
  })
  return { message: attested, attestation, eventNonce }
}

/** @param chains - all that the relayer knows. */
export async function cctpDelivery(
  log: RelayedLog,
  source: RelayedChain,
  chains: readonly RelayedChain[],
): Promise<PendingDelivery | null> {
  const attested = await attest(log, source)
  const burn = attested && readBurn(attested.message)
  const destination = chains.find(
    ({ bridges }) => bridges.cctp.domain === burn?.destinationDomain && bridges !== source.bridges,
  )
  if (!attested || !burn || !destination) return null
  const { message, attestation, eventNonce } = attested
  const { transmitter } = destination.bridges.cctp
  const { to, data } = deliveryTransaction(
    { receiver: burn.mintRecipient },
    destination.definition,
    { message, attestation },
  )
  const nonceUse = encodeFunctionData({ abi, functionName: 'usedNonces', args: [eventNonce] })
  let sent: Hex | null = null

  return {
    bridge: 'cctp',
    id: eventNonce,
    source: source.chainId,
    destination: destination.chainId,
    blockNumber: Number(log.blockNumber),
    isFast: burn.minFinality < finality.standard,
    async attempt(chain, mode): Promise<DeliveryState> {
      if (sent) return stateOf(await chain.outcomeOf(sent))
      const used = await chain.call(cctpRelayer.address, {
        to: transmitter,
        data: nonceUse,
        gas: mintGas,
      })
      // Anybody may have it minted.
      if (used !== null && BigInt(used) !== 0n) return 'over'
      if (mode === 'uncomposed' || mode === 'unreceived') return 'waiting'
      const gas = mode === 'starve' ? starvedGas : mintGas
      const { hash, outcome } = await chain.transact(cctpRelayer, { to, data, gas })
      sent = hash
      return stateOf(outcome)
    },
  }

  function stateOf({ status }: { readonly status: string }): DeliveryState {
    if (status === 'pending') return 'waiting'
    sent = null
    return status === 'done' ? 'over' : 'failed'
  }
}

/** What the attester has signed of a transaction, in the form of Circle's service. */
export async function attestationsOf(
  transactionHash: Hex,
  source: RelayedChain,
): Promise<{ readonly messages: readonly (AttestedBurn & { readonly status: 'complete' })[] }> {
  const logs = await source.logsOf(transactionHash)
  const sent = logs.filter(
    ({ address, topics: [topic] }) =>
      address.toLowerCase() === source.bridges.cctp.transmitter && topic === messageSent,
  )
  const attested = await Promise.all(sent.map((log) => attest(log, source)))
  return {
    messages: attested.flatMap((one) => (one ? [{ ...one, status: 'complete' as const }] : [])),
  }
}
