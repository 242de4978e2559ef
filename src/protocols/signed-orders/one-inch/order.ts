/**
 * Orders of 1inch's limit order protocol, version 4: what makers sign, and what its numbers and extension say. Pure.
 *
 * @see npm @1inch/limit-order-protocol-contract 4.3.3: OrderLib, MakerTraitsLib, ExtensionLib, OffsetsLib
 */
import { hashTypedData, keccak256, recoverAddress, size, slice } from 'viem'
import { type Address, type Hex, toAddress, zeroAddress } from '../../../domain/primitives.js'
import type { BookOrder, OneInchOrder } from '../../../domain/signed-order.js'

/** Aggregation Router V6, which is also the protocol, on every chain that forkroute knows. @see npm @1inch/limit-order-sdk 5.4.3 */
export const oneInchSettlement: Address = '0x111111125421ca6dc452d289314280a0f8842a65'

const fields = [
  { name: 'salt', type: 'uint256' },
  { name: 'maker', type: 'address' },
  { name: 'receiver', type: 'address' },
  { name: 'makerAsset', type: 'address' },
  { name: 'takerAsset', type: 'address' },
  { name: 'makingAmount', type: 'uint256' },
  { name: 'takingAmount', type: 'uint256' },
  { name: 'makerTraits', type: 'uint256' },
] as const

/** What the maker signs, as eth_signTypedData_v4 takes it. */
export function toTypedOneInchOrder({ chainId, data }: Pick<BookOrder, 'chainId' | 'data'>) {
  const { maker, receiver, makerAsset, takerAsset } = data
  return {
    domain: {
      name: '1inch Aggregation Router',
      version: '6',
      chainId,
      verifyingContract: oneInchSettlement,
    },
    types: { Order: fields },
    primaryType: 'Order',
    message: {
      salt: BigInt(data.salt),
      maker,
      receiver,
      makerAsset,
      takerAsset,
      makingAmount: BigInt(data.makingAmount),
      takingAmount: BigInt(data.takingAmount),
      makerTraits: BigInt(data.makerTraits),
    },
  } as const
}

export interface MakerTraits {
  /** The last 80 bits of the only address that may fill it; 0: anyone may. */
  readonly allowedSender: bigint
  /** Unix seconds; null: it has no end. */
  readonly expiry: number | null
  /** Of a bit that a fill sets, or of the epoch that the maker must be in. */
  readonly nonceOrEpoch: bigint
  readonly series: bigint
  readonly partialFill: boolean
  /** Whether one fill ends it, so that what is left is a bit and not an amount. */
  readonly isOnce: boolean
  readonly callsBefore: boolean
  readonly callsBehind: boolean
  readonly needsEpoch: boolean
  readonly hasExtension: boolean
  /** Whether the maker pays by an allowance of Permit2. */
  readonly paysByPermit2: boolean
}

const bits = (count: bigint) => (1n << count) - 1n

export function traitsOf(makerTraits: bigint): MakerTraits {
  const flag = (place: bigint) => (makerTraits & (1n << place)) !== 0n
  const field = (place: bigint, width: bigint) => (makerTraits >> place) & bits(width)
  const partialFill = !flag(255n)
  const expiry = Number(field(80n, 40n))
  return {
    allowedSender: field(0n, 80n),
    expiry: expiry === 0 ? null : expiry,
    nonceOrEpoch: field(120n, 40n),
    series: field(160n, 40n),
    partialFill,
    isOnce: !partialFill || !flag(254n),
    callsBefore: flag(252n),
    callsBehind: flag(251n),
    needsEpoch: flag(250n),
    hasExtension: flag(249n),
    paysByPermit2: flag(248n),
  }
}

const extensionFields = [
  'makerAssetSuffix',
  'takerAssetSuffix',
  'makingAmountData',
  'takingAmountData',
  'predicate',
  'makerPermit',
  'callBefore',
  'callBehind',
] as const

/** What the extension holds by field; a field that is not there is 0x. */
export type Extension = Readonly<Record<(typeof extensionFields)[number], Hex>>

/** @returns null where its offsets point outside of it. */
export function extensionOf(extension: Hex): Extension | null {
  const word = size(extension) < 32 ? 0n : BigInt(slice(extension, 0, 32))
  const length = Math.max(0, size(extension) - 32)
  const ends = extensionFields.map((_field, index) =>
    Number((word >> BigInt(32 * index)) & bits(32n)),
  )
  const parts: [string, Hex][] = []
  for (const [index, field] of extensionFields.entries()) {
    const [begin, end] = [ends[index - 1] ?? 0, ends[index] ?? 0]
    if (end < begin || end > length) return null
    // viem refuses a slice that begins at the end.
    parts.push([field, begin === end ? '0x' : slice(extension, 32 + begin, 32 + end)])
  }
  return Object.fromEntries(parts) as unknown as Extension
}

/** The address that begins a field; null: none does. */
export function targetOf(data: Hex): Address | null {
  return size(data) < 20 ? null : toAddress(slice(data, 0, 20))
}

/** What follows the address that begins a field. */
export function behindTarget(data: Hex): Hex {
  return size(data) <= 20 ? '0x' : slice(data, 20)
}

/** @returns why no route can fill the order, as the end of a sentence that names it; null: one may be able to. */
export function oneInchProblem({ data, signature }: BookOrder): string | null {
  const { extension, salt } = data
  const traits = traitsOf(BigInt(data.makerTraits))
  if (traits.allowedSender !== 0n) return 'may be filled by one address only'
  if (traits.hasExtension !== size(extension) > 0) {
    return traits.hasExtension
      ? 'lacks its extension'
      : 'has an extension that its maker has not signed'
  }
  if (traits.hasExtension && (BigInt(keccak256(extension)) ^ BigInt(salt)) & bits(160n)) {
    return 'has another extension than its maker has signed'
  }
  const parts = extensionOf(extension)
  if (!parts) return 'has an extension that cannot be read'
  if (parts.makerAssetSuffix !== '0x' || parts.takerAssetSuffix !== '0x') {
    return 'does not swap two tokens of the standard ERC-20'
  }
  if (traits.isOnce && traits.needsEpoch) return 'has both a nonce and an epoch'
  if (size(signature) === 0) return 'is not signed'
  return null
}

/** The order with what follows from its terms. */
export async function toOneInchOrder(book: BookOrder): Promise<OneInchOrder> {
  const { chainId, data, signature } = book
  const { maker, receiver, makerAsset, takerAsset } = data
  const { expiry, nonceOrEpoch, partialFill } = traitsOf(BigInt(data.makerTraits))
  const hash = hashTypedData(toTypedOneInchOrder(book))
  const signer = await recoverAddress({ hash, signature: wholeSignature(signature) }).catch(
    () => zeroAddress,
  )
  return {
    chainId,
    format: '1inch-v4',
    hash,
    settlement: oneInchSettlement,
    maker,
    tokenIn: takerAsset,
    tokenOut: makerAsset,
    amountIn: data.takingAmount,
    amountOut: data.makingAmount,
    expiry,
    nonce: String(nonceOrEpoch),
    partialFill,
    signature,
    isSignedByKey: toAddress(signer) === maker,
    salt: data.salt,
    receiver,
    makerTraits: data.makerTraits,
    extension: data.extension,
  }
}

const yParityBit = 1n << 255n

/** The two words by which the contract takes the signature of a key (EIP-2098). */
export function compactSignature(signature: Hex): readonly [r: Hex, vs: Hex] {
  const [r, s] = [slice(signature, 0, 32), slice(signature, 32, 64)]
  if (size(signature) === 64) return [r, s]
  const v = BigInt(slice(signature, 64, 65))
  const vs = BigInt(s) | (v === 28n || v === 1n ? yParityBit : 0n)
  return [r, `0x${vs.toString(16).padStart(64, '0')}`]
}

/** In 65 bytes. */
function wholeSignature(signature: Hex): Hex {
  if (size(signature) !== 64) return signature
  const vs = BigInt(slice(signature, 32, 64))
  const s = (vs & ~yParityBit).toString(16).padStart(64, '0')
  return `${slice(signature, 0, 32)}${s}${vs & yParityBit ? '1c' : '1b'}`
}
