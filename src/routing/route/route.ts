/**
 * One route or quote at one block: candidates by native math, each proven by simulation; the best after gas is
 * simulated once more as exactly the transaction that is returned.
 */
import { defined } from '../../domain/defined.js'
import type { RouteAnswer } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { nativeToken } from '../../domain/primitives.js'
import type { SimulationSuccess } from '../../domain/state.js'
import { poolKey } from '../../protocols/pool.js'
import type { Task } from '../block/task.js'
import type { MarketPool } from '../market/market-view.js'
import { type Flow, swapsOf } from '../search/flow.js'
import { withAlternatives } from './alternatives.js'
import { routeAnswer } from './answer.js'
import type { Attempt } from './built.js'
import { finalise, improvementBps, rank } from './choose.js'
import { answerExactly } from './exact-output.js'
import { asAsked, RouteLog, withExplanation } from './explain.js'
import { noRoute } from './failures.js'
import { type FoundFlows, findFlows } from './find-flows.js'
import { whyNothingWorks } from './no-answer/why-nothing-works.js'
import { openSearch } from './open-search.js'
import { type PreparedRoute, prepareRoute, type RouteArgs } from './prepare.js'
import { type ProofArgs, proveFlows } from './prove.js'
import { delivers } from './retry-without-pools.js'
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

/**
 * How often a stated output is searched again without the pools that broke their promise: a pool that promises all for
 * next to nothing leaves so small an input that no other candidate is found.
 */
const mostNarrowings = 3

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
  return findAmong(task, opened, [])
}

/** @param leftOut - pools that are not searched, of each time that it was searched before. */
async function findAmong(
  task: Task,
  opened: PreparedRoute,
  leftOut: readonly (readonly MarketPool[])[],
): Promise<FoundRoute> {
  const found = await findFlows(task, opened)
  const { prepared } = found
  const args = await withInputs(task, found)
  const attempts = await proveFlows(task, args, found)
  const proven = rank(task, attempts, prepared.priced)
  try {
    if (!proven.length) throw await whyNoAnswer(task, prepared, attempts)
    noteImprovement(task, proven)
    const best = await task.clock.stage('finalise', () => chooseAnswer(task, args, found, proven))
    prepared.log?.chose(best, proven)
    const isCut = found.wasCut || attempts.some(({ result }) => result === null)
    prepared.warnings.push(...droppedWarnings(attempts), ...(isCut ? [deadlineWarning] : []))
    return { best, prepared }
  } catch (error) {
    const mayNarrow = task.settings.narrowsSearches !== false && leftOut.length < mostNarrowings
    if (!mayNarrow || !found.exact || !isNoSuchRoute(error) || task.clock.isLate()) throw error
    const broken = brokenPools(attempts)
    if (!broken.length) throw error
    const without = [...leftOut, broken]
    return findAmong(task, await withoutPools(task, opened, without.flat()), without).catch(
      (again: unknown) => {
        throw isNoSuchRoute(again) ? error : again
      },
    )
  }
}

function isNoSuchRoute(error: unknown): boolean {
  const codes: readonly string[] = ['SIMULATION_REVERTED', 'NO_ROUTE']
  return error instanceof ForkrouteError && codes.includes(error.code)
}

/** Pools of candidates that broke their promise, which no candidate that kept it uses. */
function brokenPools(attempts: readonly Attempt[]): MarketPool[] {
  const poolsOf = (list: readonly Attempt[]) =>
    list.flatMap(({ built }) => swapsOf(built.candidate))
  const kept = new Set(poolsOf(attempts.filter(delivers)))
  const broken = poolsOf(attempts.filter((attempt) => attempt.result && !delivers(attempt)))
  return broken.filter((pool) => !kept.has(pool))
}

async function withoutPools(
  task: Task,
  prepared: PreparedRoute,
  pools: readonly MarketPool[],
): Promise<PreparedRoute> {
  const { request, within } = prepared
  const names = new Set(pools.map(({ loaded }) => poolKey(loaded.pool)))
  const isAllowed = (market: MarketPool) =>
    !names.has(poolKey(market.loaded.pool)) && (within?.isAllowed?.(market) ?? true)
  return { ...prepared, ...(await openSearch(task, request, isAllowed)) }
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
