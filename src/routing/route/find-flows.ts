/** The candidates of a route by native math, and why there are none. */
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import type { OrderInput } from '../../domain/order.js'
import type { TokenAmount } from '../../domain/primitives.js'
import type { Task } from '../block/task.js'
import type { MarketPool } from '../market/market-view.js'
import { isVerified } from '../market/verified.js'
import { poolsBeyondKnown } from '../search/beyond-known.js'
import { type CandidateArgs, type CandidateSet, findCandidates } from '../search/candidates.js'
import { findInput } from '../search/exact-output.js'
import type { Flow } from '../search/flow.js'
import { rememberedCandidates } from '../search/remembered.js'
import { needsNoTrust, withoutFee } from './built.js'
import { nothingInTime, outputTooLarge } from './failures.js'
import { whyNoRoute } from './no-answer/why-no-route.js'
import { withRefusals } from './no-answer/why-refused.js'
import { grossInput, type PreparedRoute, withFee } from './prepare.js'
import type { FlowsToProve } from './prove.js'
import { newSplits } from './retry-without-pools.js'

export interface ExactOutput {
  readonly output: TokenAmount
  /** Raw units of tokenIn, fee taken, with which its candidates were searched and are proven. */
  readonly provenWith: bigint
}

/** How often it is searched again with more of the state of pools: each search may lead into others. */
const mostWidenings = 4

/** At least one flow. */
export interface FoundFlows extends FlowsToProve {
  /** What they were searched in. */
  readonly prepared: PreparedRoute
  /** What the candidates were searched with, fees in raw units. */
  readonly inputs: readonly OrderInput[]
  /** Null: the inputs are stated. */
  readonly exact: ExactOutput | null
  /** The deadline ended the search: there may be better candidates. */
  readonly wasCut: boolean
}

/** Why a search ends without a flow. */
export interface NoFlows {
  /** The pair that no path connects. */
  readonly missing: NonNullable<CandidateSet['missing']>
  /** The deadline ended the search: there may be paths. */
  readonly wasCut: boolean
}

/** @throws ForkrouteError NO_ROUTE, STATE_UNAVAILABLE, DEADLINE_EXCEEDED. */
export async function findFlows(task: Task, prepared: PreparedRoute): Promise<FoundFlows> {
  const found = await searchFlows(task, prepared)
  if ('missing' in found) throw await whyNone(task, prepared, found)
  return found
}

/** Like `findFlows`, where nobody asks why there are none. */
export async function searchFlows(
  task: Task,
  prepared: PreparedRoute,
): Promise<FoundFlows | NoFlows> {
  let found = await searchOnce(task, prepared)
  for (let round = 0; round < mostWidenings; round++) {
    if ('missing' in found) break
    const wider = await withWiderPools(task, found)
    if (!wider) break
    prepared.log?.restart()
    found = await searchOnce(task, wider)
  }
  return found
}

/**
 * The same with more of the state of the pools that the best flows go beyond; null where there is none. What is read follows
 * from the request and the block.
 */
async function withWiderPools(
  task: Task,
  { prepared, flows, inputs, wasCut }: FoundFlows,
): Promise<PreparedRoute | null> {
  if (task.settings.widensPools === false || wasCut) return null
  const { tokensOut } = prepared.request
  const narrow = [...poolsBeyondKnown(flows, inputs.map(withoutFee), at(tokensOut, 0))]
  if (!narrow.length) return null
  const wider = await task.clock.stage('state', () =>
    task.facts.market.widened(task.reader, narrow),
  )
  const pairs = narrow.map((pool, index) => [pool, wider[index] ?? pool] as const)
  return { ...prepared, ...prepared.with(new Map(pairs)) }
}

async function searchOnce(task: Task, prepared: PreparedRoute): Promise<FoundFlows | NoFlows> {
  const { request, usable, named, statedInputs, log } = prepared
  const { pools } = usable
  const stated =
    request.amountOut === undefined
      ? null
      : await task.clock.stage('search', async () =>
          searchForOutput(request, prepared.argsFor(pools)),
        )
  const inputs = stated ? [stated.input] : statedInputs
  const search = (
    wanted: readonly MarketPool[],
    options: Pick<CandidateArgs, 'exactSplits'> = {},
    { argsFor }: Pick<PreparedRoute, 'argsFor'> = prepared,
  ) =>
    task.clock.stage('search', async () =>
      rememberedCandidates({
        ...argsFor(wanted),
        ...options,
        inputs: inputs.map(withoutFee),
        ...(log && { onLeftOut: (flow: Flow) => log.leftOut(flow, 'search', rankedBelow) }),
      }),
    )
  const { isPossible = () => true } = prepared.within ?? {}
  const possible = (flow: Flow) => {
    if (isPossible(flow)) return true
    log?.leftOut(flow, 'search', 'the bundle cannot carry it out among its other actions')
    return false
  }
  const found = stated?.found ?? (await search(pools))
  /** Verified pools rank first within some basis points, so they are split among themselves as well. */
  const withVerified = async (
    candidates: readonly Flow[],
    wanted: readonly MarketPool[],
    ...terms: [
      options?: Pick<CandidateArgs, 'exactSplits'>,
      opened?: Pick<PreparedRoute, 'argsFor'>,
    ]
  ) => {
    const isDoubtful = candidates.some((flow) => flow.isSplit && !needsNoTrust(flow, named))
    if (!isDoubtful) return candidates
    const verified = wanted.filter((pool) => isVerified(pool, named))
    return [...candidates, ...newSplits((await search(verified, ...terms)).candidates, candidates)]
  }
  const { candidates, missing, wasCut } = found
  if (missing) return { missing, wasCut }
  return {
    prepared,
    flows: (await withVerified(candidates, pools)).filter(possible),
    inputs,
    exact: stated && { output: stated.output, provenWith: withoutFee(stated.input).amount },
    wasCut,
    searchAgain: async (wanted, { bounded = new Map(), ...options }) => {
      if (!bounded.size) return (await search(wanted, options)).candidates.filter(possible)
      const within = wanted.map((pool) => bounded.get(pool) ?? pool)
      const opened = prepared.with(bounded)
      const again = await search(within, options, opened)
      return (await withVerified(again.candidates, within, options, opened)).filter(possible)
    },
  }
}

const rankedBelow = 'it ranks below the candidates that are simulated'

async function whyNone(
  task: Task,
  prepared: PreparedRoute,
  { missing, wasCut }: NoFlows,
): Promise<ForkrouteError> {
  const { request, usable, all, router, argsFor } = prepared
  if (wasCut) return nothingInTime(request)
  // Other amounts are tried dozens of times, which takes seconds where there are many pools: none is past the deadline.
  const isFound = (amount: bigint) => {
    if (task.clock.isLate()) return false
    const inputs = request.inputs.map((input) => withFee({ ...input, amount }))
    return bestPath({ ...argsFor(usable.pools), inputs: inputs.map(withoutFee) }) !== undefined
  }
  const { view } = usable
  const why = await whyNoRoute(task, {
    request,
    missing,
    view,
    all,
    maxHops: router.maxHops,
    isFound,
  })
  const isUnexplained = why.code === 'NO_ROUTE' && !why.details?.next
  return withHints(
    isUnexplained ? await withRefusals(task, prepared, { missing, isFound }, why) : why,
    usable.warnings,
  )
}

/** The error with what may explain it. */
function withHints(error: ForkrouteError, warnings: readonly string[]): ForkrouteError {
  if (!warnings.length) return error
  const { warnings: own = [], ...details } = error.details ?? {}
  const all = [...(Array.isArray(own) ? own : []), ...warnings]
  return new ForkrouteError(error.code, error.message, { ...details, warnings: all })
}

/** Candidates for the stated output, and the input that they were searched with. @throws ForkrouteError NO_ROUTE. */
function searchForOutput(
  { inputs, tokensOut, amountOut = 0n }: RouteRequest,
  search: Omit<CandidateArgs, 'inputs'>,
) {
  const { token: tokenIn, feeBps } = at(inputs, 0)
  const output = { token: at(tokensOut, 0), amount: amountOut }
  const found = findInput({
    tokenIn,
    output,
    search: (amount, knownSplits) =>
      findCandidates({ ...search, inputs: [{ token: tokenIn, amount }], knownSplits }),
    bestPath: (from, to, amount) =>
      bestPath({ ...search, inputs: [{ token: from, amount }], tokensOut: [to] }),
    gasCostOut: search.gasCost(output.token),
  })
  if ('most' in found) throw outputTooLarge(tokenIn, output, found.most)
  return { output, input: grossInput(tokenIn, found.amountIn, feeBps), found: found.found }
}

/** The best single path, without a split. */
function bestPath(search: CandidateArgs): Flow | undefined {
  return findCandidates({ ...search, count: 1, mayBeSplit: false }).candidates[0]
}
