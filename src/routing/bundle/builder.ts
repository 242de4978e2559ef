/**
 * Plans a bundle action by action: resolves references, gives protocol actions their context, and simulates the plan so
 * far wherever a number is needed that is known only on chain.
 */

import type { Reference, TypedAction } from '../../domain/bundle.js'
import type { Caution } from '../../domain/caution.js'
import { latestDeadline } from '../../domain/deadline.js'
import type { Explanation } from '../../domain/explanation.js'
import {
  type Amount,
  type ExecutorStep,
  isAmountRef,
  type Order,
  type OrderInput,
} from '../../domain/order.js'
import {
  type Address,
  bigintToString,
  isNative,
  nativeToken,
  type TokenAmount,
  toAddress,
} from '../../domain/primitives.js'
import type { StateOverrides } from '../../domain/state.js'
import { buildTransaction, runnerAddress } from '../../executor/compile.js'
import { type Permit2Permit, permitStep, standInSignature } from '../../executor/permit.js'
import { selfAddress, selfStep } from '../../executor/self.js'
import type { Task } from '../block/task.js'
import { toBytes16 } from '../route/built.js'
import { deadlineOf } from '../route/order-deadline.js'
import type { KnownRoute } from '../search/known-routes.js'
import type { BundleArgs, BundleContext, DeliveredInput } from './bundle-context.js'
import { BundleDraft } from './draft.js'
import type { NamedAction } from './failures/named-action.js'
import { performAction } from './perform-action.js'
import {
  type OwnActions,
  type PerformableAction,
  referencesOf,
  spentOf,
  toPerformable,
} from './performers.js'
import { simulateBundle } from './simulate-bundle.js'
import { notedIn, noteStep } from './tools.js'

/** Context of the actions within a flash loan. */
interface Outer {
  readonly builder: BundleContext
  /** Index of the action that borrows. */
  readonly action: number
  readonly loans: readonly TokenAmount[]
}

export class BundleBuilder implements BundleContext {
  readonly draft: BundleDraft
  readonly runner: Address
  readonly account: Address
  readonly receiver: Address
  readonly refundReceiver: Address
  readonly deadline: bigint
  /** Raw units that the sender gives by signature, besides what is pulled. */
  readonly permitted: TokenAmount[] = []
  readonly approved: BundleContext['approved'] = new Map()
  /** Explanations of the actions' searches, in their order; empty unless the request asks for them. */
  readonly explanations: Explanation[] = []
  readonly knownRoutes: KnownRoute[]
  readonly cautions: Caution[]
  readonly ahead: StateOverrides[]
  readonly #outer: (Outer & { readonly firstStep: number }) | undefined
  readonly #actions: readonly PerformableAction[]
  readonly #referenced: ReadonlySet<string>
  readonly #spent: ReadonlySet<string>
  readonly #assumed: TokenAmount[] = []
  readonly #noted = new Map<string, bigint>()

  constructor(
    readonly task: Task,
    readonly args: BundleArgs,
    actions: readonly TypedAction[],
    within: {
      /** The bundle whose flash loan's actions these are; absent: they are a bundle by themselves. */
      readonly outer?: Outer & { readonly firstStep: number }
      /** Actions beside those of the bundle. */
      readonly own?: OwnActions
    } = {},
  ) {
    const { outer, own } = within
    this.#outer = outer
    this.draft = new BundleDraft(
      ({ useOutputOfCallAt, index }) => this.isSpent(useOutputOfCallAt, index),
      outer?.firstStep,
      outer !== undefined,
    )
    this.knownRoutes = outer?.builder.knownRoutes ?? [...(args.knownRoutes ?? [])]
    this.cautions = outer?.builder.cautions ?? []
    this.ahead = outer?.builder.ahead ?? []
    for (const { token, amount } of outer?.loans ?? []) this.draft.credit(token, amount)
    const { strategy, fromAddress, receiver } = args.request
    this.runner = args.delivered ? selfAddress : runnerAddress(strategy, fromAddress)
    this.account = strategy === 'wallet-v2' ? this.runner : fromAddress
    this.receiver = receiver ?? fromAddress
    // The token's permit ends with the order.
    const ofPermit = args.permit?.kind === 'eip2612' ? args.permit.deadline : undefined
    this.deadline = ofPermit ?? deadlineOf(task, args.request) ?? latestDeadline
    this.#actions = toPerformable(actions, outer !== undefined, own)
    this.refundReceiver =
      outer?.builder.refundReceiver ?? args.request.refundReceiver ?? this.#named() ?? this.receiver
    this.#referenced = new Set(this.#actions.flatMap(referencesOf).map(keyOf))
    this.#spent = new Set(spentOf(this.#actions).map(keyOf))
    if (args.delivered && !outer) this.#begin(args.delivered)
    if (args.permit?.kind === 'permit2' && !outer) this.#bring(args.permit)
  }

  /** In place of what the Router does with an input. */
  #bring(permit: Permit2Permit): void {
    const { token } = permit
    const { fee } = this.args
    const amount = fee?.amounts.get(token) ?? 0n
    this.draft.add(0, permitStep(permit))
    if (!fee || amount === 0n) return
    this.draft.add(0, { kind: 'transfer', token, to: fee.receiver, amount })
  }

  /** What comes before the actions of a delivery. */
  #begin({ delivery: { token }, fee, callValue }: DeliveredInput): void {
    this.draft.add(0, selfStep)
    if (callValue) this.draft.credit(nativeToken, callValue)
    if (!fee) return
    const amount = { ref: 'balance', token, bps: Number(fee.bps) } as const
    this.draft.add(0, { kind: 'transfer', token, to: fee.receiver, amount })
  }

  async build(): Promise<void> {
    for (const action of this.#actions) {
      this.task.signal.throwIfAborted()
      await performAction(this, action)
    }
  }

  /** The refund receiver that an action names. */
  #named(): Address | null {
    const named = this.#actions.flatMap(({ values }) => values.refundReceiver ?? [])
    return typeof named[0] === 'string' ? toAddress(named[0]) : null
  }

  explain(action: number, found: Explanation): void {
    const outer = this.#outer
    if (outer) {
      outer.builder.explain(outer.action, found)
      return
    }
    const candidates = found.candidates.map((one) => ({ action, ...one }))
    this.explanations.push({ ...found, candidates })
  }

  /** Whether an action refers to the output. */
  isReferenced(action: number, index: number): boolean {
    return this.#referenced.has(keyOf({ useOutputOfCallAt: action, index }))
  }

  /** Whether an action refers to the output other than to look at it. */
  isSpent(action: number, index: number): boolean {
    return this.#spent.has(keyOf({ useOutputOfCallAt: action, index }))
  }

  /** Whether an earlier action may have left something of the token in the runner. */
  isTouched(token: Address): boolean {
    return this.draft.touched.has(token) || (this.#outer?.builder.isTouched(token) ?? false)
  }

  /** Whether any action but this one names the address. */
  isMentioned(address: Address, except: number): boolean {
    const outer = this.#outer
    return (
      this.#actions.some(
        ({ index, values }) =>
          index !== except &&
          JSON.stringify(values, bigintToString).toLowerCase().includes(address),
      ) ||
      (outer?.builder.isMentioned(address, outer.action) ?? false)
    )
  }

  /** For the actions of a flash loan's callback, whose steps count from `firstStep`. */
  within(
    action: number,
    callback: readonly TypedAction[],
    firstStep: number,
    loans: Outer['loans'],
  ): BundleContext {
    const outer = { builder: this, action, loans, firstStep }
    return new BundleBuilder(this.task, this.args, callback, { outer })
  }

  /** What the transaction pulls from the sender, by token. @param more - for a flash loan's actions. */
  pulled(more: readonly TokenAmount[] = []): TokenAmount[] {
    const own = this.draft.pulled(more)
    return this.#outer?.builder.pulled(own) ?? own
  }

  /** The actions of the bundle itself. */
  get all(): readonly NamedAction[] {
    return this.#outer?.builder.all ?? this.#actions
  }

  /** The actions that this builder plans: those of the bundle, or of a flash loan's callback. */
  get own(): readonly NamedAction[] {
    return this.#actions
  }

  /** Tokens in the runner that were not pulled from the sender. */
  get loans(): Outer['loans'] {
    const all = new Map<Address, bigint>()
    for (const { token, amount } of [...(this.#outer?.loans ?? []), ...this.#assumed]) {
      all.set(token, (all.get(token) ?? 0n) + amount)
    }
    return [...all].map(([token, amount]) => ({ token, amount }))
  }

  /** Lets simulations find tokens in the runner that nobody in the bundle has brought there. */
  assume(held: TokenAmount): void {
    if (this.#outer) this.#outer.builder.assume(held)
    else this.#assumed.push(held)
  }

  /** The amount in raw units: a literal as it is, a reference by simulating the steps so far. */
  async valueOf(amount: Amount, action: number): Promise<bigint> {
    if (!isAmountRef(amount)) return amount
    const key = `${this.draft.steps.length}:${JSON.stringify(amount)}`
    const known = this.#noted.get(key)
    if (known !== undefined) return known
    const [before, owned] = this.#before()
    const steps = [...before, ...this.draft.steps, noteStep(0n, amount)]
    const actionOfStep = [...owned, ...this.draft.actionOfStep, action]
    const { result } = await simulateBundle(this, this.order(steps, []), actionOfStep)
    const value = notedIn(result).get(0n)?.value ?? 0n
    this.#noted.set(key, value)
    return value
  }

  /** Steps outside a flash loan's callback, as if its tokens were simply present, so that indexes stay the same. */
  #before(): [steps: readonly ExecutorStep[], actionOfStep: readonly number[]] {
    const outer = this.#outer
    const { draft } = this
    if (!outer) return [[], []]
    const { steps, actionOfStep } = outer.builder.draft
    const fill = Array.from({ length: draft.firstStep - steps.length }, () => noteStep(1n, 0n))
    return [
      [...steps, ...fill],
      [...actionOfStep, ...fill.map(() => outer.action)],
    ]
  }

  /** Answers like `valueOf`; for an amount that is pulled for one action, with the amount that the sender gives. */
  searchAmount(amount: Amount, action: number): Promise<bigint> {
    const stated =
      isAmountRef(amount) && amount.ref === 'balance' && this.draft.stated(amount.token)
    return stated ? Promise.resolve(stated) : this.valueOf(amount, action)
  }

  /** @param outputs - tokens that remain, with their minimums. */
  order(steps: readonly ExecutorStep[], outputs: Order['outputs']): Order {
    const { request, accountId, delivered, fee } = this.args
    const inputs = delivered
      ? inputsOf(delivered)
      : this.#taken().map((input) => withFee(input, fee?.amounts.get(input.token)))
    const paid = new Set(outputs.map(({ token }) => token))
    const pulled = new Set(inputs.map(({ token }) => token))
    return {
      inputs,
      feeReceiver: fee?.receiver ?? request.fromAddress,
      steps,
      outputs,
      receiver: this.receiver,
      refundReceiver: this.refundReceiver,
      sweep: [...this.draft.touched].filter((token) => !paid.has(token) && !pulled.has(token)),
      deadline: this.deadline,
      accountId,
      referralCode: toBytes16(request.referralCode ?? ''),
    }
  }

  /** What the Router takes from the sender; the token's own permit is for the first of it. */
  #taken(): TokenAmount[] {
    const { permit } = this.args
    const pulled = this.pulled()
    if (!permit) return pulled
    const others = pulled.filter(({ token }) => token !== permit.token)
    if (permit.kind === 'permit2') return others
    return [...pulled.filter(({ token }) => token === permit.token), ...others]
  }

  transaction(order: Order) {
    const { request, permit } = this.args
    const { strategy, fromAddress: from } = request
    const signature = permit?.kind === 'eip2612' ? standInSignature(from) : undefined
    return buildTransaction({ strategy, from, order, signature })
  }
}

/** As the DestinationReceiver takes them: native that comes with native is no input of its own. */
function inputsOf({ delivery: { token, amount }, callValue }: DeliveredInput): OrderInput[] {
  if (!callValue) return [{ token, amount }]
  if (isNative(token)) return [{ token, amount: amount + callValue }]
  return [
    { token, amount },
    { token: nativeToken, amount: callValue },
  ]
}

/** The fee is a part of what is taken. */
function withFee({ token, amount }: TokenAmount, fee = 0n): OrderInput {
  return { token, amount: amount + fee, ...(fee > 0n && { fee }) }
}

function keyOf({ useOutputOfCallAt, index }: Reference): string {
  return `${useOutputOfCallAt}:${index}`
}
