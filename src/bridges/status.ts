/** What a source transaction has sent through the bridges that are installed, and where each of it is. */
import type { ChainDefinition } from '../chains/chain.js'
import { chains } from '../chains/registry.js'
import type { SimulationLog } from '../domain/state.js'
import type { BridgeAdapter, Delivery } from './bridge.js'
import { bridges } from './registry.js'

/** A delivery with whom to ask about it. */
export interface TrackedDelivery {
  readonly delivery: Delivery
  readonly adapter: BridgeAdapter
  /** Null: a chain that is not configured, so that nobody can say where it is. */
  readonly destination: ChainDefinition | null
}

/**
 * Deliveries that the logs of a receipt or of a simulation start: grouped by bridge, each bridge's in the order of the
 * logs.
 * @param options.among - bridges to look for; all that are installed unless others are given.
 * @param options.known - chains that deliveries may go to; those of the registry unless others are given.
 */
export function trackedDeliveries(
  logs: readonly SimulationLog[],
  source: ChainDefinition,
  options: {
    readonly among?: readonly BridgeAdapter[]
    readonly known?: readonly ChainDefinition[]
  } = {},
): TrackedDelivery[] {
  const { among = bridges, known = chains } = options
  return among.flatMap((adapter) =>
    adapter.deliveriesIn(logs, source, known).map((delivery) => ({
      delivery,
      adapter,
      destination: known.find(({ id }) => id === delivery.destinationChainId) ?? null,
    })),
  )
}
