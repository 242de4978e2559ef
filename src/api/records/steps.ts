/** The steps of an answer for the wire. */
import { defined } from '../../domain/defined.js'
import type { RouteAnswer } from '../../domain/engine.js'
import type { RouteLeg, RouteStepRecord } from '../../domain/route-step.js'

/** Plain copies with the fields in their documented order; optional fields only where they apply. */
export function toSteps(answer: Pick<RouteAnswer, 'route'>) {
  return answer.route.map((step) => ({
    action: step.action,
    protocol: step.protocol,
    ...venuesOf(step),
    tokenIn: [...step.tokenIn],
    tokenOut: [...step.tokenOut],
    positionInId: [...step.positionInId],
    positionOutId: [...step.positionOutId],
    chainId: step.chainId,
    ...defined({ sourceChainId: step.sourceChainId, destinationChainId: step.destinationChainId }),
    ...(step.primary && { primary: step.primary }),
    ...(step.internalRoutes && {
      internalRoutes: step.internalRoutes.map((leg) => ({ ...leg })),
      internalRouteSegments: step.internalRoutes.map((leg) => [toSegment(step, leg)]),
    }),
    ...(step.amountIn && { amountIn: step.amountIn.map(String) }),
    ...(step.amountOut && { amountOut: step.amountOut.map(String) }),
    ...(step.args && { args: { ...step.args } }),
  }))
}

/** A pool of a step, in the terms of the step. */
function toSegment(step: RouteStepRecord, leg: RouteLeg) {
  return {
    action: step.action,
    protocol: leg.protocol,
    primary: leg.primary,
    tokenIn: [leg.tokenIn],
    tokenOut: [leg.tokenOut],
    positionInId: [...step.positionInId],
    positionOutId: [...step.positionOutId],
  }
}

/** All protocols of a step over several, those that take most of its input first; of one, `protocol` says it. */
function venuesOf({ internalRoutes = [] }: RouteStepRecord) {
  const shares = new Map<string, number>()
  for (const { protocol, share } of internalRoutes) {
    shares.set(protocol, (shares.get(protocol) ?? 0) + share)
  }
  if (shares.size < 2) return {}
  return { protocols: [...shares].sort(([, a], [, b]) => b - a).map(([protocol]) => protocol) }
}
