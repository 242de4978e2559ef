/** What a simulated delivery must show before a transaction is offered that leads to it. */
import { concatHex, padHex } from 'viem'
import type { Delivery } from '../../bridges/bridge.js'
import { bridgeOf } from '../../bridges/registry.js'
import type { CallContext } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { Landing } from '../../routing/crosschain/messages.js'
import { notPaid } from '../../routing/crosschain/payment.js'
import type { JourneyParts, Side } from './journey-answer.js'

export type Delivered = Extract<Landing, { status: 'delivered' }>

interface Place {
  readonly delivery: Pick<Delivery, 'bridge'>
  readonly there: Pick<Side, 'chain'>
  readonly receiver: Address
}

/** @throws ForkrouteError SIMULATION_REVERTED; with `receiver` in its details where that cannot be paid. */
export function requireDelivered(landing: Landing, place: Place): Delivered {
  if (landing.status === 'delivered') return landing
  const { reason } = landing
  const { bridge } = place.delivery
  const chainId = place.there.chain.id
  if (landing.status === 'unpaid') {
    throw notPaid({ receiver: place.receiver, token: landing.token, chainId, reason, bridge })
  }
  const name = bridgeOf({ bridge }).name
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
  readonly there: Side
  readonly receiver: Address
  readonly delivery: Delivery
  /** As in `Parcel`. */
  readonly gas: bigint
}

/**
 * What `work` finds for the order, unless the receiver cannot be paid what the bridge brings: an order may fail until it is
 * delivered, and then that is the receiver's, or stuck.
 *
 * @throws ForkrouteError as `requireDelivered`, in place of what keeps the order from being found.
 */
export async function besideFallback<T>(
  parts: Pick<JourneyParts, 'tasks' | 'payable'>,
  planned: Planned,
  context: CallContext,
  work: Promise<T>,
): Promise<T> {
  const [fallback, found] = await Promise.allSettled([
    requireFallback(parts, planned, context),
    work,
  ])
  if (fallback.status === 'rejected') throw fallback.reason
  if (found.status === 'rejected') throw found.reason
  return found.value
}

async function requireFallback(
  { tasks, payable }: Pick<JourneyParts, 'tasks' | 'payable'>,
  { there, receiver, delivery, gas }: Planned,
  context: CallContext,
): Promise<void> {
  const key = `${there.pin.hash}:${delivery.bridge}:${delivery.token}:${receiver}`
  if (payable.has(key)) return
  const bare = { ...delivery, message: messageWithoutOrder(receiver) }
  const args = { delivery: bare, gas, tokens: [], receiver }
  const landing = await tasks.runAt('landing', args, there.pin, context)
  const isPaid = landing.status === 'fallback' && landing.paid.amount > 0n
  if (!isPaid) {
    const reason = 'reason' in landing ? landing.reason : 'it gains nothing'
    const why = `${reason}; it would be if the order failed there`
    const { bridge, token } = delivery
    throw notPaid({ receiver, token, chainId: there.chain.id, reason: why, bridge })
  }
  payable.set(key, true)
}
