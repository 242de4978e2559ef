/** The answer to a route: what its transaction takes, gives and costs, with the figures that the request asks for. */
import { cautionsIn } from '../../domain/caution.js'
import { defined } from '../../domain/defined.js'
import type { RouteAnswer, RouteRequest } from '../../domain/engine.js'
import { at, zip } from '../../domain/lists.js'
import { plusSlippage, type TokenAmount } from '../../domain/primitives.js'
import { impactWarnings } from '../../domain/route-step.js'
import type { SimulationSuccess } from '../../domain/state.js'
import { routePermit } from '../../executor/permit.js'
import type { Task } from '../block/task.js'
import { priceImpactBps } from '../market/valuation.js'
import { isDearerBehind } from '../search/order-in-block.js'
import { excessWarnings } from './beyond-liquidity.js'
import { type Attempt, toSimulation } from './built.js'
import { cautionsOf } from './cautions.js'
import type { PreparedRoute } from './prepare.js'
import { measuredSteps } from './step-amounts.js'
import { traceTransaction } from './trace.js'
import { transactionCost } from './transaction-cost.js'
import { dustWarnings, gasWarnings, leftForGasWarnings, priceWarnings } from './warnings.js'

/** @param answer - the transaction with its minimums. */
export async function routeAnswer(
  task: Task,
  prepared: PreparedRoute,
  answer: Attempt<SimulationSuccess>,
): Promise<RouteAnswer> {
  const { request, priced, sender, proof, warnings } = prepared
  const { built, outputs, result } = answer
  const { gasUsed } = result
  const { tx, taken, permit, order } = built
  const priceImpact = request.includePriceImpact ? priceImpactBps(taken, outputs, priced) : null
  const fees = taken.flatMap(({ token, fee }) => (fee === undefined ? [] : { token, amount: fee }))
  return {
    chainId: task.chain.id,
    route: measuredSteps(task, request, answer),
    gas: gasUsed,
    outputs: zip(outputs, order.outputs).map(([{ token, amount }, { minAmountOut }]) => {
      return { token, amountOut: amount, minAmountOut }
    }),
    priceImpact,
    block: task.pin,
    tx,
    ...(request.amountOut !== undefined && { input: spentOf(request.limit, at(taken, 0)) }),
    ...(fees.length > 0 && { fees }),
    ...(permit && { permit: routePermit(permit, tx) }),
    ...(request.includeTrace && { trace: await traceRoute(task, request, answer) }),
    ...(request.includeTransactionCost && {
      gasCost: await transactionCost(task, { tx, gasUsed }, priced),
    }),
    ...(request.includeSimulation && defined({ simulation: answer.simulation })),
    ...(proof === 'adaptive' && { proof }),
    ...(isDearerBehind(built.candidate) && { isBehindSwap: true }),
    ...cautionsIn(await cautionsOf(task, built.candidate)),
    warnings: [
      ...gasWarnings(task),
      ...priceWarnings(task),
      ...impactWarnings(priceImpact),
      ...(request.includePriceImpact ? excessWarnings(prepared, answer, priceImpact) : []),
      ...dustWarnings(task, outputs, gasUsed, priced),
      ...(sender.isChecked
        ? await leftForGasWarnings(task, { ...request, inputs: taken }, gasUsed)
        : []),
      ...warnings,
    ],
  }
}

function traceRoute(task: Task, request: RouteRequest, { built }: Attempt) {
  const { steps, records } = built.plan
  return task.clock.stage('trace', () =>
    traceTransaction(task, toSimulation(built, request), { steps, records }),
  )
}

/** What the answer to a stated output costs. */
export function spentOf(
  limit: RouteRequest['limit'],
  { amount }: Pick<TokenAmount, 'amount'>,
): NonNullable<RouteAnswer['input']> {
  const centiBps = limit.kind === 'slippage' ? limit.centiBps : 0n
  return { amountIn: amount, maxAmountIn: plusSlippage(amount, centiBps) }
}
