/**
 * One route or quote at one block: candidates by native math, each proven by simulation; the best after gas is
 * simulated once more as exactly the transaction that is returned.
 */
import { unlessUnreadable } from '../../domain/common-errors.js'
import type {
  RequestInput,
  RouteAnswer,
  RouteRequest,
  RouterSettings,
} from '../../domain/engine.js'
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
import { mergeOverrides } from '../../domain/state.js'
import { runnerAddress } from '../../executor/compile.js'
import { quoteSender } from '../../executor/deployments.js'
import type { Pool } from '../../protocols/pool.js'
import { protocolBySlug } from '../../protocols/registry.js'
import type { TaskRun } from '../context/task-context.js'
import type { MarketPool, MarketView } from '../market/market.js'
import { gasInToken, type PricedToken, priceImpactBps } from '../market/valuation.js'
import { isVerified } from '../market/verified.js'
import type { WorkerSettings } from '../messages.js'
import { needsNoTrust, receiverOf, withoutFee } from '../proof/built.js'
import { type Answer, finalise, rank } from '../proof/choose.js'
import { answerExactly, grossInput } from '../proof/exact-output.js'
import {
  noRoute,
  notFundable,
  nothingInTime,
  nothingProven,
  outputTooLarge,
} from '../proof/failures.js'
import { checkFunds, overrideFunds } from '../proof/funds.js'
import { deadlineOf } from '../proof/order-deadline.js'
import { type Attempt, prove } from '../proof/prove.js'
import { learnTokens } from '../proof/read-ahead.js'
import { newSplits, suspectPools } from '../proof/retry-without-pools.js'
import { transactionCost } from '../proof/transaction-cost.js'
import {
  deadlineWarning,
  droppedWarning,
  gasWarnings,
  priceWarnings,
  unreadableWarnings,
} from '../proof/warnings.js'
import { type CandidateArgs, findCandidates } from '../search/candidates.js'
import { findInput } from '../search/exact-output.js'
import type { Flow } from '../search/flow.js'

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
  }
}

export async function runRoute(run: TaskRun, args: RouteArgs): Promise<RouteAnswer> {
  const { request } = args
  const { answer, fees, priced, warnings } = await findRoute(run, args)
  const gained = answer.outputs.map(({ token, amountOut }) => ({ token, amount: amountOut }))
  return {
    chainId: run.block.chain.id,
    route: answer.plan.records,
    gas: answer.gasUsed,
    outputs: answer.outputs,
    priceImpact: request.includePriceImpact
      ? priceImpactBps(answer.order.inputs, gained, priced)
      : null,
    block: run.pin,
    tx: answer.tx,
    ...(request.amountOut !== undefined && { input: inputOf(request, answer) }),
    ...(fees.length > 0 && { fees }),
    ...(request.includeTransactionCost && { gasCost: await transactionCost(run, answer, priced) }),
    warnings: [...gasWarnings(run), ...priceWarnings(run), ...warnings],
  }
}

export interface FoundRoute {
  readonly answer: Answer
  /** In the order of the inputs; empty without a fee. */
  readonly fees: readonly TokenAmount[]
  readonly priced: ReadonlyMap<Address, PricedToken>
  readonly warnings: readonly string[]
}

/** The best route with its plan and transaction. @throws ForkrouteError as `Engine.route`. */
export async function findRoute(run: TaskRun, args: RouteArgs): Promise<FoundRoute> {
  const { request } = args
  const { chain } = run.block
  const router = routerFor(run.settings, request)
  const tokensIn = request.inputs.map(({ token }) => token)
  const deadline = deadlineOf(run, request)
  const checked = args.mode === 'route' && request.executionMode === 'user'

  learnTokens(run, request)
  const isExact = request.amountOut !== undefined
  const [all, given, priced, receiverHasCode] = await run.stage('state', () =>
    Promise.all([
      run.block.routeView(run.reader, tokensIn, request.tokensOut, router.maxHops),
      isExact ? null : checked ? checkFunds(run, request) : overrideFunds(run, request),
      run.block.pricedTokens(run.reader, [chain.wrappedNative, ...tokensIn, ...request.tokensOut]),
      isReceiverContract(run, request),
    ]),
  )
  const view = withoutBlacklisted(withoutIgnored(all, request), router.poolBlacklist)
  const isAllowed = args.within?.isAllowed
  const open = isAllowed ? view.pools.filter(isAllowed) : view.pools
  const pools = await run.stage('state', () => deepPools(run, open))
  const gasCost = (token: Address) =>
    gasInToken(chain, priced, token, run.gasPrice * 1_000_000n) ?? undefined
  const searchArgs = (usable: readonly MarketPool[]): Omit<CandidateArgs, 'inputs'> => ({
    pools: all.pools,
    ...(usable !== all.pools && { isAllowed: isOneOf(usable) }),
    shouldStop: run.searchLimit(),
    wrappedNative: chain.wrappedNative,
    tokensOut: request.tokensOut,
    maxHops: router.maxHops,
    count: router.candidates,
    mayBeSplit: router.splits,
    gasCost,
  })
  const exact = isExact
    ? await run.stage('search', async () => searchForOutput(request, searchArgs(pools)))
    : null
  const inputs = exact ? [exact.input] : request.inputs.map(withFee)
  const search = (usable: readonly MarketPool[]) =>
    run.stage('search', async () =>
      findCandidates({ ...searchArgs(usable), inputs: inputs.map(withoutFee) }),
    )
  const { isPossible = () => true } = args.within ?? {}
  const { candidates: found, missing, wasCut } = exact?.found ?? (await search(pools))
  const named = new Set([...tokensIn, ...request.tokensOut])
  // Verified pools rank first within some basis points, so they are split among themselves as well.
  const isDoubtful = found.some((flow) => flow.isSplit && !needsNoTrust(flow, named))
  const verified = isDoubtful
    ? (await search(pools.filter((pool) => isVerified(pool, named)))).candidates
    : []
  const candidates = [...found, ...newSplits(verified, found)].filter(isPossible)
  if (missing && wasCut) throw nothingInTime(request)
  if (missing) throw noRoute(view, missing, chain, router.maxHops)

  const funds = given ?? (await overrideFunds(run, { ...request, inputs }))
  const code = run.codeOverrides(request.strategy, request.fromAddress)
  const overrides = mergeOverrides(code, funds.overrides)
  const allPools = all.pools.map(({ loaded }) => loaded.pool)
  const proof = { ...args, inputs, receiverHasCode, deadline, funds, overrides, allPools }
  const attempts = await prove(run, proof, candidates)
  if (!attempts.length) throw notFundable(funds)
  for (let look = 0; look < extraLooks && !run.isLate(); look++) {
    const doubtful = suspectPools(attempts)
    if (!doubtful.size) break
    const again = await search(pools.filter((pool) => !doubtful.has(pool)))
    const tried = attempts.map(({ built }) => built.candidate)
    const splits = newSplits(again.candidates.filter(isPossible), tried)
    if (!splits.length) break
    attempts.push(...(await prove(run, proof, splits)))
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

  const answer = await run.stage('finalise', () =>
    exact
      ? answerExactly(run, proof, { ...exact, isChecked: checked }, proven, priced)
      : finalise(run, args, proven),
  )
  const warnings = [
    ...unreadableWarnings(view.unreadable),
    ...droppedWarnings(attempts),
    ...(wasCut || attempts.some(({ result }) => result === null) ? [deadlineWarning] : []),
  ]
  const fees = answer.order.inputs.flatMap(({ token, fee }) =>
    fee === undefined ? [] : { token, amount: fee },
  )
  return { answer, fees, priced, warnings }
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
      findCandidates({
        ...search,
        inputs: [{ token: from, amount }],
        tokensOut: [to],
        count: 1,
        mayBeSplit: false,
      }).candidates[0],
    gasCostOut: search.gasCost(output.token),
  })
  if ('most' in found) throw outputTooLarge(tokenIn, output, found.most)
  const input = grossInput(tokenIn, found.amountIn, feeBps)
  return { output, input, provenWith: withoutFee(input).amount, found: found.found }
}

/** What the answer to a stated output costs. */
function inputOf({ limit }: RouteRequest, { order }: Answer): NonNullable<RouteAnswer['input']> {
  const { amount } = at(order.inputs, 0)
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

/** What the caller excludes is neither used nor reported as unreadable. */
function withoutIgnored(view: MarketView, request: RouteRequest): MarketView {
  const ignored = new Set([...request.ignoreAggregators, ...request.ignoreStandards])
  if (!ignored.size) return view
  const isWanted = (slug: string) =>
    !ignored.has(slug) && !ignored.has(protocolBySlug(slug)?.project ?? slug)
  return {
    pools: view.pools.filter(({ adapter }) => isWanted(adapter.slug)),
    unreadable: view.unreadable.filter(({ protocol }) => isWanted(protocol)),
  }
}

/** How the route is searched for: settings of the request override those of the service. */
export function routerFor(
  { maxHops, candidates }: Pick<WorkerSettings, 'maxHops' | 'candidates'>,
  { router }: RouteRequest,
): Required<RouterSettings> {
  // Pools that the service itself leaves out are in no view.
  return { maxHops, candidates, splits: true, poolBlacklist: [], ...router }
}

/** The same for pools by id or address; trading a pool's shares is excluded with it. */
function withoutBlacklisted(view: MarketView, poolBlacklist: readonly string[]): MarketView {
  if (!poolBlacklist.length) return view
  const listed = new Set(poolBlacklist)
  const isWanted = ({ id, address, parameters }: Pool) =>
    ![id, address, String(parameters.liquidityOf)].some((name) => listed.has(name))
  return {
    pools: view.pools.filter(({ loaded }) => isWanted(loaded.pool)),
    unreadable: view.unreadable.filter(({ subject }) => !listed.has(subject)),
  }
}

function isOneOf(pools: readonly MarketPool[]): (market: MarketPool) => boolean {
  const set = new Set(pools)
  return (market) => set.has(market)
}

async function deepPools(
  run: TaskRun,
  pools: readonly MarketPool[],
): Promise<readonly MarketPool[]> {
  const floor = run.settings.liquidityFloorUsd
  if (floor === 0) return pools
  const deep = await Promise.all(
    pools.map((market) => run.block.isDeepEnough(run.reader, market, floor)),
  )
  return pools.filter((_market, index) => deep[index])
}

function droppedWarnings(attempts: readonly Attempt[]): string[] {
  const dropped = attempts.filter(({ result }) => result?.status === 'unreadable').length
  return dropped ? [droppedWarning(dropped, attempts.length)] : []
}
