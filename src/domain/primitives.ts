/**
 * The words every other part uses: addresses, amounts and the pinned block.
 * Pure: no I/O, nothing from any other folder.
 */
import type { HardFork } from './hard-forks.js'

/** 0x-prefixed hexadecimal data of any length. */
export type Hex = `0x${string}`

/** A 20-byte address, always lower-case inside the service (lower-cased once, in `api/schemas.ts`). */
export type Address = `0x${string}`

/** Stands for the native token of a chain wherever a token address is expected. */
export const nativeToken: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** Decimals of the native token, the same on every chain. */
export const nativeDecimals = 18

export const zeroAddress: Address = '0x0000000000000000000000000000000000000000'

/** Where Permit2 lies on every chain. */
export const permit2Address: Address = '0x000000000022d473030f116ddee9f6b43ac78ba3'

export const maxUint128 = 2n ** 128n - 1n
export const maxUint256 = 2n ** 256n - 1n

/** One hundred percent in basis points. */
export const bpsDenominator = 10_000n

/** Rounded up. @param value - not negative. @param by - above zero. */
export function ceilDiv(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

/** Basis points with two decimals, rounded towards zero. @param whole - not zero. */
export function bpsOf(part: bigint, whole: bigint): number {
  return Number((part * bpsDenominator * 100n) / whole) / 100
}

/** Raw units of a token. */
export interface TokenAmount {
  readonly token: Address
  readonly amount: bigint
}
/** One hundred percent in hundredths of a basis point. */
export const centiBpsDenominator = 1_000_000n

/** Hundredths of a basis point that an output may fall short of what was promised, unless the caller says otherwise. */
export const defaultCentiBps = 5_000n

/** Fields of the block after the pinned one. */
export interface ChangedBlock {
  /** Unix seconds; later than the pinned block. */
  readonly timestamp?: bigint
  /** Wei per gas. */
  readonly baseFeePerGas?: bigint
}

/** What a calculation needs to know of what its request changed. */
export interface PinChanges extends ChangedBlock {
  /** Names the changed state in the archive; null: the state is that of the chain. */
  readonly stateId: string | null
  /** Other requests at the block have the same changes; absent: they are of one request alone. */
  readonly isShared?: true
  /** Some code is not the chain's: what any contract says may differ. */
  readonly hasCode: boolean
  /** Accounts whose storage or code differs. */
  readonly contracts: readonly Address[]
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
  /** Who was paid for the block; the zero address where a header does not say. */
  readonly miner: Address
  /** At most 32 bytes; OP-stack chains state the rule of their base fee in it. */
  readonly extraData: Hex
  /** Zero since Paris. */
  readonly difficulty: bigint
  /** The newest hard fork whose fields the header has. */
  readonly shownHardFork: HardFork
  /** What one request asks to be different from the chain; absent: nothing. */
  readonly changes?: PinChanges
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

/** @returns floor(amount * (1 - centiBps / 1_000_000)). */
export function lessSlippage(amount: bigint, centiBps: bigint): bigint {
  return (amount * (centiBpsDenominator - centiBps)) / centiBpsDenominator
}

/** @returns ceil(amount * (1 + centiBps / 1_000_000)). */
export function plusSlippage(amount: bigint, centiBps: bigint): bigint {
  const whole = centiBpsDenominator
  return (amount * (whole + centiBps) + whole - 1n) / whole
}

/** Hundredths of a basis point in basis points, with at most two decimals. */
export function toBps(centiBps: bigint): string {
  const fraction = String(centiBps % 100n)
    .padStart(2, '0')
    .replace(/0+$/, '')
  return `${centiBps / 100n}${fraction && `.${fraction}`}`
}

/** JSON.stringify replacer that writes bigint as a decimal string. */
export function bigintToString(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

/** Wei of the native token, and what they are worth. */
export interface Cost {
  readonly native: bigint
  readonly usd: number | null
}
