/** What is said of a route to another chain, between its request and its answer on the wire. */
import type { CrosschainTerms } from '../../domain/bridges/terms.js'
import { defined } from '../../domain/defined.js'
import type { RouteAnswer } from '../../domain/engine.js'
import type { QuoteInput } from './shortcut-inputs.js'

/** Undefined where the route stays on its chain. */
export function toCrosschain(
  input: Pick<
    QuoteInput,
    | 'chainId'
    | 'destinationChainId'
    | 'destinationBlockNumber'
    | 'crosschainRouteMode'
    | 'ignoreBridges'
    | 'destinationFeeReceiver'
    | 'gasDrop'
  >,
): CrosschainTerms | undefined {
  const { chainId, destinationChainId, destinationBlockNumber } = input
  const { destinationFeeReceiver, gasDrop } = input
  if (destinationChainId === undefined || destinationChainId === chainId) return undefined
  return {
    destinationChainId,
    mode: input.crosschainRouteMode,
    ignoreBridges: input.ignoreBridges,
    ...defined({ destinationBlockNumber }),
    ...(destinationFeeReceiver && { destinationFeeReceiver }),
    ...defined({ gasDrop }),
  }
}

/** Of a route over a bridge. */
export function crosschainFields({ crosschain }: Pick<RouteAnswer, 'crosschain'>) {
  if (!crosschain) return {}
  const { destinationBlock, bridgeFee, gasDrop, estimates } = crosschain
  return {
    destinationChainId: destinationBlock.chainId,
    destinationBlockNumber: Number(destinationBlock.number),
    bridgeFee: { native: bridgeFee.native.toString(), usd: bridgeFee.usd },
    ...(gasDrop && { gasDrop: { ...gasDrop, amount: gasDrop.amount.toString() } }),
    bridgingEstimates: estimates.map((one) => ({ ...one })),
  }
}
