/**
 * The type behind which lies all that differs between the service's own actions: what they take, what can be said of
 * their arguments without a chain, and the steps they become. One file each in `actions/`, one line in its registry.
 */
import type { AbiFunction } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import type { Reference, TypedAction } from '../../domain/bundle.js'
import type { ExecutorStep } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import type { RouteStepRecord } from '../../domain/route-step.js'
import type {
  ActionOutput,
  ActionResult,
  ArgumentSpec,
  ArgumentTypes,
} from '../../protocols/positions.js'
import type { ProtocolAdapter } from '../../protocols/protocol.js'
import type { BundleContext } from './bundle-context.js'

/** Besides what the actions of protocols take. */
interface OwnTypes {
  text: string
  /** Of a function, written for people. */
  signature: AbiFunction
  /** JSON values whose types another argument says; references inside stay as they are given. */
  values: readonly unknown[]
  /** Hundredths of a basis point. */
  slippage: bigint
  /** A number that is known in advance because the sender has signed it. */
  signed: bigint
  /** What an earlier action yields; only a reference says it. */
  output: ActionOutput
  actions: readonly TypedAction[]
}

/** Arguments once the actions that they refer to have been planned. */
type PlannedTypes = ArgumentTypes & OwnTypes

/** Arguments as a bundle gives them: references stand for what only planning can know. */
export interface GivenTypes extends Omit<PlannedTypes, 'amount' | 'amounts' | 'output'> {
  amount: bigint | Reference
  amounts: readonly (bigint | Reference)[]
  output: Reference
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

/** What is known of a bundle without a chain. */
export interface CheckContext {
  readonly chain: ChainDefinition
  /** Whether an account runs its own steps, instead of the sender's Executor. */
  readonly isRunByAccount: boolean
  /** Whether a later action refers to the output. */
  isReferenced(index: number): boolean
  /** Throws. The action's other arguments are not looked at any more. */
  readonly refuse: Refuse
}

export interface PerformContext {
  readonly builder: BundleContext
  /** Of the action in its bundle. */
  readonly index: number
  /** The only protocol to use; null: any. */
  readonly only: ProtocolAdapter | null
  readonly runner: Address
  add(step: ExecutorStep): number
  helper(name: string): Address
  /** Throws INVALID_REQUEST. */
  readonly refuse: Refuse
}

/** What one action has become. */
export interface Outcome extends ActionResult {
  /** Absent: the action itself is its only one. */
  readonly records?: readonly RouteStepRecord[]
  /** Contract that the action's own record names. */
  readonly primary?: Address
  /** Hundredths of a basis point that its outputs may fall short of the simulation; absent: the default. */
  readonly centiBps?: bigint
  readonly warnings?: readonly string[]
}

interface ServiceActionOf<Inputs, Given, Planned> {
  readonly name: string
  /** What it does, one phrase. */
  readonly description: string
  readonly inputs: Inputs
  /** False where the bundle has it, but the general list of actions does not. */
  readonly isListed: boolean
  /** False where the value that goes in need not come out. */
  readonly isPriced: boolean
  /** True: protocols that swap have it too, and it is then confined to the one that is named. */
  readonly isOfProtocols?: boolean
  /** Arguments with the tokens that it takes, and with how much of each. */
  readonly takes?: readonly [token: keyof Inputs & string, amount: keyof Inputs & string]
  /** How many outputs it will have; null, and absent: only planning can know. */
  outputs?(args: Given): number | null
  /** Refuses what is wrong with arguments that are right each by itself. */
  check?(args: Given, context: CheckContext): void
  /** @throws ForkrouteError as a quote where it needs a route. */
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
