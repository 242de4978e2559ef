/** What is known of a signed order, or of what a maker offers to sign, at a block. */
import type { Address } from '../../domain/primitives.js'
import type { MakerOffer } from '../../domain/signed-order.js'
import type { SampledState } from '../shared/sampled/sample.js'

export interface OrderState {
  readonly order: MakerOffer
  /** Raw units of tokenIn that can be filled; 0: it is filled, cancelled or expired, or its maker cannot pay. */
  readonly left: bigint
  /** Raw units of tokenOut that the maker gives for all that is left. */
  readonly leftOut: bigint
  /** Raw units of tokenOut that the maker has and allows, for all of its orders. */
  readonly held: bigint
  /** Whose code decides about the fill or its rate, beside that of the settlement; null: no other code does. */
  readonly foreignCode: Address | null
  /** What was quoted where a contract tells the rate of a part; null: the rate is that of all that is left. */
  readonly sampled: SampledState | null
  /** Whether one fill ends it. */
  readonly isOnce: boolean
}

/** What the chain says, without the order. */
export type OrderFacts = Omit<OrderState, 'order'>

export const nothingLeft: OrderFacts = {
  left: 0n,
  leftOut: 0n,
  held: 0n,
  foreignCode: null,
  sampled: null,
  isOnce: false,
}

/** Orders of which one maker pays with one token share what it has. */
export function fundsOf(order: MakerOffer): string {
  return `${order.format === 'levels' ? order.name : order.maker}:${order.tokenOut}`
}
