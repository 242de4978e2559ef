/** `forkroute/testing`: everything that it exports. `forkroute/testing/vitest` is `vitest.ts`. */
// biome-ignore-all lint/performance/noBarrelFile: the entry of the package
export type { ErrorCode } from '../domain/errors.js'
export { ForkrouteError } from '../domain/errors.js'
export type { BundleResult, PathPart, PriceResult, QuoteResult, RouteResult } from './answers.js'
export { createForkroute, type Forkroute, type ForkrouteOptions } from './forkroute.js'
export { type ExpectedRoute, type ForkrouteMatchers, forkrouteMatchers } from './matchers.js'
export type { Proof, ProvenAnswer } from './proven.js'
export type { BundleInput, PricesInput, QuoteInput, RouteInput } from './requests.js'
