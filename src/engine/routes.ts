/** The engine's methods that find routes and bundles: single ones, and batches of quotes or executions at one block. */
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { CrosschainTerms } from '../domain/bridges/terms.js'
import { defined } from '../domain/defined.js'
import {
  type BatchAnswer,
  type CallContext,
  type Engine,
  type ExecutionAnswer,
  type ExecutionRequest,
  type NontokenizedAnswer,
  type NontokenizedRequest,
  type QuoteBatch,
  type QuoteOutcome,
  type QuoteRequest,
  quotesAtOnce,
  type RouteAnswer,
  type RouteRequest,
} from '../domain/engine.js'
import { ForkrouteError, fromWireError, toWireError } from '../domain/errors.js'
import { chunksOf, compareAmounts, compareText, zip } from '../domain/lists.js'
import type { BlockPin } from '../domain/primitives.js'
import { quoteSender } from '../executor/deployments.js'
import { parseBundle } from '../routing/bundle/parse-actions.js'
import { nothingInTime } from '../routing/route/failures.js'
import type { ConfiguredChains } from './configured-chains.js'
import { bundleOverBridge } from './crosschain/bundle.js'
import { isOverBridge } from './crosschain/bundle-request.js'
import { ExpectedSends } from './crosschain/expected-sends.js'
import { type CrosschainRequest, isCrosschain } from './crosschain/lanes.js'
import { PastLanes } from './crosschain/past-lanes.js'
import { routeOverBridges } from './crosschain/route.js'
import type { CrosschainParts } from './crosschain/sides.js'
import { withinDeadline } from './deadline.js'
import { asksMakers, withSignedOrders } from './maker-orders.js'
import { type Limited, limited } from './slippage/auto-slippage.js'
import { PastOutputs } from './slippage/past-outputs.js'
import { withSpender } from './spender.js'
import type { Place, TaskRunner } from './task-runner.js'
import { withPlainWay } from './without-overlay.js'

/** Executions per task. */
const executionsAtOnce = 64

export interface RoutesParts {
  readonly chains: ConfiguredChains
  readonly tasks: TaskRunner
  readonly blockAtTime: Engine['blockAtTime']
  readonly changedBlocks: Engine['changedBlocks']
  readonly headAfter: Engine['headAfter']
  /** Threads of the worker pool. */
  readonly threads: number
  readonly marksAnswers: boolean
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal
  /** Receives the error of a batched quote that failed through a fault of the service. */
  onProblem(error: unknown): void
}

type Parts = RoutesParts & CrosschainParts & { readonly past: Pick<PastOutputs, 'before'> }

/** Pairs of blocks that count as seen. */
const pinsKept = 64
/** Receivers that need not be looked at again. */
const payableKept = 10_000

export function createRoutes(
  given: RoutesParts,
): Pick<Engine, 'route' | 'quote' | 'quotes' | 'executions' | 'bundle' | 'nontokenized'> {
  const { tasks } = given
  const executions: Engine['executions'] = (chainId, blockNumber, requests, context) =>
    executeAt(tasks, { chainId, blockNumber }, requests, context)
  const past = new PastOutputs({
    pin: tasks.pin,
    quoteAt: (request, block, context) => {
      const args = { mode: 'quote', request, accountId: context.accountId } as const
      return tasks.runAt('route', args, block, context)
    },
    executions,
    changedBlocks: given.changedBlocks,
    headAfter: given.headAfter,
    chainOf: given.chains.of,
    stopping: given.stopping,
  })
  const parts: Parts = {
    ...given,
    past,
    pastLanes: new PastLanes(tasks),
    expectedSends: new ExpectedSends(),
    seenPins: new LRUCache<string, true>({ max: pinsKept }),
    payable: new LRUCache<string, true>({ max: payableKept }),
  }
  const { chains, marksAnswers } = parts
  async function routeOf(mode: 'route' | 'quote', request: RouteRequest, outer: CallContext) {
    const { accountId } = outer
    let isOverlaid = false
    const context: CallContext = {
      ...outer,
      onOverlay(overlay) {
        isOverlaid = true
        outer.onOverlay?.(overlay)
      },
    }
    const completed = (answer: RouteAnswer, asked: RouteRequest) => {
      if (!isOverlaid) return answer
      const { overlay: _, ...plain } = outer
      const { alternatives: __, ...alone } = asked
      return withPlainWay(answer, asked, (block) =>
        tasks.runAt('route', { mode, request: alone, accountId }, block, plain),
      )
    }
    if (isCrosschain(request)) {
      return marked(await routeOverBridges(parts, { mode, request }, context), marksAnswers)
    }
    const isAsked = asksMakers(request, context)
    if (!isAsked && !request.autoSlippage) {
      const answer = await tasks.run('route', { mode, request, accountId }, request, context)
      return marked(await completed(answer, request), marksAnswers)
    }
    const block = await tasks.pin(request, context)
    const found = await limited(request, block, past, context)
    const args = { mode, request: found?.request ?? request, accountId }
    const inner = isAsked ? await withSignedOrders(tasks, args, block, context) : context
    const answer = await tasks.runAt('route', args, block, inner)
    return marked(await completed(answer, args.request), marksAnswers, found)
  }
  return {
    route: (given, context) =>
      withinDeadline(given, context, (inner) => routeOf('route', withSpender(given), inner)),

    quote: (given, context) =>
      withinDeadline(given, context, (inner) => routeOf('quote', fromSomebody(given), inner)),

    quotes: (batch, context) => quoteBatch(batch, context, parts),

    executions,

    bundle: (given, outer) =>
      withinDeadline(given, outer, async (context) => {
        const request = withSpender(given)
        if (isOverBridge(request)) {
          return marked(await bundleOverBridge(parts, request, context), marksAnswers)
        }
        // Before a block is pinned: a malformed bundle is the caller's error, whatever the state of the chain.
        const bundle = parseBundle(request, chains.of(request.chainId))
        const args = { request: bundle, accountId: context.accountId }
        const result = await tasks.run('bundle', args, request, context)
        return marked({ ...result, actions: request.actions }, marksAnswers)
      }),

    nontokenized: (given, outer) =>
      withinDeadline(given, outer, async (context) => {
        const request = withSpender(given)
        const args = { request, accountId: context.accountId }
        const answer = request.crosschain
          ? await positionOverBridges(parts, request, request.crosschain, context)
          : await tasks.run('nontokenized', args, request, context)
        return marked(answer, marksAnswers)
      }),
  }
}

/** Executions at one block, in the order asked. */
async function executeAt(
  tasks: TaskRunner,
  at: Place,
  requests: readonly ExecutionRequest[],
  context: CallContext,
): Promise<readonly ExecutionAnswer[]> {
  const block = await tasks.pin(at, context)
  const executions = requests.map((one) => ({ ...one, request: withSpender(one.request) }))
  const answers = await Promise.all(
    chunksOf(executions, executionsAtOnce).map((part) =>
      tasks.runAt('executions', { requests: part }, block, context),
    ),
  )
  return answers.flat()
}

type Answer = Pick<RouteAnswer, 'block' | 'isBehindSwap' | 'marks' | 'slippage' | 'warnings'> & {
  readonly gas: bigint | null
}

/**
 * Adds where the transaction was simulated, and how its slippage was found where that was to be measured. An answer
 * without gas was not simulated.
 */
function marked<A extends Answer>(
  answer: A,
  marksAnswers: boolean,
  found: Limited | null = null,
): A {
  const { block, gas, isBehindSwap } = answer
  const position = isBehindSwap ? 1 : 0
  const simulatedPosition = gas === null ? null : position
  const expiresAtBlock = found?.held ? block.number + BigInt(found.held) : null
  return {
    ...answer,
    ...(marksAnswers && { marks: { simulatedPosition, expiresAtBlock } }),
    ...(found && {
      slippage: found.slippage,
      warnings: [...answer.warnings, ...found.warnings],
    }),
  }
}

/** A position on another chain is entered by the order that runs with what is delivered. */
async function positionOverBridges(
  parts: Parts,
  { positionOut, centiBps, ...request }: NontokenizedRequest,
  terms: CrosschainTerms,
  context: CallContext,
): Promise<NontokenizedAnswer> {
  const asked = {
    ...request,
    tokensOut: [],
    limit: { kind: 'slippage', centiBps },
    includeTransactionCost: false,
    includePriceImpact: true,
    crosschain: { ...terms, positionOut },
  } as const
  const { outputs, ...answer } = await routeOverBridges(
    parts,
    { mode: 'route', request: asked },
    context,
  )
  return {
    ...answer,
    fees: answer.fees ?? [],
    prerequisites: [],
    maximums: request.inputs.map(({ token, amount }) => ({ token, amount })),
    deposits: outputs,
    positionOut: answer.crosschain?.positionOut ?? positionOut,
  }
}

/** From the deadline of a batch on, for threads to tell what they have found by then, milliseconds. */
const collectingMs = 100

/** Quotes at one block, spread over the threads. */
async function quoteBatch(
  batch: QuoteBatch,
  context: CallContext,
  parts: Parts,
): Promise<BatchAnswer> {
  const { tasks, onProblem } = parts
  const begunAt = Date.now()
  const all = batch.requests.map(fromSomebody)
  const deadlineMs = lastDeadline(all)
  const pin = (inner: CallContext) => tasks.pin(batch, inner)
  const block = await withinDeadline(defined({ deadlineMs }), context, pin, begunAt)
  const outcomes = new Map<RouteRequest, QuoteOutcome>()
  const found = new Map<RouteRequest, Limited>()
  const calculate = async (inner: CallContext) => {
    await limitAll(all, block, inner, { parts, found, outcomes })
    const requests = all
      .filter((request) => !outcomes.has(request))
      .map((request) => found.get(request)?.request ?? request)
    await calculateAll({ batch, all: requests, block, begunAt }, inner, parts, outcomes)
  }
  if (deadlineMs !== undefined) {
    const limit = { deadlineMs: deadlineMs + collectingMs }
    await withinDeadline(limit, context, calculate, begunAt).catch(unlessLate)
  } else await calculate(context)
  const quotes = all.map((request) => {
    const limit = found.get(request)
    const outcome = outcomes.get(limit?.request ?? request) ?? late(request)
    if (!outcome.ok) return outcome
    return { ...outcome, value: marked(outcome.value, parts.marksAnswers, limit) }
  })
  for (const one of quotes) {
    if (!one.ok && one.error.code === 'INTERNAL') onProblem(fromWireError(one.error))
  }
  return { block, quotes }
}

/**
 * Measures the slippage of the requests that leave it to be measured.
 *
 * @param into.found - receives what was found.
 * @param into.outcomes - receives the error of a request whose slippage was not found.
 */
async function limitAll(
  requests: readonly RouteRequest[],
  block: BlockPin,
  context: CallContext,
  {
    parts,
    found,
    outcomes,
  }: {
    readonly parts: Parts
    readonly found: Map<RouteRequest, Limited>
    readonly outcomes: Map<RouteRequest, QuoteOutcome>
  },
): Promise<void> {
  await Promise.all(
    requests.map(async (request) => {
      try {
        const one = await limited(request, block, parts.past, context)
        if (one) found.set(request, one)
      } catch (error) {
        context.signal.throwIfAborted()
        outcomes.set(request, { ok: false, error: toWireError(error) })
      }
    }),
  )
}

/** The time within which each has its answer, since they are answered together; undefined where one of them has no deadline. */
function lastDeadline(requests: readonly RouteRequest[]): number | undefined {
  const given = requests.flatMap(({ deadlineMs }) => deadlineMs ?? [])
  return given.length && given.length === requests.length ? Math.max(...given) : undefined
}

function late(request: RouteRequest): QuoteOutcome {
  return { ok: false, error: toWireError(nothingInTime(request)) }
}

function unlessLate(error: unknown): void {
  if (!(error instanceof ForkrouteError && error.code === 'DEADLINE_EXCEEDED')) throw error
}

/** @param outcomes - receives what is found, as it comes. */
async function calculateAll(
  asked: {
    readonly batch: QuoteBatch
    readonly all: readonly RouteRequest[]
    readonly block: BlockPin
    readonly begunAt: number
  },
  { deadline: _, ...context }: CallContext,
  parts: Parts,
  outcomes: Map<RouteRequest, QuoteOutcome>,
): Promise<void> {
  const { tasks, threads } = parts
  const { accountId, signal } = context
  const { batch, all, block, begunAt } = asked
  const onOneChain = all.filter((request) => !isCrosschain(request))
  // One task per thread at a time: a batch leaves room for other callers.
  const turn = pLimit(threads)
  // Background work has several blocks in flight: reading one block in one thread alone is less work.
  const size = Math.min(
    quotesAtOnce,
    Math.ceil(onOneChain.length / (context.isBackground ? 1 : threads)),
  )
  const waiting = chunksOf(byPairAndAmount(onOneChain), size)
  /** From both ends, so that each thread keeps to few pairs, and to amounts near one another. */
  async function lane(index: number): Promise<void> {
    for (;;) {
      const requests = index % 2 ? waiting.pop() : waiting.shift()
      if (!requests) return
      await turn(async () => {
        const found = await outcomesOr(requests, signal, () =>
          tasks.runAt('quotes', { requests, accountId, begunAt }, block, context),
        )
        for (const [request, outcome] of zip(requests, found)) outcomes.set(request, outcome)
      })
    }
  }
  await Promise.all([
    ...Array.from({ length: threads }, (_lane, index) => lane(index)),
    ...all.filter(isCrosschain).map((request) =>
      turn(async () => {
        const [outcome] = await outcomesOr([request], signal, async () => [
          await overBridges(request, { batch, block, begunAt }, context, parts),
        ])
        if (outcome) outcomes.set(request, outcome)
      }),
    ),
  ])
}

/** What keeps them from being calculated is the outcome of each. */
async function outcomesOr(
  requests: readonly RouteRequest[],
  signal: AbortSignal,
  work: () => Promise<readonly QuoteOutcome[]>,
): Promise<readonly QuoteOutcome[]> {
  signal.throwIfAborted()
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    return requests.map(() => ({ ok: false as const, error: toWireError(error) }))
  }
}

async function overBridges(
  request: CrosschainRequest,
  among: {
    readonly batch: QuoteBatch
    readonly block: BlockPin
    readonly begunAt: number
  },
  context: CallContext,
  parts: Parts,
): Promise<QuoteOutcome> {
  const { batch, block, begunAt } = among
  const { blockNumber, deliverySeconds } = batch
  const { blockNumber: _, ...newest } = request
  const asked = blockNumber === undefined ? newest : { ...request, blockNumber }
  const begun = performance.now()
  const at = { block, ...defined({ deliverySeconds }) }
  const find = (inner: CallContext) =>
    routeOverBridges(parts, { mode: 'quote', request: asked }, inner, at)
  const value = await withinDeadline(request, context, find, begunAt)
  return { ok: true, value, milliseconds: performance.now() - begun }
}

function fromSomebody(request: QuoteRequest): RouteRequest {
  return withSpender({ ...request, fromAddress: request.fromAddress ?? quoteSender })
}

/** What is found for one amount of a pair serves amounts near it. */
function byPairAndAmount(requests: readonly RouteRequest[]): RouteRequest[] {
  const pair = ({ inputs, tokensOut }: RouteRequest) =>
    [...inputs.map(({ token }) => token), '>', ...tokensOut].join(' ')
  const amount = ({ inputs }: RouteRequest) => inputs[0]?.amount ?? 0n
  return requests
    .map((request) => ({ request, pair: pair(request), amount: amount(request) }))
    .sort((a, b) => compareText(a.pair, b.pair) || compareAmounts(a.amount, b.amount))
    .map(({ request }) => request)
}
