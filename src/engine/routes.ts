/** The engine's methods that find routes and bundles: single ones, and batches of quotes or executions at one block. */
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { CrosschainTerms } from '../domain/bridges/terms.js'
import {
  type BatchAnswer,
  type CallContext,
  type Engine,
  type NontokenizedAnswer,
  type NontokenizedRequest,
  type QuoteBatch,
  type QuoteOutcome,
  type QuoteRequest,
  quotesAtOnce,
  type RouteRequest,
} from '../domain/engine.js'
import { fromWireError, toWireError } from '../domain/errors.js'
import { zip } from '../domain/lists.js'
import type { BlockPin } from '../domain/primitives.js'
import { quoteSender } from '../executor/deployments.js'
import { parseBundle } from '../routing/bundle/parse-actions.js'
import type { ConfiguredChains } from './configured-chains.js'
import { bundleOverBridge } from './crosschain/bundle-over-bridge.js'
import { isOverBridge } from './crosschain/bundle-plan.js'
import { routeOverBridges } from './crosschain/crosschain.js'
import type { CrosschainParts } from './crosschain/sides.js'
import { type CrosschainRequest, isCrosschain } from './crosschain/ways.js'
import { withSpender } from './spender.js'
import type { TaskRunner } from './task-runner.js'

/** Executions per task. */
const executionsAtOnce = 64

export interface RoutesParts {
  readonly chains: ConfiguredChains
  readonly tasks: TaskRunner
  readonly blockAtTime: Engine['blockAtTime']
  /** Threads of the worker pool. */
  readonly threads: number
  /** Receives the error of a batched quote that failed through a fault of the service. */
  onProblem(error: unknown): void
}

type Parts = RoutesParts & CrosschainParts

/** Pairs of blocks that count as seen. */
const pinsKept = 64
/** Receivers that need not be looked at again. */
const payableKept = 10_000

export function createRoutes(
  given: RoutesParts,
): Pick<Engine, 'route' | 'quote' | 'quotes' | 'executions' | 'bundle' | 'nontokenized'> {
  const parts: Parts = {
    ...given,
    seenPins: new LRUCache<string, true>({ max: pinsKept }),
    payable: new LRUCache<string, true>({ max: payableKept }),
  }
  const { chains, tasks } = parts
  return {
    async route(given, context) {
      const request = withSpender(given)
      if (isCrosschain(request)) return routeOverBridges(parts, 'route', request, context)
      const args = { mode: 'route' as const, request, accountId: context.accountId }
      return (await tasks.run('route', args, request, context)).value
    },

    async quote(given, context) {
      const request = fromSomebody(given)
      if (isCrosschain(request)) return routeOverBridges(parts, 'quote', request, context)
      const args = { mode: 'quote' as const, request, accountId: context.accountId }
      return (await tasks.run('route', args, request, context)).value
    },

    quotes: (batch, context) => quoteBatch(batch, context, parts),

    async executions(chainId, blockNumber, requests, context) {
      const block = await tasks.pin({ chainId, blockNumber }, context)
      const executions = requests.map((one) => ({ ...one, request: withSpender(one.request) }))
      const answers = await Promise.all(
        chunksOf(executions, executionsAtOnce).map((part) =>
          tasks.runAt('executions', { requests: part }, block, context),
        ),
      )
      return answers.flat()
    },

    async bundle(given, context) {
      const request = withSpender(given)
      if (isOverBridge(request)) return bundleOverBridge(parts, request, context)
      // Before a block is pinned: a malformed bundle is the caller's error, whatever the state of the chain.
      const bundle = parseBundle(request, chains.of(request.chainId))
      const args = { request: bundle, accountId: context.accountId }
      const { value } = await tasks.run('bundle', args, request, context)
      return { ...value, actions: request.actions }
    },

    async nontokenized(given, context) {
      const request = withSpender(given)
      if (request.crosschain)
        return positionOverBridges(parts, request, request.crosschain, context)
      const args = { request, accountId: context.accountId }
      return (await tasks.run('nontokenized', args, request, context)).value
    },
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
  const { outputs, ...answer } = await routeOverBridges(parts, 'route', asked, context)
  return {
    ...answer,
    fees: answer.fees ?? [],
    prerequisites: [],
    deposits: outputs,
    positionOut: answer.crosschain?.positionOut ?? positionOut,
  }
}

/** Quotes at one block, spread over the threads. */
async function quoteBatch(
  batch: QuoteBatch,
  context: CallContext,
  parts: Parts,
): Promise<BatchAnswer> {
  const { tasks, threads, onProblem } = parts
  const { accountId, signal } = context
  const begunAt = Date.now()
  const block = await tasks.pin(batch, context)
  const all = batch.requests.map(fromSomebody)
  const onOneChain = all.filter((request) => !isCrosschain(request))
  // One task per thread at a time: a batch leaves room for other callers.
  const turn = pLimit(threads)
  // Background work has several blocks in flight: reading one block in one thread alone is less work.
  const size = Math.min(
    quotesAtOnce,
    Math.ceil(onOneChain.length / (context.isBackground ? 1 : threads)),
  )
  const outcomes = new Map<RouteRequest, QuoteOutcome>()
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
          await overBridges(request, batch, context, parts, { block, begunAt }),
        ])
        if (outcome) outcomes.set(request, outcome)
      }),
    ),
  ])
  const quotes = all.flatMap((request) => outcomes.get(request) ?? [])
  for (const one of quotes) {
    if (!one.ok && one.error.code === 'INTERNAL') onProblem(fromWireError(one.error))
  }
  return { block, quotes }
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
  { blockNumber, deliverySeconds }: QuoteBatch,
  context: CallContext,
  parts: Parts,
  at: { readonly block: BlockPin; readonly begunAt: number },
): Promise<QuoteOutcome> {
  const { blockNumber: _, ...newest } = request
  const asked = blockNumber === undefined ? newest : { ...request, blockNumber }
  const begun = performance.now()
  const among = { ...at, ...(deliverySeconds && { deliverySeconds }) }
  const value = await routeOverBridges(parts, 'quote', asked, context, among)
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
    .sort((a, b) => compare(a.pair, b.pair) || compare(a.amount, b.amount))
    .map(({ request }) => request)
}

function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Consecutive chunks of `size`; the last may be shorter. */
function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const count = items.length && Math.ceil(items.length / size)
  return Array.from({ length: count }, (_chunk, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
