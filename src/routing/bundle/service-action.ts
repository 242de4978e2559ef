/**
 * The one type of the service's own actions: their arguments, the checks that need no chain state, and the steps that
 * they become. One file each in `actions/`, one line in its registry.
 */
import type { AbiFunction } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import type { Reference, TypedAction } from '../../domain/bundle.js'
import type { Amount, ExecutorStep } from '../../domain/order.js'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type {
  ActionOutput,
  ActionResult,
  ArgumentSpec,
  ArgumentTypes,
} from '../../protocols/positions.js'
import type { ProtocolAdapter } from '../../protocols/protocol.js'
import type { BundleContext } from './bundle-context.js'
import type { PlannedStep } from './planned-steps.js'

/** Kinds of arguments besides those of protocol actions. */
interface OwnTypes {
  text: string
  texts: readonly string[]
  /** A human-readable function signature. */
  signature: AbiFunction
  /** JSON values whose types another argument gives; references inside are not resolved yet. */
  values: readonly unknown[]
  /** JSON values by name; references inside are not resolved. */
  fields: Readonly<Record<string, unknown>>
  /** True or false, or an amount that is 0 or not. */
  condition: Amount
  /** A literal number, because the sender has signed it. */
  signed: bigint
  /** The output of an earlier action; must be a reference. */
  output: ActionOutput
  actions: readonly TypedAction[]
}

/** Arguments once the actions that they refer to are planned. */
type PlannedTypes = ArgumentTypes & OwnTypes

/** Arguments as a bundle gives them: references stand for values that only planning can provide. */
export interface GivenTypes
  extends Omit<PlannedTypes, 'amount' | 'amounts' | 'output' | 'condition'> {
  amount: bigint | Reference
  amounts: readonly (bigint | Reference)[]
  output: Reference
  condition: bigint | Reference
}

export type ArgumentKind = keyof GivenTypes

export interface ServiceArgument extends Omit<ArgumentSpec, 'kind'> {
  readonly kind: ArgumentKind
}

export type ServiceInputs = Readonly<Record<string, ServiceArgument>>

type Arguments<S extends ServiceInputs, T extends Record<ArgumentKind, unknown>> = {
  readonly [N in keyof S as S[N]['optional'] extends true ? never : N]: T[S[N]['kind']]
} & {
  readonly [N in keyof S as S[N]['optional'] extends true ? N : never]?: T[S[N]['kind']]
}

export type Refuse = (argument: string, expected: string) => never

/** What can be known about a bundle without chain state. */
export interface CheckContext {
  readonly chain: ChainDefinition
  /** Whether an account runs its own steps; otherwise the sender's Executor runs them. */
  readonly isRunByAccount: boolean
  /** Whether a later action refers to the output. */
  isReferenced(index: number): boolean
  /** Throws, so the other arguments of the action are not checked any more. */
  readonly refuse: Refuse
}

export interface PerformContext {
  readonly builder: BundleContext
  /** Index of the action in its bundle. */
  readonly index: number
  /** The only protocol to use; null: any. */
  readonly only: ProtocolAdapter | null
  readonly runner: Address
  add(step: ExecutorStep): number
  helper(name: string): Address
  /** Throws INVALID_REQUEST. */
  readonly refuse: Refuse
}

/** The result of planning one action. */
export interface Outcome extends ActionResult {
  /** Absent: the action itself is its only one. */
  readonly route?: readonly PlannedStep[]
  /** Hundredths of a basis point that its outputs may fall short of the simulation; absent: the default. */
  readonly centiBps?: bigint
  /** Raw units that its only output must reach, in place of `centiBps`. */
  readonly least?: bigint
  /** What it has charged. */
  readonly fees?: readonly TokenAmount[]
  /** The output that it looks at, which is its only output. */
  readonly checks?: ActionOutput
  /** Whether its outputs are all that lies in the runner of their tokens. */
  readonly includesOthers?: boolean
  /** Why what it yields is not known, and so not enforced; absent: it is. */
  readonly unprotected?: string
  readonly warnings?: readonly string[]
}

interface ServiceActionOf<Inputs, Given, Planned> {
  readonly name: string
  /** What it does, one phrase. */
  readonly description: string
  readonly inputs: Inputs
  /** Protocol names, besides the service's own, whose lists of actions have it. */
  readonly protocols?: readonly string[]
  /** False where the value that goes in need not come out. */
  readonly isPriced: boolean
  /** True: protocols that swap offer it too, and then it uses only the named one. */
  readonly isOfProtocols?: boolean
  /** Slugs of protocols under which it is known as well. */
  readonly slugs?: readonly string[]
  /** True: it reads the amounts that it refers to, and takes nothing of them. */
  readonly onlyLooks?: boolean
  /** True: its argument `receiver` gets what comes out of it. */
  readonly paysReceiver?: boolean
  /** Argument names of the tokens that it takes, null for native, each with the argument of its amount. */
  readonly takes?: readonly (readonly [
    token: (keyof Inputs & string) | null,
    amount: keyof Inputs & string,
  ])[]
  /** True: it is given the numbers of `takes` as they are, not what arrives of a taxed token. */
  readonly takesNumbers?: boolean
  /** How many outputs it will have; null or absent: known only after planning. */
  outputs?(args: Given): number | null
  /** Refuses combinations of arguments that are valid by themselves. */
  check?(args: Given, context: CheckContext): void
  /** @throws ForkrouteError as a quote where it searches for a route. */
  perform(args: Planned, context: PerformContext): Promise<Outcome> | Outcome
}

type Values = Readonly<Record<string, unknown>>

export type ServiceAction = ServiceActionOf<ServiceInputs, Values, Values>

/** Gives `outputs`, `check` and `perform` the types of their arguments; `typed` makes an action of the service itself. */
export function defineServiceAction<const S extends ServiceInputs>(
  action: ServiceActionOf<S, Arguments<S, GivenTypes>, Arguments<S, PlannedTypes>>,
): ServiceAction & { typed(protocol: string, args: Arguments<S, GivenTypes>): TypedAction } {
  return {
    ...(action as unknown as ServiceAction),
    typed: (protocol, values) => ({ protocol, action: action.name, of: 'service', values }),
  }
}

export function required<K extends ArgumentKind>(kind: K, description: string) {
  return { kind, description }
}

export function optional<K extends ArgumentKind>(kind: K, description: string) {
  return { kind, description, optional: true } as const
}
