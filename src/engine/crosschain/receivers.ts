/** Who may not be sent anything on the destination, whatever a simulation says of the payment. Pure. */
import { lanesBetween } from '../../bridges/known-lanes.js'
import { bridges } from '../../bridges/registry.js'
import type { ChainDefinition } from '../../chains/chain.js'
import { chains } from '../../chains/registry.js'
import { type Address, isNative, zeroAddress } from '../../domain/primitives.js'
import { executorAddress, executorContracts } from '../../executor/deployments.js'

export interface ReceiverArgs {
  readonly destination: ChainDefinition
  readonly tokensOut: readonly Address[]
  readonly fromAddress: Address
}

/** What the address is over there, where what it is paid would be nobody's; null elsewhere. */
export function whyNobodys(address: Address, args: ReceiverArgs): string | null {
  const { destination, tokensOut, fromAddress } = args
  if (address === zeroAddress) return 'nobody has its key'
  const { paid, landings, ofBridges } = placesByChain.on(destination)
  if (tokensOut.includes(address) || paid.has(address)) {
    return isNative(address) ? 'it stands for ether' : 'it is the contract of a token'
  }
  const isOurs =
    Object.values(executorContracts).some((contract) => contract.address === address) ||
    address === executorAddress(fromAddress)
  // What lies in the DestinationReceiver or at a landing outside of a delivery, anybody may have.
  if (isOurs || landings.has(address)) {
    return 'it is a contract of this service, and none keeps what it is sent'
  }
  return ofBridges.has(address) ? 'it is a contract of a bridge' : null
}

interface Places {
  /** Tokens that bridges pay there. */
  readonly paid: ReadonlySet<Address>
  readonly landings: ReadonlySet<Address>
  readonly ofBridges: ReadonlySet<Address>
}

/** Bridges from every chain of the registry count, so a chain is looked at once. */
class PlacesByChain {
  readonly #known = new WeakMap<ChainDefinition, Places>()

  on(destination: ChainDefinition): Places {
    const places = this.#known.get(destination) ?? placesOn(destination)
    this.#known.set(destination, places)
    return places
  }
}

/** One for the process, as chains and bridges are. */
const placesByChain = new PlacesByChain()

function placesOn(destination: ChainDefinition): Places {
  const lanes = chains.flatMap((source) => lanesBetween(bridges, source, destination))
  const probes = bridges.flatMap((bridge) => bridge.probes(destination))
  return {
    paid: new Set(
      lanes.flatMap(({ tokenOut, tokenOutToAccounts }) => [tokenOut, tokenOutToAccounts]),
    ),
    landings: new Set(lanes.map(({ orderReceiver }) => orderReceiver)),
    ofBridges: new Set(probes.map(({ to }) => to)),
  }
}

/** Problems of the receivers that a request names, by their parameters. */
export function receiverProblems(
  named: Readonly<Record<string, Address | undefined>>,
  args: ReceiverArgs,
): string[] {
  return Object.entries(named).flatMap(([name, address]) => {
    const why = address && whyNobodys(address, args)
    return why
      ? [`The ${name} ${address} cannot receive anything on chain ${args.destination.id}: ${why}.`]
      : []
  })
}
