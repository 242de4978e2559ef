/** Orders that makers have signed, which anybody may fill at the rate that they state. */
import type { Address, Hex } from './primitives.js'

/** Whose order format it is, and whose contract settles it. */
export const orderFormats = ['forkroute', '1inch-v4'] as const

/** What orders of all formats have. Amounts are raw units as decimal texts, so that it is JSON. */
interface OrderParts {
  readonly chainId: number
  /** What the maker has signed (EIP-712); unique. */
  readonly hash: Hex
  /** The contract that settles it, and that the maker allows to spend tokenOut. */
  readonly settlement: Address
  readonly maker: Address
  /** What the maker gets. */
  readonly tokenIn: Address
  /** What the maker gives. */
  readonly tokenOut: Address
  readonly amountIn: string
  readonly amountOut: string
  /** Decimal. Orders of a maker that share one are cancelled together. */
  readonly nonce: string
  /** False: only all of it at once. */
  readonly partialFill: boolean
  readonly signature: Hex
}

/** An order in our own format. */
export interface ForkrouteOrder extends OrderParts {
  readonly format: 'forkroute'
  /** Unix seconds: the last at which it can be filled. */
  readonly expiry: number
}

/** An order of 1inch's limit order protocol, version 4. */
export interface OneInchOrder extends OrderParts {
  readonly format: '1inch-v4'
  /** Unix seconds: the last at which it can be filled; null: it has no end. */
  readonly expiry: number | null
  /** Decimal. */
  readonly salt: string
  /** Who is paid; the zero address: the maker. */
  readonly receiver: Address
  /** Decimal: flags, expiry and nonce. */
  readonly makerTraits: string
  /** Conditions and calls that the salt binds; 0x: there are none. */
  readonly extension: Hex
  /** Whether the signature is of the maker's key; else the maker's code says whether it has signed. */
  readonly isSignedByKey: boolean
}

/** An order of a maker, who gives tokenOut for tokenIn. */
export type SignedOrder = ForkrouteOrder | OneInchOrder

/** What a maker offers and signs when it is asked: its levels for one direction of a pair. */
export interface MakerLevels
  extends Pick<
    OrderParts,
    'chainId' | 'hash' | 'tokenIn' | 'tokenOut' | 'amountIn' | 'amountOut' | 'partialFill'
  > {
  readonly format: 'levels'
  /** Of the maker, as the operator calls it. */
  readonly name: string
  /** Unix seconds: the last at which the levels hold. */
  readonly expiry: number
  /** What the maker gives for so much in all, raw units as decimal texts, rising; the last are amountIn and amountOut. */
  readonly levels: readonly (readonly [amountIn: string, amountOut: string])[]
}

/** What a search can use of makers. */
export type MakerOffer = SignedOrder | MakerLevels

/** What a maker is asked to sign, raw units. */
export interface MakerDemand {
  readonly chainId: number
  readonly name: string
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
}

/** Makers that sign when they are asked. */
export interface Makers {
  /** What they offer on the chain now. */
  levels(chainId: number): readonly MakerLevels[]
  /**
   * Null: the maker does not sign in time, or signs something else.
   *
   * @param within.ms - the most that the call leaves for it, beside what the operator does.
   */
  sign(
    demand: MakerDemand,
    within: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<SignedOrder | null>
}

/** What a maker signs, without what follows from it. */
export type OrderTerms = Omit<ForkrouteOrder, 'format' | 'hash' | 'settlement' | 'signature'>

/** An order in our own format, as its maker gives it away. */
export type OwnOrder = OrderTerms & Pick<ForkrouteOrder, 'signature'>

/** An order of 1inch's protocol as its order book gives it: amounts, salt and traits are decimal. */
export interface BookOrder {
  readonly chainId: number
  readonly signature: Hex
  readonly data: {
    readonly salt: string
    readonly maker: Address
    readonly receiver: Address
    readonly makerAsset: Address
    readonly takerAsset: Address
    readonly makingAmount: string
    readonly takingAmount: string
    readonly makerTraits: string
    readonly extension: Hex
  }
}

/** Fields of an order in our own format, as its contract and EIP-712 have them. */
export const makerOrderTypes = {
  MakerOrder: [
    { name: 'maker', type: 'address' },
    { name: 'tokenIn', type: 'address' },
    { name: 'tokenOut', type: 'address' },
    { name: 'amountIn', type: 'uint256' },
    { name: 'amountOut', type: 'uint256' },
    { name: 'expiry', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'partialFill', type: 'bool' },
  ],
} as const

/** The order as its contract takes it. */
export function toMakerOrder(order: Omit<OrderTerms, 'chainId'>) {
  const { maker, tokenIn, tokenOut, partialFill } = order
  return {
    maker,
    tokenIn,
    tokenOut,
    amountIn: BigInt(order.amountIn),
    amountOut: BigInt(order.amountOut),
    expiry: BigInt(order.expiry),
    nonce: BigInt(order.nonce),
    partialFill,
  }
}

/** `key`: the key that imported it may use it. `all`: every key. */
export const orderVisibilities = ['key', 'all'] as const
export type OrderVisibility = (typeof orderVisibilities)[number]

export type ImportedOrder = SignedOrder & {
  readonly visibility: OrderVisibility
  /** Milliseconds since the epoch. */
  readonly importedAt: number
}

/** Orders of one owner, oldest first. */
export interface OrderQuery {
  readonly chainId: number
  readonly offset: number
  readonly limit: number
}
