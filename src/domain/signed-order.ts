/** Orders that makers have signed, which anybody may fill at the rate that they state. */
import type { Address, Hex } from './primitives.js'

/** Whose order format it is, and whose contract settles it. */
export const orderFormats = ['forkroute'] as const
type OrderFormat = (typeof orderFormats)[number]

/** An order of a maker, who gives tokenOut for tokenIn. Amounts are raw units as decimal texts, so that it is JSON. */
export interface SignedOrder {
  readonly chainId: number
  readonly format: OrderFormat
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
  /** Unix seconds: the last at which it can be filled. */
  readonly expiry: number
  /** Decimal. Orders of a maker that share one are cancelled together. */
  readonly nonce: string
  /** False: only all of it at once. */
  readonly partialFill: boolean
  readonly signature: Hex
}

/** What a maker signs, without what follows from it. */
export type OrderTerms = Omit<SignedOrder, 'format' | 'hash' | 'settlement' | 'signature'>

/** An order in our own format, as its maker gives it away. */
export type OwnOrder = OrderTerms & Pick<SignedOrder, 'signature'>

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

export interface ImportedOrder extends SignedOrder {
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
