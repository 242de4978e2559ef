/** One step of a route or a bundle, as the answer reports it. */
import type { Address } from './primitives.js'

export interface RouteLeg {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly protocol: string
  readonly pool: string
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
  readonly primary?: Address
  readonly internalRoutes?: readonly RouteLeg[]
  readonly args?: Readonly<Record<string, unknown>>
}
