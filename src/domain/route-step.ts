/** One step of a route or a bundle, as the answer reports it. */
import type { Address } from './primitives.js'

/** Slug under which steps wrap and unwrap the native token: a contract of every chain. */
export const wrappedNativeSlug = 'wrapped-native'

export interface RouteLeg {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly protocol: string
  /** Address, or 32-byte id where it has one. */
  readonly pool: string
  /** Contract that is called. */
  readonly primary: Address
  /** Part of the step's input, basis points. */
  readonly share: number
}

export interface RouteStepRecord {
  readonly action: string
  readonly protocol: string
  readonly tokenIn: readonly Address[]
  readonly tokenOut: readonly Address[]
  readonly positionInId: readonly string[]
  readonly positionOutId: readonly string[]
  readonly chainId: number
  /** Both chains are present for a step over a bridge only. */
  readonly sourceChainId?: number
  readonly destinationChainId?: number
  readonly primary?: Address
  readonly internalRoutes?: readonly RouteLeg[]
  /** Raw units in the simulation of the transaction, in the order of the tokens; absent where it does not tell them. */
  readonly amountIn?: readonly bigint[]
  readonly amountOut?: readonly bigint[]
  readonly args?: Readonly<Record<string, unknown>>
}

/** Price impact from which on an answer says what it means, basis points. */
const greatImpactBps = 1_000

export function isGreatImpact(priceImpact: number): boolean {
  return priceImpact >= greatImpactBps
}

/** For every answer with a price impact: a sentence where a tenth of the value or more is lost. */
export function impactWarnings(priceImpact: number | null): string[] {
  if (priceImpact === null || !isGreatImpact(priceImpact)) return []
  const percent = (priceImpact / 100).toFixed(1)
  return [
    `The price impact is ${priceImpact} bps: what comes out is worth ${percent} % less than what goes in.`,
  ]
}
