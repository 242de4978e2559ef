/**
 * Plans a bundle action by action: resolves references, hands protocol actions their context, and simulates what has
 * been planned so far wherever a number is needed that only the chain knows.
 */

import { type Amount, isAmountRef, type Order, type Step } from '../../domain/plan.js'
import {
  type Address,
  defaultCentiBps,
  isNative,
  type TokenAmount,
} from '../../domain/primitives.js'
import type { RouteStepRecord } from '../../domain/route-step.js'
import { buildTransaction, runnerAddress } from '../../executor/compile.js'
import type { ActionContext, ActionResult } from '../../protocols/positions.js'
import type { TaskRun } from '../context/task-context.js'
import { noDeadline, toBytes16 } from '../proof/built.js'
import type { ParsedAction } from './parse-actions.js'
import { BundlePlan, type PlannedAction } from './plan.js'
import type { BundleArgs, BundleScene } from './scene.js'
import { performService } from './service-steps.js'
import { simulateBundle } from './simulate-bundle.js'
import { helper, notedIn, noteStep, refuse } from './tools.js'
import { isReferenceLike, type Reference, referencesIn } from './values.js'

/** Of actions within a flash loan. */
interface Outer {
  readonly builder: BundleScene
  /** The action that borrows. */
  readonly action: number
  readonly loans: readonly TokenAmount[]
}

export class BundleBuilder implements BundleScene {
  readonly plan: BundlePlan
  readonly runner: Address
  readonly account: Address
  readonly receiver: Address
  /** Raw units that the sender gives by signatures, beside what is pulled. */
  readonly permitted: TokenAmount[] = []
  /** Raw units that `approve` actions let contracts take: by spender and token. */
  readonly approved = new Map<string, bigint>()
  readonly #referenced: ReadonlySet<string>
  readonly #noted = new Map<string, bigint>()

  constructor(
    readonly run: TaskRun,
    readonly args: BundleArgs,
    readonly parsed: readonly ParsedAction[],
    private readonly outer?: Outer & { readonly firstStep: number },
  ) {
    this.plan = new BundlePlan(outer?.firstStep)
    for (const { token, amount } of outer?.loans ?? []) this.plan.credit(token, amount)
    const { strategy, fromAddress, receiver } = args.request
    this.runner = runnerAddress(strategy, fromAddress)
    this.account = strategy === 'wallet-v2' ? this.runner : fromAddress
    this.receiver = receiver ?? fromAddress
    this.#referenced = new Set(
      parsed.flatMap(({ source: { args: given } }) =>
        referencesIn({ ...given, callback: null }, '').map(({ value }) => {
          const { useOutputOfCallAt, index = 0 } = value
          return `${useOutputOfCallAt}:${index}`
        }),
      ),
    )
  }

  async build(): Promise<void> {
    for (const action of this.parsed) {
      this.run.signal.throwIfAborted()
      await this.#perform(action)
    }
  }

  /** Whether an action refers to the output. */
  isReferenced(action: number, index: number): boolean {
    return this.#referenced.has(`${action}:${index}`)
  }

  /** Whether any action but this one names the address. */
  isMentioned(address: Address, except: number): boolean {
    const { outer } = this
    return (
      this.parsed.some(
        ({ index, source }) =>
          index !== except && JSON.stringify(source.args).toLowerCase().includes(address),
      ) ||
      (outer?.builder.isMentioned(address, outer.action) ?? false)
    )
  }

  /** For the actions of a flash loan's callback, whose steps count from `firstStep`. */
  within(
    { index }: ParsedAction,
    callback: readonly ParsedAction[],
    firstStep: number,
    loans: Outer['loans'],
  ): BundleScene {
    const outer = { builder: this, action: index, loans, firstStep }
    return new BundleBuilder(this.run, this.args, callback, outer)
  }

  /** What the transaction pulls from the sender, by token. */
  pulled(): TokenAmount[] {
    const all = new Map<Address, bigint>()
    for (const { token, amount } of [
      ...(this.outer?.builder.pulled() ?? []),
      ...this.plan.pulled(),
    ])
      all.set(token, (all.get(token) ?? 0n) + amount)
    return [...all].map(([token, amount]) => ({ token, amount }))
  }

  /** The actions of the bundle itself. */
  get all(): readonly ParsedAction[] {
    return this.outer?.builder.all ?? this.parsed
  }

  /** What lies in the runner although nobody has pulled it there. */
  get loans(): Outer['loans'] {
    return this.outer?.loans ?? []
  }

  async #perform(parsed: ParsedAction): Promise<void> {
    const { index, source, performs } = parsed
    const values = this.#resolved(parsed)
    if (performs.kind === 'service') {
      const { planned, result } = await performService(this, parsed, values)
      this.plan.close(planned, result)
      return
    }
    const { adapter, definition } = performs
    const own = typeof values.receiver === 'string' ? (values.receiver as Address) : null
    const context: ActionContext = {
      chain: this.run.block.chain,
      venue: this.run.block.chain.venues[adapter.slug] ?? {},
      reader: this.run.reader,
      runner: this.runner,
      account: this.account,
      receiver: own ?? this.receiver,
      helper,
      valueOf: (amount) => this.valueOf(amount, index),
      add: (step) => this.plan.add(index, step),
      refuse: (argument, expected) => refuse(index, argument, expected),
    }
    const result = await definition.build(values as never, context)
    const planned: PlannedAction = {
      parsed,
      outputs: result.outputs,
      centiBps: defaultCentiBps,
      records: [toRecord(this.run.block.chain.id, source, values, result)],
      prerequisites: result.prerequisites ?? [],
    }
    this.plan.close(planned, result)
  }

  /** Arguments with their references replaced by what they stand for. */
  #resolved({ index, values, performs, source }: ParsedAction): Record<string, unknown> {
    const resolve = (value: unknown, name: string): unknown => {
      if (isReferenceLike(value)) {
        return this.plan.resolve(value as unknown as Reference, index, name)
      }
      if (Array.isArray(value) && name !== 'args') return value.map((item) => resolve(item, name))
      return value
    }
    const all = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, resolve(value, name)]),
    )
    const isTransfer = performs.kind === 'service' && source.action === 'transfer'
    const [token, amount] = isTransfer ? ['token', 'amount'] : ['tokenIn', 'amountIn']
    const tokens = [all[token] ?? []].flat() as Address[]
    const amounts = [all[amount] ?? []].flat() as Amount[]
    if (source.action === 'call' || tokens.length !== amounts.length) return all
    const stated = amounts.map((each, place) => {
      const address = tokens[place]
      if (!address || typeof each !== 'bigint' || isNative(address)) return each
      // What arrives of a taxed token is less than what was sent.
      const isShared = this.isMentioned(address, index) || this.plan.hasCredit(address)
      return isShared ? each : this.plan.stateAsBalance(address, each)
    })
    all[amount] = Array.isArray(all[amount]) ? stated : stated[0]
    return all
  }

  /** The amount in raw units: itself, or what it is once the steps so far have run. */
  async valueOf(amount: Amount, action: number): Promise<bigint> {
    if (!isAmountRef(amount)) return amount
    const key = `${this.plan.steps.length}:${JSON.stringify(amount)}`
    const known = this.#noted.get(key)
    if (known !== undefined) return known
    const [before, owned] = this.#before()
    const steps = [...before, ...this.plan.steps, noteStep(0n, amount)]
    const own = [...this.plan.owners, action]
    const owners = [...owned, ...(this.outer ? own.map(() => this.outer?.action ?? 0) : own)]
    const { result } = await simulateBundle(this, this.order(steps, []), owners)
    const value = notedIn(result).get(0n) ?? 0n
    this.#noted.set(key, value)
    return value
  }

  /** Steps outside a flash loan's callback, as if its tokens had simply been there; so that indexes are the same. */
  #before(): [steps: readonly Step[], owners: readonly number[]] {
    const { outer, plan } = this
    if (!outer) return [[], []]
    const { steps, owners } = outer.builder.plan
    const fill = Array.from({ length: plan.firstStep - steps.length }, () => noteStep(1n, 0n))
    return [
      [...steps, ...fill],
      [...owners, ...fill.map(() => outer.action)],
    ]
  }

  /** As `valueOf`; of what is pulled for one action, the amount that the sender gives. */
  searchAmount(amount: Amount, action: number): Promise<bigint> {
    const stated = isAmountRef(amount) && amount.ref === 'balance' && this.plan.stated(amount.token)
    return stated ? Promise.resolve(stated) : this.valueOf(amount, action)
  }

  /** @param outputs - tokens that remain, with their minimums. */
  order(steps: readonly Step[], outputs: Order['outputs']): Order {
    const { request, accountId } = this.args
    const inputs = this.pulled()
    const paid = new Set(outputs.map(({ token }) => token))
    const pulled = new Set(inputs.map(({ token }) => token))
    return {
      inputs,
      feeReceiver: request.fromAddress,
      steps,
      outputs,
      receiver: this.receiver,
      refundReceiver: request.refundReceiver ?? this.receiver,
      sweep: [...this.plan.touched].filter((token) => !paid.has(token) && !pulled.has(token)),
      deadline: noDeadline,
      accountId,
      referralCode: toBytes16(request.referralCode ?? ''),
    }
  }

  transaction(order: Order) {
    const { strategy, fromAddress } = this.args.request
    return buildTransaction({ strategy, from: fromAddress, order })
  }
}

function toRecord(
  chainId: number,
  { protocol, action }: ParsedAction['source'],
  values: Readonly<Record<string, unknown>>,
  { positionsIn = [], positionsOut = [], outputs, spends }: ActionResult,
): RouteStepRecord {
  const primary = values.primaryAddress as Address | undefined
  // Positions that are entered at their own token need no other address.
  const idOf = (key: string) => `${chainId}:${primary ?? key}:${key}`
  return {
    action,
    protocol,
    tokenIn: [...new Set(spends.map(({ token }) => token))],
    tokenOut: [...new Set(outputs.flatMap(({ token }) => token ?? []))],
    positionInId: positionsIn.map(idOf),
    positionOutId: positionsOut.map(idOf),
    chainId,
    ...(primary && { primary }),
  }
}
