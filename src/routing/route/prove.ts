/**
 * Proves the candidates of a route by simulation of their transactions: all, or as many as it takes to know the best, and
 * further splits without the pools that broke a promise.
 */
import type { RouteRequest } from '../../domain/engine.js'
import type { RefusedPool } from '../../domain/explanation.js'
import type { OrderInput } from '../../domain/order.js'
import { decodeAmountsOut } from '../../executor/compile.js'
import { poolKey, poolName } from '../../protocols/pool.js'
import type { Task } from '../block/task.js'
import type { MarketPool } from '../market/market-view.js'
import type { CandidateArgs } from '../search/candidates.js'
import type { Flow } from '../search/flow.js'
import { proveAdaptively } from './adaptive.js'
import { type Attempt, type Built, build, protocolsOn, through, toSimulation } from './built.js'
import { refusePartial, watchLeftovers } from './leftovers.js'
import { lendersOff } from './lenders.js'
import type { PreparedRoute } from './prepare.js'
import { readAhead } from './read-ahead.js'
import { ReadableAmounts } from './retry/readable-amounts.js'
import {
  delivers,
  newFlows,
  newSplits,
  suspectPools,
  unreadablePools,
} from './retry-without-pools.js'
import { type FundedSender, notFundable, stateWithLoans } from './sender-state.js'

/** A route whose inputs are known. */
export interface ProofArgs extends PreparedRoute {
  /** With their fees in raw units; of a stated output those that its candidates were searched with. */
  readonly inputs: readonly OrderInput[]
  readonly funded: FundedSender
}

/** Candidates to prove, and how further ones are found. */
export interface FlowsToProve {
  readonly flows: readonly Flow[]
  /**
   * Candidates by these pools alone that can be carried out.
   * @param options - what is not searched for, see `CandidateArgs`, and pools that are bounded: by what they replace.
   */
  searchAgain(
    pools: readonly MarketPool[],
    options: Pick<CandidateArgs, 'exactSplits'> & {
      readonly bounded?: ReadonlyMap<MarketPool, MarketPool>
    },
  ): Promise<readonly Flow[]>
}

/** How often splits are searched again without the pools that spoilt them. */
const extraLooks = 2
/** How often it is searched again without pools whose state is not there: each search may meet others of these. */
const mostLooks = 6

/** @throws ForkrouteError NOT_FUNDABLE where nothing can be simulated; STATE_UNAVAILABLE. */
export async function proveFlows(
  task: Task,
  args: ProofArgs,
  { flows, searchAgain }: FlowsToProve,
): Promise<readonly Attempt[]> {
  const { usable, all, funded, log } = args
  const tried = async (some: readonly Flow[]) => {
    const proven = await prove(task, args, some)
    const kept = new Set(proven.map(({ built }) => built.candidate))
    for (const flow of some) if (!kept.has(flow)) log?.leftOut(flow, 'plan', notLent)
    log?.attempted(proven)
    return proven
  }
  const { attempts, spared } =
    args.proof === 'adaptive'
      ? await proveAdaptively(task, args, flows, tried)
      : { attempts: await tried(flows), spared: [] }
  for (const flow of spared) log?.leftOut(flow, 'simulate', boundedBelow)
  if (!attempts.length) throw notFundable(funded, all.unreadable)
  const leftOut = new Set<MarketPool>()
  const readable = new ReadableAmounts(task, args)
  for (let look = 0; look < mostLooks && !task.clock.isLate(); look++) {
    const isBounded = await readable.learn(attempts)
    const telling = attempts.filter((attempt) => !readable.isBeyond(attempt))
    const missing = unreadablePools(telling)
    const isMissing = isBounded || missing.size > 0
    const suspects = isMissing || look >= extraLooks ? null : suspectPools(telling, leftOut)
    const doubtful = suspects?.pools ?? missing
    if (!doubtful.size && !isBounded) break
    const bounded = readable.bounded()
    log?.refused([...doubtful].map((pool) => suspectPool(pool, missing.has(pool))))
    log?.refused([...bounded.values()].map(boundedPoolRecord))
    const names = new Set([...doubtful].map(({ loaded }) => poolKey(loaded.pool)))
    const again = await searchAgain(
      usable.pools.filter(({ loaded }) => !names.has(poolKey(loaded.pool))),
      { exactSplits: !suspects?.exactSplitsStand, bounded },
    )
    for (const pool of suspects?.pools ?? []) leftOut.add(pool)
    const known = attempts.map(({ built }) => built.candidate)
    const found = (isMissing ? newFlows : newSplits)(again, known)
    if (!found.length) break
    attempts.push(...(await tried(found)))
  }
  return attempts
}

function boundedPoolRecord({ adapter, loaded, bounds = new Map() }: MarketPool): RefusedPool {
  const most = [...bounds].map(([direction, amount]) => `${amount} of ${direction.split('>')[0]}`)
  const reason = `beyond ${most.join(' and ')} it needs state that is not there, so further candidates take no more`
  return { pool: poolName(loaded.pool), protocol: adapter.slug, reason }
}

const boundedBelow = 'by native math it cannot be worth more than what was simulated'
const notLent = 'the balance of an input cannot be overridden, and no pool off the path can lend it'

function suspectPool({ adapter, loaded }: MarketPool, isMissing: boolean): RefusedPool {
  const reason = isMissing
    ? 'a candidate through it needs state that is not there, so further ones do without it'
    : 'a candidate through it paid less than it promised, so further splits do without it'
  return { pool: poolName(loaded.pool), protocol: adapter.slug, reason }
}

/** In the order of the candidates, without those that cannot be funded. */
export async function prove(
  task: Task,
  args: ProofArgs,
  candidates: readonly Flow[],
): Promise<Attempt[]> {
  const { request, funded, all } = args
  const plans = await task.clock.stage('plan', () =>
    Promise.all(
      candidates.map(async (candidate) => {
        // Its own pools lend nothing to a candidate.
        const lenders = funded.unfunded.length ? lendersOff(candidate, all.pools) : []
        const state = await stateWithLoans(task, funded, lenders)
        return state && build(task, args, candidate, state)
      }),
    ),
  )
  const built = plans.filter((one) => one !== null)
  const learnLeftovers = await task.clock.stage('state', () => readAhead(task, request, built))
  const attempts = await attempt(task, request, built)
  learnLeftovers()
  const others = await attempt(task, request, otherWays(task, args, attempts))
  const proven = bestWays(attempts, others)
  countReverts(task, proven)
  return proven
}

function countReverts(task: Task, attempts: readonly Attempt[]): void {
  for (const { built, result } of attempts) {
    if (result?.status !== 'reverted') continue
    for (const protocol of protocolsOn(built.candidate)) {
      task.report.reverts[protocol] = (task.report.reverts[protocol] ?? 0) + 1
    }
  }
}

async function attempt(
  task: Task,
  request: RouteRequest,
  built: readonly Built[],
): Promise<Attempt[]> {
  if (!built.length) return []
  const watching = built.map((one) => ({ one, watched: watchLeftovers(one, request) }))
  const simulated = await task.clock.stage('simulate', () =>
    task.simulator.simulateUntilDeadline(
      watching.map(({ one, watched }) => ({ ...toSimulation(one, request), measure: watched })),
    ),
  )
  return watching.map(({ one, watched }, index) => {
    const result = refusePartial(watched, simulated[index] ?? null)
    const isDone = result?.status === 'success'
    return {
      built: one,
      result,
      outputs: isDone ? decodeAmountsOut(one.order, result.returnData) : [],
    }
  })
}

/**
 * What plain swaps cannot do, steps may: they spend what has arrived of a token that taxes transfers. Steps that pay less
 * than promised may have paid such a tax twice, on the way into the Executor and out of it.
 */
function otherWays(task: Task, args: ProofArgs, attempts: readonly Attempt[]): Built[] {
  return attempts.flatMap((attempt) => {
    const { built, result } = attempt
    if (built.entryPoint !== 'swap') {
      return result?.status === 'success' && !delivers(attempt) ? prepaying(task, args, built) : []
    }
    if (result?.status !== 'reverted') return []
    const pairs = built.legs?.legs.some(({ hops }) => hops.some(({ family }) => family === 'v2'))
    const ways = pairs ? (['measured-swap', 'execute'] as const) : (['execute'] as const)
    return ways.map((entryPoint) => through(built, args.request, entryPoint))
  })
}

/** The same candidate with the input sent straight to its first pool; none where that pool takes no such payment. */
function prepaying(task: Task, args: ProofArgs, { candidate, simulationState }: Built): Built[] {
  // The steps of a bundle find their input in the Executor.
  if (args.within) return []
  const built = build(task, { ...args, prepaysInput: true }, candidate, simulationState)
  return built.prepaysInput ? [built] : []
}

/**
 * Each candidate by the first other way that succeeds, the cheaper ways standing first; as it was attempted where that
 * succeeds and gives no less.
 */
function bestWays(attempts: readonly Attempt[], others: readonly Attempt[]): Attempt[] {
  return attempts.map((first) => {
    const ways = others.filter(({ built }) => built.candidate === first.built.candidate)
    const working = ways.find(({ result }) => result?.status === 'success')
    if (first.result?.status !== 'success') return working ?? ways.at(-1) ?? first
    const [given, instead] = [first.outputs[0]?.amount ?? 0n, working?.outputs[0]?.amount ?? 0n]
    return working && instead > given ? working : first
  })
}
