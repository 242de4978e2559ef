/** The steps of an answer on the wire. */
import { z } from 'zod'
import { defined } from '../../domain/defined.js'
import type { RouteAnswer } from '../../domain/engine.js'
import type { RouteLeg, RouteStepRecord } from '../../domain/route-step.js'
import { Address, ChainId, Wei } from './record-parts.js'

const RouteSegment = z
  .object({
    action: z.string(),
    protocol: z.string(),
    primary: Address.optional(),
    tokenIn: z.array(Address),
    tokenOut: z.array(Address),
    positionInId: z.array(z.string()),
    positionOutId: z.array(z.string()),
  })
  .meta({ id: 'RouteSegment', description: 'One pool of a route step.' })

export const RouteStep = z
  .object({
    action: z.string(),
    protocol: z.string().meta({
      description: 'Slug of the protocol; of several, that of the pool which takes most.',
    }),
    protocols: z.array(z.string()).optional().meta({
      description:
        'Of a step over several protocols the slugs of all, those that take most of its input first.',
    }),
    tokenIn: z.array(Address),
    tokenOut: z.array(Address),
    positionInId: z.array(z.string()),
    positionOutId: z.array(z.string()),
    chainId: ChainId,
    sourceChainId: ChainId.optional().meta({
      description: 'Of a bridge: the chain it leads from.',
    }),
    destinationChainId: ChainId.optional().meta({
      description: 'Of a bridge: the chain it leads to. The steps after it are there.',
    }),
    primary: Address.optional(),
    internalRoutes: z
      .array(
        z.object({
          tokenIn: Address,
          tokenOut: Address,
          protocol: z.string(),
          pool: z
            .string()
            .meta({ description: 'Its address, or its 32-byte id where it has one.' }),
          share: z.number().meta({ description: "Part of the step's input, basis points." }),
          primary: Address.meta({ description: 'Contract that is called.' }),
        }),
      )
      .optional()
      .meta({ description: 'The pools that one step swaps in.' }),
    internalRouteSegments: z
      .array(z.array(RouteSegment))
      .optional()
      .meta({
        description:
          'The same pools as ways beside each other, each a list of segments one after the other, as clients of this ' +
          'family of APIs have typed internalRoutes.',
      }),
    amountIn: z
      .array(Wei)
      .optional()
      .meta({
        description:
          'What the step took in the simulation of the transaction, in the order of tokenIn; absent where the simulation ' +
          'does not tell.',
      }),
    amountOut: z
      .array(Wei)
      .optional()
      .meta({ description: 'What it gave, in the order of tokenOut; likewise.' }),
    args: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'RouteStep' })

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
    ...defined({
      sourceChainId: step.sourceChainId,
      destinationChainId: step.destinationChainId,
      primary: step.primary,
    }),
    ...(step.internalRoutes && {
      internalRoutes: step.internalRoutes.map((leg) => ({ ...leg })),
      internalRouteSegments: step.internalRoutes.map((leg) => [toSegment(step, leg)]),
    }),
    ...defined({ amountIn: step.amountIn?.map(String), amountOut: step.amountOut?.map(String) }),
    ...defined({ args: step.args && { ...step.args } }),
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
