/** Lanes follow from the definitions of two chains, and finding the addresses in them takes hashes: each pair is looked at once. */
import type { ChainDefinition } from '../chains/chain.js'
import type { BridgeAdapter, Lane } from './bridge.js'

type Lanes = readonly Lane[]

class KnownLanes {
  readonly #known = new WeakMap<
    BridgeAdapter,
    WeakMap<ChainDefinition, WeakMap<ChainDefinition, Lanes>>
  >()

  of(bridge: BridgeAdapter, source: ChainDefinition, destination: ChainDefinition): Lanes {
    const ofBridge = this.#known.get(bridge) ?? new WeakMap()
    this.#known.set(bridge, ofBridge)
    const fromSource = ofBridge.get(source) ?? new WeakMap()
    ofBridge.set(source, fromSource)
    const lanes = fromSource.get(destination) ?? bridge.lanes(source, destination)
    fromSource.set(destination, lanes)
    return lanes
  }
}

/** One for the process, as chains and bridges are. */
const knownLanes = new KnownLanes()

/** The lanes of all these bridges, in their order. */
export function lanesBetween(
  bridges: readonly BridgeAdapter[],
  source: ChainDefinition,
  destination: ChainDefinition,
): Lane[] {
  return bridges.flatMap((bridge) => knownLanes.of(bridge, source, destination))
}
