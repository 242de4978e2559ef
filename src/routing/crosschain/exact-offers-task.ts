/**
 * What lanes would take of a request's one input to deliver stated amounts: the bridge's own quote, asked for amounts that
 * approach the least, and native math up to it. To compare lanes by, before any is simulated.
 */
import { isRefusal, type Lane, type LaneQuote, type LaneRefusal } from '../../bridges/bridge.js'
import { toTokenIn } from '../../bridges/decimals.js'
import { defined } from '../../domain/defined.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError, toWireError, type WireError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import type { Task } from '../block/task.js'
import { refused } from '../bundle/actions/bridge.js'
import { noRoute } from '../route/failures.js'
import { openSearch } from '../route/open-search.js'
import { grossInput } from '../route/prepare.js'
import type { OutputTooLarge } from '../search/exact-output.js'
import { approach } from './approach.js'
import { type Needed, neededFor } from './needed.js'
import { type Offer, offerFrom, quoteLane } from './offers-task.js'
import type { LaneTerms } from './source-task.js'

/** Amounts that a bridge is asked about at most, for one lane. */
const mostQuotes = 12

export interface ExactOffersArgs {
  /** Has one input, whose amount is not looked at. */
  readonly request: RouteRequest
  /** `wanted`: raw units of `lane.tokenOut` that must be delivered. */
  readonly lanes: readonly (LaneTerms & { readonly wanted: bigint })[]
  /** Candidates of each search. */
  readonly candidates: number
}

export interface ExactOffer extends Offer {
  /** Raw units of the input, fee included. */
  readonly amountIn: bigint
}

export type ExactOfferOutcome =
  | { readonly ok: true; readonly offer: ExactOffer }
  /** `most`: raw units of `lane.tokenOut` that can be delivered, where that is less than what is wanted. */
  | { readonly ok: false; readonly error: WireError; readonly most?: bigint }

/** @returns in the order of the lanes. */
export async function runExactOffers(
  task: Task,
  args: ExactOffersArgs,
): Promise<readonly ExactOfferOutcome[]> {
  return Promise.all(
    args.lanes.map(async (one): Promise<ExactOfferOutcome> => {
      try {
        return { ok: true, offer: await offerOf(task, args, one) }
      } catch (error) {
        if (error instanceof TooMuch) {
          const most = await mostDelivered(task, args, one, error.sent)
          return { ok: false, error: toWireError(error.reason), ...defined({ most }) }
        }
        if (!(error instanceof ForkrouteError)) throw error
        return { ok: false, error: toWireError(error) }
      }
    }),
  )
}

/** More is wanted than can be sent. */
class TooMuch extends Error {
  constructor(
    readonly reason: ForkrouteError,
    /** Raw units of `lane.tokenIn` that can be sent. */
    readonly sent: bigint,
  ) {
    super(reason.message)
  }
}

async function offerOf(
  task: Task,
  args: ExactOffersArgs,
  one: ExactOffersArgs['lanes'][number],
): Promise<ExactOffer> {
  const { feeReceiver, inputs } = args.request
  const { token, feeBps } = at(inputs, 0)
  const { amount, quote } = await leastSent(task, one)
  const needed = await neededBefore(task, args, one.lane, amount)
  if ('most' in needed) {
    const message = `No input of ${token} gives ${amount} ${one.lane.symbol}: the pools hold too little.`
    throw new TooMuch(new ForkrouteError('NO_ROUTE', message), needed.most)
  }
  const { amountIn, gas } = needed
  const gross = grossInput(token, amountIn, feeReceiver ? feeBps : undefined)
  return { ...offerFrom(task, one, { sent: amount, quote, gas }), amountIn: gross.amount }
}

/** What gives the amount of `lane.tokenIn`. @throws ForkrouteError NO_ROUTE where no path leads there. */
async function neededBefore(
  task: Task,
  { request, candidates }: ExactOffersArgs,
  { tokenIn }: Lane,
  amount: bigint,
): Promise<Needed | OutputTooLarge> {
  const { token } = at(request.inputs, 0)
  if (token === tokenIn) return { amountIn: amount, gas: 0n }
  const asked = { ...request, router: { candidates }, tokensOut: [tokenIn] }
  const opened = await task.clock.stage('state', () => openSearch(task, asked))
  const output = { token: tokenIn, amount }
  const needed = await task.clock.stage('search', async () => neededFor(opened, token, output))
  if (needed) return needed
  const { usable, router } = opened
  throw noRoute(usable.view, { tokenIn: token, tokenOut: tokenIn }, task.chain, router)
}

/** Raw units of `lane.tokenIn` of which as much as is wanted is delivered. @throws ForkrouteError NO_ROUTE; TooMuch. */
async function leastSent(task: Task, one: ExactOffersArgs['lanes'][number]) {
  const { lane, wanted } = one
  let refusal: LaneRefusal | undefined
  const least = await approach<{ amount: bigint; quote: LaneQuote } | null>(
    { wanted, start: toTokenIn(lane, wanted), most: mostQuotes },
    async (amount) => {
      const quote = await quoteLane(task, one, amount)
      if (!isRefusal(quote)) {
        // What is left over of a unit is not taken.
        const sent = amount - (amount % quote.unit)
        return { output: quote.delivered, value: { amount: sent, quote } }
      }
      if (quote.reason === 'too-much' && quote.limit) {
        throw new TooMuch(refused(lane, quote), quote.limit)
      }
      if (quote.reason !== 'too-little') throw refused(lane, quote)
      refusal = quote
      return { output: 0n, value: null }
    },
  )
  if (least) return least
  const message = `${lane.symbol} over ${lane.bridge} delivers less than is asked for, whatever is sent.`
  throw refusal ? refused(lane, refusal) : new ForkrouteError('NO_ROUTE', message)
}

/** Raw units of `lane.tokenOut` where no more than `limit` of `lane.tokenIn` can be sent; undefined where it is not known. */
async function mostDelivered(
  task: Task,
  args: ExactOffersArgs,
  one: LaneTerms,
  limit: bigint,
): Promise<bigint | undefined> {
  const needed = await neededBefore(task, args, one.lane, limit)
  const sent = 'most' in needed ? needed.most : limit
  const quote = await quoteLane(task, one, sent)
  if (!isRefusal(quote)) return quote.delivered
  if (quote.reason !== 'too-much' || !quote.limit || quote.limit >= sent) return undefined
  const within = await quoteLane(task, one, quote.limit)
  return isRefusal(within) ? undefined : within.delivered
}
