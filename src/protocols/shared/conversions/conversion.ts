/**
 * Contracts that turn one token into another at a rate of their own, such as those that stake ether: what differs
 * between them. `define-converter.ts` makes protocols of it. Any adapter may use it.
 */
import type { AbiFunction } from 'viem'
import type { VenueParameters } from '../../../chains/chain.js'
import type { Amount } from '../../../domain/order.js'
import type { Address } from '../../../domain/primitives.js'
import type { StateReader } from '../../../domain/state.js'

/** One direction of a pair. Native as the native constant. Structured-clonable. */
export interface Edge<Kind extends string = string> {
  readonly kind: Kind
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** The token that the contract issues: the id of the pair. Into it is a deposit, out of it a redemption. */
  readonly issued: Address
}

export interface Converted<State> {
  /** Raw units of tokenOut; 0n where the contract takes no such amount. */
  readonly amountOut: bigint
  /** False: an estimate. */
  readonly exact: boolean
  /** The state after it; absent: as before. */
  readonly after?: () => State
}

/** How an edge converts and is called. */
export interface Conversion<State> {
  readonly functionName: string
  /** Whether the contract takes tokenIn by allowance. Native goes with the call. */
  readonly needsApproval: boolean
  readonly abi: AbiFunction
  target(state: State, edge: Edge): Address
  /** @param runner - makes the call, and has to be paid. */
  args(amountIn: Amount, runner: Address): readonly unknown[]
  /** @param amountIn - raw units, > 0. */
  convert(state: State, amountIn: bigint): Converted<State>
}

export interface ConversionPosition<State> {
  readonly token: Address
  readonly name: string
  readonly subtitle: string
  readonly underlying: Address
  /** Raw units of the underlying token that all holders together own. @param totalSupply - of the token. */
  held(state: State, totalSupply: bigint): bigint
  /** What a share is worth, with so many digits that a block's interest shows. */
  price(state: State): bigint
}

export type Loaded<State> = { readonly state: State } | { readonly message: string }

export interface Converter<State, Kind extends string = string> {
  readonly slug: string
  edges(venue: VenueParameters): readonly Edge<Kind>[]
  readonly conversions: Readonly<Record<Kind, Conversion<State>>>
  /** The issued tokens that earn something. */
  positions(venue: VenueParameters): readonly ConversionPosition<State>[]
  /** Actions of bundles: `deposit` into what is issued, `redeem` out of it where that is possible at all. */
  readonly actions: readonly ('deposit' | 'redeem')[]
  /** A message where the contracts are not there, or cannot be read. */
  load(reader: StateReader, venue: VenueParameters): Promise<Loaded<State>>
}
