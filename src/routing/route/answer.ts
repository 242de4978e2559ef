/** The answer to a route: what its transaction takes, gives and costs, with the figures that the request asks for. */
import type { RouteAnswer, RouteRequest } from '../../domain/engine.js'
import { at } from '../../domain/lists.js'
import { plusSlippage } from '../../domain/primitives.js'
import { impactWarnings } from '../../domain/route-step.js'
import { permitTypedData, placeOfSignature } from '../../executor/permit.js'
import type { Task } from '../block/task.js'
import { priceImpactBps } from '../market/valuation.js'
import { toSimulation } from './built.js'
import type { Answer } from './choose.js'
import type { PreparedRoute } from './prepare.js'
import { measuredSteps } from './step-amounts.js'
import { traceTransaction } from './trace.js'
import { transactionCost } from './transaction-cost.js'
import { gasWarnings, leftForGasWarnings, priceWarnings } from './warnings.js'

export interface FoundRoute {
  readonly prepared: PreparedRoute
  readonly answer: Answer
  readonly warnings: readonly string[]
}

export async function routeAnswer(task: Task, found: FoundRoute): Promise<RouteAnswer> {
  const { prepared, answer, warnings } = found
  const { request, priced, sender, proof } = prepared
  const { built, outputs, gasUsed } = answer
  const { tx, taken, permit } = built
  const gained = outputs.map(({ token, amountOut }) => ({ token, amount: amountOut }))
  const priceImpact = request.includePriceImpact ? priceImpactBps(taken, gained, priced) : null
  const fees = taken.flatMap(({ token, fee }) => (fee === undefined ? [] : { token, amount: fee }))
  return {
    chainId: task.chain.id,
    route: measuredSteps(task, request, answer),
    gas: gasUsed,
    outputs,
    priceImpact,
    block: task.pin,
    tx,
    ...(request.amountOut !== undefined && { input: inputOf(request, answer) }),
    ...(fees.length > 0 && { fees }),
    ...(permit && {
      permit: {
        kind: permit.kind,
        typedData: permitTypedData(permit),
        signature: placeOfSignature(tx.data, permit),
      },
    }),
    ...(request.includeTrace && { trace: await traceRoute(task, request, answer) }),
    ...(request.includeTransactionCost && {
      gasCost: await transactionCost(task, { tx, gasUsed }, priced),
    }),
    ...(proof === 'adaptive' && { proof }),
    warnings: [
      ...gasWarnings(task),
      ...priceWarnings(task),
      ...impactWarnings(priceImpact),
      ...(sender.isChecked
        ? await leftForGasWarnings(task, { ...request, inputs: taken }, gasUsed)
        : []),
      ...warnings,
    ],
  }
}

function traceRoute(task: Task, request: RouteRequest, { built }: Answer) {
  const { steps, records } = built.plan
  return task.clock.stage('trace', () =>
    traceTransaction(task, toSimulation(built, request), { steps, records }),
  )
}

/** What the answer to a stated output costs. */
function inputOf({ limit }: RouteRequest, { built }: Answer): NonNullable<RouteAnswer['input']> {
  const { amount } = at(built.taken, 0)
  const centiBps = limit.kind === 'slippage' ? limit.centiBps : 0n
  return { amountIn: amount, maxAmountIn: plusSlippage(amount, centiBps) }
}
