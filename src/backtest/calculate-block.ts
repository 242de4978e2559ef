/**
 * Calculates all rows of one block: every request by every variant, and the execution of the found transactions some
 * blocks later. A lasting error belongs to its row. A temporary one is retried, and fails the whole block if it stays.
 */

import { chainById } from '../chains/registry.js'
import type {
  BacktestBlock,
  BacktestPlan,
  BacktestRow,
  Execution,
  PathPart,
  PlanRequest,
  PlanVariant,
} from '../domain/backtest.js'
import { defined } from '../domain/defined.js'
import {
  type CallContext,
  type Engine,
  type ExecutionAnswer,
  type ExecutionRequest,
  noAccount,
  type QuoteOutcome,
  type QuoteRequest,
  type RouteAnswer,
} from '../domain/engine.js'
import { errorCodes, ForkrouteError, fromWireError } from '../domain/errors.js'
import { type Address, type BlockPin, bpsDenominator, nativeToken } from '../domain/primitives.js'
import { wrappedNativeSlug } from '../domain/route-step.js'
import type { CalculateBlock } from './engines/job-engine.js'
import { retryPolicy as defaultRetryPolicy, type RetryPolicy, withRetries } from './retry.js'

type Asked = {
  readonly one: PlanRequest
  readonly variant: PlanVariant
  readonly request: QuoteRequest
}

type BacktestEngine = Pick<Engine, 'block' | 'quotes' | 'executions' | 'tokens' | 'prices'>

export function createCalculateBlock(
  engine: BacktestEngine,
  retryPolicy: RetryPolicy = defaultRetryPolicy,
): CalculateBlock<BacktestPlan, BacktestBlock> {
  return async (plan, blockNumber, signal) => {
    const context: CallContext = { accountId: noAccount, signal, isBackground: true }
    const again = <T>(work: () => Promise<T>) => withRetries(work, signal, retryPolicy)
    const asked = plan.requests.flatMap((one) =>
      plan.variants.map((variant) => ({ one, variant, request: toRequest(plan, one, variant) })),
    )
    const block = await again(() => engine.block(plan.chainId, blockNumber, context))
    // A chain that is not served here, as by a worker, is no fact about the block.
    for (const chainId of destinationsOf(plan)) {
      await again(() => engine.block(chainId, 'latest', context))
    }
    const outcomes = await quoteAll(engine, { plan, block, asked, context, again })
    const tokens = await again(() => tokensAt(engine, { plan, block, outcomes }, context))
    const executions = await executeAll(engine, { plan, block, asked, outcomes, context, again })
    return {
      blockNumber,
      blockHash: block.hash,
      timestamp: block.timestamp,
      rows: asked.map((each, index): BacktestRow => {
        const outcome = outcomes[index] as QuoteOutcome
        return {
          blockNumber,
          request: each.one.name,
          variant: each.variant.name,
          milliseconds: Math.round((outcome.milliseconds ?? 0) * 10) / 10,
          outcome: outcome.ok
            ? { ok: true, ...toFacts(each.request, outcome.value, tokens(each.request)) }
            : { ok: false, error: toRowError(outcome) },
          executions: executions[index] ?? [],
        }
      }),
    }
  }
}

/** The request as this variant asks it. */
function toRequest(
  plan: BacktestPlan,
  { request }: PlanRequest,
  variant: PlanVariant,
): QuoteRequest {
  const { limit, autoSlippage, ...rest } = request
  return {
    ...rest,
    chainId: plan.chainId,
    ignoreStandards: [...new Set([...request.ignoreStandards, ...variant.ignoreStandards])],
    ...limitOf({ limit, ...defined({ autoSlippage }) }, variant),
    includeTransactionCost: true,
    includePriceImpact: true,
    router: variant.router,
  }
}

/** The slippage of a variant replaces the limit of the request, measured or not. */
function limitOf(
  { limit, autoSlippage }: Pick<QuoteRequest, 'limit' | 'autoSlippage'>,
  variant: PlanVariant,
): Pick<QuoteRequest, 'limit' | 'autoSlippage'> {
  const { centiBps } = variant
  if (centiBps !== undefined) return { limit: { kind: 'slippage', centiBps } }
  return { limit, ...defined({ autoSlippage: variant.autoSlippage ?? autoSlippage }) }
}

interface Work {
  readonly plan: BacktestPlan
  readonly block: BlockPin
  readonly asked: readonly Asked[]
  readonly context: CallContext
  again<T>(work: () => Promise<T>): Promise<T>
}

/** Answers in the order of the requests. Only requests with a temporary error are retried. */
async function quoteAll(
  engine: BacktestEngine,
  { plan, block, asked, context, again }: Work,
): Promise<readonly QuoteOutcome[]> {
  const outcomes: (QuoteOutcome | undefined)[] = asked.map(() => undefined)
  const ask = async () => {
    const open = asked.flatMap((_each, index) => (isSettled(outcomes[index]) ? [] : [index]))
    const requests = open.map((index) => (asked[index] as Asked).request)
    const at = { chainId: plan.chainId, blockNumber: block.number }
    const deliverySeconds = plan.deliverySeconds ?? 'estimated'
    const { quotes } = await engine.quotes({ ...at, requests, deliverySeconds }, context)
    for (const [place, index] of open.entries()) outcomes[index] = quotes[place]
    const unsettled = outcomes.find((outcome) => !isSettled(outcome))
    if (unsettled && !unsettled.ok) throw fromWireError(unsettled.error)
  }
  try {
    await again(ask)
  } catch (error) {
    // If the node works and only lacks state for some rows, the errors are facts about those rows.
    const isOfRows = outcomes.every(
      (outcome) => isSettled(outcome) || isCode(outcome, 'STATE_UNAVAILABLE'),
    )
    if (!isOfRows || !outcomes.some(isSettled)) throw error
  }
  return outcomes as QuoteOutcome[]
}

function isSettled(outcome: QuoteOutcome | undefined): boolean {
  return outcome !== undefined && (outcome.ok || !errorCodes[outcome.error.code].retry)
}

function isCode(outcome: QuoteOutcome | undefined, code: string): boolean {
  return outcome?.ok === false && outcome.error.code === code
}

/** Executions by index of the row. A transaction that several variants found is executed once. */
async function executeAll(
  engine: BacktestEngine,
  {
    plan,
    block,
    asked,
    outcomes,
    context,
    again,
  }: Work & {
    readonly outcomes: readonly QuoteOutcome[]
  },
): Promise<readonly (readonly Execution[])[]> {
  const distinct = new Map<string, ExecutionRequest>()
  const keys = asked.map(({ one, request }, index) => {
    const outcome = outcomes[index]
    if (!outcome?.ok) return null
    const { tx } = outcome.value
    const key = [one.name, tx.from, tx.to, tx.value, tx.data].join(':')
    const fromAddress = request.fromAddress ?? tx.from
    if (!distinct.has(key)) distinct.set(key, { request: { ...request, fromAddress }, tx })
    return key
  })
  const results = asked.map((): Execution[] => [])
  if (!distinct.size) return results
  for (const delay of plan.delays) {
    const at = { chainId: plan.chainId, blockNumber: block.number + BigInt(delay) }
    const answers = await again(() => executeAt(engine, at, [...distinct.values()], context))
    const byKey = new Map([...distinct.keys()].map((key, index) => [key, answers[index]]))
    for (const [index, key] of keys.entries()) {
      const answer = key === null ? undefined : byKey.get(key)
      if (answer) results[index]?.push(toExecution(delay, answer))
    }
  }
  return results
}

async function executeAt(
  engine: BacktestEngine,
  { chainId, blockNumber }: { readonly chainId: number; readonly blockNumber: bigint },
  requests: readonly ExecutionRequest[],
  context: CallContext,
): Promise<readonly ExecutionAnswer[]> {
  try {
    return await engine.executions(chainId, blockNumber, requests, context)
  } catch (error) {
    if (!(error instanceof ForkrouteError) || error.code !== 'UNKNOWN_BLOCK') throw error
    const { message } = error
    return requests.map(() => ({ status: 'unreadable', message }))
  }
}

function toExecution(delay: number, answer: ExecutionAnswer): Execution {
  if (answer.status === 'unreadable') return { delay, status: 'unknown', message: answer.message }
  if (answer.status === 'reverted') return { delay, ...answer }
  const { outputs, ...rest } = answer
  return { delay, ...rest, amountsOut: outputs.map(({ amount }) => amount) }
}

function toFacts(request: QuoteRequest, answer: RouteAnswer, tokens: PairTokens) {
  const { gasCost, crosschain } = answer
  const l1 = gasCost?.l1DataFee
  const usd = gasCost?.usd ?? null
  const gasCostUsd = usd === null ? null : usd + (l1?.usd ?? 0)
  const bridgeUsd = crosschain ? crosschain.bridgeFee.usd : 0
  const costUsd = gasCostUsd === null || bridgeUsd === null ? null : gasCostUsd + bridgeUsd
  return {
    amountsOut: answer.outputs.map(({ amountOut }) => amountOut),
    minAmountsOut: answer.outputs.map(({ minAmountOut }) => minAmountOut),
    gas: answer.gas,
    gasCost: (gasCost?.native ?? 0n) + (l1?.native ?? 0n),
    gasCostUsd,
    gasCostOut: isPair(request)
      ? inToken(costUsd, tokens.out.get(request.tokensOut[0] as Address))
      : null,
    priceImpact: answer.priceImpact,
    price: isPair(request) ? priceOf(request, answer, tokens) : null,
    path: pathOf(answer),
    ...(answer.warnings.length > 0 && { warnings: answer.warnings }),
    ...defined({
      crosschain: crosschain && {
        bridge: crosschain.estimates[0]?.bridge ?? '',
        destinationBlock: crosschain.destinationBlock.number,
        bridgeFee: crosschain.bridgeFee.native,
        deliveries: crosschain.deliveries ?? [],
      },
    }),
  }
}

/** Raw units of the token worth so many USD; null when that is not known. */
function inToken(usd: number | null, token: TokenFacts | undefined): bigint | null {
  if (usd === null || !token?.priceUsd || token.decimals === null) return null
  const raw = Math.round((usd / token.priceUsd) * 10 ** token.decimals)
  return Number.isFinite(raw) ? BigInt(raw) : null
}

/** Whole tokens out per whole token in. */
function priceOf(request: QuoteRequest, answer: RouteAnswer, tokens: PairTokens): number | null {
  const [[input], [output]] = [request.inputs, answer.outputs]
  if (!input || !output) return null
  const decimalsIn = tokens.in.get(input.token)?.decimals
  const decimalsOut = tokens.out.get(output.token)?.decimals
  if (decimalsIn == null || decimalsOut == null) return null
  const wholeIn = Number(input.amount) / 10 ** decimalsIn
  return Number(output.amountOut) / 10 ** decimalsOut / wholeIn
}

function pathOf({ route }: RouteAnswer): PathPart[] {
  return route.flatMap(({ protocol, primary, internalRoutes }) => {
    if (internalRoutes) {
      return internalRoutes.map((leg) => ({
        protocol: leg.protocol,
        pool: leg.pool,
        shareBps: leg.share,
      }))
    }
    // Wrapping is no venue.
    return primary && protocol !== wrappedNativeSlug
      ? [{ protocol, pool: primary, shareBps: Number(bpsDenominator) }]
      : []
  })
}

/** Facts about a token at the block; null where unknown. */
interface TokenFacts {
  readonly decimals: number | null
  readonly priceUsd: number | null
}
type Tokens = ReadonlyMap<Address, TokenFacts>
/** Addresses mean nothing beside those of another chain. */
interface PairTokens {
  readonly in: Tokens
  readonly out: Tokens
}

/** Facts about the pairs' tokens, read at the blocks of the rows, so that no row depends on others. */
async function tokensAt(
  engine: BacktestEngine,
  {
    plan,
    block,
    outcomes,
  }: Pick<Work, 'plan' | 'block'> & { readonly outcomes: readonly QuoteOutcome[] },
  context: CallContext,
): Promise<(request: QuoteRequest) => PairTokens> {
  const pairs = plan.requests.flatMap(({ request }) => (isPair(request) ? [request] : []))
  const given = pairs.flatMap(({ inputs }) => inputs.map(({ token }) => token))
  const outOf = (chainId: number) =>
    pairs
      .filter(({ crosschain }) => (crosschain?.destinationChainId ?? plan.chainId) === chainId)
      .flatMap(({ tokensOut }) => tokensOut)
  const sourceTokens = await tokensOf(engine, { block, out: outOf(plan.chainId), given }, context)
  // All rows over bridges have the same block of a destination: the one that follows from the block's time.
  const blocks = new Map(
    outcomes.flatMap((outcome) => {
      const destinationBlock = outcome.ok ? outcome.value.crosschain?.destinationBlock : undefined
      return destinationBlock ? [[destinationBlock.chainId, destinationBlock] as const] : []
    }),
  )
  const destinationTokens = new Map<number, Tokens>()
  for (const [chainId, at] of blocks) {
    const wanted = { block: at, out: outOf(chainId), given: [] }
    destinationTokens.set(chainId, await tokensOf(engine, wanted, context))
  }
  return ({ crosschain }) => ({
    in: sourceTokens,
    out: crosschain
      ? (destinationTokens.get(crosschain.destinationChainId) ?? new Map())
      : sourceTokens,
  })
}

/** @param wanted.out - whose prices are asked for. @param wanted.given - of which only decimals are. */
async function tokensOf(
  engine: BacktestEngine,
  wanted: {
    readonly block: BlockPin
    readonly out: readonly Address[]
    readonly given: readonly Address[]
  },
  context: CallContext,
): Promise<Tokens> {
  const { chainId, number } = wanted.block
  const listed = new Map(engine.tokens(chainId).map((one) => [one.address, one.decimals]))
  const native = chainById(chainId)?.nativeCurrency
  if (native) listed.set(nativeToken, native.decimals)
  const unlisted = wanted.given.filter((token) => !listed.has(token))
  const tokens = [...new Set([...wanted.out, ...unlisted])]
  const prices = tokens.length ? await engine.prices(chainId, tokens, number, context) : []
  const found = new Map<Address, TokenFacts>()
  for (const [token, decimals] of listed) found.set(token, { decimals, priceUsd: null })
  for (const [index, token] of tokens.entries()) {
    const price = prices[index]
    const decimals = listed.get(token) ?? price?.decimals ?? null
    found.set(token, { decimals, priceUsd: price?.price ?? null })
  }
  return found
}

function destinationsOf({ requests }: BacktestPlan): Set<number> {
  return new Set(requests.flatMap(({ request }) => request.crosschain?.destinationChainId ?? []))
}

function isPair({ inputs, tokensOut }: QuoteRequest): boolean {
  return inputs.length === 1 && tokensOut.length === 1
}

/** The error without details that only logs may show. */
function toRowError(outcome: QuoteOutcome & { readonly ok: false }) {
  const { code, message, details } = outcome.error
  return { code, message, ...defined({ details }) }
}
