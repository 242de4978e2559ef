/**
 * Builds transactions from candidates and runs them on the forks.
 */
import type { RouteRequest } from '../../domain/engine.js'
import type { OrderInput } from '../../domain/order.js'
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
          request,
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
  const watching = built.map((one) => ({ one, watched: watchLeftovers(one, request) }))
  const simulated = await run.stage('simulate', () =>
    run.simulateUntilDeadline(
      watching.map(({ one, watched }) => ({ ...toSimulation(one, request), measure: watched })),
    ),
  )
  learnLeftovers()
  return watching.map(({ one, watched }, index) => ({
    built: one,
    result: refusePartial(watched, simulated[index] ?? null),
  }))
}
