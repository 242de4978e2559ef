/**
 * LayerZero's options of type 3: what the sender pays the executor for. Pure.
 * @see LayerZero-Labs lz-evm-protocol-v2 3.0.168, contracts/messagelib/libs/ExecutorOptions.sol
 */
import {
  concatHex,
  encodePacked,
  hexToBigInt,
  hexToNumber,
  numberToHex,
  padHex,
  size,
  slice,
} from 'viem'
import type { Hex } from '../../domain/primitives.js'
import type { GasDrop } from '../bridge.js'

const type3 = 3
const executorWorker = 1
const receiveOption = 1
const dropOption = 2
const composeOption = 3

/** What one call that the executor makes is given. */
export interface PaidCall {
  readonly gas: bigint
  /** Wei. */
  readonly value: bigint
}

/** @param gas - added to what the application has set for every message. */
export function receiveGasOption(gas: bigint): Hex {
  return encodePacked(
    ['uint8', 'uint16', 'uint8', 'uint128'],
    [executorWorker, 17, receiveOption, gas],
  )
}

/** Of the message's first and only compose. */
export function composeGasOption({ gas, value }: PaidCall): Hex {
  const bought = encodePacked(['uint8', 'uint16', 'uint128'], [composeOption, 0, gas])
  // No value is left out, as LayerZero's own encoder does.
  const data = value > 0n ? concatHex([bought, numberToHex(value, { size: 16 })]) : bought
  return concatHex([encodePacked(['uint8', 'uint16'], [executorWorker, size(data)]), data])
}

/** The executor pays the account before the receipt, and needs no success. */
export function nativeDropOption({ receiver, amount }: GasDrop): Hex {
  return encodePacked(
    ['uint8', 'uint16', 'uint8', 'uint128', 'bytes32'],
    [executorWorker, 49, dropOption, amount, padHex(receiver, { size: 32 })],
  )
}

export function encodeOptions(options: readonly Hex[]): Hex {
  return concatHex([encodePacked(['uint16'], [type3]), ...options])
}

/** What is paid for the first compose, all options together; zero where none is, or of another type. */
export function composeOptionOf(options: Hex): PaidCall {
  const paid = executorOptions(options).flatMap(({ type, data }) => {
    const isFirst = size(data) >= 18 && hexToNumber(slice(data, 0, 2)) === 0
    if (type !== composeOption || !isFirst) return []
    const value = size(data) >= 34 ? hexToBigInt(slice(data, 18, 34)) : 0n
    return [{ gas: hexToBigInt(slice(data, 2, 18)), value }]
  })
  return paid.reduce((sum, { gas, value }) => ({ gas: sum.gas + gas, value: sum.value + value }), {
    gas: 0n,
    value: 0n,
  })
}

/** Gas that is paid for the receipt, all options together; zero where none is, or of another type. */
export function receiveOptionOf(options: Hex): bigint {
  return executorOptions(options)
    .filter(({ type, data }) => type === receiveOption && size(data) >= 16)
    .reduce((sum, { data }) => sum + hexToBigInt(slice(data, 0, 16)), 0n)
}

function executorOptions(options: Hex): { readonly type: number; readonly data: Hex }[] {
  if (size(options) < 2 || hexToNumber(slice(options, 0, 2)) !== type3) return []
  const found: { type: number; data: Hex }[] = []
  // Each option is worker (1 byte), size (2 bytes), type (1 byte), and the rest of that size.
  for (let at = 2; at + 4 <= size(options); ) {
    const end = at + 3 + hexToNumber(slice(options, at + 1, at + 3))
    if (end > size(options) || end < at + 4) break
    if (hexToNumber(slice(options, at, at + 1)) === executorWorker) {
      const data = end > at + 4 ? slice(options, at + 4, end) : '0x'
      found.push({ type: hexToNumber(slice(options, at + 3, at + 4)), data })
    }
    at = end
  }
  return found
}
