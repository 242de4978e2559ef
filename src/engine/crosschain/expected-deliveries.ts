/**
 * Deliveries at the block of the destination, each simulated once: a delivery that is known before the source has shown it
 * is simulated beside the source, and counts where the source then shows the very same.
 */
import type { Delivery } from '../../bridges/bridge.js'
import { bridgeOf } from '../../bridges/registry.js'
import { bigintToString } from '../../domain/primitives.js'
import type { DeliveryArgs, DeliveryOutcome } from '../../routing/crosschain/delivery-task.js'
import type { Side } from './sides.js'

type Place = Pick<Side, 'chain' | 'pin'>

export type Deliver<S extends Place> = (args: DeliveryArgs, side: S) => Promise<DeliveryOutcome>

/** As `deliver`, where nothing that decides the simulation was given before; else what came of it then. */
export function deliverOnce<S extends Place>(deliver: Deliver<S>): Deliver<S> {
  const before = new Map<string, Promise<DeliveryOutcome>>()
  return (args, side) => {
    const { delivery, gas, ...looked } = args
    const key = `${factsOf(delivery, side, gas)}${JSON.stringify(looked, bigintToString)}`
    const known = before.get(key) ?? deliver(args, side)
    before.set(key, known)
    return known
  }
}

/** What decides how a delivery with an order is simulated. @param gas - for the order's call, as in `DeliveryTerms`. */
export function factsOf(delivery: Delivery, { chain, pin }: Place, gas: bigint): string {
  const { bridge, token, amount, message } = delivery
  const simulated = bridgeOf(delivery).simulation(delivery, chain, pin, gas)
  return JSON.stringify([pin.hash, bridge, token, amount, message, simulated], bigintToString)
}
