/** `forkroute/client`: the service from TypeScript, in Node and in browsers. */
// biome-ignore-all lint/performance/noBarrelFile: the entry of a package.
export {
  type BacktestProgress,
  createForkrouteClient,
  type ForkrouteClient,
  type Quote,
  type QuoteBatch,
  type QuoteInput,
  type Route,
  type RouteInput,
} from './client.js'
export * from './errors.js'
export type { Executed, ExecuteOptions } from './execute.js'
export type { ExecutableRoute, Wallet } from './execution.js'
export { safeTransaction } from './safe.js'
export type { StreamEvent, StreamOptions } from './streams.js'
export type {
  AccountTransfers,
  BridgeState,
  TrackInput,
  TransferState,
  TransfersInput,
} from './track.js'
export type { CallOptions, ClientOptions } from './transport.js'
export { forkrouteActions } from './viem.js'
