/**
 * Candidates made into transactions and run on the forks.
 */
import type { RouteRequest } from '../../domain/engine.js'
import type { Hex } from '../../domain/primitives.js'
import type { SimulationResult, StateOverrides } from '../../domain/state.js'
import type { Pool } from '../../protocols/pool.js'
import type { TaskRun } from '../context/task-context.js'
import type { Flow } from '../search/flow.js'
import { type Built, build, poolsOn, toSimulation } from './built.js'
import { callsThatFund, type Funds } from './funds.js'
import { refusePartial, watchLeftovers } from './leftovers.js'
import { readAhead } from './read-ahead.js'

export interface Attempt {
  readonly built: Built
  /** Null: the deadline left it undone. */
  readonly result: SimulationResult | null
}

export interface ProofArgs {
  readonly request: RouteRequest
  readonly accountId: Hex
  /** Raw units, one per input. */
  readonly feeAmounts: readonly bigint[]
  readonly funds: Funds
  /** Changes of the world that all candidates share. */
  readonly overrides: StateOverrides
  /** Holders that may lend what overrides cannot give. */
  readonly allPools: readonly Pool[]
}

/** In the order of the candidates, without those that nobody can fund. */
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
          request,
          args.funds,
          args.allPools,
          poolsOn(candidate),
        )
        return before && build(run, args, candidate, args.feeAmounts, { before, overrides })
      }),
    ),
  )
  const built = plans.filter((one) => one !== null)
  const learnLeftovers = await run.stage('state', () => readAhead(run, request, built))
  const watched = built.map((one) => watchLeftovers(one, request))
  const simulated = await run.stage('simulate', () =>
    run.simulateUntilDeadline(
      built.map((one, index) => ({ ...toSimulation(one, request), measure: watched[index] ?? [] })),
    ),
  )
  learnLeftovers()
  return built.map((one, index) => ({
    built: one,
    result: refusePartial(watched[index] ?? [], simulated[index] ?? null),
  }))
}
