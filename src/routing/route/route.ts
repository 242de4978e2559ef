/**
 * One route or quote at one block: candidates by native math, each proven by simulation; the best after gas is
 * simulated once more as exactly the transaction that is returned.
 */
import { defined } from '../../domain/defined.js'
import type { RouteAnswer } from '../../domain/engine.js'
import type { ForkrouteError } from '../../domain/errors.js'
import { nativeToken } from '../../domain/primitives.js'
import type { SimulationSuccess } from '../../domain/state.js'
import type { Task } from '../block/task.js'
import type { Flow } from '../search/flow.js'
import { withAlternatives } from './alternatives.js'
import { routeAnswer } from './answer.js'
import type { Attempt } from './built.js'
import { finalise, improvementBps, rank } from './choose.js'
import { answerExactly } from './exact-output.js'
import { asAsked, RouteLog, withExplanation } from './explain.js'
import { noRoute } from './failures.js'
import { type FoundFlows, findFlows } from './find-flows.js'
import { whyNothingWorks } from './no-answer/why-nothing-works.js'
import { type PreparedRoute, prepareRoute, type RouteArgs } from './prepare.js'
import { type ProofArgs, proveFlows } from './prove.js'
import { fundSender } from './sender-state.js'
import { deadlineWarning, droppedWarnings } from './warnings.js'

/** @throws ForkrouteError as `Engine.route`. */
export async function runRoute(task: Task, args: RouteArgs): Promise<RouteAnswer> {
  const { request } = args
  const log = request.explain && new RouteLog(task)
  const explained = () => log && asAsked(log.explain(), request, task)
  const failed = (error: unknown): never => {
    throw withExplanation(error, explained())
  }
  const prepared = await prepareRoute(task, args, log).catch(failed)
  const found = await findRoute(task, prepared).catch(failed)
  const answer = await routeAnswer(task, found.prepared, found.best)
  const explanation = explained()
  return {
    ...answer,
    ...defined({ explanation }),
    ...(await withAlternatives(task, found.prepared, { best: found.best, answer })),
  }
}

export interface FoundRoute {
  readonly best: Attempt<SimulationSuccess>
  /** What it was found in: the market with as much state of its pools as the amounts need. */
  readonly prepared: PreparedRoute
}

/**
 * The best route with its plan and transaction. The log of the prepared route is told what is looked at, up to the error
 * if there is one, and its warnings what was left out.
 *
 * @throws ForkrouteError as `Engine.route`.
 */
export async function findRoute(task: Task, opened: PreparedRoute): Promise<FoundRoute> {
  const found = await findFlows(task, opened)
  const { prepared } = found
  const args = await withInputs(task, found)
  const attempts = await proveFlows(task, args, found)
  const proven = rank(task, attempts, prepared.priced)
  if (!proven.length) throw await whyNoAnswer(task, prepared, attempts)
  noteImprovement(task, proven)
  const best = await task.clock.stage('finalise', () => chooseAnswer(task, args, found, proven))
  prepared.log?.chose(best, proven)
  const isCut = found.wasCut || attempts.some(({ result }) => result === null)
  prepared.warnings.push(...droppedWarnings(attempts), ...(isCut ? [deadlineWarning] : []))
  return { best, prepared }
}

async function withInputs(task: Task, { prepared, inputs }: FoundFlows): Promise<ProofArgs> {
  const { sender, funded } = prepared
  if (funded) return { ...prepared, inputs, funded }
  // What a stated output costs is checked once it is known.
  const assumed = { ...sender, isChecked: false }
  return { ...prepared, inputs, funded: await fundSender(task, assumed, inputs) }
}

function noteImprovement(task: Task, proven: readonly Attempt<SimulationSuccess>[]): void {
  const improvement = improvementBps(proven)
  if (improvement !== null) task.report.improvementsBps.push(improvement)
}

/** @param proven - best first. */
async function chooseAnswer(
  task: Task,
  args: ProofArgs,
  { exact }: FoundFlows,
  proven: readonly Attempt<SimulationSuccess>[],
): Promise<Attempt<SimulationSuccess>> {
  const { request, log } = args
  const [best] = proven
  if (exact) return answerExactly(task, args, exact, proven)
  if (best && args.within?.needsNoTransaction) return best
  const onFailed = (flow: Flow, reason: string) => log?.failed(flow, reason)
  return finalise(task, { request, onFailed }, proven)
}

async function whyNoAnswer(
  task: Task,
  { request, usable, router }: PreparedRoute,
  attempts: readonly Attempt[],
): Promise<ForkrouteError> {
  const { chain } = task
  // Wrapping is assumed to work, which fails at blocks before the wrapped native token was deployed.
  if (await task.archive.hasCode(chain.wrappedNative)) {
    return whyNothingWorks(task, attempts, request)
  }
  const tokenIn = request.inputs[0]?.token ?? nativeToken
  const tokenOut = request.tokensOut[0] ?? nativeToken
  return noRoute(usable.view, { tokenIn, tokenOut }, chain, router)
}
