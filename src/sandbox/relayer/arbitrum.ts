/**
 * Tickets of Arbitrum: what the chain does of each by itself. The call is made once, as a transaction of the ticket's sender
 * with the gas that it has; then the stand-in of the precompile is told of the ticket, which it keeps where that failed.
 */
import {
  decodeEventLog,
  encodeFunctionData,
  type Hex,
  hexToNumber,
  parseAbi,
  toEventSelector,
  zeroHash,
} from 'viem'
import { readTicket, ticketId } from '../../bridges/canonical/tickets.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { DeliveryState, PendingDelivery } from './pending-delivery.js'
import type { RelayedChain, RelayedLog } from './relayed-chain.js'

const abi = parseAbi([
  'event MessageDelivered(uint256 indexed messageIndex, bytes32 indexed beforeInboxAcc, address inbox, uint8 kind, address sender, bytes32 messageDataHash, uint256 baseFeeL1, uint64 timestamp)',
  'event InboxMessageDelivered(uint256 indexed messageNum, bytes data)',
  'function submit(bytes32 ticketId, address to, address beneficiary, bytes data, bytes32 retryTxHash, bool isRedeemed) payable',
])
const [messageDelivered, inboxMessageDelivered] = abi

export const messageNumbered = toEventSelector(messageDelivered)
const inboxDelivered = toEventSelector(inboxMessageDelivered)

/** The kind of a message that makes a ticket. */
const submitRetryable = 9
/** Too little for an order, and enough for its data. */
const starvedGas = 100_000n
const submitGas = 2_000_000n

/** @param chains - all that the relayer knows. */
export async function arbitrumDelivery(
  log: RelayedLog,
  source: RelayedChain,
  chains: readonly RelayedChain[],
): Promise<PendingDelivery | null> {
  const destination = chains.find(
    ({ bridges: { tickets } }) =>
      tickets?.chainId === source.chainId && tickets.bridge === toAddress(log.address),
  )
  const { tickets } = destination?.bridges ?? {}
  if (!destination || !tickets) return null
  const { args } = decodeEventLog({ abi: [messageDelivered], topics: log.topics, data: log.data })
  if (args.kind !== submitRetryable) return null
  const packed = await messageData(log, source, tickets.inbox, args.messageIndex)
  const sent = { sender: args.sender, baseFeeL1: args.baseFeeL1 }
  const ticket = packed && readTicket(destination.chainId, args.messageIndex, sent, packed)
  if (!ticket) return null
  const id = ticketId(ticket)
  const { from, to, callValue, data, gasLimit, beneficiary } = ticket
  let tried: Hex | null = null
  let told: Hex | null = null

  return {
    bridge: 'canonical',
    id,
    source: source.chainId,
    destination: destination.chainId,
    blockNumber: hexToNumber(log.blockNumber),
    isFast: false,
    async attempt(chain, mode): Promise<DeliveryState> {
      if (told) return (await chain.outcomeOf(told)).status === 'pending' ? 'waiting' : 'over'
      let isRedeemed = false
      if (mode !== 'unreceived') {
        const call = { from, to, data, value: callValue, mint: callValue }
        const gas = mode === 'starve' ? starvedGas : gasLimit
        const { hash, outcome } = tried
          ? { hash: tried, outcome: await chain.outcomeOf(tried) }
          : await chain.deposit({ ...call, gas })
        tried = hash
        if (outcome.status === 'pending') return 'waiting'
        isRedeemed = outcome.status === 'done'
      }
      const said = [id, to, beneficiary, data, tried ?? zeroHash, isRedeemed] as const
      const value = isRedeemed ? 0n : callValue
      const submitted = await chain.deposit({
        from,
        to: tickets.retryables,
        data: encodeFunctionData({ abi, functionName: 'submit', args: said }),
        value,
        // What a failed try has minted is with its sender.
        mint: tried ? 0n : value,
        gas: submitGas,
      })
      return submitted.outcome.status === 'pending' ? remember(submitted.hash) : 'over'
    },
  }

  function remember(hash: Hex): DeliveryState {
    told = hash
    return 'waiting'
  }
}

/** What the inbox has said of the message, in the same block. */
async function messageData(
  { blockNumber }: RelayedLog,
  source: RelayedChain,
  inbox: Address,
  number: bigint,
): Promise<Hex | null> {
  const block = hexToNumber(blockNumber)
  const range = { fromBlock: block, toBlock: block }
  const logs = await source.logs({ ...range, addresses: [inbox], topics: [inboxDelivered] })
  for (const { topics, data } of logs) {
    const { args } = decodeEventLog({ abi: [inboxMessageDelivered], topics, data })
    if (args.messageNum === number) return args.data
  }
  return null
}
