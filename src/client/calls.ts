/** The endpoints by the names that the client gives them, with their inputs and answers. */
import type { operations } from './generated/schema.js'

/** What an endpoint is called here. Where an endpoint may be asked by GET and by POST, it is asked by POST. */
export const calls = {
  route: 'postRoute',
  quote: 'postQuote',
  quotes: 'postQuotes',
  nontokenizedRoute: 'getNontokenizedRoute',
  bundle: 'postBundle',
  plan: 'postPlan',
  multichainRoute: 'postMultichainRoute',
  bridgeCheck: 'getBridgeCheck',
  layerzeroPool: 'getLayerzeroPool',
  stargatePool: 'getStargatePool',
  ccipRouter: 'getCcipRouter',
  cctpTokenMessenger: 'getCctpTokenMessenger',
  cctpClaim: 'getCctpClaim',
  networks: 'getNetworks',
  block: 'getBlock',
  price: 'getPrice',
  prices: 'getPrices',
  aggregators: 'getAggregators',
  accountId: 'getAccountId',
  tokens: 'getTokens',
  positions: 'getPositions',
  defiTokens: 'getDefiTokens',
  baseTokens: 'getBaseTokens',
  tokenlessPositions: 'getTokenlessPositions',
  nontokenizedPositions: 'getNonTokenized',
  projects: 'getProjects',
  projectProtocols: 'getProjectProtocols',
  protocols: 'getProtocols',
  standards: 'getStandards',
  standard: 'getStandard',
  actions: 'getActions',
  shortcutActions: 'getShortcutActions',
  protocolActions: 'getProtocolActions',
  wallet: 'getWallet',
  approval: 'getApproval',
  balances: 'getBalances',
  opportunities: 'getOpportunities',
  opportunitiesOfToken: 'getOpportunitiesOfToken',
  createBacktest: 'createBacktest',
  backtests: 'listBacktests',
  backtest: 'getBacktest',
  removeBacktest: 'removeBacktest',
  cancelBacktest: 'cancelBacktest',
  resumeBacktest: 'resumeBacktest',
  backtestResults: 'getBacktestResults',
  backtestSummary: 'getBacktestSummary',
  hindsight: 'postHindsight',
  pools: 'getPools',
  exportPools: 'exportPools',
  importPools: 'importPools',
  poolIndex: 'getPoolIndex',
  importOrders: 'importOrders',
  orders: 'getOrders',
  removeOrders: 'removeOrders',
  cassettes: 'getCassettes',
  cassette: 'getCassette',
  recording: 'getRecording',
  checkCassette: 'checkCassette',
  runSuite: 'runSuite',
  checks: 'getChecks',
  check: 'getCheck',
  keys: 'getKeys',
  createKey: 'createKey',
  disableKey: 'disableKey',
  contents: 'getContents',
  system: 'getSystem',
  configuration: 'getConfiguration',
  doctor: 'getDoctor',
  identity: 'getIdentity',
  health: 'getHealth',
  readiness: 'getReadiness',
} as const satisfies Readonly<Record<string, keyof operations>>

/** Endpoints that answer with a stream of events. */
export const streams = {
  streamQuotes: 'streamQuotes',
  followBacktest: 'followBacktest',
  track: 'trackTransfer',
  trackTransfers: 'trackTransfers',
} as const satisfies Readonly<Record<string, keyof operations>>

type Json<T> = T extends { readonly content: { readonly 'application/json': infer Body } }
  ? Body
  : never
type Known<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>
/** The bare list of a bundle's actions is `actions` of the object that may take its place. */
type ObjectBody<T> = [T] extends [never] ? unknown : T extends readonly unknown[] ? never : T
type BodyOf<O> = O extends { readonly requestBody?: infer R }
  ? ObjectBody<Json<NonNullable<R>>>
  : unknown
type Place<O, K extends 'path' | 'query'> = O extends { readonly parameters: infer P }
  ? K extends keyof P
    ? Known<P[K]>
    : unknown
  : unknown
type Simplify<T> = { readonly [K in keyof T]: T[K] }

/** All inputs of an operation in one object. */
export type InputOf<Id extends keyof operations> = Simplify<
  Place<operations[Id], 'path'> & Place<operations[Id], 'query'> & BodyOf<operations[Id]>
>
/** The answer, amounts as bigint. */
export type AnswerOf<Id extends keyof operations> = operations[Id] extends {
  readonly responses: { readonly 200: infer R }
}
  ? Json<R>
  : never
