/**
 * One route or quote at one block: candidates by native maths, each proven by simulation,
 * the best after gas, simulated once more as the very transaction that is returned.
 */
import type { RouteAnswer, RouteRequest } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Order, RoutingStrategy, UnsignedTransaction } from '../domain/plan.js'
import { type Address, bpsDenominator, type Hex } from '../domain/primitives.js'
import { mergeOverrides, type SimulationRequest, type SimulationResult } from '../domain/state.js'
import { buildTransaction, decodeAmountsOut, runnerAddress } from '../executor/compile.js'
import { executorContracts } from '../executor/deployments.js'
import { isDelegate } from '../executor/strategies.js'
import { type Candidate, findCandidates } from './candidates.js'
import { checkFunds, overrideFunds } from './funds.js'
import type { MarketPool, MarketView } from './market.js'
import { pairsOf, planRoute, type RoutePlan } from './plan-route.js'
import type { TaskRun } from './task-run.js'
import { gasInToken, netValue, type PricedToken, priceImpactBps } from './valuation.js'
import { deadlineWarning, droppedWarning, unreadableWarnings } from './warnings.js'

/** Hundredths of a basis point in one. */
const centiBpsDenominator = 1_000_000n
/** Year 2106, in four bytes: the minimum protects the sender, and a block-pinned answer must not age by itself. */
const noDeadline = 2n ** 32n - 1n
/** How many of the best candidates may fail as the final transaction before the answer is an error. */
const finalAttempts = 3

interface Built {
  readonly candidate: Candidate
  readonly plan: RoutePlan
  readonly order: Order
  readonly tx: UnsignedTransaction
}

interface Proven extends Built {
  readonly amountsOut: readonly bigint[]
  readonly gasUsed: bigint
}

export async function runRoute(
  run: TaskRun,
  args: { mode: 'route' | 'quote'; request: RouteRequest; accountId: Hex },
): Promise<RouteAnswer> {
  const { request } = args
  const { chain } = run.block
  const feeAmounts = request.amountsIn.map(
    (amount, index) => (amount * (request.feesBps?.[index] ?? 0n)) / bpsDenominator,
  )
  const amountsNet = request.amountsIn.map((amount, index) => amount - (feeAmounts[index] ?? 0n))
  const checked = args.mode === 'route' && request.executionMode === 'user'

  const [view, overrides] = await run.stage('state', () =>
    Promise.all([
      run.block.market.view(run.reader, pairsOf(chain, request.tokensIn, request.tokensOut)),
      simulationOverrides(run, request, checked),
    ]),
  )
  const pools = await run.stage('state', () => usablePools(run, request, view.pools))
  const { candidates, missing } = await run.stage('search', async () =>
    findCandidates({
      pools,
      wrappedNative: chain.wrappedNative,
      tokensIn: request.tokensIn,
      amountsIn: amountsNet,
      tokensOut: request.tokensOut,
      maxHops: run.settings.maxHops,
      count: run.settings.candidates,
    }),
  )
  if (missing) throw noRoute(view, missing, run.settings.maxHops)

  const built = await run.stage('plan', async () =>
    candidates.map((candidate) => build(run, args, candidate, feeAmounts)),
  )
  const results = await run.stage('simulate', () =>
    run.simulateUntilDeadline(built.map(({ tx }) => toSimulation(tx, request, overrides))),
  )
  const priced = await run.stage('price', () => pricedTokens(run, request))
  const proven = rank(run, request.strategy, built, results, priced)
  if (!proven.length) throw nothingProven(built, results, request)

  const { answer, minAmountsOut } = await run.stage('finalise', () =>
    finalise(run, args, proven, overrides),
  )
  const warnings = [
    ...unreadableWarnings(view.unreadable),
    ...droppedWarnings(results),
    ...(results.includes(null) ? [deadlineWarning] : []),
  ]
  return {
    chainId: chain.id,
    route: answer.plan.records,
    gas: answer.gasUsed,
    amountsOut: answer.amountsOut,
    minAmountsOut,
    priceImpact: request.includePriceImpact
      ? priceImpactBps(request, answer.amountsOut, priced)
      : null,
    block: run.pin,
    tx: answer.tx,
    ...(request.feesBps && { feeAmounts }),
    ...(request.includeTransactionCost && { gasCost: gasCost(run, answer.gasUsed, priced) }),
    warnings,
  }
}

async function usablePools(
  run: TaskRun,
  request: RouteRequest,
  pools: readonly MarketPool[],
): Promise<readonly MarketPool[]> {
  const ignored = new Set([...request.ignoreAggregators, ...request.ignoreStandards])
  const floor = run.settings.liquidityFloorUsd
  const usable = await Promise.all(
    pools.map(
      async (market) =>
        !ignored.has(market.adapter.slug) &&
        !ignored.has(market.adapter.project) &&
        (floor === 0 || (await run.block.isDeepEnough(run.reader, market, floor))),
    ),
  )
  return pools.filter((_market, index) => usable[index])
}

async function simulationOverrides(run: TaskRun, request: RouteRequest, checked: boolean) {
  const contracts = run.contractOverrides(request.strategy, request.fromAddress)
  const funds = checked ? checkFunds(run, request) : overrideFunds(run, request)
  return mergeOverrides(...(await Promise.all([contracts, funds])))
}

function build(
  run: TaskRun,
  args: { request: RouteRequest; accountId: Hex },
  candidate: Candidate,
  feeAmounts: readonly bigint[],
): Built {
  const { request } = args
  const receiver = request.receiver ?? request.fromAddress
  const plan = planRoute({
    chain: run.block.chain,
    legs: candidate.legs,
    executor: runnerAddress(request.strategy, request.fromAddress),
    receiver,
    helpers: helpersOf(candidate),
  })
  const order: Order = {
    inputs: request.tokensIn.map((token, index) => ({
      token,
      amount: request.amountsIn[index] ?? 0n,
    })),
    feeAmounts: request.feesBps ? feeAmounts : [],
    feeReceiver: request.feeReceiver ?? receiver,
    steps: plan.steps,
    outputs: request.tokensOut.map((token) => ({ token, minAmountOut: 0n })),
    outputsPaidBySteps: plan.paysReceiver,
    receiver,
    refundReceiver: request.refundReceiver ?? receiver,
    sweep: plan.sweep,
    deadline: noDeadline,
    accountId: args.accountId,
    referralCode: toBytes16(request.referralCode ?? ''),
  }
  const tx = buildTransaction({ strategy: request.strategy, from: request.fromAddress, order })
  return { candidate, plan, order, tx }
}

function helpersOf(candidate: Candidate): Record<string, Address> {
  const names = candidate.legs.flatMap(({ path }) =>
    path.hops.flatMap((hop) =>
      hop.kind === 'swap' ? (hop.market.adapter.helperContracts ?? []) : [],
    ),
  )
  const known: Record<string, { readonly address: Address }> = executorContracts
  return Object.fromEntries(
    [...new Set(names)].flatMap((name) => {
      const contract = known[name]
      return contract ? [[name, contract.address]] : []
    }),
  )
}

/** A delegatecall cannot be sent by itself: it is simulated as the account calling the code as its own. */
function toSimulation(
  tx: UnsignedTransaction,
  request: RouteRequest,
  overrides: SimulationRequest['overrides'],
): SimulationRequest {
  const to = isDelegate(request.strategy) ? request.fromAddress : tx.to
  return { from: tx.from, to, data: tx.data, value: tx.value, overrides }
}

function rank(
  run: TaskRun,
  strategy: RoutingStrategy,
  built: readonly Built[],
  results: readonly (SimulationResult | null)[],
  priced: ReadonlyMap<Address, PricedToken>,
): Proven[] {
  const proven: Proven[] = []
  for (const [index, result] of results.entries()) {
    const one = built[index]
    if (!one || result?.status !== 'success') continue
    const amountsOut = decodeAmountsOut(strategy, result.returnData)
    if (amountsOut.some((amount) => amount <= 0n)) continue
    proven.push({ ...one, amountsOut, gasUsed: result.gasUsed })
  }
  const value = (one: Proven) => {
    const gas = gasInToken(
      run.block.chain,
      priced,
      one.order.outputs[0]?.token,
      one.gasUsed * run.gasPrice,
    )
    return netValue(one.order.outputs, one.amountsOut, gas, priced)
  }
  const values = new Map(proven.map((one) => [one, value(one)]))
  return proven.sort((a, b) => {
    const [x = 0n, y = 0n] = [values.get(a), values.get(b)]
    if (x !== y) return x > y ? -1 : 1
    if (a.plan.steps.length !== b.plan.steps.length)
      return a.plan.steps.length - b.plan.steps.length
    return a.candidate.key < b.candidate.key ? -1 : 1
  })
}

async function finalise(
  run: TaskRun,
  args: { request: RouteRequest },
  proven: readonly Proven[],
  overrides: SimulationRequest['overrides'],
): Promise<{ answer: Proven; minAmountsOut: readonly bigint[] }> {
  const { request } = args
  let reason = 'no candidate is left'
  for (const best of proven.slice(0, finalAttempts)) {
    const minAmountsOut =
      request.limit.kind === 'minimum'
        ? request.limit.minAmountsOut
        : minimums(best.amountsOut, request.limit.centiBps)
    const order = {
      ...best.order,
      outputs: best.order.outputs.map(({ token }, index) => ({
        token,
        minAmountOut: minAmountsOut[index] ?? 0n,
      })),
    }
    const tx = buildTransaction({ strategy: request.strategy, from: request.fromAddress, order })
    const measure = order.outputs.map(({ token }) => ({ token, owner: order.receiver }))
    const [result] = await run.simulate([{ ...toSimulation(tx, request, overrides), measure }])
    if (result?.status === 'success') {
      const answer = { ...best, order, tx, amountsOut: result.deltas, gasUsed: result.gasUsed }
      return { answer, minAmountsOut }
    }
    if (result?.status === 'reverted') reason = result.reason
  }
  throw new ForkrouteError(
    'SIMULATION_REVERTED',
    `The best route found fails as the final transaction: ${reason}.`,
    {
      candidates: proven
        .slice(0, finalAttempts)
        .map(({ candidate }) => describe(candidate, reason)),
    },
  )
}

/** floor(amountOut * (10_000 - slippage) / 10_000), slippage with two decimals. */
function minimums(amountsOut: readonly bigint[], centiBps: bigint): bigint[] {
  return amountsOut.map(
    (amount) => (amount * (centiBpsDenominator - centiBps)) / centiBpsDenominator,
  )
}

async function pricedTokens(run: TaskRun, request: RouteRequest) {
  const { block, reader } = run
  const tokens = [
    ...new Set([block.chain.wrappedNative, ...request.tokensIn, ...request.tokensOut]),
  ]
  const priced = new Map<Address, PricedToken>()
  await Promise.all(
    tokens.map(async (token) => {
      const [facts, price] = await Promise.all([
        block.tokenFacts(reader, token),
        block.price(reader, token),
      ])
      if (facts && price) {
        priced.set(token, { decimals: facts.decimals, priceUsd: price.priceUsd })
      }
    }),
  )
  return priced
}

function gasCost(run: TaskRun, gasUsed: bigint, priced: ReadonlyMap<Address, PricedToken>) {
  const native = gasUsed * run.gasPrice
  const price = priced.get(run.block.chain.wrappedNative)
  const usd = price ? (Number(native) / 10 ** price.decimals) * price.priceUsd : null
  return { native, usd }
}

function droppedWarnings(results: readonly (SimulationResult | null)[]): string[] {
  const dropped = results.filter((result) => result?.status === 'unreadable').length
  return dropped ? [droppedWarning(dropped, results.length)] : []
}

function noRoute(
  view: MarketView,
  missing: { tokenIn: Address; tokenOut: Address },
  maxHops: number,
): ForkrouteError {
  const warnings = unreadableWarnings(view.unreadable)
  if (!view.pools.length && view.unreadable.length) {
    return new ForkrouteError(
      'STATE_UNAVAILABLE',
      'No pool could be read at this block, so whether a route exists is not known.',
      { ...missing, warnings },
    )
  }
  return new ForkrouteError(
    'NO_ROUTE',
    `No route from ${missing.tokenIn} to ${missing.tokenOut} within ${maxHops} hops.`,
    { ...missing, maxHops, ...(warnings.length && { warnings }) },
  )
}

function nothingProven(
  built: readonly Built[],
  results: readonly (SimulationResult | null)[],
  request: RouteRequest,
): ForkrouteError {
  if (results.some((result) => result === null)) {
    return new ForkrouteError(
      'DEADLINE_EXCEEDED',
      `Nothing was found within ${request.deadlineMs ?? 0} ms.`,
    )
  }
  const candidates = built.map(({ candidate }, index) => {
    const result = results[index]
    const reason =
      result?.status === 'reverted'
        ? result.reason
        : result?.status === 'unreadable'
          ? 'state that the node does not give'
          : 'no output'
    return describe(candidate, reason)
  })
  if (results.every((result) => result?.status === 'unreadable')) {
    return new ForkrouteError(
      'STATE_UNAVAILABLE',
      'Paths exist, but each of them needs state that the node does not give.',
      { candidates },
    )
  }
  return new ForkrouteError(
    'SIMULATION_REVERTED',
    `All ${built.length} candidates failed in simulation.`,
    { candidates },
  )
}

function describe(candidate: Candidate, reason: string) {
  const path = candidate.legs.flatMap(({ path }) =>
    path.hops.map((hop) =>
      hop.kind === 'swap' ? `${hop.market.adapter.slug}:${hop.market.loaded.pool.id}` : hop.kind,
    ),
  )
  return { path, reason }
}

function toBytes16(text: string): Hex {
  return `0x${Buffer.from(text, 'ascii').toString('hex').padEnd(32, '0')}`
}
