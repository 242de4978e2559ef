/** Arbitrum: where a chain's tickets go in on the chain that it settles on, by its definition, and its ABIs. Pure. */
import { parseAbi } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'

export interface TicketInbox {
  /** The chain that it settles on. */
  readonly chainId: number
  /** There: takes tickets. */
  readonly inbox: Address
  /** There: numbers messages, and keeps the ether. */
  readonly bridge: Address
  /** ArbRetryableTx, on the chain itself: keeps the tickets that are not redeemed. No contract, but a part of the node. */
  readonly retryables: Address
  /** From a ticket to its first try. */
  readonly estimatedSeconds: number
}

/** Null where the chain takes no tickets. */
export function inboxOf({ bridges }: Pick<ChainDefinition, 'bridges'>): TicketInbox | null {
  const parameters = bridges?.['canonical-tickets']
  if (!parameters) return null
  const address = (name: string) => toAddress(String(parameters[name]))
  return {
    chainId: Number(parameters.settlesOn),
    inbox: address('inbox'),
    bridge: address('bridge'),
    retryables: address('retryables'),
    estimatedSeconds: Number(parameters.estimatedSeconds),
  }
}

/** @see OffchainLabs/nitro-contracts, src/bridge/IInbox.sol */
export const inboxAbi = parseAbi([
  'function createRetryableTicket(address to, uint256 l2CallValue, uint256 maxSubmissionCost, address excessFeeRefundAddress, address callValueRefundAddress, uint256 gasLimit, uint256 maxFeePerGas, bytes data) payable returns (uint256)',
  'function calculateRetryableSubmissionFee(uint256 dataLength, uint256 baseFee) view returns (uint256)',
  'function paused() view returns (bool)',
  'event InboxMessageDelivered(uint256 indexed messageNum, bytes data)',
  'event MessageDelivered(uint256 indexed messageIndex, bytes32 indexed beforeInboxAcc, address inbox, uint8 kind, address sender, bytes32 messageDataHash, uint256 baseFeeL1, uint64 timestamp)',
])

/** @see OffchainLabs/nitro-contracts, src/precompiles/ArbRetryableTx.sol */
export const retryablesAbi = parseAbi([
  'function redeem(bytes32 ticketId) returns (bytes32)',
  'function getTimeout(bytes32 ticketId) view returns (uint256)',
  'function getLifetime() view returns (uint256)',
  'event TicketCreated(bytes32 indexed ticketId)',
  'event RedeemScheduled(bytes32 indexed ticketId, bytes32 indexed retryTxHash, uint64 indexed sequenceNum, uint64 donatedGas, address gasDonor, uint256 maxRefund, uint256 submissionFeeRefund)',
  'event Canceled(bytes32 indexed ticketId)',
])

/** Refusals of the inbox. */
export const inboxErrorsAbi = parseAbi([
  'error InsufficientValue(uint256 expected, uint256 actual)',
  'error InsufficientSubmissionCost(uint256 expected, uint256 actual)',
  'error GasLimitTooLarge()',
  'error DataTooLarge(uint256 dataLength, uint256 maxDataLength)',
])
