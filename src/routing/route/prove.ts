/**
 * Builds transactions from candidates and runs them on the forks.
 */
import type { RouteRequest } from '../../domain/engine.js'
import type { OrderInput } from '../../domain/order.js'
import type { Hex } from '../../domain/primitives.js'
import type { SimulationResult } from '../../domain/state.js'
import type { SignedPermit } from '../../executor/permit.js'
import type { Pool } from '../../protocols/pool.js'
import type { Task } from '../block/task.js'
import type { Flow } from '../search/flow.js'
import { type Built, build, protocolsOn, through, toSimulation } from './built.js'
import { refusePartial, watchLeftovers } from './leftovers.js'
import { lendersOff } from './lenders.js'
import { readAhead } from './read-ahead.js'
import { type FundedSender, stateWithLoans } from './sender-state.js'

export interface Attempt {
  readonly built: Built
  /** Null: not simulated before the deadline. */
  readonly result: SimulationResult | null
}

export interface ProofArgs {
  readonly request: RouteRequest
  readonly accountId: Hex
  /** The inputs of the request, with their fees in raw units. */
  readonly inputs: readonly OrderInput[]
  /** Such a receiver may hold a token for many, and be paid for one of them by somebody else. */
  readonly receiverHasCode: boolean
  /** Unix seconds; undefined: none. */
  readonly deadline: bigint | undefined
  readonly funded: FundedSender
  /** Brings the one input, or its allowance, in whatever amount; undefined: an allowance given before does. */
  readonly permit: SignedPermit | undefined
  /** Pools that may lend tokens that overrides cannot give. */
  readonly allPools: readonly Pool[]
}

/** In the order of the candidates, without those that cannot be funded. */
export async function prove(
  task: Task,
  args: ProofArgs,
  candidates: readonly Flow[],
): Promise<Attempt[]> {
  const { request, funded, allPools } = args
  const plans = await task.clock.stage('plan', () =>
    Promise.all(
      candidates.map(async (candidate) => {
        // Its own pools lend nothing to a candidate.
        const lenders = funded.unfunded.length ? lendersOff(candidate, allPools) : []
        const state = await stateWithLoans(task, funded, lenders)
        return state && build(task, args, candidate, state)
      }),
    ),
  )
  const built = plans.filter((one) => one !== null)
  const learnLeftovers = await task.clock.stage('state', () => readAhead(task, request, built))
  const attempts = await attempt(task, request, built)
  learnLeftovers()
  const others = await attempt(task, request, otherWays(attempts, request))
  const proven = insteadOfFailedSwaps(attempts, others)
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
  return watching.map(({ one, watched }, index) => ({
    built: one,
    result: refusePartial(watched, simulated[index] ?? null),
  }))
}

/** What plain swaps cannot do, steps may: they spend what has arrived of a token that taxes transfers. */
function otherWays(attempts: readonly Attempt[], request: RouteRequest): Built[] {
  return attempts.flatMap(({ built, result }) => {
    if (built.entryPoint !== 'swap' || result?.status !== 'reverted') return []
    const pairs = built.legs?.legs.some(({ hops }) => hops.some(({ family }) => family === 'v2'))
    const ways = pairs ? (['measured-swap', 'execute'] as const) : (['execute'] as const)
    return ways.map((entryPoint) => through(built, request, entryPoint))
  })
}

/** Each candidate by the first way that succeeds; the cheaper ways stand first. */
function insteadOfFailedSwaps(attempts: readonly Attempt[], others: readonly Attempt[]): Attempt[] {
  return attempts.map((first) => {
    const ways = others.filter(({ built }) => built.candidate === first.built.candidate)
    return ways.find(({ result }) => result?.status === 'success') ?? ways.at(-1) ?? first
  })
}
