/** What a simulated delivery must show before a transaction is offered that leads to it. */
import { concatHex, padHex } from 'viem'
import type { Delivery } from '../../bridges/bridge.js'
import { bridgeOf } from '../../bridges/registry.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { DeliveryArgs, DeliveryOutcome } from '../../routing/crosschain/delivery-task.js'
import { notPaid } from '../../routing/crosschain/payment.js'
import type { QuoteParts, Side } from './sides.js'

export type Delivered = Extract<DeliveryOutcome, { status: 'delivered' }>

/** @throws ForkrouteError SIMULATION_REVERTED; with `receiver` in its details where that cannot be paid. */
export function requireDelivered(
  outcome: DeliveryOutcome,
  { bridge }: Pick<Delivery, 'bridge'>,
  { destination, receiver }: Pick<QuoteParts, 'destination' | 'receiver'>,
): Delivered {
  if (outcome.status === 'delivered') return outcome
  const { reason } = outcome
  const chainId = destination.chain.id
  if (outcome.status === 'unpaid') {
    throw notPaid({ receiver, token: outcome.token, chainId, reason, bridge })
  }
  const { name } = bridgeOf({ bridge })
  const message = `The delivery by ${name} fails on chain ${chainId}: ${reason}.`
  throw new ForkrouteError('SIMULATION_REVERTED', message, { bridge, reason })
}

const zeroWord: Hex = `0x${'0'.repeat(64)}`

/** Carries no order, so that whatever is delivered goes to the fallback receiver. */
function messageWithoutOrder(fallbackReceiver: Address): Hex {
  return concatHex([padHex(fallbackReceiver, { size: 32 }), zeroWord, zeroWord])
}

/** A delivery whose order is looked for. */
interface Planned {
  readonly delivery: Delivery
  /** Gas of the call that delivers, as in `DeliveryTerms`. */
  readonly gas: bigint
}

/** What is looked at of a delivery: whose it is to be, and whether that was seen before. */
interface FallbackParts extends Pick<QuoteParts, 'payable' | 'destination' | 'receiver'> {
  readonly tasks: { deliver(args: DeliveryArgs, side: Side): Promise<DeliveryOutcome> }
}

/**
 * What `work` finds for the order, unless the receiver cannot be paid what the bridge brings: an order may fail until it is
 * delivered, and then that is the receiver's, or stuck.
 *
 * @throws ForkrouteError as `requireDelivered`, in place of what keeps the order from being found.
 */
export async function besideFallback<T>(
  parts: FallbackParts,
  planned: Planned,
  work: Promise<T>,
): Promise<T> {
  const [fallback, found] = await Promise.allSettled([requireFallback(parts, planned), work])
  if (fallback.status === 'rejected') throw fallback.reason
  if (found.status === 'rejected') throw found.reason
  return found.value
}

async function requireFallback(
  { tasks, payable, destination, receiver }: FallbackParts,
  { delivery, gas }: Planned,
): Promise<void> {
  const key = `${destination.pin.hash}:${delivery.bridge}:${delivery.token}:${receiver}`
  if (payable.has(key)) return
  const bare = { ...delivery, message: messageWithoutOrder(receiver) }
  const args = { delivery: bare, gas, tokens: [], receiver }
  const outcome = await tasks.deliver(args, destination)
  const isPaid = outcome.status === 'fallback' && outcome.paid.amount > 0n
  if (!isPaid) {
    const reason = 'reason' in outcome ? outcome.reason : 'it gains nothing'
    const why = `${reason}; it would be if the order failed there`
    const { bridge, token } = delivery
    throw notPaid({ receiver, token, chainId: destination.chain.id, reason: why, bridge })
  }
  payable.set(key, true)
}
