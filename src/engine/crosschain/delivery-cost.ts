/**
 * Gas and length of what a bridge carries, as long as nothing has shown them, and what a delivery costs. Pure.
 */
import { type DeliveryTerms, gasForOrder, type Lane } from '../../bridges/bridge.js'
import { bridgeOf } from '../../bridges/registry.js'
import { type Hex, nativeToken } from '../../domain/primitives.js'
import { deliveryMarginPercent } from '../../routing/crosschain/delivery-price.js'
import type { LaneCandidate } from './lanes.js'
import type { Side } from './sides.js'

/** Given to an order when it is planned: what it needs is measured then. */
export const roomyGas = 3_000_000n
/** Gas of a delivery without and with an order, and what a swap adds; measured on the sandbox. */
const usualGas = { plain: 120_000n, order: 190_000n, swap: 75_000n }
/** Bytes of a message with an order, and what a swap adds; measured on the sandbox. */
const usualBytes = { order: 800, swap: 320 }
/** What a bridge is to carry, and what that takes on the destination. */
export interface Payload {
  readonly message: Hex
  /** Gas that the order must be given; 0 without one. */
  readonly orderGas: bigint
  /** Gas of the delivering transaction. */
  readonly deliveryGas: bigint
}

/**
 * What is to be carried, as long as nothing has shown it. Lanes are compared by it: room for more than an order usually
 * needs would make a lane that runs one look worse than it is.
 */
export function usualPayload({
  runsOrder,
  swapsOnDestination,
}: Omit<LaneCandidate, 'lane'>): Payload {
  if (!runsOrder) return { message: '0x', orderGas: 0n, deliveryGas: usualGas.plain }
  const deliveryGas = usualGas.order + (swapsOnDestination ? usualGas.swap : 0n)
  const bytes = usualBytes.order + (swapsOnDestination ? usualBytes.swap : 0)
  return { message: `0x${'ff'.repeat(bytes)}`, orderGas: orderGasFor(deliveryGas), deliveryGas }
}

/** With room for what refunds have hidden, and for state that has moved. */
export function orderGasFor(deliveryGas: bigint): bigint {
  return ((deliveryGas * 14n) / 10n / 10_000n + 10n) * 10_000n
}

/** Gas of the call that delivers a payload, as in `DeliveryTerms`. */
export function callGas({ runsOrder }: Pick<LaneCandidate, 'runsOrder'>, orderGas: bigint): bigint {
  return runsOrder ? gasForOrder(orderGas) : 0n
}

/** What a delivery of so much gas costs, and one without a message: raw units of what is delivered; null without prices. */
export function deliveryCosts(
  destination: Side,
  lane: Lane,
  gas: bigint,
): Pick<DeliveryTerms, 'gasPrice' | 'deliveryCost' | 'plainDeliveryCost'> {
  return {
    gasPrice: destination.gasPrice,
    deliveryCost: deliveryCostOf(destination, lane, gas),
    plainDeliveryCost: deliveryCostOf(destination, lane, usualGas.plain),
  }
}

function deliveryCostOf(
  { gasPrice, prices }: Side,
  { tokenOut }: Lane,
  gas: bigint,
): bigint | null {
  const [native, token] = [prices.get(nativeToken), prices.get(tokenOut)]
  if (!native || !token || token.priceUsd <= 0) return null
  const scale = 10n ** 12n
  const ratio = BigInt(Math.ceil((native.priceUsd / token.priceUsd) * Number(scale)))
  const wei = gas * gasPrice * ratio * 10n ** BigInt(token.decimals)
  return wei / (scale * 10n ** BigInt(native.decimals)) + 1n
}

/**
 * Dollars that the receiver pays for a delivery which nobody makes unasked; 0 for others, and without a price.
 *
 * @param gas - of the delivery; absent: as usual.
 */
export function claimCost(
  { gasPrice, prices }: Pick<Side, 'gasPrice' | 'prices'>,
  plan: LaneCandidate,
  gas = usualPayload(plan).deliveryGas,
): number {
  const native = prices.get(nativeToken)
  if (!native || !bridgeOf(plan.lane).isClaimed) return 0
  return (Number(gas * gasPrice) / 10 ** native.decimals) * native.priceUsd
}

/**
 * Dollars that swaps on the destination cost beyond the usual, which `usualPayload` allows for; 0 without a price.
 *
 * @param gas - of the swaps, by estimate.
 */
export function extraDeliveryCost(
  { gasPrice, prices }: Pick<Side, 'gasPrice' | 'prices'>,
  { swapsOnDestination }: Pick<LaneCandidate, 'swapsOnDestination'>,
  gas: bigint,
): number {
  const native = prices.get(nativeToken)
  if (!native) return 0
  const extra = gas - (swapsOnDestination ? usualGas.swap : 0n)
  const paid = Number(deliveryMarginPercent) / 100
  return (Number(extra * gasPrice) / 10 ** native.decimals) * native.priceUsd * paid
}
