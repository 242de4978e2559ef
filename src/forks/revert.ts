/** Why a call reverted, as one line for people. Pure. */
import { type Abi, decodeErrorResult, hexToBigInt, slice } from 'viem'
import { bigintToString, type Hex } from '../domain/primitives.js'

/** Bounds one argument of an error, as printed. */
const mostPrintedChars = 500
/** Longer revert data within revert data is printed, not decoded. */
const mostReasonChars = 20_000

/** Solidity's panic codes. */
const panics: Readonly<Record<string, string>> = {
  '1': 'assertion failed',
  '17': 'arithmetic overflow or underflow',
  '18': 'division by zero',
  '33': 'value out of range of an enum',
  '34': 'storage byte array wrongly encoded',
  '49': 'pop from an empty array',
  '50': 'array index out of bounds',
  '65': 'too much memory asked for',
  '81': 'call of an uninitialised internal function',
}

const standardErrors = [
  { type: 'error', name: 'Error', inputs: [{ name: 'message', type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ name: 'code', type: 'uint256' }] },
] as const satisfies Abi

/**
 * `Error(message)`, `Panic(0x11): arithmetic overflow or underflow`, `Name(1, 0x…)` for a custom error of the
 * ABI, `unknown error 0x1234abcd` otherwise. Never throws.
 *
 * @param data - return data of the reverted call.
 * @param abi - custom errors that may occur; other entries are ignored.
 */
export function decodeRevert(data: Hex, abi: Abi = []): string {
  if (data.length < 10) return 'reverted without a reason'
  const selector = slice(data, 0, 4)
  try {
    const errors = abi.filter((item) => item.type === 'error')
    const { errorName, args = [] } = decodeErrorResult({
      abi: [...standardErrors, ...errors] as Abi,
      data,
    })
    if (errorName === 'Panic') {
      const code = hexToBigInt(slice(data, 4))
      return `Panic(0x${code.toString(16).padStart(2, '0')}): ${panics[code.toString()] ?? 'unknown code'}`
    }
    return `${errorName}(${args.map((arg) => print(arg, abi)).join(', ')})`
  } catch {
    return `unknown error ${selector}`
  }
}

/** An argument that is itself a reason, as a failed step carries its target's, is decoded in turn. */
function print(value: unknown, abi: Abi): string {
  const text = typeof value === 'object' ? JSON.stringify(value, bigintToString) : String(value)
  const isReason = isHexOfWords(text)
  return isReason ? decodeRevert(text as Hex, abi) : shortened(lowerCasedAddresses(text))
}

/** Whether it is a selector and words. */
function isHexOfWords(text: string): boolean {
  return text.length % 64 === 10 && text.length <= mostReasonChars && /^0x[0-9a-f]*$/.test(text)
}

/** Addresses read as everywhere else, also those that a contract writes into its own text. */
function lowerCasedAddresses(text: string): string {
  return text.replaceAll(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g, (address) => address.toLowerCase())
}

/** A contract may revert with megabytes; its reason goes into answers and logs. */
function shortened(text: string): string {
  return text.length > mostPrintedChars ? `${text.slice(0, mostPrintedChars)}…` : text
}
