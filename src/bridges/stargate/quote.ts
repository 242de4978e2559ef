/** What a pool makes of an amount, asked of the pool itself, and the call that sends it. */
import { decodeFunctionResult, encodeFunctionData, padHex, size, toFunctionSelector } from 'viem'
import type { Hex } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type {
  BridgeAdapter,
  DeliveryTerms,
  GasDrop,
  Lane,
  LaneQuote,
  LaneRefusal,
} from '../bridge.js'
import { toTokenOut } from '../decimals.js'
import { poolAbi } from './abi.js'
import { composeGasOption, encodeOptions, nativeDropOption, receiveGasOption } from './options.js'

/**
 * Gas that a message adds to its receipt, where it is copied, hashed, queued and logged: measured 29,450 and 16.3 a byte.
 * What Stargate pays for by itself is meant for a transfer.
 */
const receiveGas = { least: 30_000n, perByte: 17n }
/** The pool's `status` while it is paused. */
const paused = 3n
const feePaused = toFunctionSelector('FeeLib_Paused()')
/** LayerZero's executor reverts with it above the most native value that it pays out on the chain. */
const tooMuchNative = toFunctionSelector('Executor_NativeAmountExceedsCap(uint256,uint256)')
/** A path to a chain where the asset is minted has this credit, in shared decimals: no limit. */
const unlimitedCredit = 2n ** 64n - 1n

/** A taxi: sent by itself and at once, and the only way to send a message. Amounts may be references. */
export function sendParameters(
  lane: Lane,
  terms: DeliveryTerms,
  amounts: { readonly amountLD: unknown; readonly minAmountLD: bigint },
) {
  const bytes = BigInt(size(terms.message))
  const paidCalls = [
    receiveGasOption(receiveGas.least + bytes * receiveGas.perByte),
    composeGasOption(terms.gas),
  ]
  const bought = [
    ...(bytes > 0n ? paidCalls : []),
    ...(terms.gasDrop ? [nativeDropOption(terms.gasDrop)] : []),
  ]
  return {
    dstEid: Number(lane.details?.dstEid),
    to: padHex(terms.receiver, { size: 32 }),
    ...amounts,
    extraOptions: bought.length > 0 ? encodeOptions(bought) : ('0x' as const),
    composeMsg: terms.message,
    oftCmd: '0x' as const,
  }
}

export const quote: BridgeAdapter['quote'] = async ({ lane, terms, amountIn, reader }) => {
  const amounts = { amountLD: amountIn, minAmountLD: 0n }
  const sent = { ...sendParameters(lane, terms, amounts), amountLD: amountIn }
  // What a pool makes of an amount does not depend on the message.
  const bare = { ...sent, composeMsg: '0x', extraOptions: '0x' } as const
  const calls = [
    encodeFunctionData({ abi: poolAbi, functionName: 'status' }),
    encodeFunctionData({ abi: poolAbi, functionName: 'quoteOFT', args: [bare] }),
    encodeFunctionData({ abi: poolAbi, functionName: 'quoteSend', args: [sent, false] }),
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
    abi: poolAbi,
    functionName: 'quoteOFT',
    data: offered.value,
  })
  const refusal = refusalOf(lane, amountIn, { limit, receipt })
  if (refusal) return refusal
  if (!isAnswer(fee)) {
    const isCapped = fee?.ok === false && fee.message.includes(tooMuchNative)
    return isCapped && terms.gasDrop ? cappedDrop(terms.gasDrop) : unreadable(lane, fee)
  }
  const { nativeFee } = decodeFunctionResult({
    abi: poolAbi,
    functionName: 'quoteSend',
    data: fee.value,
  })
  const unit = limit.minAmountLD
  return {
    delivered: toTokenOut(lane, receipt.amountReceivedLD),
    nativeFee,
    maximum: limit.maxAmountLD / unit >= unlimitedCredit ? null : limit.maxAmountLD,
    unit,
    warnings: terms.gasDrop
      ? ['The gas drop is paid by LayerZero’s executor before the delivery; no chain enforces it.']
      : [],
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

function isAnswer(read: ReadResult | undefined): read is { ok: true; value: Hex } {
  return read?.ok === true && read.value !== '0x'
}

function cappedDrop({ amount }: GasDrop): LaneRefusal {
  const message = `LayerZero’s executor pays less than ${amount} wei as a gas drop on the destination chain.`
  return { reason: 'too-much', message }
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
