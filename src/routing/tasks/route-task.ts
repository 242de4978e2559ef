/**
 * One route or quote at one block: candidates by native math, each proven by simulation; the best after gas is
 * simulated once more as exactly the transaction that is returned.
 */
import { unlessUnreadable } from '../../domain/common-errors.js'
import type { RequestInput, RouteAnswer, RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { RefusedPool } from '../../domain/explanation.js'
import { at } from '../../domain/lists.js'
import type { OrderInput } from '../../domain/order.js'
import {
  type Address,
  bpsDenominator,
  type Hex,
  nativeToken,
  plusSlippage,
  type TokenAmount,
} from '../../domain/primitives.js'
import { impactWarnings } from '../../domain/route-step.js'
import type { ProofMode } from '../../domain/router-settings.js'
import { mergeOverrides } from '../../domain/state.js'
import { runnerAddress } from '../../executor/compile.js'
import { quoteSender } from '../../executor/deployments.js'
import { permitTypedData, placeOfSignature } from '../../executor/permit.js'
import { poolName, type Unreadable } from '../../protocols/pool.js'
import type { TaskRun } from '../context/task-context.js'
import type { MarketPool } from '../market/market.js'
import { type PricedToken, priceImpactBps } from '../market/valuation.js'
import { isVerified } from '../market/verified.js'
import { proveAdaptively } from '../proof/adaptive.js'
import { needsNoTrust, receiverOf, toSimulation, withoutFee } from '../proof/built.js'
import { type Answer, asProven, finalise, improvementBps, rank } from '../proof/choose.js'
import { answerExactly, grossInput } from '../proof/exact-output.js'
import { asAsked, RouteLog, withExplanation } from '../proof/explain.js'
import {
  noRoute,
  notFundable,
  nothingInTime,
  nothingProven,
  outputTooLarge,
} from '../proof/failures.js'
import { checkFunds, overrideFunds } from '../proof/funds.js'
import { deadlineOf } from '../proof/order-deadline.js'
import { choosePermit, pullerOf } from '../proof/permit.js'
import { type Attempt, prove } from '../proof/prove.js'
import { learnTokens } from '../proof/read-ahead.js'
import { newSplits, suspectPools } from '../proof/retry-without-pools.js'
import { measuredSteps } from '../proof/step-amounts.js'
import { traceTransaction } from '../proof/trace.js'
import { transactionCost } from '../proof/transaction-cost.js'
import {
  deadlineWarning,
  droppedWarning,
  gasWarnings,
  leftForGasWarnings,
  priceWarnings,
  unreadableWarnings,
} from '../proof/warnings.js'
import { whyNoRoute } from '../proof/why-no-route.js'
import { type CandidateArgs, findCandidates } from '../search/candidates.js'
import { findInput } from '../search/exact-output.js'
import type { Flow } from '../search/flow.js'
import { rememberedCandidates } from '../search/remembered.js'
import { openSearch, routerFor } from './open-search.js'

/** How often splits are searched again without the pools that spoilt them. */
const extraLooks = 2

export interface RouteArgs {
  readonly mode: 'route' | 'quote'
  readonly request: RouteRequest
  readonly accountId: Hex
  /** For a route inside a bundle. */
  readonly within?: {
    /** Pools that it may use; absent: all. */
    readonly isAllowed?: (market: MarketPool) => boolean
    /** Whether a candidate can be carried out there. */
    readonly isPossible: (flow: Flow) => boolean
    /** True: the best of the proven candidates is taken as it is; its transaction is not asked for. */
    readonly needsNoTransaction?: boolean
  }
}

export async function runRoute(run: TaskRun, args: RouteArgs): Promise<RouteAnswer> {
  const { request } = args
  const { proof } = routerFor(run.settings, request)
  const log = request.explain && new RouteLog(run)
  const explained = () => log && asAsked(log.explain(), request, run)
  const found = await findRoute(run, args, { log, proof }).catch((error: unknown) => {
    throw withExplanation(error, explained())
  })
  const { answer, fees, priced, warnings } = found
  const { permit } = answer
  const gained = answer.outputs.map(({ token, amountOut }) => ({ token, amount: amountOut }))
  const priceImpact = request.includePriceImpact
    ? priceImpactBps(answer.taken, gained, priced)
    : null
  return {
    chainId: run.block.chain.id,
    route: measuredSteps(run, request, answer),
    gas: answer.gasUsed,
    outputs: answer.outputs,
    priceImpact,
    block: run.pin,
    tx: answer.tx,
    ...(request.amountOut !== undefined && { input: inputOf(request, answer) }),
    ...(fees.length > 0 && { fees }),
    ...(permit && {
      permit: {
        kind: permit.kind,
        typedData: permitTypedData(permit),
        signature: placeOfSignature(answer.tx.data, permit),
      },
    }),
    ...(request.includeTrace && { trace: await traceRoute(run, request, answer) }),
    ...(request.includeTransactionCost && { gasCost: await transactionCost(run, answer, priced) }),
    ...(log && { explanation: explained() }),
    ...(proof === 'adaptive' && { proof }),
    warnings: [
      ...gasWarnings(run),
      ...priceWarnings(run),
      ...impactWarnings(priceImpact),
      ...(checksFunds(args)
        ? await leftForGasWarnings(run, { ...request, inputs: answer.taken }, answer.gasUsed)
        : []),
      ...warnings,
    ],
  }
}

/** Whether the sender's own funds are used. */
function checksFunds({ mode, request }: RouteArgs): boolean {
  return mode === 'route' && request.executionMode === 'user'
}

function traceRoute(run: TaskRun, request: RouteRequest, answer: Answer) {
  const { steps, records } = answer.plan
  return run.stage('trace', () =>
    traceTransaction(run, toSimulation(answer, request), { steps, records }),
  )
}

export interface FoundRoute {
  readonly answer: Answer
  /** In the order of the inputs; empty without a fee. */
  readonly fees: readonly TokenAmount[]
  readonly priced: ReadonlyMap<Address, PricedToken>
  readonly warnings: readonly string[]
}

/**
 * The best route with its plan and transaction.
 *
 * @param options.log - is told what is looked at, up to the error if there is one.
 * @param options.proof - default all.
 * @throws ForkrouteError as `Engine.route`.
 */
export async function findRoute(
  run: TaskRun,
  args: RouteArgs,
  {
    log,
    proof: mode = 'all',
  }: { readonly log?: RouteLog | undefined; readonly proof?: ProofMode } = {},
): Promise<FoundRoute> {
  const { request } = args
  const { chain } = run.block
  const tokensIn = request.inputs.map(({ token }) => token)
  const deadline = deadlineOf(run, request)
  const stated = request.inputs.map(withFee)
  const [first] = stated
  const permit =
    request.permit && first
      ? await choosePermit(run, request, request.amountOut ?? first.amount, deadline)
      : undefined
  const spending = { ...request, ...pullerOf(permit) }

  learnTokens(run, request)
  const isExact = request.amountOut !== undefined
  const [opened, given, receiverHasCode] = await run.stage('state', () =>
    Promise.all([
      openSearch(run, request, args.within?.isAllowed),
      isExact ? null : checksFunds(args) ? checkFunds(run, spending) : overrideFunds(run, spending),
      isReceiverContract(run, request),
    ]),
  )
  const { router, all, usable, priced, argsFor: searchArgs } = opened
  const { view, pools } = usable
  log?.pricedBy(priced)
  log?.considered(pools)
  log?.refused([...usable.refused, ...view.unreadable.map(unreadPool)])
  const exact = isExact
    ? await run.stage('search', async () => searchForOutput(request, searchArgs(pools)))
    : null
  const inputs = exact ? [exact.input] : stated
  const search = (wanted: readonly MarketPool[]) =>
    run.stage('search', async () =>
      rememberedCandidates({
        ...searchArgs(wanted),
        inputs: inputs.map(withoutFee),
        ...(log && { onLeftOut: (flow: Flow) => log.leftOut(flow, 'search', rankedBelow) }),
      }),
    )
  const { isPossible = () => true } = args.within ?? {}
  const { candidates: found, missing, wasCut } = exact?.found ?? (await search(pools))
  const named = new Set([...tokensIn, ...request.tokensOut])
  // Verified pools rank first within some basis points, so they are split among themselves as well.
  const isDoubtful = found.some((flow) => flow.isSplit && !needsNoTrust(flow, named))
  const verified = isDoubtful
    ? (await search(pools.filter((pool) => isVerified(pool, named)))).candidates
    : []
  const possible = (flow: Flow) => {
    if (isPossible(flow)) return true
    log?.leftOut(flow, 'search', 'the bundle cannot carry it out among its other actions')
    return false
  }
  const candidates = [...found, ...newSplits(verified, found)].filter(possible)
  if (missing && wasCut) throw nothingInTime(request)
  if (missing) {
    const isFound = (amount: bigint) => {
      const given = request.inputs.map((input) => withFee({ ...input, amount }))
      return bestPath({ ...searchArgs(pools), inputs: given.map(withoutFee) }) !== undefined
    }
    const { maxHops } = router
    const why = await whyNoRoute(run, { request, missing, view, all, maxHops, isFound })
    throw withHints(why, usable.warnings)
  }

  const funds = given ?? (await overrideFunds(run, { ...spending, inputs }))
  const code = run.codeOverrides(request.strategy, request.fromAddress)
  const overrides = mergeOverrides(code, funds.overrides)
  const allPools = all.pools.map(({ loaded }) => loaded.pool)
  const proof = { ...args, inputs, receiverHasCode, deadline, permit, funds, overrides, allPools }
  const tried = async (flows: readonly Flow[]) => {
    const proven = await prove(run, proof, flows)
    const kept = new Set(proven.map(({ built }) => built.candidate))
    for (const flow of flows) if (!kept.has(flow)) log?.leftOut(flow, 'plan', notLent)
    log?.attempted(proven)
    return proven
  }
  const proveAll = async () => ({ attempts: await tried(candidates), spared: [] })
  const { attempts, spared } =
    mode === 'all'
      ? await proveAll()
      : await proveAdaptively(run, request, priced, candidates, tried)
  for (const flow of spared) log?.leftOut(flow, 'simulate', boundedBelow)
  if (!attempts.length) throw notFundable(funds, all.unreadable)
  for (let look = 0; look < extraLooks && !run.isLate(); look++) {
    const doubtful = suspectPools(attempts)
    if (!doubtful.size) break
    log?.refused([...doubtful].map(suspectPool))
    const again = await search(pools.filter((pool) => !doubtful.has(pool)))
    const known = attempts.map(({ built }) => built.candidate)
    const splits = newSplits(again.candidates.filter(possible), known)
    if (!splits.length) break
    attempts.push(...(await tried(splits)))
  }
  const proven = rank(run, attempts, priced)
  if (!proven.length) {
    // Wrapping is assumed to work, which fails at blocks before the wrapped native token was deployed.
    if (!(await run.hasCode(chain.wrappedNative))) {
      const [tokenIn = nativeToken] = tokensIn
      const [tokenOut = nativeToken] = request.tokensOut
      throw noRoute(view, { tokenIn, tokenOut }, chain, router.maxHops)
    }
    throw nothingProven(attempts, request)
  }

  const onFailed = (flow: Flow, reason: string) => log?.failed(flow, reason)
  const [best] = proven
  const improvement = improvementBps(proven)
  if (improvement !== null) run.improvementsBps.push(improvement)
  const isEnough = args.within?.needsNoTransaction && best && !exact
  const answer = await run.stage('finalise', async () =>
    isEnough
      ? asProven(best)
      : exact
        ? answerExactly(run, proof, { ...exact, isChecked: checksFunds(args) }, proven, priced)
        : finalise(run, { request, onFailed }, proven),
  )
  const warnings = [
    ...usable.warnings,
    ...(all.notes ?? []),
    ...unreadableWarnings(view.unreadable),
    ...droppedWarnings(attempts),
    ...(wasCut || attempts.some(({ result }) => result === null) ? [deadlineWarning] : []),
  ]
  const fees = answer.taken.flatMap(({ token, fee }) =>
    fee === undefined ? [] : { token, amount: fee },
  )
  log?.chose(answer, proven)
  return { answer, fees, priced, warnings }
}

const rankedBelow = 'it ranks below the candidates that are simulated'
const boundedBelow = 'by native math it cannot be worth more than what was simulated'
const notLent = 'the balance of an input cannot be overridden, and no pool off the path can lend it'

function unreadPool({ protocol, subject }: Unreadable): RefusedPool {
  return {
    pool: subject.replace(/-lp$/, ''),
    protocol,
    reason: 'it could not be read at this block',
  }
}

function suspectPool({ adapter, loaded }: MarketPool): RefusedPool {
  const reason =
    'a candidate through it paid less than it promised, so further splits do without it'
  return { pool: poolName(loaded.pool), protocol: adapter.slug, reason }
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
  const input = grossInput(tokenIn, found.amountIn, feeBps)
  return { output, input, provenWith: withoutFee(input).amount, found: found.found }
}

/** Of one path alone, no split. */
function bestPath(search: CandidateArgs): Flow | undefined {
  return findCandidates({ ...search, count: 1, mayBeSplit: false }).candidates[0]
}

/** What the answer to a stated output costs. */
function inputOf({ limit }: RouteRequest, { taken }: Answer): NonNullable<RouteAnswer['input']> {
  const { amount } = at(taken, 0)
  const centiBps = limit.kind === 'slippage' ? limit.centiBps : 0n
  return { amountIn: amount, maxAmountIn: plusSlippage(amount, centiBps) }
}

/** Whether the receiver has code; true where that cannot be read. Not read where it makes no difference. */
async function isReceiverContract(run: TaskRun, request: RouteRequest): Promise<boolean> {
  const receiver = receiverOf(request)
  const isRunner = receiver === runnerAddress(request.strategy, request.fromAddress)
  if (isRunner || receiver === quoteSender) return false
  return (await run.hasCode(receiver).catch(unlessUnreadable)) ?? true
}

/** The fee of an input in raw units, rounded down. */
function withFee({ token, amount, feeBps }: RequestInput): OrderInput {
  return {
    token,
    amount,
    ...(feeBps !== undefined && { fee: (amount * feeBps) / bpsDenominator }),
  }
}

function droppedWarnings(attempts: readonly Attempt[]): string[] {
  const dropped = attempts.filter(({ result }) => result?.status === 'unreadable').length
  return dropped ? [droppedWarning(dropped, attempts.length)] : []
}
