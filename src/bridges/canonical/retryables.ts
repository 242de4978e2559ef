/**
 * Arbitrum's deposits: ether goes with a retryable ticket, whose call the destination makes once by itself. Where that fails
 * the ticket is kept for a week, and anybody redeems it. The sender buys its gas there; what is left of that comes back
 * over there.
 */
import { encodeFunctionData, getAbiItem, size, toFunctionSelector } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { larger } from '../../domain/lists.js'
import type { ExecutorStep } from '../../domain/order.js'
import { nativeToken } from '../../domain/primitives.js'
import { contractAddress } from '../../executor/deployments.js'
import type {
  BridgeAdapter,
  DeliveryTerms,
  EncodeArgs,
  Lane,
  LaneQuote,
  LaneRefusal,
} from '../bridge.js'
import { nativeAmounts } from '../native-amounts.js'
import { deliver } from './abi.js'
import { inboxAbi, inboxOf } from './inbox.js'
import { isAnswer, unreadable } from './quote.js'
import { ticketCall, ticketGas } from './tickets.js'

const createTicket = getAbiItem({ abi: inboxAbi, name: 'createRetryableTicket' })
/** Prices on either side may rise until it is mined; what was too much comes back. */
const priceMargin = 2n
/** The inbox takes a price of 1 for a question. */
const leastPrice = 2n
/** Gas of the transaction without what its data takes; measured on the sandbox. */
const sourceGas = { least: 130_000n, perByte: 40n }
const refundWarning =
  'What a ticket does not use of bridgeFee comes back on the destination, to refundReceiver: of a contract to its alias there.'

/** To the destination, where that settles on the source. */
export function ticketLanes(source: ChainDefinition, destination: ChainDefinition): Lane[] {
  const place = inboxOf(destination)
  if (place?.chainId !== source.id) return []
  const orderReceiver = contractAddress('DestinationReceiver')
  return [
    {
      bridge: 'canonical',
      symbol: 'ETH',
      sourceChainId: source.id,
      destinationChainId: destination.id,
      tokenIn: nativeToken,
      tokenOut: nativeToken,
      tokenOutToAccounts: nativeToken,
      primary: place.inbox,
      orderReceiver,
      orderContracts: [orderReceiver],
      estimatedSeconds: place.estimatedSeconds,
      hasNativeFee: true,
      details: { retryables: place.retryables },
    },
  ]
}

export function isTicketLane({ details }: Pick<Lane, 'details'>): boolean {
  return details?.retryables !== undefined
}

export const quoteTicket: BridgeAdapter['quote'] = async ({ lane, terms, amountIn, reader }) => {
  const { primary: to } = lane
  const bytes = size(ticketCall(amountIn, terms.message))
  const args = [BigInt(bytes), reader.block.baseFeePerGas] as const
  const abi = inboxAbi
  const [paused, fee] = await reader.call([
    { to, data: encodeFunctionData({ abi, functionName: 'paused' }) },
    {
      to,
      data: encodeFunctionData({ abi, functionName: 'calculateRetryableSubmissionFee', args }),
    },
  ])
  if (!isAnswer(paused)) return unreadable(to, paused)
  if (BigInt(paused.value) !== 0n) return pausedInbox
  if (!isAnswer(fee)) return unreadable(to, fee)
  if (amountIn === 0n) return { reason: 'too-little', message: 'Nothing would be deposited.' }
  const maxFeePerGas = larger(terms.gasPrice * priceMargin, leastPrice)
  const gas = ticketGas(bytes, terms.gas)
  return {
    delivered: amountIn,
    nativeFee: BigInt(fee.value) * priceMargin + gas * maxFeePerGas,
    maximum: null,
    unit: 1n,
    warnings: [refundWarning],
    details: { maxFeePerGas: maxFeePerGas.toString() },
  } satisfies LaneQuote
}

export function ticketSourceGas({ message }: DeliveryTerms): bigint {
  return sourceGas.least + BigInt(size(message)) * sourceGas.perByte
}

/**
 * All that is not for gas is for the submission, which the source's base fee decides. The beneficiary, who may cancel a
 * ticket that waits, is the sender.
 */
export function encodeTicket(args: EncodeArgs): ExecutorStep[] {
  const { lane, terms, quote, nativeFee, refundReceiver, sender } = args
  const { steps, amount, value } = nativeAmounts(args)
  const bytes = size(ticketCall(0n, terms.message))
  const gas = ticketGas(bytes, terms.gas)
  const maxFeePerGas = BigInt(quote.details?.maxFeePerGas ?? 0)
  const call = {
    selector: toFunctionSelector(deliver),
    types: deliver.inputs,
    values: [nativeToken, amount, terms.message],
  }
  return [
    ...steps,
    {
      kind: 'call',
      target: lane.primary,
      abi: createTicket,
      args: [
        ...[terms.receiver, amount, nativeFee - gas * maxFeePerGas, refundReceiver, sender],
        ...[gas, maxFeePerGas, terms.message === '0x' ? '0x' : call],
      ],
      value,
    },
  ]
}

const pausedInbox: LaneRefusal = {
  reason: 'paused',
  message: 'The inbox is paused on the source chain, and takes no tickets.',
}
