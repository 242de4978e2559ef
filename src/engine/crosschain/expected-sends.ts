/**
 * What a lane is expected to send, before its source leg shows it: what another quote at the same block sent over it, with the
 * amounts of this one's offer. Only a plan for it is begun by that, and it counts where the source then sends the very same.
 */
import { LRUCache } from 'lru-cache'
import type { Delivery, GasDrop, Lane, LaneAmounts } from '../../bridges/bridge.js'
import { bridgeOf } from '../../bridges/registry.js'
import type { RouteRequest } from '../../domain/engine.js'
import { type Address, type BlockPin, bigintToString } from '../../domain/primitives.js'

/** Lanes at blocks. */
const lanesKept = 256

/** All that decides what is sent but for the amounts. */
interface Asked {
  readonly source: { readonly pin: BlockPin }
  readonly receiver: Address
  readonly request: Pick<RouteRequest, 'fromAddress' | 'strategy'>
}
interface Taken {
  readonly lane: Lane
  readonly runsOrder: boolean
  readonly gasDrop?: GasDrop
  readonly isFast?: boolean
}

export class ExpectedSends {
  readonly #last = new LRUCache<string, Delivery>({ max: lanesKept })

  /** @param delivery - what the first source leg of the plan sends. */
  note(quote: Asked, plan: Taken, delivery: Delivery): void {
    this.#last.set(keyOf(quote, plan), delivery)
  }

  /** Undefined where nothing was sent so, or the bridge does not tell. */
  of(quote: Asked, plan: Taken, amounts: LaneAmounts): Delivery | undefined {
    const before = this.#last.get(keyOf(quote, plan))
    return before && bridgeOf(before).withAmounts?.(before, amounts)
  }
}

function keyOf({ source, receiver, request }: Asked, plan: Taken): string {
  const { lane, runsOrder, gasDrop, isFast } = plan
  const { bridge, symbol, destinationChainId, primary } = lane
  const { fromAddress, strategy } = request
  const facts = [source.pin.hash, bridge, symbol, primary, destinationChainId, runsOrder]
  return JSON.stringify(
    [...facts, receiver, fromAddress, strategy, gasDrop, isFast],
    bigintToString,
  )
}
