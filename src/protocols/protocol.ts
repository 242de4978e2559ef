/**
 * The one type that hides every difference between protocols from the core.
 * A new protocol is one folder beside this file and one line in `registry.ts`.
 */
import type { ChainDefinition, VenueParameters } from '../chains/chain.js'
import type { Probe } from '../chains/probe.js'
import type { PoolCaution } from '../domain/caution.js'
import type { HooksFinding } from '../domain/hooks.js'
import type { Amount, ExecutorStep, SwapHop } from '../domain/order.js'
import type { Address, Hex } from '../domain/primitives.js'
import type { SimulationLog, StateOverrides, StateReader } from '../domain/state.js'
import type { Pool, Unreadable } from './pool.js'
import type { PoolEvents } from './pool-events.js'
import type { ActionAdapter, PositionAdapter } from './positions.js'

export interface DiscoverArgs {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  /** Unordered pairs to look up; native is already replaced by its wrapped token. */
  readonly pairs: readonly (readonly [Address, Address])[]
}

export interface LoadedPool<State = unknown> {
  readonly pool: Pool
  readonly state: State
  /** True when part of the state could not be read: math is an estimate, the simulation decides. */
  readonly partial: boolean
  /** Where a swap ahead in the same block makes the pool dearer: the state counts on one. Absent: it makes no difference. */
  readonly ahead?: SwapAhead<State>
  /** The reach that the state was loaded with; absent: 1. */
  readonly reach?: number
  /** What running its hooks told; absent: they were not run. */
  readonly finding?: HooksFinding
}

/** A swap of somebody else's in a pool, which the next one in the block pays for although it moves no price. */
export interface SwapAhead<State = unknown> {
  /** What it leaves, for simulations. */
  readonly overrides: StateOverrides
  /** The state of the pool without it. */
  readonly firstState: State
}

/** Which token of a pool goes in, and which comes out. */
export interface Direction {
  readonly tokenIn: Address
  readonly tokenOut: Address
}

export interface Swap<State = unknown> {
  /** Raw units of tokenOut, rounded as the contract rounds. */
  readonly amountOut: bigint
  /** False: an estimate for ranking only (state readable in part, or a sampled pool). True: equals the chain to the wei. */
  readonly exact: boolean
  /** The state after the swap, as a new value, or the same where nothing changes; computed when it is asked. Pure. */
  readonly after: () => State
}

export interface EndorsementArgs {
  readonly reader: StateReader
  readonly venue: VenueParameters
  readonly pool: Pool
  /** The service's own record of the pool; null: it lists none. */
  readonly listed: Pool | null
  /** Whether the chain's file or a token list of the operator names the token, so that it is no stranger. */
  isNamed(token: Address): boolean
}

export interface EncodeSwapArgs<State = unknown> {
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  readonly pool: Pool
  readonly state: State
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** What the Executor spends; usually `{ref: 'balance', token: tokenIn}`. */
  readonly amountIn: Amount
  /** The Executor that runs the steps. */
  readonly executor: Address
  /** Addresses by name of the `helperContracts` that the adapter declares. */
  readonly helpers: Readonly<Record<string, Address>>
  /** Receives tokenOut: the Executor, or the next recipient where the protocol can pay it directly. */
  readonly recipient: Address
  /** Unix seconds, for calls that take one; absent: none. */
  readonly deadline?: bigint
  /** True when tokenIn lies at `prepaidAt` already: the Executor spends nothing. */
  readonly isPrepaid?: boolean
  /** Index in the order of the first of these steps, for references to their results; absent: 0. */
  readonly firstStep?: number
}

/** How a protocol is told from the others, on the wire and to people. */
export interface ProtocolIdentity {
  /** kebab-case, versioned, never reused: the `protocol` of route steps and of `ignoreStandards`. */
  readonly slug: string
  readonly name: string
  readonly project: string
  readonly category: string
  readonly url: string
  readonly description: string
  /** Slug of the protocol whose code this one runs with other parameters. */
  readonly forkOf?: string
}

/** Pools that routes lead through: finding them, their math, and the calls that swap. */
export interface Swaps<State = unknown> {
  /** Pools of this protocol for the given pairs at the block. Reads only through `reader`, in bulk. */
  discover(
    args: DiscoverArgs,
  ): Promise<{ readonly pools: Pool[]; readonly unreadable: Unreadable[] }>

  /**
   * State of many pools in bulk, in the order asked. A pool that cannot be read at all is an Unreadable.
   * A pool without liquidity still has a state; its quotes are 0.
   */
  load(args: {
    readonly reader: StateReader
    readonly chain: ChainDefinition
    readonly venue: VenueParameters
    readonly pools: readonly Pool[]
    /** How many times as far from the price as usual state is read, where protocols read a part of it; absent: 1. */
    readonly reach?: number
    /**
     * Tokens whose balances change by themselves, so that a pool may hold less than it counts on; absent: what pools count
     * on is believed.
     */
    readonly rebasing?: ReadonlySet<Address>
  }): Promise<(LoadedPool<State> | Unreadable)[]>

  /**
   * A swap in the state. Pure, no I/O, never throws on amounts: 0n comes out where the pool cannot serve it.
   * @param amountIn - raw units, > 0, fee not yet taken.
   */
  swap(pool: Pool, state: State, direction: Direction, amountIn: bigint): Swap<State>

  /**
   * What `swap` gives, for ranking, in floating point: to 1e-9 and the units that rounding takes. Only by + - * / and
   * square roots, which are the same on every machine. Pure. Absent: by `swap`.
   * @returns raw units of tokenOut by raw units of tokenIn, > 0; may remember what helps with other amounts.
   */
  estimator?(pool: Pool, state: State, direction: Direction): (amountIn: number) => number

  /**
   * Whether the swap goes beyond the part of the state that was read, so that `load` with a greater reach tells more. Pure.
   * Absent: `load` reads all that swaps use.
   */
  isBeyondKnown?(pool: Pool, state: State, direction: Direction, amountIn: bigint): boolean

  /**
   * Key of state that the pool shares with others of the protocol, such as the reserves of a pair that also sells its
   * shares: one swap changes the quotes of all of them, so no path and no split uses two. Absent: the state is its own.
   */
  sharedState?(pool: Pool): string

  /**
   * Rough gas that one more swap adds to a transaction, for ranking only: the simulation measures the real one.
   * Fitted to simulated candidates on the sandbox (docs/explanation/decisions.md).
   */
  gasEstimate(pool: Pool, state: State): bigint

  /** Steps that swap inside the Executor. */
  encodeSwap(args: EncodeSwapArgs<State>): ExecutorStep[]

  /** True when `encodeSwap` can pay `recipient` directly (saves one transfer). */
  readonly paysRecipient: boolean

  /** Whether it can so pay this token, where the direction or the pool decides. Absent: any. */
  canPay?(pool: Pool, state: State, tokenOut: Address): boolean

  /**
   * Where `encodeSwap` accepts tokenIn paid in advance by the swap before it. Absent: the Executor pays.
   */
  prepaidAt?(pool: Pool, state: State): Address | undefined

  /** The swap as a hop of `Router.swap()`, which needs no Executor; null where steps are needed. Absent: always. */
  swapHop?(pool: Pool, tokenIn: Address, state: State): SwapHop | null

  /**
   * Where the venue's factory makes the pool of two tokens, in their order, if that follows from them alone: at this address
   * lies no other contract. Pure. Absent: it does not follow.
   */
  pairAt?(venue: VenueParameters, tokens: readonly [Address, Address]): Address

  /** Name of the action in route steps, where it is not `swap`. */
  action?(pool: Pool, tokenIn: Address, tokenOut: Address): string

  /**
   * Slots of `pool.address` that a swap reads besides those that `load` reads. On a cold block they are read ahead in
   * bulk for the candidates, since a fork would read them one after the other.
   */
  swapSlots?(pool: Pool, state: State): readonly Hex[]

  /**
   * Raw units of tokenOut that the pool paid, by the logs of a transaction with one swap in it. For contracts that hold
   * many pools: what goes on to the next of them is not transferred. Absent: the transfers tell it.
   */
  paidInLogs?(pool: Pool, tokenOut: Address, logs: readonly SimulationLog[]): bigint | null

  /**
   * What a swap gives changes only in blocks in which the pool's contract emits an event, and not with time, as long as the
   * tokens stay what they are. `unmeasured`: only where the order states what the pool was paid, since what it was sent
   * besides, without an event of its own, would count too. `hop`: only as a hop of `Router.swap()`, and the contract holds
   * many pools, whose events have the id of the pool as their first indexed argument. Absent: not known.
   */
  readonly changesOnlyWithEvents?: 'always' | 'unmeasured' | 'hop'

  /**
   * What may move in the pool between an answer and its transaction although nobody trades there, as far as its state
   * tells. Pure. Absent: nothing does.
   */
  cautions?(pool: Pool, state: State): readonly PoolCaution[]

  /** Tokens of the venue whose balances change by themselves: pools of any protocol that hold one move. Absent: none. */
  rebasingTokens?(venue: VenueParameters): readonly Address[]

  /** Our contracts (in contracts/src/helpers) that `encodeSwap` calls; simulations place them where they are absent. */
  readonly helperContracts?: readonly string[]
}

/** What tells whose word the protocol's contracts, and its figures, are. */
export interface Trust<State = unknown> {
  /**
   * What tells that the contracts of the venue's parameters are those that they are taken for: one call or more to each.
   * Pure. Absent: the protocol has no parameters that are addresses.
   */
  probes?(venue: VenueParameters, chain: ChainDefinition): Probe[]

  /**
   * A contract that takes part in swaps and whose code anybody may have written: hooks, an oracle that is asked for
   * rates, a vault or a pool for which no registry vouches. Null: only code of the protocol runs. Absent: always so.
   */
  foreignCode?(pool: Pool, state: State, venue: VenueParameters): Address | null

  /**
   * Whether the token of a pool that could be loaded is a contract of the protocol itself, so that nobody else wrote its code. Pure.
   * Absent: none is.
   */
  isOwnToken?(pool: Pool, token: Address): boolean

  /**
   * Whether what `holdings` goes by is the word of contracts for which the protocol vouches. False where that cannot be
   * read. Absent: where `foreignCode` names nobody, or the service lists the pool.
   */
  isEndorsed?(args: EndorsementArgs): Promise<boolean>

  /**
   * True where quotes do not show what a token is worth: the rate is claimed by a contract that anybody may deploy, or
   * code unknown to the adapter takes part in the swap. Routes use such pools, since they are simulated; prices do not.
   * @param token - the token of the pool to be priced; absent: any.
   */
  isNoPriceSource?(pool: Pool, token?: Address): boolean
}

/**
 * One protocol. Whatever it can do is an object of its own, and absent where it cannot: nobody has to ask in another way
 * whether it swaps, or has positions.
 */
export interface ProtocolAdapter<State = unknown> extends ProtocolIdentity {
  readonly swaps?: Swaps<State>
  /** Absent: only code of the protocol runs, and its parameters name no contracts. */
  readonly trust?: Trust<State>
  /** How events tell of new pools, for the index of all pools; absent: the venue leaves none. */
  readonly index?: PoolEvents
  /** Positions, which are listed, valued and entered; absent: it has none. */
  readonly positions?: PositionAdapter<State>
  /** What bundles can do on positions; absent: nothing. */
  readonly actions?: ActionAdapter
}

/** A protocol that swaps. */
export interface SwapAdapter<State = unknown> extends ProtocolAdapter<State> {
  readonly swaps: Swaps<State>
}

/** Whether routes may lead through the protocol. */
export function canSwap(adapter: ProtocolAdapter): adapter is SwapAdapter {
  return adapter.swaps !== undefined
}

/** Does nothing at run time; infers State and marks the one entry of a folder. */
export function defineProtocol<State>(adapter: SwapAdapter<State>): SwapAdapter<State>
export function defineProtocol(adapter: ProtocolAdapter): ProtocolAdapter
export function defineProtocol(adapter: ProtocolAdapter): ProtocolAdapter {
  return adapter
}
