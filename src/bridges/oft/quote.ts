/** What an OFT makes of an amount, asked of the OFT itself: whose token it is, where it sends, limits, fee and gas. */
import {
  type Abi,
  type ContractFunctionName,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  isHex,
  size,
  slice,
} from 'viem'
import { larger, smaller } from '../../domain/lists.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { BridgeAdapter, Lane, LaneQuote, LaneRefusal } from '../bridge.js'
import { toTokenOut } from '../decimals.js'
import { oftAbi } from '../layerzero/abi.js'
import { receiveOptionOf } from '../layerzero/options.js'
import { isAnswer, messagingFee, sendParameters, warningsOf } from '../layerzero/send.js'
import { tokenAbi } from './abi.js'

/** Types of messages, which an OFT sets options for: a transfer, and one with a message. */
const [plainTransfer, withMessage] = [1, 2]
/**
 * Gas of a receipt that is bought where the OFT sets none for every message. Measured on the
 * sandbox with what the transaction itself costs: 77,782, and a token behind a proxy takes more. A receipt with too little
 * waits, and anybody may have it received with more.
 */
const usualReceiptGas = 160_000n

type QuoteArgs = Parameters<BridgeAdapter['quote']>[0]
type Quoted = ReturnType<typeof decodeQuote>

export const quote: BridgeAdapter['quote'] = async (args) => {
  const { lane, terms, amountIn, reader } = args
  const state = await readState(args)
  if ('reason' in state) return state
  const refusal = refusalOf(lane, amountIn, state)
  if (refusal) return refusal
  const { receiptGas, quoted, needsApproval, unit } = state
  const amounts = { amountLD: amountIn, minAmountLD: 0n }
  const sent = { ...sendParameters(lane, terms, amounts, receiptGas), amountLD: amountIn }
  const data = encodeFunctionData({ abi: oftAbi, functionName: 'quoteSend', args: [sent, false] })
  const [fee] = await reader.call([{ to: lane.primary, data }])
  const nativeFee = messagingFee(fee, terms, () => unreadable(lane, fee))
  if (typeof nativeFee !== 'bigint') return nativeFee
  return {
    delivered: toTokenOut(lane, quoted.received),
    nativeFee,
    maximum: state.most,
    unit,
    warnings: warningsOf(terms),
    details: {
      receiptGas: receiptGas.toString(),
      approval: needsApproval ? 'required' : 'none',
    },
  } satisfies LaneQuote
}

interface OftState {
  readonly token: Address
  /** Whom it sends to on the destination; 32 bytes. */
  readonly peer: Hex
  readonly needsApproval: boolean
  /** Raw units that are one of the decimals that all sides share. */
  readonly unit: bigint
  /** Raw units, by the OFT's own limits. */
  readonly most: bigint
  /** Gas to buy for the receipt, beside what a message adds. */
  readonly receiptGas: bigint
  readonly quoted: Quoted
}

async function readState(args: QuoteArgs): Promise<OftState | LaneRefusal> {
  const { lane, terms, amountIn, reader } = args
  const dstEid = Number(lane.details?.dstEid)
  const messageType = terms.message === '0x' ? plainTransfer : withMessage
  const asked = (functionName: ContractFunctionName<typeof tokenAbi>, values: unknown[] = []) =>
    encodeFunctionData({ abi: tokenAbi as Abi, functionName, args: values })
  // What an OFT makes of an amount does not depend on message and options.
  const bare = sendParameters(
    lane,
    { ...terms, message: '0x' },
    { amountLD: amountIn, minAmountLD: 0n },
    0n,
  )
  const calls = [
    asked('token'),
    asked('peers', [dstEid]),
    asked('approvalRequired'),
    asked('decimalConversionRate'),
    encodeFunctionData({
      abi: oftAbi,
      functionName: 'quoteOFT',
      args: [{ ...bare, amountLD: amountIn, extraOptions: '0x' }],
    }),
    asked('enforcedOptions', [dstEid, messageType]),
    asked('paused'),
    asked('getAmountCanBeSent', [dstEid]),
  ]
  const reads = await reader.call(calls.map((data) => ({ to: lane.primary, data })))
  const [token, peer, approval, rate, offered, enforced, paused, canBeSent] = reads
  const isPaused = isAnswer(paused) && size(paused.value) === 32 && BigInt(paused.value) !== 0n
  if (isPaused) return pausedLane(lane)
  for (const read of [token, peer, approval, rate, offered]) {
    if (!isAnswer(read)) return unreadable(lane, read)
  }
  const words = [token, peer, approval, rate].map((read) => (isAnswer(read) ? read.value : '0x'))
  if (!words.every((word) => size(word) === 32) || !isAnswer(offered)) return unreadable(lane)
  const [tokenWord = '0x', peerWord = '0x', approvalWord = '0x', rateWord = '0x'] = words
  const quoted = decodeQuote(offered.value)
  const rateLimit = rateLimitOf(canBeSent)
  const most = rateLimit === null ? quoted.most : smaller(rateLimit, quoted.most)
  return {
    token: toAddress(slice(tokenWord, 12)),
    peer: peerWord,
    needsApproval: hexToBigInt(approvalWord) !== 0n,
    unit: hexToBigInt(rateWord),
    most,
    receiptGas: enforcedGas(enforced) > 0n ? 0n : usualReceiptGas,
    quoted,
  }
}

function decodeQuote(data: Hex) {
  const [limit, , receipt] = decodeFunctionResult({ abi: oftAbi, functionName: 'quoteOFT', data })
  return {
    least: limit.minAmountLD,
    most: limit.maxAmountLD,
    sent: receipt.amountSentLD,
    received: receipt.amountReceivedLD,
  }
}

/** Null: the OFT has no such limit. */
function rateLimitOf(read: ReadResult | undefined): bigint | null {
  return isAnswer(read) && size(read.value) === 64 ? hexToBigInt(slice(read.value, 32)) : null
}

function enforcedGas(read: ReadResult | undefined): bigint {
  if (!isAnswer(read)) return 0n
  const options = decodeFunctionResult({
    abi: tokenAbi,
    functionName: 'enforcedOptions',
    data: read.value,
  })
  return isHex(options) ? receiveOptionOf(options) : 0n
}

function refusalOf(lane: Lane, amountIn: bigint, state: OftState): LaneRefusal | null {
  const { symbol, primary, tokenIn, destinationChainId } = lane
  const { unit, quoted, most } = state
  if (state.token !== tokenIn) {
    const message = `The OFT ${primary} is of ${state.token}, not of ${symbol}.`
    return { reason: 'unreadable', message }
  }
  if (BigInt(state.peer) !== BigInt(lane.details?.peer ?? 0)) {
    const message = `The OFT of ${symbol} sends to ${state.peer} on chain ${destinationChainId}, which is not its OFT there.`
    return { reason: 'unreadable', message }
  }
  const least = larger(quoted.least, unit)
  if (unit === 0n || amountIn < least) {
    const message = `The OFT of ${symbol} sends no less than ${least} raw units, and ${amountIn} is less.`
    return { reason: 'too-little', message, limit: least }
  }
  if (most === 0n) {
    const message = `The OFT of ${symbol} sends nothing more to chain ${destinationChainId} at this block.`
    return { reason: 'no-credit', message, limit: 0n }
  }
  const whole = amountIn - (amountIn % unit)
  if (whole > most || quoted.sent < whole) {
    const limit = whole > most ? most : quoted.sent
    const message = `The OFT of ${symbol} sends up to ${limit} raw units to chain ${destinationChainId} at this block, and ${amountIn} is more.`
    return { reason: 'too-much', message, limit }
  }
  if (quoted.sent > amountIn || quoted.received > quoted.sent) {
    const message = `The OFT of ${symbol} takes ${quoted.sent} raw units of ${amountIn}, and delivers ${quoted.received}.`
    return { reason: 'unreadable', message }
  }
  if (quoted.received === 0n) {
    const message = `The OFT of ${symbol} delivers nothing of ${amountIn} raw units: its fee takes all of it.`
    return { reason: 'too-little', message }
  }
  return null
}

function pausedLane({ symbol }: Lane): LaneRefusal {
  return { reason: 'paused', message: `The OFT of ${symbol} is paused on the source chain.` }
}

function unreadable({ primary }: Lane, read?: ReadResult): LaneRefusal {
  const why = read?.ok === false ? read.message : 'it does not answer as one'
  return { reason: 'unreadable', message: `The OFT ${primary} cannot be read: ${why}.` }
}
