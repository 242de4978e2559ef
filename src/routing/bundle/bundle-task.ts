/**
 * One bundle at one block: plans its actions, simulates the whole to learn the outputs, then simulates once more
 * exactly the transaction that is returned, with its minimums.
 */
import type { BundleResult, Payment, Unprotected } from '../../domain/bundle.js'
import { cautionsIn } from '../../domain/caution.js'
import { defined } from '../../domain/defined.js'
import { mergeExplanations } from '../../domain/explanation.js'
import { zip } from '../../domain/lists.js'
import {
  type Amount,
  type AmountRef,
  type CallStep,
  type ExecutorStep,
  isAmountRef,
  type Order,
} from '../../domain/order.js'
import {
  type Address,
  type Hex,
  lessSlippage,
  plusSlippage,
  type TokenAmount,
} from '../../domain/primitives.js'
import { impactWarnings } from '../../domain/route-step.js'
import type { SimulationLog } from '../../domain/state.js'
import type { Task } from '../block/task.js'
import { priceImpactBps } from '../market/valuation.js'
import { asAsked, withExplanation } from '../route/explain.js'
import { withAmounts as withStepAmounts } from '../route/step-amounts.js'
import { traceTransaction } from '../route/trace.js'
import { emptyDepositWarnings, gasWarnings } from '../route/warnings.js'
import type { KnownRoute } from '../search/known-routes.js'
import { BundleBuilder } from './builder.js'
import type { BundleArgs } from './bundle-context.js'
import type { BundleDraft, Minimum } from './draft.js'
import type { Remaining } from './outputs/quantities.js'
import type { OwnActions } from './performers.js'
import { referencesOfSteps, type Shown, splitsAlone, toRecord } from './planned-steps.js'
import { leastLeft, type Rest, restsOf } from './rests.js'
import { asSent, prerequisitesOf, type SimulatedBundle, simulateBundle } from './simulate-bundle.js'
import { maximumStep, minimumStep, notedIn, noteStep, unreadable } from './tools.js'

/** A bundle's result with what only other tasks look at. */
export interface MeasuredBundle extends BundleResult {
  /** What the actions of `args.reportedActions` yield in the transaction. */
  readonly reported: readonly TokenAmount[]
  /** Raw units that positions take of each token, where that may be less than they are given. */
  readonly deposited: readonly TokenAmount[]
  /** Logs of the transaction; none where nothing was simulated. */
  readonly logs: readonly SimulationLog[]
  /** Routes inside it, with those that were known before. */
  readonly knownRoutes: readonly KnownRoute[]
  /** For a delivery: the message that the bridge carries, and the order in it. */
  readonly message?: Hex
  readonly order?: Order
}

export function resultOf(measured: MeasuredBundle): BundleResult {
  const { reported, deposited, logs, knownRoutes, message, order, ...result } = measured
  return result
}

/** @param own - come beside the actions of the request. */
export async function runBundle(
  task: Task,
  args: BundleArgs,
  own?: OwnActions,
): Promise<MeasuredBundle> {
  const { request } = args
  const builder = new BundleBuilder(task, args, request.actions, defined({ own }))
  try {
    return await buildAndMeasure(builder)
  } catch (error) {
    throw withExplanation(error, explanationOf(builder).explanation)
  }
}

async function buildAndMeasure(builder: BundleBuilder): Promise<MeasuredBundle> {
  const { task, draft } = builder
  const { request } = builder.args
  const { chain } = task
  // Each action may be a route with candidates of its own, and is simulated with all before it.
  task.simulator.share(builder.all.length)
  await task.clock.stage('plan', () => builder.build())
  const remaining = draft.remaining()
  const steps = draft.actions.flatMap(({ route }) => route)
  const common = {
    chainId: chain.id,
    inputs: draft.pulled(),
    route: steps.map(({ record }) => record),
    block: task.pin,
    prerequisites: prerequisitesOf(builder),
    unprotected: distinct(draft.unprotected),
    fees: draft.actions.flatMap(({ fees }) => fees),
    warnings: [...new Set(draft.actions.flatMap(({ warnings }) => warnings))],
    ...cautionsIn(builder.cautions),
    ...(builder.ahead.length > 0 && { isBehindSwap: true }),
  }
  if (request.skipQuote) {
    const limited = withMinimums(draft, ({ quoted, ...limit }) => {
      if (limit.isMaximum || (quoted === null && limit.least === undefined)) return null
      return { limit: leastOf(limit, quoted ?? 0n), stated: [] }
    })
    const tx = builder.transaction(builder.order(limited, withoutMinimums(remaining)))
    return {
      ...common,
      ...explanationOf(builder),
      maximums: common.inputs,
      gas: null,
      outputs: null,
      payments: [],
      tx,
      priceImpact: null,
      reported: [],
      deposited: [],
      logs: [],
      knownRoutes: builder.knownRoutes,
    }
  }
  const measured = await task.clock.stage('simulate', () => measure(builder, remaining))
  const { gained, checked, actionOfStep, least, payments, reported, deposited, shown } = measured
  const outputs = gained.map(({ token, amount, ...limit }) => ({
    token,
    minAmountOut: leastGained(limit, amount, least.get(token)),
  }))
  // What comes back of an output is in its amount.
  const isPaid = new Set(outputs.map(({ token }) => token))
  const order = builder.order(checked, outputs)
  const final = await task.clock.stage('finalise', async () =>
    builder.args.estimateOnly
      ? { ...measured.simulated, ...asSent(builder, order) }
      : simulateBundle(builder, order, actionOfStep),
  )
  const { tx, request: simulated, result, message } = final
  const found = withAmounts(outputs, final)
  const priceImpact = await impact(builder, common.inputs, [
    ...found,
    ...payments.map(({ token, amountOut: amount }) => ({ token, amount })),
  ])
  const route = steps.map((step) => toRecord(step, shown))
  return {
    ...common,
    ...explanationOf(builder),
    route,
    warnings: [
      ...gasWarnings(task),
      ...impactWarnings(priceImpact),
      ...emptyDepositWarnings(route),
      ...common.warnings,
    ],
    gas: result.gasUsed,
    outputs: found
      .filter(({ amount }) => amount > 0n)
      .map(({ token, amount: amountOut, minAmountOut }) => ({ token, amountOut, minAmountOut })),
    maximums: common.inputs.map(({ token, amount }) => ({
      token,
      amount: amount - (isPaid.has(token) ? 0n : (least.get(token) ?? 0n)),
    })),
    payments,
    tx,
    ...(request.includeTrace && {
      trace: await task.clock.stage('trace', () =>
        traceTransaction(task, simulated, { steps: order.steps, records: common.route }),
      ),
    }),
    priceImpact,
    reported,
    deposited,
    logs: result.logs,
    knownRoutes: builder.knownRoutes,
    ...(message && { message, order }),
  }
}

/** Present where the request asks for it. */
function explanationOf({
  task,
  args,
  explanations,
}: BundleBuilder): Pick<BundleResult, 'explanation'> {
  if (!args.request.explain) return {}
  return { explanation: asAsked(mergeExplanations(explanations), args.request, task) }
}

/** A flash loan yields what its actions do. */
function distinct(unprotected: readonly Unprotected[]): Unprotected[] {
  return [...new Map(unprotected.map((one) => [JSON.stringify(one), one])).values()]
}

function withoutMinimums(remaining: readonly Remaining[]): Order['outputs'] {
  return remaining.map(({ token }) => ({ token, minAmountOut: 0n }))
}

/** The outputs of an order, each with what the receiver gained of it. */
function withAmounts<T extends object>(
  outputs: readonly T[],
  { gained }: SimulatedBundle,
): (T & { readonly amount: bigint })[] {
  return zip(outputs, gained).map(([output, { amount }]) => ({ ...output, amount }))
}

/** What the simulation that measures a bundle has shown of it. */
interface Measured {
  readonly gained: readonly (Remaining & TokenAmount)[]
  /** The steps, with minimums taken from the simulation. */
  readonly checked: readonly ExecutorStep[]
  /** Index of the action of each checked step. */
  readonly actionOfStep: readonly number[]
  /** What must be left of tokens, where not all that is given may be taken; raw units. */
  readonly least: ReadonlyMap<Address, bigint>
  readonly payments: readonly Payment[]
  readonly reported: readonly TokenAmount[]
  readonly deposited: readonly TokenAmount[]
  readonly shown: Shown
  readonly simulated: SimulatedBundle
}

async function measure(builder: BundleBuilder, remaining: readonly Remaining[]): Promise<Measured> {
  const { draft } = builder
  const notes = notesFor(builder)
  const order = builder.order(notes.steps, withoutMinimums(remaining))
  const more = { logsNative: true }
  const simulated = await simulateBundle(builder, order, notes.actionOfStep, more)
  const noted = notedIn(simulated.result)
  const amountOf = (key: number) => noted.get(BigInt(key))?.value ?? 0n
  const deposits = draft.minimums.map(({ stated }, key) => {
    const amounts = stated ? stated.amounts(noted.get(BigInt(key))?.logs ?? []) : []
    return amounts ?? noAmounts(stated?.step)
  })
  const { least, kept } = restsLeft(builder, remaining, { notes, amountOf })
  const limited = withMinimums(draft, ({ centiBps, least: stated, isMaximum }, key) => ({
    limit: isMaximum
      ? plusSlippage(amountOf(key), centiBps)
      : leastOf({ centiBps, least: stated }, amountOf(key)),
    stated: (deposits[key] ?? []).map(({ amount }) => lessSlippage(amount, centiBps)),
  }))
  return {
    simulated,
    gained: withAmounts(remaining, simulated),
    checked: [...limited, ...kept.map(({ step }) => step)],
    actionOfStep: [...draft.actionOfStep, ...kept.map(({ action }) => action)],
    least,
    payments: draft.payments.map(({ minimum, amount, ...payment }) => {
      const known = isAmountRef(amount) ? 0n : amount
      if (!minimum) return { ...payment, amountOut: known, minAmountOut: known }
      const amountOut = amountOf(draft.minimums.indexOf(minimum))
      return { ...payment, amountOut, minAmountOut: leastOf(minimum, amountOut) }
    }),
    reported: notes.reported.map(({ token, key }) => ({ token, amount: amountOf(key) })),
    deposited: deposits.flat(),
    shown: shownBy(builder, { notes, simulated, deposits }),
  }
}

/** The steps with others that note amounts, each under a key: minimums first, then what the fields below name. */
interface Notes {
  readonly steps: readonly ExecutorStep[]
  /** The action that each step is of. */
  readonly actionOfStep: readonly number[]
  /** First outputs of the actions that are to be reported. */
  readonly reported: readonly { readonly token: Address; readonly key: number }[]
  /** Amounts that the records of the route refer to, by what they refer to. */
  readonly shown: ReadonlyMap<string, number>
  readonly rests: readonly Rest[]
  /** Key of the first of the rests. */
  readonly firstRest: number
  /** Amounts that actions have brought of the rests' tokens. */
  readonly brought: readonly AmountRef[]
  /** Key of the first of them. */
  readonly firstBrought: number
}

function notesFor(builder: BundleBuilder): Notes {
  const { draft } = builder
  const { reportedActions = [] } = builder.args
  const noting = replaced(
    draft.steps,
    new Map(draft.minimums.map(({ step, amount }, key) => [step, noteStep(BigInt(key), amount)])),
  )
  const firstReported = draft.minimums.length
  const reported = reportedActions.flatMap((action, index) => {
    const { token, amount } = draft.actions[action]?.outputs[0] ?? {}
    const key = firstReported + index
    return token && amount !== undefined
      ? [{ action, token, key, step: noteStep(BigInt(key), amount) }]
      : []
  })
  const firstShown = firstReported + reported.length
  const references = referencesOfSteps(draft.actions.flatMap(({ route }) => route))
  const rests = restsOf(builder)
  const firstRest = firstShown + references.length
  const brought = rests.flatMap((rest) => rest.brought ?? []).filter(isAmountRef)
  const firstBrought = firstRest + rests.length
  const amounts: Amount[] = [
    ...references,
    ...rests.map(({ token }): Amount => ({ ref: 'balance', token })),
    ...brought,
  ]
  const others = amounts.map((amount, index) => noteStep(BigInt(firstShown + index), amount))
  const last = draft.actions.length - 1
  return {
    steps: [...noting, ...reported.map(({ step }) => step), ...others],
    actionOfStep: [
      ...draft.actionOfStep,
      ...reported.map(({ action }) => action),
      ...others.map(() => last),
    ],
    reported,
    shown: new Map(references.map((ref, index) => [JSON.stringify(ref), firstShown + index])),
    rests,
    firstRest,
    brought,
    firstBrought,
  }
}

/** What must be left of tokens, and the steps that enforce it where it is no output. */
function restsLeft(
  { draft }: BundleBuilder,
  remaining: readonly Remaining[],
  measured: { readonly notes: Notes; amountOf(key: number): bigint },
) {
  const { notes, amountOf } = measured
  const { rests, firstRest, brought, firstBrought } = notes
  const pulled = new Map(draft.pulled().map(({ token, amount }) => [token, amount]))
  const least = new Map<Address, bigint>()
  const kept: { readonly step: ExecutorStep; readonly action: number }[] = []
  for (const [index, rest] of rests.entries()) {
    const { token, action } = rest
    const amount = leastLeft(rest, {
      pulled: pulled.get(token) ?? 0n,
      left: amountOf(firstRest + index),
      valueOf: (of) => (isAmountRef(of) ? amountOf(firstBrought + brought.indexOf(of)) : of),
    })
    if (amount === 0n) continue
    least.set(token, amount)
    // What is an output is enforced as such.
    if (remaining.some((one) => one.token === token)) continue
    kept.push({ step: minimumStep({ ref: 'balance', token }, amount), action })
  }
  return { least, kept }
}

/** What the simulation tells the records of the route. */
function shownBy(
  { draft, task, args, runner, receiver }: BundleBuilder,
  measured: {
    readonly notes: Notes
    readonly simulated: SimulatedBundle
    readonly deposits: readonly (readonly TokenAmount[])[]
  },
): Shown {
  const { notes, simulated, deposits } = measured
  const { logs } = simulated.result
  const noted = notedIn(simulated.result)
  const alone = splitsAlone(draft.actions.flatMap(({ route }) => route))
  const { wrappedNative } = task.chain
  return {
    valueOf: (ref) => noted.get(BigInt(notes.shown.get(JSON.stringify(ref)) ?? -1))?.value,
    takenBy(stated) {
      const key = draft.minimums.findIndex((one) => one.stated === stated)
      return new Map(deposits[key]?.map(({ token, amount }) => [token, amount]))
    },
    measured(split, inputs) {
      if (!alone.has(split)) return split.records
      const { edges } = split
      const sender = args.request.fromAddress
      const facts = { edges, inputs, logs, wrappedNative, runner, receiver, sender }
      return withStepAmounts(split.records, facts)
    },
  }
}

/** What must come at least, where the amount came in the simulation. */
function leastOf(
  { least, centiBps }: { readonly least?: bigint | undefined; readonly centiBps: bigint },
  amount: bigint,
): bigint {
  return least ?? lessSlippage(amount, centiBps)
}

/** @param left - of the token, where it is also taken: the stricter of the two holds. */
function leastGained(
  limit: { readonly least?: bigint | undefined; readonly centiBps: bigint },
  amount: bigint,
  left: bigint | undefined,
): bigint {
  const minimum = leastOf(limit, amount)
  if (limit.least !== undefined || left === undefined) return minimum
  return left > minimum && left <= amount ? left : minimum
}

function noAmounts(step: CallStep | undefined): never {
  throw unreadable(`${step?.abi.name} of ${step?.target} does not say what it took`)
}

/** @param limitsOf - a minimum, or a maximum, and the minimums that its call states; null: not known. */
function withMinimums(
  { steps, minimums }: BundleDraft,
  limitsOf: (
    minimum: Minimum,
    key: number,
  ) => { readonly limit: bigint; readonly stated: readonly bigint[] } | null,
): ExecutorStep[] {
  const by = new Map<ExecutorStep, ExecutorStep>()
  for (const [key, each] of minimums.entries()) {
    const limits = limitsOf(each, key)
    if (!limits) continue
    const step = each.isMaximum ? maximumStep : minimumStep
    by.set(each.step, step(each.amount, limits.limit))
    if (each.stated) by.set(each.stated.step, each.stated.filled(limits.stated))
  }
  return replaced(steps, by)
}

/** Replaces steps within callbacks too. */
function replaced(
  steps: readonly ExecutorStep[],
  by: ReadonlyMap<ExecutorStep, ExecutorStep>,
): ExecutorStep[] {
  return steps.map((step) => {
    const other = by.get(step)
    if (other) return other
    if (step.kind !== 'call' || !step.callback) return step
    return { ...step, callback: replaced(step.callback, by) }
  })
}

/** Null where some of the value does not come out as outputs. */
async function impact(
  { task, draft }: BundleBuilder,
  inputs: readonly TokenAmount[],
  outputs: readonly TokenAmount[],
): Promise<number | null> {
  const isComparable = draft.actions.every(({ isPriced }) => isPriced)
  return isComparable ? priceImpact(task, inputs, outputs) : null
}

/** Basis points; null without prices, or where nothing goes in or comes out. */
export async function priceImpact(
  task: Task,
  inputs: readonly TokenAmount[],
  outputs: readonly TokenAmount[],
): Promise<number | null> {
  if (!inputs.length || !outputs.length) return null
  const tokens = [...inputs, ...outputs].map(({ token }) => token)
  return priceImpactBps(inputs, outputs, await task.facts.pricedTokens(task.reader, tokens))
}
