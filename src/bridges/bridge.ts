/**
 * The one type of all bridges. A bridge is a folder beside this file and a line in `registry.ts`; its parameters on a
 * chain are in `bridges` of `src/chains`. No hosted service is asked: what a lane takes and gives follows from the state
 * of the source, and what has been sent follows from its logs.
 */
import type { Abi } from 'viem'
import type { ChainDefinition } from '../chains/chain.js'
import type { Probe } from '../chains/probe.js'
import type { BridgeFill, BridgeRetry, BridgeWithdrawal } from '../domain/bridges/check.js'
import type { LaneHistory } from '../domain/bridges/lane-history.js'
import type { LaterTransaction } from '../domain/bridges/terms.js'
import type { Amount, ExecutorStep } from '../domain/order.js'
import type { Address, BlockPin, Hex, TokenAmount } from '../domain/primitives.js'
import type { SimulationLog, SimulationRequest, StateReader } from '../domain/state.js'

/** One token that a bridge moves from one chain to another. Structured-clonable. */
export interface Lane {
  /** Slug of the bridge. */
  readonly bridge: string
  /** Symbol of the asset, the same on both sides. */
  readonly symbol: string
  readonly sourceChainId: number
  readonly destinationChainId: number
  /** Taken on the source; native as its constant. */
  readonly tokenIn: Address
  /** What a contract is paid on the destination; native as its constant. */
  readonly tokenOut: Address
  /** What an account without code is paid, where that is another token (Across unwraps for it). */
  readonly tokenOutToAccounts: Address
  /** The contract that is called on the source. */
  readonly primary: Address
  /** Whom the bridge pays on the destination where an order runs there. */
  readonly orderReceiver: Address
  /** Why no order runs where it delivers, a whole sentence for people; absent: one may. */
  readonly withoutOrders?: string
  /**
   * What has to be sent on the destination before it pays, in order; absent: nothing. Such a lane is taken only where the
   * request names its bridge.
   */
  readonly afterwards?: readonly LaterTransaction[]
  /** Our contracts that an order needs on the destination, besides those of its steps. */
  readonly orderContracts: readonly Address[]
  /** What the delivery usually takes; from the chain's configuration. */
  readonly estimatedSeconds: number
  /** What deliveries over the lane have cost and taken of late; absent: not known. */
  readonly history?: LaneHistory
  /** Whether its quotes have a `nativeFee` where those of its bridge usually have none; absent: as its bridge says. */
  readonly hasNativeFee?: boolean
  /** Decimals of `tokenIn` and `tokenOut`; absent where they are the same. */
  readonly decimals?: { readonly in: number; readonly out: number }
  /** The bridge's own: what its other methods need. */
  readonly details?: Readonly<Record<string, string | number>>
}

/** A deposit of another, by its event. Structured-clonable. */
export interface PastDeposit {
  readonly id: string
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Raw units of `tokenIn`. */
  readonly amountIn: bigint
  /** Raw units of `tokenOut`. */
  readonly amountOut: bigint
  /** Unix seconds. */
  readonly at: number
  readonly hasMessage: boolean
}

/** A delivery of another, by its event. Structured-clonable. */
export interface PastDelivery {
  readonly id: string
  /** Raw units of `tokenOut`. */
  readonly amountOut: bigint
  /** Unix seconds. */
  readonly at: number
}

/** Events of contracts, as nodes find them by topics. */
export interface EventFilter {
  /** Of several, any. */
  readonly address: Address | readonly Address[]
  readonly topics: readonly (Hex | null)[]
}

/** What is to be delivered. */
export interface DeliveryTerms {
  /** Who is paid on the destination: `orderReceiver` of the lane with a message, anybody without. */
  readonly receiver: Address
  /** For the DestinationReceiver; 0x: no order runs. */
  readonly message: Hex
  /** That the order's call must be given, with what the bridge's own contracts take around it; 0 without a message. */
  readonly gas: bigint
  /** Wei per gas of the destination. */
  readonly gasPrice: bigint
  /** Raw units of `lane.tokenOut` that the delivery costs whoever makes it, where the bridge leaves that to the sender. */
  readonly deliveryCost: bigint | null
  /** The same of a delivery without a message. */
  readonly plainDeliveryCost: bigint | null
  /** Asked for of bridges that have `hasGasDrop` alone. */
  readonly gasDrop?: GasDrop
  /** Wei, > 0, that come with the order's call: asked for of bridges that have `hasCallValue` alone. */
  readonly callValue?: bigint
  /** Before the source is final, for a fee: asked for of bridges that have `hasFastTransfers` alone. */
  readonly isFast?: boolean
}

/** Native token of the destination that the bridge pays an account besides, out of the messaging fee. */
export interface GasDrop {
  readonly receiver: Address
  /** Wei, > 0. */
  readonly amount: bigint
}

export interface LaneQuote {
  /** Raw units of `lane.tokenOut`. */
  readonly delivered: bigint
  /** Wei beside the amount. */
  readonly nativeFee: bigint
  /** The most that the lane takes at this block, raw units of `lane.tokenIn`; null: no limit is known. */
  readonly maximum: bigint | null
  /** Raw units of `lane.tokenIn` that it takes multiples of; what is left over is not taken. */
  readonly unit: bigint
  /** Gas of the source's transaction without swaps, where the block tells it better than `gasEstimate`. */
  readonly gas?: bigint
  /** What no chain state tells, such as whether a relayer has the funds; English sentences. */
  readonly warnings: readonly string[]
  /** The bridge's own: what `encode` needs of what was read. */
  readonly details?: Readonly<Record<string, string | number>>
}

/** Why a lane cannot be used for the amount at the block. */
export interface LaneRefusal {
  readonly reason:
    | 'paused'
    | 'no-credit'
    | 'too-much'
    | 'too-little'
    | 'unreadable'
    | 'no-pair'
    | 'no-order'
  /** A whole sentence for people. */
  readonly message: string
  /** Raw units of `lane.tokenIn`, where a limit is the reason. */
  readonly limit?: bigint
}

export interface EncodeArgs {
  readonly lane: Lane
  readonly terms: DeliveryTerms
  /** In the Executor; native among it. A whole balance of native has the fee in it, and what is left is the amount. */
  readonly amountIn: Amount
  /** The quote for the amount that is expected. */
  readonly quote: LaneQuote
  /** Raw units of `lane.tokenIn` that the quote is for: what an amount delivered is relative to. */
  readonly quotedAmountIn: bigint
  /** Wei to send beside the amount, at least the quote's; the surplus goes to `refundReceiver`. */
  readonly nativeFee: bigint
  /** Raw units of `lane.tokenOut` below which nothing may be sent. */
  readonly minimumDelivered: bigint
  /** Takes the surplus of the fee. */
  readonly refundReceiver: Address
  /**
   * Whose tokens are sent: gets back what nobody delivers, and may be able to redirect what is on its way, so that it is
   * nobody else.
   */
  readonly sender: Address
  /** Index of the first of the steps in the order, for references among them. */
  readonly firstStep: number
  readonly helpers: Readonly<Record<'Values', Address>>
}

/** What a source transaction has sent, from its logs. Structured-clonable. */
export interface Delivery {
  readonly bridge: string
  /** Names it at its bridge: guid, or number of the deposit. */
  readonly id: string
  readonly sourceChainId: number
  /** Null: a chain that is not configured. */
  readonly destinationChainId: number | null
  /** On the destination, as a contract is paid; native as its constant. The zero address where it is not known. */
  readonly token: Address
  /** Raw units of the token. */
  readonly amount: bigint
  /** Who called the bridge, as its event says: an account, or the Executor or wallet that acted for it. */
  readonly sender: Address
  readonly receiver: Address
  /** 0x: no order runs. */
  readonly message: Hex
  /** Block of the source that has it; absent where none has yet. */
  readonly sourceBlockNumber?: number
  /** The bridge's own: all that its other methods need, as strings and numbers. */
  readonly details: Readonly<Record<string, string | number>>
}

/** What is sent over a lane, and what comes of it. */
export interface LaneAmounts {
  /** Raw units of `lane.tokenIn`. */
  readonly sent: bigint
  /** Raw units of `lane.tokenOut`. */
  readonly delivered: bigint
}

/** How a delivery is simulated: `before` counts nowhere, the call is what is measured. */
export type DeliverySimulation = Pick<
  SimulationRequest,
  'from' | 'to' | 'data' | 'value' | 'before' | 'overrides' | 'gasLimit'
> & {
  /** Balance and allowance that its sender must be given, in raw units: more than it spends, as relayers have. */
  readonly funds?: TokenAmount & { readonly owner: Address; readonly spender: Address }
}

export interface DeliveryStatus {
  /**
   * `inflight`: sent and not delivered; `delivered`: and its order, if any, ran; `failed`: delivered, and the fallback
   * receiver was paid, or given up (expired); `unknown`: the state does not tell.
   */
  readonly status: 'inflight' | 'delivered' | 'failed' | 'unknown'
  /** Hash of the delivering transaction; null where no logs tell it. */
  readonly transactionHash: Hex | null
  /** Why it failed, or what holds it up: a whole sentence for people. */
  readonly error?: string
  /** What the order reverted with, its first 512 bytes, where logs tell it. */
  readonly revertData?: Hex
  /** A call on the destination that has it delivered after all, of anybody; absent where nothing is held up. */
  readonly retry?: BridgeRetry
  /** The call within `retry` that decides, whose reason the whole does not tell; absent: it does. */
  readonly cause?: Pick<SimulationRequest, 'from' | 'to' | 'data' | 'value' | 'gasLimit'>
  /** What is simulated in place of `retry`, where no fork can run that; absent: `retry` itself. */
  readonly instead?: NonNullable<DeliveryStatus['cause']>
  /** How far a withdrawal is, which takes transactions of its owner; absent: it is none. */
  readonly withdrawal?: BridgeWithdrawal
  /** A call that delivers it with its sender's own tokens, of anybody; absent where no such call is possible. */
  readonly fill?: BridgeFill
}

/** Reads logs of the destination; null where its nodes serve none. */
export type LogReader = (filter: {
  readonly address: Address
  readonly topics: readonly (Hex | null)[]
  /** Only those of this block. */
  readonly blockNumber?: bigint
}) => Promise<
  | readonly (SimulationLog & { readonly transactionHash: Hex; readonly blockNumber: bigint })[]
  | null
>

/** What only a node itself can answer, such as a call of a precompile of its chain; null where it does not, or reverts. */
export type NodeCall = (to: Address, data: Hex) => Promise<Hex | null>

/** An event and when it was left, unix seconds. */
export type PastLog = SimulationLog & { readonly timestamp: number }

/** How events tell what was sent over a bridge, and what became of it. */
export interface PastTransfers {
  /** Null: the bridge is not on the chain. */
  deposits(source: ChainDefinition, destinationChainId: number): EventFilter | null
  readDeposit(log: PastLog, source: ChainDefinition): PastDeposit | null
  deliveries(destination: ChainDefinition, sourceChainId: number): EventFilter | null
  readDelivery(log: PastLog): PastDelivery | null
  /** @param until - unix seconds up to which all deliveries are known. */
  history(
    lane: Lane,
    deposits: readonly PastDeposit[],
    deliveries: readonly PastDelivery[],
    until: number,
  ): LaneHistory
}

export interface BridgeAdapter {
  readonly slug: string
  readonly name: string
  /** Names that `ignoreBridges` knows it by, lower-case, its slug among them. */
  readonly names: readonly string[]
  /** Whether its quotes may have a `nativeFee`: what is sent as such must not be spent on the way to it. */
  readonly hasNativeFee: boolean
  /** Whether it pays an account on the destination native tokens besides what is sent. */
  readonly hasGasDrop: boolean
  /** Whether its messaging fee can buy native tokens of the destination for the order's call; absent: it cannot. */
  readonly hasCallValue?: boolean
  /** Whether it delivers sooner for a fee; absent: it does not. */
  readonly hasFastTransfers?: boolean
  /** Whether nobody delivers unasked, so that the receiver pays for the transaction that does; absent: somebody does. */
  readonly isClaimed?: boolean
  /** Whether the amount delivered follows from the gas of the delivery, whose cost is taken from it; absent: it does not. */
  readonly isPaidFromAmount?: boolean
  /**
   * Whether the sender may sign another receiver and message until the delivery is made: the contract at its address on the
   * destination decides what a signature of it is (EIP-1271), where it has code there.
   */
  readonly obeysSender: boolean
  /** How the events of both chains tell what deliveries have cost and taken; absent: they do not, or the state does. Pure. */
  readonly past?: PastTransfers
  /** Pure: by the definitions of both chains. */
  lanes(source: ChainDefinition, destination: ChainDefinition): Lane[]
  /** Pure: what must be on the chain; none where the bridge is not. */
  probes(chain: ChainDefinition): Probe[]
  /**
   * What the lane makes of the amount at the source's block.
   * @param args.amountIn - raw units of `lane.tokenIn`.
   * @param args.sender - the contract that will call the bridge.
   */
  quote(args: {
    readonly lane: Lane
    readonly terms: DeliveryTerms
    readonly amountIn: bigint
    readonly sender: Address
    readonly chain: ChainDefinition
    readonly reader: StateReader
    /** USD per whole token of the source; null where no price is known. */
    priceOf(
      token: Address,
    ): Promise<{ readonly decimals: number; readonly priceUsd: number } | null>
  }): Promise<LaneQuote | LaneRefusal>
  /** Rough gas of the transaction on the source without swaps, to compare lanes by: the simulation measures the real one. */
  gasEstimate(lane: Lane, terms: DeliveryTerms): bigint
  /** Whose own tokens a delivery pays out; absent where whoever delivers brings them. */
  poolOf?(delivery: Delivery, destination: ChainDefinition): Address | null
  /** Custom errors of its contracts. */
  readonly errorsAbi: Abi
  /** The end of the source's order. */
  encode(args: EncodeArgs): ExecutorStep[]
  /** The events on the chain that `deliveriesIn` reads, of all that send. Pure. */
  sentEvents(source: ChainDefinition): readonly EventFilter[]
  /**
   * In the order of the logs; of a simulation or a receipt.
   * @param known - chains that a delivery may go to; those of the registry unless others are given.
   */
  deliveriesIn(
    logs: readonly SimulationLog[],
    source: ChainDefinition,
    known?: readonly ChainDefinition[],
  ): Delivery[]
  /**
   * @param pin - of the destination, whose time it runs after.
   * @param gas - for the order's call, as in `DeliveryTerms`.
   */
  simulation(
    delivery: Delivery,
    destination: ChainDefinition,
    pin: BlockPin,
    gas: bigint,
  ): DeliverySimulation
  /**
   * What would be sent of other amounts at the same block, but for its id: to plan for what is expected before it is sent.
   * Absent: only what was sent tells. Pure.
   */
  withAmounts?(delivery: Delivery, amounts: LaneAmounts): Delivery
  /** Why a delivery whose transaction succeeds has failed, by its logs; absent where failed ones revert. */
  failureIn?(logs: readonly SimulationLog[]): string | null
  /** @param reader - of the destination's newest block. */
  status(
    delivery: Delivery,
    destination: ChainDefinition,
    reader: StateReader,
    logs: LogReader,
    callNode: NodeCall,
  ): Promise<DeliveryStatus>
}

/** What the DestinationReceiver keeps back for the fallback receiver. @see contracts/src/DestinationReceiver.sol, RESERVE */
const gasForFallback = 200_000n
/** Gas that the delivering contract itself uses, before and after it calls the DestinationReceiver. */
const gasBeforeOrder = 150_000n

/** Gas of the call that delivers, as in `DeliveryTerms`, for an order with this `minimumGas`. */
export function gasForOrder(minimumGas: bigint): bigint {
  // Each of two calls passes on 63/64 of what it has.
  return ((minimumGas + gasForFallback) * 64n * 64n) / (63n * 63n) + gasBeforeOrder
}

export function isRefusal(quoted: LaneQuote | LaneRefusal): quoted is LaneRefusal {
  return 'reason' in quoted
}
