/**
 * One bundle at one block: its actions planned, simulated whole to learn what they yield, and simulated once more as
 * the very transaction that is returned, with its minimums.
 */
import type { BundleResult } from '../../domain/bundle.js'
import { zip } from '../../domain/lists.js'
import type { Order, Step } from '../../domain/plan.js'
import { type Hex, lessSlippage, type TokenAmount } from '../../domain/primitives.js'
import { decodeAmountsOut } from '../../executor/compile.js'
import type { TaskRun } from '../context/task-context.js'
import { priceImpactBps } from '../market/valuation.js'
import { BundleBuilder } from './builder.js'
import type { Minimum, Remaining } from './plan.js'
import type { BundleArgs } from './scene.js'
import { prerequisitesOf, simulateBundle } from './simulate-bundle.js'
import { minimumStep, notedIn, noteStep } from './tools.js'

/** With what the actions of `args.tell` yield in the transaction. */
export interface ToldResult extends BundleResult {
  readonly told: readonly TokenAmount[]
}

export async function runBundle(run: TaskRun, args: BundleArgs): Promise<ToldResult> {
  const { request } = args
  const { chain } = run.block
  const builder = new BundleBuilder(run, args, request.actions)
  await run.stage('plan', () => builder.build())
  const { plan } = builder
  const remaining = plan.remaining()
  const common = {
    chainId: chain.id,
    inputs: plan.pulled(),
    route: plan.actions.flatMap(({ records }) => records),
    block: run.pin,
    prerequisites: prerequisitesOf(builder),
    warnings: [...new Set(plan.actions.flatMap(({ warnings }) => warnings))],
  }
  if (request.skipQuote) {
    const steps = withMinimums(plan.steps, plan.minimums, ({ quoted }) => quoted ?? 0n)
    const tx = builder.transaction(builder.order(steps, withoutMinimums(remaining)))
    return { ...common, gas: null, outputs: null, tx, priceImpact: null, told: [] }
  }
  const { gained, checked, told } = await run.stage('simulate', () => measure(builder, remaining))
  const outputs = gained.map(({ token, amount, centiBps }) => ({
    token,
    minAmountOut: lessSlippage(amount, centiBps),
  }))
  const order = builder.order(checked, outputs)
  const { tx, result } = await run.stage('finalise', () =>
    simulateBundle(builder, order, plan.owners),
  )
  const found = withAmounts(order, outputs, result.returnData)
  return {
    ...common,
    gas: result.gasUsed,
    outputs: found
      .filter(({ amount }) => amount > 0n)
      .map(({ token, amount: amountOut, minAmountOut }) => ({ token, amountOut, minAmountOut })),
    tx,
    priceImpact: await impact(builder, common.inputs, found),
    told,
  }
}

function withoutMinimums(remaining: readonly Remaining[]): Order['outputs'] {
  return remaining.map(({ token }) => ({ token, minAmountOut: 0n }))
}

/** The outputs of an order, each with what the receiver gained of it. */
function withAmounts<T extends object>(
  order: Order,
  outputs: readonly T[],
  returnData: Hex,
): (T & { readonly amount: bigint })[] {
  const gained = decodeAmountsOut(order, returnData)
  return zip(outputs, gained).map(([output, { amount }]) => ({ ...output, amount }))
}

/** What remains of each token, and the steps with the minimums that the simulation tells. */
async function measure(
  builder: BundleBuilder,
  remaining: readonly Remaining[],
): Promise<{
  gained: readonly (Remaining & TokenAmount)[]
  checked: Step[]
  told: readonly TokenAmount[]
}> {
  const { plan } = builder
  const { tell = [] } = builder.args
  const noting = replaced(
    plan.steps,
    new Map(plan.minimums.map(({ step, amount }, key) => [step, noteStep(BigInt(key), amount)])),
  )
  const firstTold = plan.minimums.length
  const toTell = tell.flatMap((action, index) => {
    const { token, amount } = plan.actions[action]?.outputs[0] ?? {}
    const key = BigInt(firstTold + index)
    return token && amount !== undefined
      ? [{ action, token, key, step: noteStep(key, amount) }]
      : []
  })
  const steps = [...noting, ...toTell.map(({ step }) => step)]
  const order = builder.order(steps, withoutMinimums(remaining))
  const owners = [...plan.owners, ...toTell.map(({ action }) => action)]
  const { result } = await simulateBundle(builder, order, owners)
  const noted = notedIn(result)
  return {
    gained: withAmounts(order, remaining, result.returnData),
    checked: withMinimums(plan.steps, plan.minimums, ({ centiBps }, key) =>
      lessSlippage(noted.get(BigInt(key)) ?? 0n, centiBps),
    ),
    told: toTell.map(({ token, key }) => ({ token, amount: noted.get(key) ?? 0n })),
  }
}

function withMinimums(
  steps: readonly Step[],
  minimums: readonly Minimum[],
  minimumOf: (minimum: Minimum, key: number) => bigint,
): Step[] {
  return replaced(
    steps,
    new Map(
      minimums.map((minimum, key) => [
        minimum.step,
        minimumStep(minimum.amount, minimumOf(minimum, key)),
      ]),
    ),
  )
}

/** Also within callbacks. */
function replaced(steps: readonly Step[], by: ReadonlyMap<Step, Step>): Step[] {
  return steps.map((step) => {
    const other = by.get(step)
    if (other) return other
    if (step.kind !== 'call' || !step.callback) return step
    return { ...step, callback: replaced(step.callback, by) }
  })
}

/** Null where value goes elsewhere than into the outputs. */
async function impact(
  { run, plan }: BundleBuilder,
  inputs: readonly TokenAmount[],
  outputs: readonly TokenAmount[],
): Promise<number | null> {
  const isComparable = plan.actions.every(({ isPriced }) => isPriced)
  return isComparable ? priceImpact(run, inputs, outputs) : null
}

/** Basis points; null without prices, and where nothing goes in or comes out. */
export async function priceImpact(
  run: TaskRun,
  inputs: readonly TokenAmount[],
  outputs: readonly TokenAmount[],
): Promise<number | null> {
  if (!inputs.length || !outputs.length) return null
  const tokens = [...inputs, ...outputs].map(({ token }) => token)
  return priceImpactBps(inputs, outputs, await run.block.pricedTokens(run.reader, tokens))
}
