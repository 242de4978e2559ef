/** Proves the candidates of a route by simulation: all, or as many as it takes to know the best, and splits once more. */
import type { RefusedPool } from '../../domain/explanation.js'
import { poolName } from '../../protocols/pool.js'
import type { Task } from '../block/task.js'
import type { MarketPool } from '../market/market-view.js'
import type { Flow } from '../search/flow.js'
import { proveAdaptively } from './adaptive.js'
import type { FoundFlows } from './find-flows.js'
import type { PreparedRoute } from './prepare.js'
import { type Attempt, type ProofArgs, prove } from './prove.js'
import { newSplits, suspectPools } from './retry-without-pools.js'
import { notFundable } from './sender-state.js'

/** How often splits are searched again without the pools that spoilt them. */
const extraLooks = 2

/** @throws ForkrouteError NOT_FUNDABLE where nothing can be simulated; STATE_UNAVAILABLE. */
export async function proveFlows(
  task: Task,
  prepared: PreparedRoute,
  proof: ProofArgs,
  { flows, searchAgain }: FoundFlows,
): Promise<readonly Attempt[]> {
  const { request, usable, all, priced, log } = prepared
  const tried = async (some: readonly Flow[]) => {
    const proven = await prove(task, proof, some)
    const kept = new Set(proven.map(({ built }) => built.candidate))
    for (const flow of some) if (!kept.has(flow)) log?.leftOut(flow, 'plan', notLent)
    log?.attempted(proven)
    return proven
  }
  const { attempts, spared } =
    prepared.proof === 'adaptive'
      ? await proveAdaptively(task, request, priced, flows, tried)
      : { attempts: await tried(flows), spared: [] }
  for (const flow of spared) log?.leftOut(flow, 'simulate', boundedBelow)
  if (!attempts.length) throw notFundable(proof.funded, all.unreadable)
  for (let look = 0; look < extraLooks && !task.clock.isLate(); look++) {
    const doubtful = suspectPools(attempts)
    if (!doubtful.size) break
    log?.refused([...doubtful].map(suspectPool))
    const again = await searchAgain(usable.pools.filter((pool) => !doubtful.has(pool)))
    const known = attempts.map(({ built }) => built.candidate)
    const splits = newSplits(again, known)
    if (!splits.length) break
    attempts.push(...(await tried(splits)))
  }
  return attempts
}

const boundedBelow = 'by native math it cannot be worth more than what was simulated'
const notLent = 'the balance of an input cannot be overridden, and no pool off the path can lend it'

function suspectPool({ adapter, loaded }: MarketPool): RefusedPool {
  const reason =
    'a candidate through it paid less than it promised, so further splits do without it'
  return { pool: poolName(loaded.pool), protocol: adapter.slug, reason }
}
