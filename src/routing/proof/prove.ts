/**
 * Builds transactions from candidates and runs them on the forks.
 */
import type { RouteRequest } from '../../domain/engine.js'
import type { OrderInput } from '../../domain/order.js'
import type { Hex } from '../../domain/primitives.js'
import type { SimulationResult, StateOverrides } from '../../domain/state.js'
import type { SignedPermit } from '../../executor/permit.js'
import type { Pool } from '../../protocols/pool.js'
import type { TaskRun } from '../context/task-context.js'
import type { Flow } from '../search/flow.js'
import { type Built, build, poolsOn, protocolsOn, through, toSimulation } from './built.js'
import { callsThatFund, type Funds } from './funds.js'
import { refusePartial, watchLeftovers } from './leftovers.js'
import { pullerOf } from './permit.js'
import { readAhead } from './read-ahead.js'

export interface Attempt {
  readonly built: Built
  /** Null: not simulated before the deadline. */
  readonly result: SimulationResult | null
}

export interface ProofArgs {
  readonly request: RouteRequest
  readonly accountId: Hex
  /** Those of the request, with their fees in raw units. */
  readonly inputs: readonly OrderInput[]
  /** Such a receiver may hold a token for many, and be paid for one of them by somebody else. */
  readonly receiverHasCode: boolean
  /** Unix seconds; undefined: none. */
  readonly deadline: bigint | undefined
  readonly funds: Funds
  /** Brings the one input, or its allowance, in whatever amount; undefined: an allowance given before does. */
  readonly permit: SignedPermit | undefined
  /** State overrides that all candidates share. */
  readonly overrides: StateOverrides
  /** Pools that may lend tokens that overrides cannot give. */
  readonly allPools: readonly Pool[]
}

/** In the order of the candidates, without those that cannot be funded. */
export async function prove(
  run: TaskRun,
  args: ProofArgs,
  candidates: readonly Flow[],
): Promise<Attempt[]> {
  const { request, overrides } = args
  const plans = await run.stage('plan', () =>
    Promise.all(
      candidates.map(async (candidate) => {
        const before = await callsThatFund(
          run,
          { ...request, ...pullerOf(args.permit) },
          args.funds,
          args.allPools,
          poolsOn(candidate),
        )
        return before && build(run, args, candidate, { before, overrides })
      }),
    ),
  )
  const built = plans.filter((one) => one !== null)
  const learnLeftovers = await run.stage('state', () => readAhead(run, request, built))
  const attempts = await attempt(run, request, built)
  learnLeftovers()
  const others = await attempt(run, request, otherWays(attempts, request))
  const proven = insteadOfFailedSwaps(attempts, others)
  countReverts(run, proven)
  return proven
}

function countReverts(run: TaskRun, attempts: readonly Attempt[]): void {
  for (const { built, result } of attempts) {
    if (result?.status !== 'reverted') continue
    for (const protocol of protocolsOn(built.candidate)) {
      run.reverts[protocol] = (run.reverts[protocol] ?? 0) + 1
    }
  }
}

async function attempt(
  run: TaskRun,
  request: RouteRequest,
  built: readonly Built[],
): Promise<Attempt[]> {
  if (!built.length) return []
  const watching = built.map((one) => ({ one, watched: watchLeftovers(one, request) }))
  const simulated = await run.stage('simulate', () =>
    run.simulateUntilDeadline(
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
