/**
 * Further transactions for a request, beside the best: each is searched for without the pools of those before it, and proven
 * as the best is. Where nothing is left without these pools, as few of them as can be are used again.
 */
import { performance } from 'node:perf_hooks'
import { runWithin } from '../../domain/abort.js'
import { defined } from '../../domain/defined.js'
import type { RouteAlternative, RouteAnswer } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { compareText } from '../../domain/lists.js'
import { bpsOf } from '../../domain/primitives.js'
import type { SimulationSuccess } from '../../domain/state.js'
import { poolName } from '../../protocols/pool.js'
import { addPart, partOf, type Task } from '../block/task.js'
import { findCandidates } from '../search/candidates.js'
import { type Flow, swapsOf } from '../search/flow.js'
import { routeAnswer } from './answer.js'
import { type Attempt, costOf, withoutFee } from './built.js'
import { finalise, rank } from './choose.js'
import { valueAfterGas } from './explain.js'
import { searchFlows } from './find-flows.js'
import { openSearch } from './open-search.js'
import type { PreparedRoute } from './prepare.js'
import { type ProofArgs, proveFlows } from './prove.js'
import { droppedWarnings, fewerAlternativesWarning } from './warnings.js'

type Proven = Attempt<SimulationSuccess>

/** How many of the paths that share the fewest pools are tried for one alternative. */
const sharingTries = 3
/** Paths among which those that share the fewest pools are looked for; the rest of what the search found counts, too. */
const pathsCompared = 64

interface Best {
  readonly best: Proven
  readonly answer: RouteAnswer
}

/**
 * The fields that alternatives add to the answer; none where they are not asked for. At the deadline it is those that were
 * found by then, with a warning.
 */
export async function withAlternatives(
  task: Task,
  prepared: PreparedRoute,
  { best, answer }: Best,
): Promise<Pick<RouteAnswer, 'alternatives' | 'warnings'> | null> {
  const { alternatives: count } = prepared.request
  const { funded } = prepared
  if (count === undefined || !funded) return null
  const args = { ...prepared, funded, inputs: best.built.taken }
  const found: RouteAlternative[] = []
  const isComplete = await beforeDeadline(task, async (part) => {
    const search = new AlternativeSearch(part, args, best)
    while (found.length < count) {
      const next = await search.next()
      if (!next) break
      found.push(await toAlternative(part, { best, answer }, next))
    }
    return !search.wasCut
  })
  const warnings = isComplete ? [] : [fewerAlternativesWarning]
  return { alternatives: [...found], warnings: [...answer.warnings, ...warnings] }
}

/** @returns false where the deadline ended the work: what it has found until then counts. */
async function beforeDeadline(
  task: Task,
  work: (task: Task) => Promise<boolean>,
): Promise<boolean> {
  const leftMs = task.clock.leftMs()
  if (leftMs === null) return work(task)
  const late = new ForkrouteError('DEADLINE_EXCEEDED', fewerAlternativesWarning)
  if (leftMs <= 0) return false
  let part: Task | undefined
  try {
    const deadline = performance.now() + leftMs
    const limit = { timeoutMs: leftMs, outer: task.signal, late: () => late }
    return await runWithin(limit, (signal) => {
      part = partOf(task, { deadline, signal })
      return work(part)
    })
  } catch (error) {
    if (error === late) return false
    throw error
  } finally {
    if (part) addPart(task, part)
  }
}

/** What is proven beside the best, with the pools that it shares. */
interface Found {
  readonly prepared: PreparedRoute
  readonly attempt: Proven
  readonly sharedPools: readonly string[]
}

/** Looks for one alternative after the other; each leaves its pools to none after it, where that is possible. */
class AlternativeSearch {
  /** Whether the deadline ended a search. */
  wasCut = false
  /** Pools of the best and of the alternatives so far. */
  readonly #used = new Set<string>()
  /** The pools of each of these, as one text: no other takes the very same pools. */
  readonly #taken = new Set<string>()

  constructor(
    private readonly task: Task,
    private readonly args: ProofArgs,
    best: Proven,
  ) {
    this.#take(best.built.candidate)
  }

  /** The next best, or null where there is none. */
  async next(): Promise<Found | null> {
    const apart = await this.#prove([...this.#used])
    if (apart) return apart
    for (const shared of this.#fewestShared()) {
      if (this.#isLate()) return null
      const found = await this.#prove([...this.#used].filter((pool) => !shared.includes(pool)))
      if (found) return found
    }
    return null
  }

  #take(flow: Flow): void {
    const pools = poolsOf(flow)
    for (const pool of pools) this.#used.add(pool)
    this.#taken.add(pools.join())
  }

  #isLate(): boolean {
    this.wasCut ||= this.task.clock.isLate()
    return this.wasCut
  }

  /** The best route without these pools that is none of those found, as its final transaction; null where there is none. */
  async #prove(excludePools: readonly string[]): Promise<Found | null> {
    if (this.#isLate()) return null
    const { task, args } = this
    const chosen = args.request.poolChoice
    const request = {
      ...args.request,
      poolChoice: {
        onlyPools: chosen?.onlyPools ?? [],
        excludeTokens: chosen?.excludeTokens ?? [],
        excludePools: [...(chosen?.excludePools ?? []), ...excludePools],
      },
    }
    const opened = await openSearch(task, request)
    const found = await searchFlows(task, {
      ...args,
      ...opened,
      request,
      log: undefined,
      warnings: [],
    })
    this.wasCut ||= found.wasCut
    if ('missing' in found) return null
    const others = (flows: readonly Flow[]) => flows.filter((flow) => this.#isOther(flow))
    const flows = others(found.flows)
    if (!flows.length) return null
    const searchAgain = async (...wanted: Parameters<typeof found.searchAgain>) =>
      others(await found.searchAgain(...wanted))
    const { inputs, funded } = args
    const prepared = { ...found.prepared, inputs, funded }
    const attempts = await proveFlows(task, prepared, { flows, searchAgain }).catch(unlessFailed)
    if (!attempts) return null
    this.wasCut ||= attempts.some(({ result }) => result === null)
    const proven = rank(task, attempts, prepared.priced)
    const attempt = proven.length
      ? await finalise(task, { request }, proven).catch(unlessFailed)
      : null
    if (!attempt) return null
    prepared.warnings.push(...droppedWarnings(attempts))
    const { candidate } = attempt.built
    const sharedPools = poolsOf(candidate).filter((pool) => this.#used.has(pool))
    this.#take(candidate)
    return { prepared, attempt, sharedPools }
  }

  #isOther(flow: Flow): boolean {
    return !this.#taken.has(poolsOf(flow).join())
  }

  /** Sets of used pools with which there is another path: the fewest first, then by the value of that path. */
  #fewestShared(): (readonly string[])[] {
    const { args } = this
    const paths: Flow[] = []
    const { candidates } = findCandidates({
      ...args.argsFor(args.usable.pools),
      inputs: args.inputs.map(withoutFee),
      count: pathsCompared,
      mayBeSplit: false,
      onLeftOut: (flow) => paths.push(flow),
    })
    const sets = new Map<string, readonly string[]>()
    for (const flow of [...candidates, ...paths]) {
      const shared = poolsOf(flow).filter((pool) => this.#used.has(pool))
      // What shares none was tried already.
      if (shared.length > 0 && this.#isOther(flow)) sets.set(shared.join(), shared)
    }
    return [...sets.values()].sort((a, b) => a.length - b.length).slice(0, sharingTries)
  }
}

/** Pools of the flow by their names, each once, ascending. */
function poolsOf(flow: Flow): string[] {
  const names = swapsOf(flow).map(({ loaded }) => poolName(loaded.pool))
  return [...new Set(names)].sort(compareText)
}

/** Nothing where candidates cannot be funded, or fail as the final transaction: then there is no such alternative. */
function unlessFailed(error: unknown): null {
  const codes: readonly string[] = ['SIMULATION_REVERTED', 'NOT_FUNDABLE', 'STATE_UNAVAILABLE']
  if (error instanceof ForkrouteError && codes.includes(error.code)) return null
  throw error
}

async function toAlternative(
  task: Task,
  { best, answer }: Best,
  { prepared, attempt, sharedPools }: Found,
): Promise<RouteAlternative> {
  const { includeTrace: _, ...request } = prepared.request
  const own = await routeAnswer(task, { ...prepared, request }, attempt)
  return {
    route: own.route,
    gas: own.gas,
    outputs: own.outputs,
    priceImpact: own.priceImpact,
    tx: own.tx,
    ...defined({ gasCost: own.gasCost, permit: own.permit, cautions: own.cautions }),
    warnings: own.warnings.filter((warning) => !answer.warnings.includes(warning)),
    lossBps: lossBps(task, prepared, { best, attempt }),
    sharedPools,
  }
}

/** See `RouteAlternative.lossBps`; rounded towards zero. */
function lossBps(
  task: Task,
  { priced }: PreparedRoute,
  { best, attempt }: { readonly best: Proven; readonly attempt: Proven },
): number | null {
  const [most, own] = [best, attempt].map(({ built, outputs, result }) =>
    valueAfterGas(task, priced, outputs, costOf(task, built, result.gasUsed)),
  )
  if (typeof most !== 'bigint' || typeof own !== 'bigint' || most <= 0n) return null
  return bpsOf(most - own, most)
}
