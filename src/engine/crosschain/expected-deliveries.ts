/**
 * Deliveries at the block of the destination, each simulated once: a delivery that is known before the source has shown it
 * is simulated beside the source, and counts where the source then shows the very same.
 */
import { bridgeOf } from '../../bridges/registry.js'
import { bigintToString } from '../../domain/primitives.js'
import type { DeliveryArgs, DeliveryOutcome } from '../../routing/crosschain/delivery-task.js'
import type { Side } from './sides.js'

export type Deliver = (args: DeliveryArgs) => Promise<DeliveryOutcome>

/** As `deliver`, where nothing that decides the simulation was given before; else what came of it then. */
export function deliverOnce(
  { chain, pin }: Pick<Side, 'chain' | 'pin'>,
  deliver: Deliver,
): Deliver {
  const before = new Map<string, Promise<DeliveryOutcome>>()
  return (args) => {
    const { delivery, gas, ...looked } = args
    const { bridge, token, amount, message } = delivery
    const simulated = bridgeOf(delivery).simulation(delivery, chain, pin, gas)
    const facts = [bridge, token, amount, message, simulated, looked]
    const key = JSON.stringify(facts, bigintToString)
    const known = before.get(key) ?? deliver(args)
    before.set(key, known)
    return known
  }
}
