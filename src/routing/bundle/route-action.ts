/** A route as one action of a bundle: the best route for the amount at the block, as steps among the others. */

import { defined } from '../../domain/defined.js'
import type { RouteRequest } from '../../domain/engine.js'
import { type ErrorDetails, ForkrouteError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import { type Amount, type CallStep, type ExecutorStep, isAmountRef } from '../../domain/order.js'
import { type Address, isNative } from '../../domain/primitives.js'
import { quoteSender } from '../../executor/deployments.js'
import { balanceOf, difference } from '../../protocols/shared/value-steps.js'
import type { Task } from '../block/task.js'
import type { MarketPool } from '../market/market-view.js'
import { helpersOf } from '../route/built.js'
import { cautionsOf } from '../route/cautions.js'
import { RouteLog } from '../route/explain.js'
import { routerFor } from '../route/open-search.js'
import { planRoute, type RoutePlan } from '../route/plan-route.js'
import { prepareRoute } from '../route/prepare.js'
import { findRoute } from '../route/route.js'
import type { Flow } from '../search/flow.js'
import { flowFrom, type KnownRoute, keyOfRoute, knownFlow } from '../search/known-routes.js'
import { isDearerBehind, overridesAhead } from '../search/order-in-block.js'
import type { BundleContext } from './bundle-context.js'
import type { PlannedSplit, PlannedStep } from './planned-steps.js'
import { ActionError, refuse } from './problems.js'
import { helper, moreThanZero } from './tools.js'

export interface RouteActionArgs {
  readonly action: number
  /** Never the same as `tokenOut`. */
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: Amount
  /** Raw units to search with; absent: what amountIn is at that point. */
  readonly search?: bigint
  /** Raw units, or a reference that stays true; absent: what is searched with. */
  readonly takes?: Amount | undefined
  /** Tokens in the runner that something else of the action needs: no part of them may be spent on the way. */
  readonly besides?: readonly Address[]
  /** Protocols to leave out besides those of the bundle. */
  readonly ignored?: Ignored
  readonly isAllowed?: (market: MarketPool) => boolean
}

/** Lower-case names, as a request leaves them out. */
interface Ignored {
  readonly aggregators: readonly string[]
  readonly standards: readonly string[]
}

export interface RoutedAction {
  /** The exact output of the route. */
  readonly output: Amount
  /** Raw units that the route by itself gave in its quote. */
  readonly quoted: bigint
  readonly route: readonly PlannedStep[]
  /** Tokens that may be left over. */
  readonly leftovers: readonly Address[]
  /** What the search for it left out. */
  readonly warnings: readonly string[]
}

/** @throws ForkrouteError as a quote, with the action's index in the details. */
export async function planRouteAction(
  builder: BundleContext,
  args: RouteActionArgs,
): Promise<RoutedAction> {
  const { task, draft, runner } = builder
  const { request, candidates } = builder.args
  const { action, tokenIn, tokenOut, amountIn } = args
  const amount = args.search ?? (await builder.searchAmount(amountIn, action))
  if (amount === 0n) return refuse(action, 'amountIn', moreThanZero)
  const routeRequest: RouteRequest = {
    chainId: request.chainId,
    fromAddress: quoteSender,
    strategy: 'router',
    executionMode: 'backend',
    inputs: [{ token: tokenIn, amount }],
    tokensOut: [tokenOut],
    limit: { kind: 'slippage', centiBps: 0n },
    ignoreAggregators: [...request.ignoreAggregators, ...(args.ignored?.aggregators ?? [])],
    ignoreStandards: [...request.ignoreStandards, ...(args.ignored?.standards ?? [])],
    includeTransactionCost: false,
    includePriceImpact: false,
    ...(candidates !== undefined && { router: { candidates } }),
    ...defined({ poolChoice: request.poolChoice, deadlineMs: request.deadlineMs }),
  }
  const found = await findIn(builder, args, routeRequest)
  const { flow } = found
  builder.cautions.push(...(await cautionsOf(task, flow)))
  if (isDearerBehind(flow)) builder.ahead.push(overridesAhead(flow))
  const ends = flow.edges.filter(({ hop }) => hop.tokenOut === tokenOut).length
  const add = (step: ExecutorStep) => draft.add(action, step)
  const measuring = { add, helper, runner }
  const before = ends > 1 ? balanceOf(measuring, tokenOut) : null
  const plan = planRoute({
    chain: task.chain,
    edges: flow.isSplit ? flow.edges : sequential(flow),
    inputs: [{ token: tokenIn, amount }],
    tokensOut: [tokenOut],
    executor: runner,
    receiver: runner,
    mayPayReceiver: true,
    helpers: helpersOf(flow),
    deadline: builder.deadline,
    within: { firstStep: draft.firstStep + draft.steps.length, amountIn },
  })
  const { steps, sweep } = plan
  for (const step of before === null ? tracked(steps, tokenOut) : steps) add(step)
  const last: Amount = { ref: 'output', step: draft.firstStep + draft.steps.length - 1 }
  const output = before ? difference(measuring, balanceOf(measuring, tokenOut), before) : last
  const takes =
    args.takes ?? (isAmountRef(amountIn) && amountIn.ref === 'output' ? amountIn : amount)
  return {
    output,
    quoted: found.quoted,
    route: flow.isSplit
      ? splitSteps({ records: plan.records, edges: flow.edges, tokenIn, tokenOut, takes, output })
      : pathSteps(plan, takes),
    leftovers: [tokenIn, ...sweep],
    warnings: found.warnings,
  }
}

interface FoundFlow {
  readonly flow: Flow
  readonly quoted: bigint
  readonly warnings: readonly string[]
}

/** Reuses the route that another task has found at the block, else searches for one. */
async function findIn(
  builder: BundleContext,
  args: RouteActionArgs,
  request: RouteRequest,
): Promise<FoundFlow> {
  const { task } = builder
  const { accountId } = builder.args
  // What depends on the time, or has to say how it came about, is searched each time.
  const isRepeatable =
    !builder.args.request.explain && !args.isAllowed && request.deadlineMs === undefined
  if (!isRepeatable) return search(builder, args, request)
  const key = keyOfRoute(request, accountId)
  const known = builder.knownRoutes.find((one) => one.key === key)
  const flow = known && (await rebuilt(task, request, known))
  if (flow && isPossible(builder, args, flow)) return { ...known, flow }
  const found = await search(builder, args, request)
  builder.knownRoutes.push({ ...found, key, flow: knownFlow(found.flow) })
  return found
}

async function rebuilt(
  task: Task,
  request: RouteRequest,
  { flow }: KnownRoute,
): Promise<Flow | null> {
  const { maxHops } = routerFor(task.settings, request)
  const tokensIn = request.inputs.map(({ token }) => token)
  const { pools } = await task.facts.routeView(task, tokensIn, request.tokensOut, maxHops)
  return flowFrom(flow, pools)
}

async function search(
  builder: BundleContext,
  args: RouteActionArgs,
  request: RouteRequest,
): Promise<FoundFlow> {
  const { task } = builder
  const { accountId, candidates } = builder.args
  const { action } = args
  const log = builder.args.request.explain && new RouteLog(task)
  const within = {
    isPossible: (flow: Flow) => isPossible(builder, args, flow),
    ...(candidates !== undefined && { needsNoTransaction: true }),
    ...defined({ isAllowed: args.isAllowed }),
  }
  const prepared = prepareRoute(task, { mode: 'quote', accountId, within, request }, log)
  const { built, outputs, warnings } = await prepared
    .then(async (ready) => {
      const { best } = await findRoute(task, ready)
      return { ...best, warnings: ready.warnings }
    })
    .catch((error: unknown) => {
      if (!(error instanceof ForkrouteError)) throw error
      throw new ActionError(error.code, at(builder.own, action), `: ${error.message}`, {
        ...error.details,
        ...stepsOfRoute(error.details, action),
      })
    })
    .finally(() => log && builder.explain(action, log.explain()))
  return { flow: built.candidate, quoted: at(outputs, 0).amount, warnings }
}

/** What a route calls these is an argument of the action. */
const routeArguments: ReadonlySet<string> = new Set(['tokenIn', 'tokenOut', 'amountIn'])

function stepsOfRoute({ next }: ErrorDetails = {}, action: number): Pick<ErrorDetails, 'next'> {
  const steps = next?.map((step) =>
    'parameter' in step && routeArguments.has(step.parameter) ? { ...step, action } : step,
  )
  return defined({ next: steps })
}

/** Each takes what the one before it gave. */
function pathSteps({ records, ends }: RoutePlan, takes: Amount): PlannedStep[] {
  let taken = takes
  return records.map((record, index) => {
    const given: Amount = { ref: 'output', step: at(ends, index) }
    const step = { record, amounts: { taken: [[taken]], given: [[given]] } }
    taken = given
    return step
  })
}

/** One step is known by its ends. */
function splitSteps(split: PlannedSplit): PlannedStep[] {
  const { records, takes, output } = split
  const [record] = records
  return record && records.length === 1
    ? [{ record, amounts: { taken: [[takes]], given: [[output]] } }]
    : records.map((each) => ({ record: each, split }))
}

/** Paths always; splits only where no other amount of the bundle can mix with the tokens that their edges share. */
function isPossible(builder: BundleContext, args: RouteActionArgs, flow: Flow): boolean {
  const { tokenIn, tokenOut, action, besides = [] } = args
  const ends = flow.edges.filter(({ hop }) => hop.tokenOut === tokenOut)
  if (!flow.isSplit) return ends.length === 1
  if (isNative(tokenOut)) return false
  const between = new Set(flow.edges.map(({ hop }) => hop.tokenIn))
  between.delete(tokenIn)
  return [...between].every(
    (token) =>
      !builder.draft.touched.has(token) &&
      !besides.includes(token) &&
      !builder.isMentioned(token, action),
  )
}

/** Makes each hop of a path spend exactly what the previous hop yielded, whatever other balance there is. */
function sequential(flow: Flow): Flow['edges'] {
  return flow.edges.map((edge, index) => (index === 0 ? edge : { ...edge, spends: 'previous' }))
}

/** Makes the last call report how much of the token it yielded. */
function tracked(steps: readonly ExecutorStep[], token: Address): ExecutorStep[] {
  const last = steps.findLastIndex(({ kind }) => kind === 'call')
  return steps.map((step, index) =>
    index === last ? { ...(step as CallStep), output: { kind: 'balance', token } } : step,
  )
}
