/** Several quotes at one block in one call, including ladders of amounts; as a stream, again at every new block. */
import { z } from 'zod'
import { invalidRequest } from '../../domain/common-errors.js'
import { defined } from '../../domain/defined.js'
import type {
  BatchAnswer,
  CallContext,
  Engine,
  QuoteRequest,
  RouteAnswer,
} from '../../domain/engine.js'
import { type ErrorCode, ForkrouteError, toWireError, type Wire } from '../../domain/errors.js'
import type { Hex } from '../../domain/primitives.js'
import { observeEvent } from '../../telemetry/metrics.js'
import {
  defineRoute,
  type Endpoint,
  endpoint,
  type InputContract,
  parseObject,
  type StreamArgs,
  type StreamEvent,
  streamEndpoint,
} from '../contract.js'
import { errorFacts } from '../errors.js'
import { type Given, isAbsent } from '../input.js'
import { maxQuotes, type QuoteInput, shortcutInputs } from '../inputs/route-fields.js'
import { toQuoteRequest } from '../inputs/route-request.js'
import { isLadder, quoteOrLadderRules } from '../inputs/route-rules.js'
import { noticesAbout, withNotices } from '../notices.js'
import type { Dialect } from '../records/dialect.js'
import { type BatchItem, QuoteBatch } from '../records/records.js'
import { toQuote } from '../records/transactions.js'
import {
  BlockNumber,
  ChainId,
  DeadlineMs,
  described,
  examples,
  listOf,
  withDefault,
} from '../schemas.js'
import { calculationErrors } from './shortcuts.js'

type Batch = z.output<typeof QuoteBatch>
type Item = z.output<typeof BatchItem>

/** One parsed item: its quotes (several for a ladder), or the reason why it is invalid. */
type Parsed =
  | {
      readonly ok: true
      readonly input: QuoteInput
      readonly isLadder: boolean
      readonly notices: readonly string[]
    }
  | { readonly ok: false; readonly error: ForkrouteError }

const exampleItems = [
  { tokenIn: [examples.weth], tokenOut: [examples.usdc], amountIn: [examples.oneEther] },
]

const envelope = z.object({
  chainId: withDefault(ChainId, 1, 1),
  blockNumber: BlockNumber.optional(),
  deadlineMs: DeadlineMs.optional(),
  quotes: described(
    listOf(z.unknown(), 1, maxQuotes),
    `The quotes, ${maxQuotes} at most, each amount of a ladder counted.`,
    exampleItems,
  ),
})
type Envelope = z.output<typeof envelope>

/** Quotes that the items ask for; the items themselves are checked later. */
function cost({ quotes }: Pick<Envelope, 'quotes'>): number {
  return quotes.reduce<number>((sum, item) => {
    const given = listsOf(item)
    return sum + (isLadder(given) ? (given.amountIn?.length ?? 1) : 1)
  }, 0)
}

function listsOf(item: unknown): Record<string, unknown[]> {
  const { tokenIn, tokenOut, amountIn } = (item ?? {}) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries({ tokenIn, tokenOut, amountIn }).map(([name, value]) => [
      name,
      [value ?? []].flat(),
    ]),
  )
}

function envelopeRules(given: Given): string[] {
  const quotes = Array.isArray(given.quotes) ? given.quotes : []
  const count = cost({ quotes })
  return quotes.length <= maxQuotes && count > maxQuotes
    ? [`quotes must hold at most ${maxQuotes} amounts in all (not ${count})`]
    : []
}

/** Fields of the call are defaults of each item; an item with another value is refused. */
function parseItem(
  item: unknown,
  call: Omit<Envelope, 'quotes'>,
  contract: InputContract<ReturnType<typeof shortcutInputs>['quoteOrLadder']>,
  engine: Engine,
): Parsed {
  try {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      throw invalidRequest(['A quote must be a JSON object.'])
    }
    const own = Object.entries(item).filter(([, value]) => !isAbsent(value))
    const { chainId, blockNumber, deadlineMs } = call
    const defaults = { chainId, blockNumber: blockNumber?.toString(), deadlineMs }
    const given = { ...defaults, ...Object.fromEntries(own) }
    const input = parseObject(contract, given, engine)
    const other = [
      ...(input.chainId === chainId ? [] : [`chainId must be that of the call (${chainId})`]),
      ...(input.blockNumber === blockNumber
        ? []
        : [`blockNumber must be that of the call (${blockNumber ?? 'the newest'})`]),
    ]
    if (other.length) throw invalidRequest(other)
    const notices = noticesAbout(Object.keys(item), contract.input, input, engine)
    return { ok: true, input, isLadder: isLadder(listsOf(item)), notices }
  } catch (error) {
    if (error instanceof ForkrouteError) return { ok: false, error }
    throw error
  }
}

/** The quotes of one item: a rung for each amount of a ladder. */
function requestsOf(item: Parsed): QuoteRequest[] {
  if (!item.ok) return []
  const { input } = item
  if (!item.isLadder) return [toQuoteRequest(input)]
  return rungsOf(input).map((amount) => toQuoteRequest({ ...input, amountIn: [amount] }))
}

/** The amounts of a ladder. */
function rungsOf({ amountIn = [] }: QuoteInput): readonly bigint[] {
  return amountIn
}

/** @returns the answer in the order of the items, whatever was found for each. */
function toBatch(chainId: number, items: readonly Parsed[], answer: BatchAnswer): Batch {
  const blockNumber = Number(answer.block.number)
  let next = 0
  const quotes = items.map((item): Item => {
    if (!item.ok) return { error: errorFacts(toWireError(item.error)) }
    const count = item.isLadder ? rungsOf(item.input).length : 1
    const outcomes = answer.quotes.slice(next, next + count)
    next += count
    if (item.isLadder) {
      const ladder = rungsOf(item.input).map((amount, index) => ({
        amountIn: amount.toString(),
        ...toRung(outcomes[index], item),
      }))
      return { ladder, blockNumber }
    }
    const [outcome] = outcomes
    return outcome?.ok ? toNoticed(outcome.value, item) : toError(outcome)
  })
  return { blockNumber, chainId, quotes }
}

type Sound = Extract<Parsed, { ok: true }>

function toNoticed(answer: RouteAnswer, { input, notices }: Sound) {
  return withNotices(toQuote(answer, input.priceImpact), notices)
}

function toRung(outcome: Wire<RouteAnswer> | undefined, item: Sound) {
  if (!outcome?.ok) return toError(outcome)
  const {
    blockNumber: _,
    amountIn: _own,
    maxAmountIn: _most,
    ...rung
  } = toNoticed(outcome.value, item)
  return rung
}

function toError(outcome: Wire<RouteAnswer> | undefined) {
  return {
    error: errorFacts(outcome && !outcome.ok ? outcome.error : toWireError(undefined)),
  }
}

/**
 * The items at every new block of their chains, starting with the newest; after a calculation only the newest blocks are
 * used.
 */
async function* atEveryHead(
  { engine, context, calculate }: StreamArgs<unknown, unknown>,
  chainId: number,
  items: readonly Parsed[],
): AsyncGenerator<StreamEvent<Batch>> {
  const requests = items.flatMap(requestsOf)
  const others = requests.flatMap(({ crosschain }) => crosschain?.destinationChainId ?? [])
  const last = new Map<number, Hex | null>([chainId, ...others].map((id) => [id, null]))
  // The first is calculated at a block that is there already.
  let isFirst = true
  for (;;) {
    await anyHeadAfter(last, engine, context)
    for (const id of last.keys()) {
      last.set(id, (await engine.headAfter(id, null, context)).hash)
    }
    let event: StreamEvent<Batch>
    try {
      const answer = await calculate((inner) => engine.quotes({ chainId, requests }, inner))
      last.set(chainId, answer.block.hash)
      if (!isFirst) observeEvent(chainId, answer.block.hash)
      isFirst = false
      for (const quote of answer.quotes) {
        const used = quote.ok ? quote.value.crosschain?.destinationBlock : undefined
        if (used) last.set(used.chainId, used.hash)
      }
      event = { id: answer.block.number.toString(), body: toBatch(chainId, items, answer) }
    } catch (error) {
      if (context.signal.aborted) return
      event = { error }
    }
    yield event
  }
}

/** Resolves once one of the chains has another newest block than the one named. */
async function anyHeadAfter(
  last: ReadonlyMap<number, Hex | null>,
  engine: Engine,
  context: CallContext,
): Promise<void> {
  const done = new AbortController()
  const signal = AbortSignal.any([context.signal, done.signal])
  const heads = [...last].map(([id, hash]) => engine.headAfter(id, hash, { ...context, signal }))
  await Promise.race(heads).finally(() => done.abort())
}

function noBlockRules(given: Given): string[] {
  return given.blockNumber === undefined
    ? []
    : ['blockNumber must not be given: a stream follows the newest block']
}

const streamErrors: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'UNKNOWN_CHAIN',
  'TOO_MANY_STREAMS',
  'OVERLOADED',
]
const streamDescription =
  'Server-sent events until the client leaves: `quotes` with the block as id and the body of POST /shortcuts/quotes ' +
  'as data, `error` with an error body where a block could not be quoted, and a comment every 15 seconds. Blocks that ' +
  'come while one is calculated are skipped for the newest. Every event counts as as many requests as it has quotes. ' +
  'A client that does not read is dropped.'

export function quoteBatchEndpoints(dialect: Dialect): Endpoint[] {
  const { quoteOrLadder } = shortcutInputs(dialect)
  const contract = { input: quoteOrLadder, rules: quoteOrLadderRules, errors: calculationErrors }
  const documentedInput = envelope.extend({
    quotes: described(
      listOf(quoteOrLadder.partial({ chainId: true }), 1, maxQuotes),
      `The quotes, ${maxQuotes} at most, each amount of a ladder counted.`,
      exampleItems,
    ),
  })
  const postQuotes = defineRoute({
    method: 'post',
    path: '/api/v1/shortcuts/quotes',
    tag: 'Shortcuts',
    operationId: 'postQuotes',
    summary: 'Up to 200 quotes and ladders of amounts at one block in one call.',
    description:
      'Each of `quotes` has the names of GET /shortcuts/quote and its answer, at the place where it was asked; what is ' +
      'wrong with one is its own `error` there. chainId, blockNumber and deadlineMs of the call hold for all: all ' +
      'quotes are of one chain and one block. Several amountIn for one tokenIn and one tokenOut are a ladder, the depth ' +
      'curve of a pair. The call counts as as many requests as it has quotes, each amount of a ladder being one.',
    input: envelope,
    documentedInput,
    response: QuoteBatch,
    rules: envelopeRules,
    cost,
    isCalculation: true,
    errors: calculationErrors,
  })
  const getStream = defineRoute({
    method: 'get',
    path: '/api/v1/stream/quotes',
    tag: 'Shortcuts',
    operationId: 'streamQuote',
    summary: 'One quote, or a ladder of amounts, at every new block.',
    description: `As GET /shortcuts/quote. ${streamDescription}`,
    input: quoteOrLadder.extend({
      blockNumber: described(BlockNumber.optional(), 'Refused: a stream follows the newest block.'),
    }),
    response: QuoteBatch,
    rules: (given) => [...quoteOrLadderRules(given), ...noBlockRules(given)],
    cost: ({ tokenIn, amountIn = [] }) => (tokenIn.length === 1 && amountIn.length) || 1,
    errors: streamErrors,
  })
  const postStream = defineRoute({
    method: 'post',
    path: '/api/v1/stream/quotes',
    tag: 'Shortcuts',
    operationId: 'streamQuotes',
    summary: 'Up to 200 quotes and ladders of amounts at every new block.',
    description: `With the body of POST /shortcuts/quotes. ${streamDescription}`,
    input: envelope,
    documentedInput: documentedInput.extend({
      blockNumber: described(BlockNumber.optional(), 'Refused: a stream follows the newest block.'),
    }),
    response: QuoteBatch,
    rules: (given) => [...envelopeRules(given), ...noBlockRules(given)],
    cost,
    errors: streamErrors,
  })
  const parseAll = (input: Envelope, engine: Engine) =>
    input.quotes.map((item) => parseItem(item, input, contract, engine))
  return [
    endpoint(postQuotes, async ({ engine, input, context }) => {
      const { chainId, blockNumber } = input
      const items = parseAll(input, engine)
      const requests = items.flatMap(requestsOf)
      const at = { chainId, ...defined({ blockNumber }) }
      return toBatch(chainId, items, await engine.quotes({ ...at, requests }, context))
    }),
    streamEndpoint(getStream, (args) => {
      const { input } = args
      const ladder = input.tokenIn.length === 1 && rungsOf(input).length > 1
      return atEveryHead(args, input.chainId, [{ ok: true, input, isLadder: ladder, notices: [] }])
    }),
    streamEndpoint(postStream, (args) =>
      atEveryHead(args, args.input.chainId, parseAll(args.input, args.engine)),
    ),
  ]
}
