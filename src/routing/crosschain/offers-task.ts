/**
 * What lanes would deliver of a request's inputs, by native math up to the bridge and the bridge's own quote: to compare
 * lanes by, before any is simulated.
 */
import {
  isRefusal,
  type LaneAmounts,
  type LaneQuote,
  type LaneRefusal,
} from '../../bridges/bridge.js'
import { bridgeOf, createBridges } from '../../bridges/registry.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError, toWireError, type WireError } from '../../domain/errors.js'
import type { Address } from '../../domain/primitives.js'
import { quoteSender } from '../../executor/deployments.js'
import type { Task } from '../block/task.js'
import { refused } from '../bundle/actions/bridge.js'
import { whyNoRoute } from '../route/no-answer/why-no-route.js'
import { openSearch } from '../route/open-search.js'
import { findCandidates } from '../search/candidates.js'
import { bestOf, type Estimate, flowsFor } from './estimate.js'
import { inputsOf, type LaneTerms } from './source-task.js'

export interface OffersArgs {
  readonly request: RouteRequest
  readonly lanes: readonly LaneTerms[]
  /** Candidates of each search. */
  readonly candidates: number
}

/** What a lane would make of the inputs, estimated. */
export interface Offer extends LaneAmounts {
  /** Wei that the messaging costs. */
  readonly nativeFee: bigint
  /** Gas of the source's transaction, roughly. */
  readonly gas: bigint
}

export type OfferOutcome =
  | { readonly ok: true; readonly offer: Offer }
  | { readonly ok: false; readonly error: WireError }

/** @returns in the order of the lanes. */
export async function runOffers(task: Task, args: OffersArgs): Promise<readonly OfferOutcome[]> {
  const taken = new Map<Address, Promise<Estimate>>()
  return Promise.all(
    args.lanes.map(async (one): Promise<OfferOutcome> => {
      const { tokenIn } = one.lane
      const before = taken.get(tokenIn) ?? estimate(task, args, tokenIn)
      taken.set(tokenIn, before)
      try {
        return { ok: true, offer: await offerOf(task, one, await before) }
      } catch (error) {
        if (!(error instanceof ForkrouteError)) throw error
        return { ok: false, error: toWireError(error) }
      }
    }),
  )
}

/** @throws ForkrouteError NO_ROUTE where the lane refuses. */
async function offerOf(task: Task, one: LaneTerms, { amountOut, gas }: Estimate): Promise<Offer> {
  const quote = await quoteLane(task, one, amountOut)
  if (isRefusal(quote)) throw refused(one.lane, quote)
  return offerFrom(task, one, { sent: amountOut, quote, gas })
}

/** @param found.gas - of the swaps before the bridge, which is given `sent`. */
export function offerFrom(
  task: Task,
  { lane, terms }: LaneTerms,
  found: { readonly sent: bigint; readonly quote: LaneQuote; readonly gas: bigint },
): Offer {
  const { sent, quote, gas } = found
  const { delivered, nativeFee } = quote
  const bridge = bridgeOf(lane, createBridges(task.settings))
  return { sent, delivered, nativeFee, gas: gas + (quote.gas ?? bridge.gasEstimate(lane, terms)) }
}

/** @param amountIn - raw units of `lane.tokenIn`. */
export function quoteLane(
  task: Task,
  { lane, terms }: LaneTerms,
  amountIn: bigint,
): Promise<LaneQuote | LaneRefusal> {
  return bridgeOf(lane, createBridges(task.settings)).quote({
    lane,
    terms,
    amountIn,
    chain: task.chain,
    sender: quoteSender,
    reader: task.reader,
    priceOf: async (token) =>
      (await task.facts.pricedTokens(task.reader, [token])).get(token) ?? null,
  })
}

/** What all inputs together give of the token that a lane takes. @throws ForkrouteError NO_ROUTE. */
async function estimate(
  task: Task,
  { request, candidates }: OffersArgs,
  tokenOut: Address,
): Promise<Estimate> {
  const all = inputsOf(request)
  const parts = await Promise.all(
    all.map(async ({ token, amount, fee }, place): Promise<Estimate> => {
      const input = { token, amount: amount - fee }
      if (token === tokenOut || input.amount <= 0n) return { amountOut: input.amount, gas: 0n }
      const asked = { ...request, router: { candidates }, inputs: [input], tokensOut: [tokenOut] }
      const opened = await task.clock.stage('state', () => openSearch(task, asked))
      const { router, argsFor, usable } = opened
      const gasCost = argsFor(usable.pools).gasCost(tokenOut) ?? 0n
      const besides = all.slice(place + 1).map((one) => one.token)
      const found = await task.clock.stage('search', async () =>
        bestOf(flowsFor(opened, input, tokenOut, besides), input, tokenOut, gasCost),
      )
      if (found) return found
      throw await whyNoRoute(task, {
        request: asked,
        missing: { tokenIn: token, tokenOut },
        all: opened.all,
        view: usable.view,
        maxHops: router.maxHops,
        isFound: (some) => {
          const inputs = [{ token, amount: some }]
          const args = { ...argsFor(usable.pools), inputs, count: 1, mayBeSplit: false }
          return findCandidates(args).candidates.length > 0
        },
      })
    }),
  )
  return parts.reduce((sum, one) => ({
    amountOut: sum.amountOut + one.amountOut,
    gas: sum.gas + one.gas,
  }))
}
