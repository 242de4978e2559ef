/**
 * One bundle at one block: its actions planned, simulated whole to learn what they yield, and simulated once more as
 * the very transaction that is returned, with its minimums.
 */
import type { BundleAnswer } from '../../domain/bundle.js'
import { zip } from '../../domain/lists.js'
import type { Order, Step } from '../../domain/plan.js'
import { type Address, lessSlippage, type TokenAmount } from '../../domain/primitives.js'
import { decodeAmountsOut } from '../../executor/compile.js'
import type { TaskRun } from '../context/task-context.js'
import { priceImpactBps } from '../market/valuation.js'
import { BundleBuilder } from './builder.js'
import { parseActions } from './parse-actions.js'
import type { Minimum } from './plan.js'
import type { BundleArgs } from './scene.js'
import { prerequisitesOf, simulateBundle } from './simulate-bundle.js'
import { minimumStep, notedIn, noteStep } from './tools.js'

/** Actions after which the value that goes in need not come out: debts, and positions without a token. */
const unpriced = new Set(['borrow', 'repay', 'call', 'transfer', 'harvest', 'fee', 'flashloan'])

/** With what the actions of `args.tell` yield in the transaction. */
export interface ToldAnswer extends BundleAnswer {
  readonly told: readonly bigint[]
}

export async function runBundle(run: TaskRun, args: BundleArgs): Promise<ToldAnswer> {
  const { request } = args
  const { chain } = run.block
  const parsed = parseActions(request.actions, { chain, serviceName: request.serviceName })
  const builder = new BundleBuilder(run, args, parsed)
  await run.stage('plan', () => builder.build())
  const { plan } = builder
  const remaining = plan.remaining()
  const common = {
    chainId: chain.id,
    actions: request.actions,
    inputs: plan.pulled(),
    route: plan.actions.flatMap(({ records }) => records),
    block: run.pin,
    prerequisites: prerequisitesOf(builder),
    warnings: [],
  }
  const none = remaining.map(({ token }) => ({ token, minAmountOut: 0n }))
  if (request.skipQuote) {
    const steps = withMinimums(plan.steps, plan.minimums, ({ quoted }) => quoted ?? 0n)
    const tx = builder.transaction(builder.order(steps, none))
    return { ...common, gas: null, outputs: null, tx, priceImpact: null, told: [] }
  }
  const { amounts, checked, told } = await run.stage('simulate', () => measure(builder, none))
  const outputs = zip(remaining, amounts).map(([{ token, centiBps }, { amount }]) => ({
    token,
    minAmountOut: lessSlippage(amount, centiBps),
  }))
  const order = builder.order(checked, outputs)
  const { tx, result } = await run.stage('finalise', () =>
    simulateBundle(builder, order, plan.owners),
  )
  const gained = decodeAmountsOut(order, result.returnData)
  const found = zip(outputs, gained).map(([output, { amount }]) => ({
    ...output,
    amountOut: amount,
  }))
  return {
    ...common,
    gas: result.gasUsed,
    outputs: found.filter(({ amountOut }) => amountOut > 0n),
    tx,
    priceImpact: await impact(builder, common.inputs, found),
    told,
  }
}

/** What remains of each token, and the steps with the minimums that the simulation tells. */
async function measure(
  builder: BundleBuilder,
  outputs: Order['outputs'],
): Promise<{ amounts: readonly TokenAmount[]; checked: Step[]; told: readonly bigint[] }> {
  const { plan } = builder
  const { tell = [] } = builder.args
  const noting = replaced(
    plan.steps,
    new Map(plan.minimums.map(({ step, amount }, key) => [step, noteStep(BigInt(key), amount)])),
  )
  const firstTold = plan.minimums.length
  const telling = tell.map((action, index) =>
    noteStep(BigInt(firstTold + index), plan.actions[action]?.outputs[0]?.amount ?? 0n),
  )
  const order = builder.order([...noting, ...telling], outputs)
  const owners = [...plan.owners, ...tell]
  const { result } = await simulateBundle(builder, order, owners)
  const noted = notedIn(result)
  return {
    amounts: decodeAmountsOut(order, result.returnData),
    checked: withMinimums(plan.steps, plan.minimums, ({ centiBps }, key) =>
      lessSlippage(noted.get(BigInt(key)) ?? 0n, centiBps),
    ),
    told: tell.map((_action, index) => noted.get(BigInt(firstTold + index)) ?? 0n),
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
  { run, args, plan }: BundleBuilder,
  inputs: readonly TokenAmount[],
  outputs: readonly { readonly token: Address; readonly amountOut: bigint }[],
): Promise<number | null> {
  const isAway = plan.actions.some(
    ({ outputs: own, parsed }) =>
      own.some(({ isPaid }) => isPaid) || (parsed.performs.kind === 'protocol' && !own.length),
  )
  if (isAway || args.request.actions.some(({ action }) => unpriced.has(action))) return null
  const gained = outputs.map(({ token, amountOut: amount }) => ({ token, amount }))
  return priceImpact(run, inputs, gained)
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
