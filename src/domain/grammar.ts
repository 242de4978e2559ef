/**
 * How addresses, amounts and slippage are written, and how much one bundle may hold: one set of rules for fields of
 * requests and for arguments of bundle actions. The forms complete the sentence "<argument> must be …". Pure.
 */
import { getAddress } from 'viem'
import { nativeToken } from './primitives.js'

export const addressPattern = /^0[xX][0-9a-fA-F]{40}$/
export const addressForm = 'an address: 0x and 40 hexadecimal digits'

/** Completes "<argument> …" for a mixed case that is not that of the address. */
export const wrongChecksum = 'has a wrong EIP-55 checksum; write it in lower case to skip the check'

/**
 * Mixed case carries a checksum (EIP-55); a single case, and the native token in any case, carry none.
 *
 * @param address - matches `addressPattern`.
 */
export function hasValidChecksum(address: string): boolean {
  const digits = address.slice(2)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true
  if (address.toLowerCase() === nativeToken) return true
  return getAddress(address.toLowerCase()) === `0x${digits}`
}

/** Raw units as a decimal string; the value may still exceed `maxUint256`. */
export const amountPattern = /^\d{1,78}$/

/** Digits in groups of three, such as `1,000,000`; no more of them than `amountPattern` takes, since errors repeat them. */
export const separatedPattern = /^\d{1,3}(,\d{3}){1,25}$/

/** Basis points with two decimals at most; the value may still exceed one hundred percent. */
export const slippagePattern = /^\d{1,5}(\.\d{1,2})?$/
export const slippageForm = 'basis points from 0 to 10000 with at most two decimals'

/**
 * @param text - matches `slippagePattern`.
 * @returns hundredths of a basis point; a valid slippage is at most `centiBpsDenominator`.
 */
export function toCentiBps(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'))
}

/** Actions of one bundle, and of the callback of one of them. */
export const maxActions = 50
