/** What the parts of planning and simulating a bundle know of it: `BundleBuilder`, as they see it. */
import type { TypedAction, TypedBundle } from '../../domain/bundle.js'
import type { Amount, ExecutorStep, Order, UnsignedTransaction } from '../../domain/order.js'
import type { Address, Hex, TokenAmount } from '../../domain/primitives.js'
import type { ProtocolAdapter } from '../../protocols/protocol.js'
import type { TaskRun } from '../context/task-context.js'
import type { BundleDraft } from './draft.js'

export interface BundleArgs {
  readonly request: TypedBundle
  readonly accountId: Hex
  /** Actions whose first output the answer reports. */
  readonly reportedActions?: readonly number[]
}

/** What messages say of an action. */
export interface NamedAction extends Pick<TypedAction, 'protocol' | 'action'> {
  /** `adapter`: the one protocol that it goes through; null where there may be several, or none. */
  readonly performer: { readonly adapter: ProtocolAdapter | null }
}

export interface BundleContext {
  readonly run: TaskRun
  readonly args: BundleArgs
  readonly draft: BundleDraft
  readonly runner: Address
  readonly account: Address
  readonly receiver: Address
  /** The actions of the bundle itself, also inside a flash loan. */
  readonly all: readonly NamedAction[]
  /** What lies in the runner although nobody has pulled it there. */
  readonly loans: readonly TokenAmount[]
  /** Raw units that the sender gives by signatures, beside what is pulled. */
  readonly permitted: TokenAmount[]
  /** Raw units that `approve` actions let contracts take: by spender and token. */
  readonly approved: Map<string, bigint>
  build(): Promise<void>
  /** Whether an action refers to the output. */
  isReferenced(action: number, index: number): boolean
  /** Whether any action but this one names the address. */
  isMentioned(address: Address, except: number): boolean
  /** For the actions of a flash loan's callback, whose steps count from `firstStep`. */
  within(
    action: number,
    callback: readonly TypedAction[],
    firstStep: number,
    loans: readonly TokenAmount[],
  ): BundleContext
  /** The amount in raw units: itself, or what it is once the steps so far have run. */
  valueOf(amount: Amount, action: number): Promise<bigint>
  /** As `valueOf`; of what is pulled for one action, the amount that the sender gives. */
  searchAmount(amount: Amount, action: number): Promise<bigint>
  /** What the transaction pulls from the sender, by token. */
  pulled(): TokenAmount[]
  /** @param outputs - tokens that remain, with their minimums. */
  order(steps: readonly ExecutorStep[], outputs: Order['outputs']): Order
  transaction(order: Order): UnsignedTransaction
}
