/**
 * The words every other part uses: addresses, amounts and the pinned block.
 * Pure: no I/O, nothing from any other folder.
 */

/** 0x-prefixed hexadecimal data of any length. */
export type Hex = `0x${string}`

/** A 20-byte address, always lower-case inside the service (lower-cased once, in `api/schemas.ts`). */
export type Address = `0x${string}`

/** Stands for the native token of a chain wherever a token address is expected. */
export const nativeToken: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

export const zeroAddress: Address = '0x0000000000000000000000000000000000000000'

/** One hundred percent in basis points. */
export const bpsDenominator = 10_000n

export interface TokenAmount {
  readonly token: Address
  readonly amount: bigint
}

/** The block at whose end all state of one answer is read. Structured-clonable. */
export interface BlockPin {
  readonly chainId: number
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds. */
  readonly timestamp: bigint
  /** Wei per gas of this block, not of the next. */
  readonly baseFeePerGas: bigint
  readonly gasUsed: bigint
  readonly gasLimit: bigint
}

export interface Token {
  readonly chainId: number
  readonly address: Address
  readonly symbol: string | null
  readonly name: string | null
  readonly decimals: number
  readonly logoUri: string | null
}

/** True for the native-token constant; expects a lower-case address. */
export function isNative(token: Address): boolean {
  return token === nativeToken
}

/** Lower-cases an address that is already known to be well formed. */
export function toAddress(value: string): Address {
  return value.toLowerCase() as Address
}

/** JSON.stringify replacer that writes bigint as a decimal string. */
export function bigintToString(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
