/**
 * What the service can do, as plain calls: the boundary between `api/` and `cli/` above and routing below.
 * Values are parsed: lower-case addresses, bigint amounts.
 */

import type { BridgeCheck, BridgeClaim, MessagingPool } from './bridges/check.js'
import type { FoundTransfers } from './bridges/found.js'
import type { LaneHistories } from './bridges/lane-history.js'
import type { BridgeName } from './bridges/names.js'
import type { CrosschainFacts, CrosschainTerms, DeliverySeconds } from './bridges/terms.js'
import type { BundleAnswer, BundleRequest, BundleResult, TransactionOutput } from './bundle.js'
import type { Caution } from './caution.js'
import type { StateOverlay } from './changes/overlay.js'
import type { WhatIf } from './changes/what-if.js'
import type { Deadline } from './deadline.js'
import type { Wire } from './errors.js'
import type { Explanation } from './explanation.js'
import type { HindsightAnswer, HindsightRequest } from './hindsight.js'
import type {
  Listing,
  NetworkRecord,
  Opportunity,
  ProtocolRecord,
  ReadinessReport,
  ServiceActionRecord,
  WalletBalance,
} from './metadata.js'
import type { RoutingStrategy, UnsignedTransaction } from './order.js'
import type { RoutePermit } from './permit.js'
import type { Address, BlockPin, Cost, Hex, Token, TokenAmount } from './primitives.js'
import type { RouteStepRecord } from './route-step.js'
import type { PoolChoice, RouterSettings } from './router-settings.js'
import type { MakerOffer, Makers } from './signed-order.js'
import type { SimulationRequest } from './state.js'
import type { TransactionTrace } from './trace.js'
import type { AnswerMarks, AutoSlippage, FoundSlippage } from './validity.js'

/** The amount that the sender gives of one token: raw units, > 0, fee included; 0 where `amountOut` decides. */
export interface RequestInput extends TokenAmount {
  /** Basis points of the amount; set for all inputs or for none. */
  readonly feeBps?: bigint
}

export interface RouteRequest {
  readonly chainId: number
  readonly fromAddress: Address
  readonly strategy: RoutingStrategy
  /** `user`: real funds are used and checked. `backend`: funds and allowance are overridden in the simulation. */
  readonly executionMode: 'user' | 'backend'
  /** Tokens are distinct, lower-case, native as its constant. */
  readonly inputs: readonly RequestInput[]
  readonly tokensOut: readonly Address[]
  /** Raw units of the only tokenOut, > 0: the least amount of the only input that gives so much is found. */
  readonly amountOut?: bigint
  /** Default: fromAddress. */
  readonly receiver?: Address
  readonly toEoa?: boolean
  /** Whose tokens are spent; another than fromAddress with the wallet strategy only, where it owns that wallet. */
  readonly spender?: Address
  readonly refundReceiver?: Address
  /** Exactly one of these: hundredths of a basis point (50 bps = 5000n), or the least of each tokenOut, in their order. */
  readonly limit:
    | { readonly kind: 'slippage'; readonly centiBps: bigint }
    | { readonly kind: 'minimum'; readonly minimums: readonly TokenAmount[] }
  /** In place of `limit`: what nearly all quotes before the block would have needed. Not across chains, nor with `amountOut`. */
  readonly autoSlippage?: AutoSlippage
  readonly feeReceiver?: Address
  readonly ignoreAggregators: readonly string[]
  readonly ignoreStandards: readonly string[]
  /** Printable ASCII, at most 16 characters. */
  readonly referralCode?: string
  readonly includeTransactionCost: boolean
  readonly includePriceImpact: boolean
  /** Whether to tell what the transaction does; default false. */
  readonly includeTrace?: boolean
  /** Whether the answer brings how its transaction was simulated, of which evidence is made; default false. */
  readonly includeSimulation?: boolean
  /** Absent: the newest pinned block. */
  readonly blockNumber?: bigint
  readonly deadlineMs?: number
  /** After which the transaction reverts; absent: never. */
  readonly deadline?: Deadline
  /** 16 bytes: of the sender's transactions with this tag only one can be carried out. Absent: each can. */
  readonly once?: Hex
  /** The one input comes by a signature of the sender, in place of an allowance. */
  readonly permit?: boolean
  /** True: nobody swaps ahead of it in its block. Absent: where that makes a pool dearer, somebody does. */
  readonly isFirstInBlock?: boolean
  /** Replaces the service's own settings. */
  readonly router?: RouterSettings
  readonly poolChoice?: PoolChoice
  /** Adds the record of the search to the answer; `timed`: with what each stage took. */
  readonly explain?: 'plain' | 'timed'
  /** Further transactions to find beside the best, 1 to 5; absent: none. For stated inputs on one chain. */
  readonly alternatives?: number
  /** Absent: the route stays on its chain. */
  readonly crosschain?: CrosschainTerms
}

/** The most transactions beside the best that one request may ask for. */
export const mostAlternatives = 5

/** A quote without a sender is calculated for an address that belongs to nobody. */
export type QuoteRequest = Omit<
  RouteRequest,
  'fromAddress' | 'deadline' | 'once' | 'permit' | 'includeTrace'
> & {
  readonly fromAddress?: Address
}

/** Quotes that a thread works on at the same time for one caller. */
export const quotesAtOnce = 8

/** Quotes at one block. Chain and block of the batch override those of each quote. */
export interface QuoteBatch {
  readonly chainId: number
  /** Absent: the newest pinned block. */
  readonly blockNumber?: bigint
  readonly requests: readonly QuoteRequest[]
  readonly deliverySeconds?: DeliverySeconds
}

/** `milliseconds`: wall time, beside the other quotes of the batch. */
export type QuoteOutcome = Wire<RouteAnswer> & { readonly milliseconds?: number }

export interface BatchAnswer {
  readonly block: BlockPin
  /** In the order asked; the failure of one quote is that quote's own error. */
  readonly quotes: readonly QuoteOutcome[]
}

/** A transaction that was found for a request, to be executed at another block. */
export interface ExecutionRequest {
  /** The request that it was found for: determines whose funds are overridden and what is measured. */
  readonly request: RouteRequest
  readonly tx: UnsignedTransaction
}

/** Gas, and what is to be known about it; absent: it is exact. */
export interface GasFacts {
  readonly gas: bigint
  readonly warnings?: readonly string[]
}

export type ExecutionAnswer =
  /** What the receiver gained of each tokenOut; at least the minimums. */
  | ({ readonly status: 'filled'; readonly outputs: readonly TokenAmount[] } & GasFacts)
  /** Where an output fell short, the reason contains `InsufficientOutput(token, minimum, actual)`. */
  | ({ readonly status: 'reverted'; readonly reason: string } & GasFacts)
  /** The transaction touched state that the node does not provide. */
  | { readonly status: 'unreadable'; readonly message: string }

/** The account of requests that have none: open mode, and the service's own work. */
export const noAccount: Hex = `0x${'0'.repeat(64)}`

/** Context of one call: who asks, and when to stop. */
export interface CallContext {
  /**
   * Background work that no client waits for, at one block of many: backtests. It runs in the capacity that live calls
   * leave, prefers fewer calls to nodes over fewer round trips, and does not evict what is cached for other blocks.
   */
  readonly isBackground?: boolean
  /** False for work that needs little of the state of a block, such as one transaction: what others needed is not read. */
  readonly readsAhead?: boolean
  /** bytes32 of the account, for the on-chain event; zero in open mode. */
  readonly accountId: `0x${string}`
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Milliseconds since the epoch at which the signal will be aborted, for work that can end with less; absent: never. */
  readonly deadline?: number
  /** What is different from the chain for this call. Not for background work. */
  readonly whatIf?: WhatIf
  /** What the caller may use of makers on the chain, the same for the whole call; absent: nothing. */
  orders?(chainId: number): readonly MakerOffer[]
  /** Makers that sign for a route or quote at the newest block; absent: none. */
  readonly makers?: Makers
  /**
   * What makers publish of the chain's next block, the same for the whole call; absent or null: nothing. Not for a call that
   * names its block, nor for background work.
   */
  overlay?(chainId: number): StateOverlay | null
  /** Called when an overlay is used: the answer is of the chain with it. */
  onOverlay?(overlay: StateOverlay): void
  /**
   * For a replayed request: what lanes of a bridge had cost and taken when it was recorded; null: it was not known. Absent:
   * the events of both chains are read.
   */
  laneHistories?(
    lanes: Pick<LaneHistories, 'bridge' | 'sourceChainId' | 'destinationChainId'>,
  ): LaneHistories | null
  /** Called with those that the answer may depend on. */
  onLaneHistories?(histories: LaneHistories): void
  /** For a replayed request: the newest block of each chain when the request was recorded. */
  readonly heads?: ReadonlyMap<number, bigint>
  /** Called with each block that the call is calculated at; `isHead`: it was used as the newest. */
  onBlock?(pin: BlockPin, isHead: boolean): void
}

/** Gas used at the next block's price. */
export interface GasCost extends Cost {
  /**
   * On top: posting the transaction to L1, and what the operator of an OP-stack chain asks; null when the chain does not
   * report it, absent where it costs nothing.
   */
  readonly l1DataFee?: Cost | null
}

/** Another transaction for the same request, proven at the same block; fields as those of RouteAnswer. */
export interface RouteAlternative
  extends Pick<
    RouteAnswer,
    | 'route'
    | 'gas'
    | 'outputs'
    | 'priceImpact'
    | 'tx'
    | 'gasCost'
    | 'permit'
    | 'warnings'
    | 'cautions'
  > {
  /**
   * What it is worth less than the best, both after gas, basis points with two decimals, negative where it is worth more;
   * null without prices, with several tokensOut, where the best is worth nothing, and with `withoutOverlay`.
   */
  readonly lossBps: number | null
  /** Proven on the chain as it is, while the best was calculated with an overlay; absent: as the best. */
  readonly withoutOverlay?: true
  /** Pools, by address or id, that the best or an alternative before this one uses as well; ascending. */
  readonly sharedPools: readonly string[]
}

export interface RouteAnswer {
  readonly chainId: number
  readonly route: readonly RouteStepRecord[]
  readonly gas: bigint
  /** In the order of tokensOut. */
  readonly outputs: readonly TransactionOutput[]
  /** Basis points with two decimals at most; null without USD prices. */
  readonly priceImpact: number | null
  readonly block: BlockPin
  readonly tx: UnsignedTransaction
  /** For a request with `amountOut`, raw units: what the transaction spends, and the same with slippage on top. */
  readonly input?: { readonly amountIn: bigint; readonly maxAmountIn: bigint }
  /** In the order of the inputs; present only with a fee. */
  readonly fees?: readonly TokenAmount[]
  readonly gasCost?: GasCost
  /** Present only where the request asks for it. */
  readonly permit?: RoutePermit
  /** Only where it was asked for; null where the transaction cannot be traced. */
  readonly trace?: TransactionTrace | null
  readonly explanation?: Explanation
  /** Only where it was asked for. */
  readonly simulation?: SimulationRequest
  /** Only where they were asked for; the best first, fewer than asked for where there are no more ways. */
  readonly alternatives?: readonly RouteAlternative[]
  readonly crosschain?: CrosschainFacts
  /** Absent: all. */
  readonly proof?: 'adaptive'
  /** Absent in a replay of a cassette that was recorded without them. */
  readonly marks?: AnswerMarks
  /** True: simulated behind a swap that makes a pool of it dearer; absent: as the first of its block. */
  readonly isBehindSwap?: boolean
  /** Only where it was to be measured. */
  readonly slippage?: FoundSlippage
  readonly warnings: readonly string[]
  /** What may move in its pools although nobody trades; absent: nothing that is known. */
  readonly cautions?: readonly Caution[]
}

/** A route into a position that has no token; fields as those of RouteRequest. */
export interface NontokenizedRequest
  extends Pick<
    RouteRequest,
    | 'chainId'
    | 'fromAddress'
    | 'strategy'
    | 'executionMode'
    | 'inputs'
    | 'feeReceiver'
    | 'refundReceiver'
    | 'spender'
    | 'ignoreAggregators'
    | 'ignoreStandards'
    | 'poolChoice'
    | 'referralCode'
    | 'blockNumber'
    | 'deadlineMs'
    | 'deadline'
    | 'crosschain'
  > {
  /** `chainId:primaryAddress:key`, of the destination where there is one. */
  readonly positionOut: string
  readonly receiver: Address
  /** Slippage in hundredths of a basis point. */
  readonly centiBps: bigint
}

export interface NontokenizedAnswer
  extends Omit<BundleResult, 'outputs' | 'payments' | 'inputs' | 'unprotected'> {
  readonly positionOut: string
  /** What enters the position of each underlying token. */
  readonly deposits: readonly TransactionOutput[]
  readonly crosschain?: CrosschainFacts
}

export interface PriceRecord {
  readonly chainId: number
  readonly address: Address
  readonly decimals: number
  /** USD per whole token. */
  readonly price: number
  readonly symbol?: string
  readonly name?: string
  /** Unix seconds of the block. */
  readonly timestamp: number
  /** 0 to 1. */
  readonly confidence: number
  readonly blockNumber: number
  readonly source: string
}

/** All methods throw ForkrouteError for every expected failure. */
export interface Engine {
  networks(): readonly NetworkRecord[]
  readiness(): ReadinessReport
  /** Slugs of the protocols that only swap, on one or any of the chains. @throws ForkrouteError UNKNOWN_CHAIN. */
  aggregators(chainId?: number): readonly string[]
  route(request: RouteRequest, context: CallContext): Promise<RouteAnswer>
  /** Answers like `route` with the sender's funds overridden, so that missing funds refuse nothing. */
  quote(request: QuoteRequest, context: CallContext): Promise<RouteAnswer>
  /** The same answers as `quote` gives at that block. Throws only for what fails all: the block, a client that left. */
  quotes(batch: QuoteBatch, context: CallContext): Promise<BatchAnswer>
  /**
   * Executes transactions on the state at the end of a block, each independently, with the senders' funds overridden.
   * Results in the order asked.
   * @throws ForkrouteError as `route` for what concerns all.
   */
  executions(
    chainId: number,
    blockNumber: bigint,
    requests: readonly ExecutionRequest[],
    context: CallContext,
  ): Promise<readonly ExecutionAnswer[]>
  /** The pinned block. @throws ForkrouteError UNKNOWN_BLOCK, CHAIN_NOT_READY, UPSTREAM_UNAVAILABLE. */
  block(chainId: number, at: bigint | 'latest', context: CallContext): Promise<BlockPin>
  /**
   * The newest block whose timestamp is not after the given one.
   * @param timestamp - unix seconds.
   * @throws ForkrouteError UNKNOWN_BLOCK when the chain began later.
   */
  blockAtTime(chainId: number, timestamp: bigint, context: CallContext): Promise<BlockPin>
  /**
   * Numbers of the blocks in the range (both ends included) in which one of the contracts emitted an event, ascending.
   * With `indexed`: one whose first indexed argument is one of these words.
   * @throws ForkrouteError STATE_UNAVAILABLE when no node serves logs.
   */
  changedBlocks(
    args: {
      readonly chainId: number
      readonly from: bigint
      readonly to: bigint
      readonly addresses: readonly Address[]
      readonly indexed?: readonly Hex[]
    },
    context: CallContext,
  ): Promise<readonly bigint[]>
  /**
   * Where what a transaction of a source chain has sent is, at the newest blocks; a bridge of null: over any.
   * @throws ForkrouteError NOT_FOUND: a bridge that is not installed, or a transaction that no node knows;
   * STATE_UNAVAILABLE in a replay.
   */
  bridgeCheck(
    args: {
      readonly bridge: BridgeName | null
      readonly chainId: number
      readonly transactionHash: Hex
    },
    context: CallContext,
  ): Promise<BridgeCheck>
  /**
   * What was sent over bridges from or to an account, by events of the newest blocks of all configured chains.
   * @throws ForkrouteError STATE_UNAVAILABLE where the nodes of no chain give events, and in a replay.
   */
  bridgeTransfers(address: Address, context: CallContext): Promise<FoundTransfers>
  /**
   * What can be claimed of what a transaction has burnt over CCTP, at the newest blocks: the first burn that can be.
   * @throws ForkrouteError NOT_FOUND: a transaction that no node knows; UPSTREAM_UNAVAILABLE: the service of attestations;
   * STATE_UNAVAILABLE in a replay.
   */
  cctpClaim(
    args: { readonly chainId: number; readonly transactionHash: Hex },
    context: CallContext,
  ): Promise<BridgeClaim>
  /** The contract that burns for CCTP; null where the chain has none. @throws ForkrouteError UNKNOWN_CHAIN. */
  cctpMessenger(chainId: number): Address | null
  /**
   * What mined swaps gave, and what our own transaction would have given in their place.
   * @throws ForkrouteError NOT_FOUND: no node knows the transaction, or it is not mined; STATE_UNAVAILABLE: in a replay,
   * and where no node gives the state of the block before; UNKNOWN_BLOCK.
   */
  hindsight(request: HindsightRequest, context: CallContext): Promise<HindsightAnswer>
  /**
   * Pools that send the token over LayerZero, one entry for each destination; null where no pool takes it.
   * @throws ForkrouteError UNKNOWN_CHAIN.
   */
  messagingPools(args: {
    readonly chainId: number
    readonly token: Address
    readonly destinationChainId?: number | undefined
    readonly destinationToken?: Address | undefined
  }): readonly MessagingPool[] | null
  /** Plans and simulates the actions as one transaction. */
  bundle(request: BundleRequest, context: CallContext): Promise<BundleAnswer>
  nontokenized(request: NontokenizedRequest, context: CallContext): Promise<NontokenizedAnswer>
  /**
   * The newest pinned block as soon as its hash is not `after`; blocks in between are skipped.
   * @param after - hash of a block; null: returns the newest at once.
   */
  headAfter(chainId: number, after: Hex | null, context: CallContext): Promise<BlockPin>
  /** In the order asked; null where no price is known. */
  prices(
    chainId: number,
    addresses: readonly Address[],
    blockNumber: bigint | undefined,
    context: CallContext,
  ): Promise<readonly (PriceRecord | null)[]>
  /** Base tokens known to the catalog, ordered by chain and address. */
  tokens(chainId?: number): readonly Token[]
  /**
   * Base tokens and positions, ordered by id. The first call reads the positions of the chain, which may take long;
   * later ones get the newest snapshot. Without a chain id, chains that cannot be read at present are left out.
   */
  listings(
    wanted: {
      readonly chainId?: number | undefined
      /** Reads nothing: a token counts as base until a snapshot lists it as a position. */
      readonly baseOnly?: boolean
    },
    context: CallContext,
  ): Promise<readonly Listing[]>
  /** Protocols that are on one of the chains. */
  protocols(): readonly ProtocolRecord[]
  /** Actions that a bundle performs without a protocol. */
  serviceActions(): readonly ServiceActionRecord[]
  wallet(
    args: {
      readonly chainId: number
      readonly fromAddress: Address
      readonly blockNumber?: bigint | undefined
    },
    context: CallContext,
  ): Promise<{
    readonly address: Address
    readonly isDeployed: boolean
    readonly owner: Address
    readonly chainId: number
    /** Per strategy the contract that its transactions call, which is also the one to allow tokens to. */
    readonly strategies: Readonly<Record<RoutingStrategy, Address>>
  }>
  approval(
    args: {
      readonly chainId: number
      readonly fromAddress: Address
      readonly strategy: RoutingStrategy
      readonly token: Address
      readonly amount: bigint
      readonly blockNumber?: bigint | undefined
    },
    context: CallContext,
  ): Promise<{ readonly tx: UnsignedTransaction; readonly spender: Address } & GasFacts>
  /** Those of the tokens that are on the chain at its newest pinned block, in their order. */
  presentTokens(
    args: { readonly chainId: number; readonly tokens: readonly Address[] },
    context: CallContext,
  ): Promise<readonly Address[]>
  /**
   * Positions to enter with an address's holdings or with a token: highest earnings first, each proven by a quote.
   * @throws ForkrouteError OPPORTUNITIES_DISABLED.
   */
  opportunities(
    args: {
      readonly chainId: number
      readonly of: { readonly kind: 'address' | 'token'; readonly address: Address }
      /** Raw units of the token; absent: one whole token. */
      readonly amountIn?: bigint | undefined
    },
    context: CallContext,
  ): Promise<readonly Opportunity[]>
  balances(
    args: {
      readonly chainId: number | 'all'
      readonly eoaAddress: Address
      readonly useEoa: boolean
      /** A block of the one chain. */
      readonly blockNumber?: bigint | undefined
    },
    context: CallContext,
  ): Promise<readonly WalletBalance[]>
}
