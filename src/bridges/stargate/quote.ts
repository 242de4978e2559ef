/** What a pool makes of an amount, asked of the pool itself. */
import { decodeFunctionResult, encodeFunctionData, toFunctionSelector } from 'viem'
import type { ReadResult } from '../../domain/state.js'
import type { BridgeAdapter, Lane, LaneQuote, LaneRefusal } from '../bridge.js'
import { toTokenOut } from '../decimals.js'
import { oftAbi } from '../layerzero/abi.js'
import { isAnswer, messagingFee, sendParameters, warningsOf } from '../layerzero/send.js'
import { poolAbi } from './abi.js'

/** The pool's `status` while it is paused. */
const paused = 3n
const feePaused = toFunctionSelector('FeeLib_Paused()')
/** A path to a chain where the asset is minted has this credit, in shared decimals: no limit. */
const unlimitedCredit = 2n ** 64n - 1n

export const quote: BridgeAdapter['quote'] = async ({ lane, terms, amountIn, reader }) => {
  const amounts = { amountLD: amountIn, minAmountLD: 0n }
  const sent = { ...sendParameters(lane, terms, amounts, 0n), amountLD: amountIn }
  // What a pool makes of an amount does not depend on the message.
  const bare = { ...sent, composeMsg: '0x', extraOptions: '0x' } as const
  const calls = [
    encodeFunctionData({ abi: poolAbi, functionName: 'status' }),
    encodeFunctionData({ abi: oftAbi, functionName: 'quoteOFT', args: [bare] }),
    encodeFunctionData({ abi: oftAbi, functionName: 'quoteSend', args: [sent, false] }),
  ]
  const reads = await reader.call(calls.map((data) => ({ to: lane.primary, data })))
  const [status, offered, fee] = reads
  if (!isAnswer(status)) return unreadable(lane, status)
  if (BigInt(status.value) === paused) return pausedLane(lane)
  if (!isAnswer(offered)) {
    const isPaused = offered?.ok === false && offered.message.includes(feePaused)
    return isPaused ? pausedLane(lane) : unreadable(lane, offered)
  }
  const [limit, , receipt] = decodeFunctionResult({
    abi: oftAbi,
    functionName: 'quoteOFT',
    data: offered.value,
  })
  const refusal = refusalOf(lane, amountIn, { limit, receipt })
  if (refusal) return refusal
  const nativeFee = messagingFee(fee, terms, () => unreadable(lane, fee))
  if (typeof nativeFee !== 'bigint') return nativeFee
  const unit = limit.minAmountLD
  return {
    delivered: toTokenOut(lane, receipt.amountReceivedLD),
    nativeFee,
    maximum: limit.maxAmountLD / unit >= unlimitedCredit ? null : limit.maxAmountLD,
    unit,
    warnings: warningsOf(terms),
  } satisfies LaneQuote
}

/** The pool answers for less where the path's credit ends, and says nothing of it. */
function refusalOf(
  { symbol }: Lane,
  amountIn: bigint,
  quoted: {
    readonly limit: { readonly minAmountLD: bigint; readonly maxAmountLD: bigint }
    readonly receipt: { readonly amountSentLD: bigint; readonly amountReceivedLD: bigint }
  },
): LaneRefusal | null {
  const { minAmountLD: least, maxAmountLD: most } = quoted.limit
  const { amountSentLD, amountReceivedLD } = quoted.receipt
  if (amountIn < least) {
    const message = `Stargate sends ${symbol} in units of ${least}, and ${amountIn} is less than one.`
    return { reason: 'too-little', message, limit: least }
  }
  if (most === 0n) {
    const message = `Stargate has no credit for ${symbol} to the destination chain at this block.`
    return { reason: 'no-credit', message, limit: 0n }
  }
  if (amountSentLD !== amountIn - (amountIn % least)) {
    const message = `Stargate has credit for ${most} ${symbol} to the destination chain, and ${amountIn} is more.`
    return { reason: 'too-much', message, limit: most }
  }
  if (amountReceivedLD === 0n) {
    const message = `Stargate delivers nothing of ${amountIn} ${symbol}: its fee takes all of it.`
    return { reason: 'too-little', message }
  }
  return null
}

function pausedLane({ symbol }: Lane): LaneRefusal {
  return {
    reason: 'paused',
    message: `Stargate’s pool of ${symbol} is paused on the source chain.`,
  }
}

function unreadable({ primary }: Lane, read: ReadResult | undefined): LaneRefusal {
  const why = read?.ok === false ? read.message : 'there is no contract'
  return { reason: 'unreadable', message: `Stargate’s pool ${primary} cannot be read: ${why}.` }
}
