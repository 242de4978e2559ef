/**
 * A protocol's positions, which are listed and valued, and the actions that a bundle performs on them.
 * Reached through `positions` and `actions` of a `ProtocolAdapter`; the core parses arguments, pulls tokens, pays outputs and simulates.
 */
import type { Abi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../chains/chain.js'
import { defined } from '../domain/defined.js'
import type { Amount, AmountRef, CallStep, ExecutorStep } from '../domain/order.js'
import type { Address, Hex, TokenAmount } from '../domain/primitives.js'
import type { SimulationLog, StateReader } from '../domain/state.js'
import type { Pool, Unreadable } from './pool.js'

/** The actions that protocols perform; the service itself performs the others: docs/how-to/bundles.md. */
export type ProtocolAction =
  | 'borrow'
  | 'deposit'
  | 'harvest'
  | 'mint'
  | 'redeem'
  | 'repay'
  | 'withdraw'

/** Whether the value that goes into an action comes out of it: false for debts and rewards. */
export const isPriced: Readonly<Record<ProtocolAction, boolean>> = {
  borrow: false,
  deposit: true,
  harvest: false,
  mint: true,
  redeem: true,
  repay: false,
  withdraw: true,
}

/** Identity of one position: what the catalog stores. JSON values only. */
export interface Position {
  readonly protocol: string
  /**
   * Lower-case and unique in chain and protocol: the address of the token, or the key of a position without one
   * (without colons inside).
   */
  readonly key: string
  /** Null for a position without a token. */
  readonly token: Address | null
  /** Contract that its actions take as `primaryAddress`. */
  readonly primaryAddress: Address
  readonly poolAddress: Address
  /** Name of the position at the protocol, e.g. `Aave Ethereum USDC`. */
  readonly name: string
  /** What distinguishes it from its siblings, e.g. `USDC`. */
  readonly subtitle: string
  /** In the protocol's order, lower-case. */
  readonly underlyingTokens: readonly Address[]
  readonly rewardTokens: readonly Address[]
  /** Constants that the actions need: market id, fee, asset … */
  readonly parameters: Readonly<Record<string, string | number | boolean | readonly string[]>>
}

/** Value and yield of a position at one block. Unknown values are null, never guessed. */
export interface PositionState {
  /** Raw units of the tokens that all holders together own through it, such as the underlying and interest. */
  readonly holdings: readonly TokenAmount[] | null
  /**
   * What one unit earns without rewards: a fraction per year that the contract states (0.05 = 5 %), or what one share
   * is worth, which the core compares with an earlier block.
   */
  readonly base:
    | { readonly kind: 'annual'; readonly rate: number }
    | { readonly kind: 'sharePrice'; readonly price: bigint }
    | null
  /** Raw units per year that all holders together receive on top. */
  readonly rewards: readonly { readonly token: Address; readonly perYear: bigint }[]
}

export interface PositionReadArgs {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
}

/** How an argument is written: lists take a single value too, and every amount may be a reference. */
export interface ArgumentTypes {
  address: Address
  addresses: readonly Address[]
  /** uint256, also ids of NFTs. */
  amount: Amount
  amounts: readonly Amount[]
  /** Signed and known in advance, e.g. a tick. */
  integer: number
  /** A single one becomes a list of one. */
  integers: readonly number[]
  /** 0x-prefixed. */
  bytes: Hex
  /** Hundredths of a basis point. */
  slippage: bigint
}

export interface ArgumentSpec {
  readonly kind: keyof ArgumentTypes
  /** One phrase for API clients, with the unit where there is one. */
  readonly description: string
  readonly optional?: boolean
}

type Specs = Readonly<Record<string, ArgumentSpec>>

/** Every action takes it: the recipient, in place of the bundle's receiver. */
const receiverArgument: ArgumentSpec = {
  kind: 'address',
  description: 'who gets what comes out',
  optional: true,
}
type Values<S extends Specs> = {
  readonly [N in keyof S as S[N]['optional'] extends true ? never : N]: ArgumentTypes[S[N]['kind']]
} & {
  readonly [N in keyof S as S[N]['optional'] extends true ? N : never]?: ArgumentTypes[S[N]['kind']]
}

export interface ActionContext {
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  /** State at the block of the bundle, without the effects of its earlier actions. */
  readonly reader: StateReader
  /** Runs the steps: makes the calls, spends the tokens and receives the results. */
  readonly runner: Address
  /**
   * The account that owns the debts and the positions without a token. Equals `runner` where an account runs its own
   * orders (delegate, wallet); otherwise the sender, since the Executor holds nothing between transactions.
   */
  readonly account: Address
  /** The owner of whatever is not returned to the runner: the argument `receiver`, else the bundle's. */
  readonly receiver: Address
  /** Unix seconds after which the transaction reverts, for calls that take a deadline. */
  readonly deadline: bigint
  /** Address of a contract of contracts/src/helpers; simulations place it where it is absent. */
  helper(name: string): Address
  /** The listed position of the protocol with that contract; null where none is. */
  positionOf(primaryAddress: Address): Promise<Position | null>
  /** The amount as a number: a literal as it is, a reference by simulating the actions before this one. */
  valueOf(amount: Amount): Promise<bigint>
  /** @returns index of the step, for `{ ref: 'output', step }`. */
  add(step: ExecutorStep): number
  /** Throws INVALID_REQUEST with the action's index, the argument and the expectation. */
  refuse(argument: string, expected: string): never
}

export interface ActionOutput {
  /** Null: not an amount of a token, such as the id of an NFT. */
  readonly token: Address | null
  /** A reference, or a bigint where the action states exactly what it yields (a borrowed amount). */
  readonly amount: Amount
  /** True when the action has paid it to `receiver` itself, so that none of it lies in the runner. */
  readonly isPaid?: boolean
  /** True for a name, such as that of an NFT: more or less of it means nothing. */
  readonly isId?: boolean
}

/** Something besides the outputs that must not fall short of the simulation, such as the liquidity of an NFT. */
export interface Enforced {
  /** Checked when the action is done. */
  readonly amount: Amount
  readonly stated?: StatedMinimums
}

/** Minimums that a call takes among its arguments, filled in once a simulation has shown what it does. */
export interface StatedMinimums {
  /** The step that was added, without minimums. */
  readonly step: CallStep
  /**
   * What the call did, in the order of the minimums; null where the events do not say.
   * @param logs - of the transaction, up to the end of the action.
   */
  amounts(logs: readonly SimulationLog[]): readonly TokenAmount[] | null
  /** The call with its minimums, raw units. */
  filled(minimums: readonly bigint[]): CallStep
}

/** A call that the account must have made before, such as letting the runner borrow in its name. */
export interface Prerequisite {
  /** The sender of the call; absent: the account. Differs for a wallet, whose owner may have to make the call. */
  readonly from?: Address
  readonly to: Address
  readonly data: Hex
  /** One phrase, e.g. `let the executor borrow USDC`. */
  readonly purpose: string
}

export interface ActionResult {
  /** Tokens that the steps take out of the runner. Amounts known in advance are pulled from the sender. */
  readonly spends: readonly { readonly token: Address; readonly amount: Amount }[]
  /** Outputs that later actions may refer to, in order; a reference without an index means the first. */
  readonly outputs: readonly ActionOutput[]
  readonly enforced?: Enforced
  /** What the action takes of the account beside its tokens, such as shares: no more than in the simulation. */
  readonly atMost?: AmountRef
  /** Other tokens that may be left in the runner, e.g. the dust of a join. */
  readonly leftovers?: readonly Address[]
  /** Simulated first where funds are overridden; must be in place already where funds are checked. */
  readonly prerequisites?: readonly Prerequisite[]
  /** Contract of the positions, where `primaryAddress` may be left out. */
  readonly primary?: Address
  /** Keys of the positions that are left and entered. */
  readonly positionsIn?: readonly string[]
  readonly positionsOut?: readonly string[]
}

export interface ActionDefinition<S extends Specs = Specs> {
  readonly action: ProtocolAction
  /** Display name, e.g. `Supply`. */
  readonly name: string
  /** Functions of the protocol that it calls. */
  readonly functionNames: readonly string[]
  /** True: its `tokenIn` names a contract, of which nothing is taken. */
  readonly spendsNothing?: boolean
  /** Every argument except `receiver`, which all actions take. */
  readonly inputs: S
  build(
    args: Values<S> & { readonly receiver?: Address },
    context: ActionContext,
  ): Promise<ActionResult>
}

/** Besides the receiver, of the actions that act on somebody's account. */
const onBehalfOf: Readonly<Partial<Record<ProtocolAction, ArgumentSpec>>> = {
  deposit: { kind: 'address', description: 'the same as receiver', optional: true },
  repay: { kind: 'address', description: 'whose debt it is; by default your own', optional: true },
}

/** All arguments of an action, those that several have last. */
export function argumentsOf({
  action,
  inputs,
}: Pick<ActionDefinition, 'action' | 'inputs'>): Specs {
  const spec = onBehalfOf[action]
  return { ...inputs, receiver: receiverArgument, ...defined({ onBehalfOf: spec }) }
}

/** Infers the types of `build`'s arguments. */
export function defineAction<const S extends Specs>(action: ActionDefinition<S>): ActionDefinition {
  return action as unknown as ActionDefinition
}

/** What a token of a position stands for: so many of its raw units own these amounts, before any fee for leaving. */
export interface Holdings {
  /** Raw units of the position's token, > 0. */
  readonly shares: bigint
  /** Raw units of each token that a withdrawal in proportion pays. Native as the native constant. */
  readonly amounts: readonly TokenAmount[]
  /**
   * Where a market says it, which anybody may have opened: what lies in it, of the same tokens. Of several markets the deepest counts,
   * and none of less than 1,000 USD. Absent: it is no matter of a market.
   */
  readonly depth?: readonly TokenAmount[]
}

export interface PositionAdapter<State = unknown> {
  /** Every position of the protocol at the block, in bulk. @param args.pools - known pools of this protocol. */
  list(
    args: PositionReadArgs & { readonly pools: readonly Pool[] },
  ): Promise<{ readonly positions: Position[]; readonly unreadable: Unreadable[] }>
  /**
   * Tokens of the pool that a key begins with, none when there is no such pool: a position of it can be entered also
   * where nobody has listed the pool. Absent: the list does not depend on which pools are known.
   */
  tokensOf?(args: {
    readonly reader: StateReader
    readonly key: string
  }): Promise<readonly Address[]>
  /**
   * Finds which of the given tokens are positions of this protocol, with their underlying tokens: routes to and from
   * them lead through these. In bulk; absent: its positions are no tokens, or the protocol has none.
   */
  underlying?(args: {
    readonly reader: StateReader
    readonly chain: ChainDefinition
    readonly venue: VenueParameters
    readonly tokens: readonly Address[]
  }): Promise<ReadonlyMap<Address, readonly Address[]>>
  /** True: balances of the tokens that `underlying` finds change by themselves. */
  readonly rebases?: true

  /**
   * What a position's token is made of in the state: its price follows from the prices of that. Pure.
   *
   * @returns null where the pool does not issue the token, nothing of it exists, or the state does not say.
   */
  holdings?(pool: Pool, state: State, token: Address): Holdings | null
  /** In the order asked, in bulk. */
  read(
    args: PositionReadArgs & { readonly positions: readonly Position[] },
  ): Promise<(PositionState | Unreadable)[]>
  /**
   * How to enter a position without a token from its underlying tokens: the parsed arguments of its `deposit`.
   * Absent: positions have tokens and are entered by swap edges.
   *
   * @param amounts - passed into the arguments unchanged, whether they are known or not.
   */
  enter?<A>(
    position: Position,
    amounts: readonly { readonly token: Address; readonly amount: A }[],
  ): Readonly<Record<string, unknown>>
  /** Share of the value for each underlying token, basis points; absent: equal parts. */
  enterShares?(args: PositionReadArgs & { readonly position: Position }): Promise<readonly number[]>
}

/** What bundles can do on the protocol's positions. */
export interface ActionAdapter {
  readonly definitions: readonly ActionDefinition[]
  /** Errors of the protocol's contracts, to decode why an action failed. */
  readonly errorsAbi?: Abi
  /** Translates a revert string of the protocol (Aave's are numbers); null: the string explains itself. */
  explain?(reason: string): string | null
}
