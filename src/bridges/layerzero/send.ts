/** The call that sends: what is bought of LayerZero's executor, and what a quote of it says. */
import { decodeFunctionResult, padHex, size, toFunctionSelector } from 'viem'
import type { Hex } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { DeliveryTerms, Lane, LaneRefusal } from '../bridge.js'
import { oftAbi } from './abi.js'
import { composeGasOption, encodeOptions, nativeDropOption, receiveGasOption } from './options.js'

/**
 * Gas that a message adds to its receipt, where it is copied, hashed, queued and logged: measured 29,450 and 16.3 a byte.
 * What is paid for without it is meant for a transfer.
 */
const messageGas = { least: 30_000n, perByte: 17n }
/** LayerZero's executor reverts with it above the most native value that it pays out on the chain. */
const tooMuchNative = toFunctionSelector('Executor_NativeAmountExceedsCap(uint256,uint256)')
const dropWarning =
  'The gas drop is paid by LayerZero’s executor before the delivery; no chain enforces it.'

/**
 * A transfer that is sent by itself and at once, the only one that Stargate sends with a message. Amounts may be references.
 * @param receiptGas - bought beside what the message adds.
 */
export function sendParameters(
  lane: Lane,
  terms: DeliveryTerms,
  amounts: { readonly amountLD: unknown; readonly minAmountLD: bigint },
  receiptGas: bigint,
) {
  const bytes = BigInt(size(terms.message))
  const hasMessage = bytes > 0n
  const receiveGas = receiptGas + (hasMessage ? messageGas.least + bytes * messageGas.perByte : 0n)
  const bought = [
    ...(receiveGas > 0n ? [receiveGasOption(receiveGas)] : []),
    ...(hasMessage ? [composeGasOption({ gas: terms.gas, value: terms.callValue ?? 0n })] : []),
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

export function isAnswer(
  read: ReadResult | undefined,
): read is { readonly ok: true; readonly value: Hex } {
  return read?.ok === true && read.value !== '0x'
}

/** Wei that the messaging costs, of what `quoteSend` answers. @param refused - where it has no answer. */
export function messagingFee(
  read: ReadResult | undefined,
  { gasDrop, callValue }: DeliveryTerms,
  refused: () => LaneRefusal,
): bigint | LaneRefusal {
  if (isAnswer(read)) {
    return decodeFunctionResult({ abi: oftAbi, functionName: 'quoteSend', data: read.value })
      .nativeFee
  }
  const isCapped = read?.ok === false && read.message.includes(tooMuchNative)
  if (isCapped && gasDrop) return capped(gasDrop.amount, 'as a gas drop')
  return isCapped && callValue ? capped(callValue, 'with a call') : refused()
}

function capped(amount: bigint, how: string): LaneRefusal {
  const message = `LayerZero’s executor pays less than ${amount} wei ${how} on the destination chain.`
  return { reason: 'too-much', message }
}

export function warningsOf({ gasDrop }: DeliveryTerms): string[] {
  return gasDrop ? [dropWarning] : []
}
