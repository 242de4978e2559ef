/** Who may not be sent anything on the destination, whatever a simulation says of the payment. Pure. */
import { bridges } from '../../bridges/registry.js'
import type { ChainDefinition } from '../../chains/chain.js'
import { type Address, isNative, zeroAddress } from '../../domain/primitives.js'
import { executorAddress, executorContracts } from '../../executor/deployments.js'

export interface ReceiverArgs {
  readonly source: ChainDefinition
  readonly destination: ChainDefinition
  readonly tokensOut: readonly Address[]
  readonly fromAddress: Address
}

/** What the address is over there, where what it is paid would be nobody's; null elsewhere. */
export function whyNobodys(address: Address, args: ReceiverArgs): string | null {
  const { source, destination, tokensOut, fromAddress } = args
  if (address === zeroAddress) return 'nobody has its key'
  const lanes = bridges.flatMap((bridge) => bridge.lanes(source, destination))
  const paid = lanes.flatMap(({ tokenOut, tokenOutToAccounts }) => [tokenOut, tokenOutToAccounts])
  if ([...tokensOut, ...paid].some((token) => token === address)) {
    return isNative(address) ? 'it stands for ether' : 'it is the contract of a token'
  }
  const isOurs =
    Object.values(executorContracts).some((contract) => contract.address === address) ||
    address === executorAddress(fromAddress)
  // What lies in the DestinationReceiver or at a landing outside of a delivery, anybody may have.
  const isLanding = lanes.some(({ orderReceiver }) => orderReceiver === address)
  if (isOurs || isLanding) return 'it is a contract of this service, and none keeps what it is sent'
  const ofBridges = bridges.flatMap((bridge) => bridge.probes(destination))
  return ofBridges.some(({ to }) => to === address) ? 'it is a contract of a bridge' : null
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
