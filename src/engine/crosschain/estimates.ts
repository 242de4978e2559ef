/**
 * What lanes would give, by native math on both sides and the bridge's quote between them: an estimate that lanes are
 * compared by, never an answer.
 */
import { canonicalToken } from '../../chains/chain.js'
import { defined } from '../../domain/defined.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError, fromWireError } from '../../domain/errors.js'
import { at, zip } from '../../domain/lists.js'
import { type Address, bpsDenominator, type TokenAmount } from '../../domain/primitives.js'
import { quoteSender } from '../../executor/deployments.js'
import type { Estimate } from '../../routing/crosschain/estimate.js'
import type { Offer, OfferOutcome } from '../../routing/crosschain/offers-task.js'
import type { LaneTerms } from '../../routing/crosschain/source-task.js'
import { quietly } from '../../telemetry/quietly.js'
import { callGas, claimCost, deliveryCosts, usualPayload } from './delivery-cost.js'
import {
  type CrosschainPlan,
  candidatesPerSearch,
  destinationFee,
  type RouteQuote,
  sourceRequest,
} from './plan.js'
import { worthOf } from './worth.js'

/** Where no path takes an amount on, the part of it that tells whether it is too much. */
const muchSmaller = 10_000n

export interface LaneEstimate {
  readonly plan: CrosschainPlan
  readonly offer: Offer
  /** What the receiver would be paid, or what would enter the position of each of its tokens. */
  readonly amounts: readonly TokenAmount[]
  /** Gas of the swaps on the destination, roughly. */
  readonly destinationGas: bigint
}

/** What comes of a delivery, by estimate. */
interface DestinationEstimate {
  readonly amounts: readonly TokenAmount[]
  /** Gas of the swaps alone, roughly. */
  readonly gas: bigint
}

/**
 * @param how.onLikely - receives the plan that is likely the best, and what it would give, for both sides to be at work on
 *   it while lanes are compared.
 * @returns one for each plan, in their order; rejected with whatever keeps the lane from being used.
 */
export async function estimateLanes(
  quote: RouteQuote,
  plans: readonly CrosschainPlan[],
  how: { readonly isCold: boolean; onLikely(plan: CrosschainPlan, offer: Offer): void },
): Promise<PromiseSettledResult<LaneEstimate>[]> {
  if (how.isCold) warm(quote, plans)
  const outcomes = zip(plans, await offersOf(quote, plans, how.isCold))
  const offers = outcomes.flatMap(([plan, one]) => (one.ok ? [[plan, one.offer] as const] : []))
  const likely = likelyBest(quote, offers)
  if (likely) how.onLikely(...likely)
  const estimates = await estimateDeliveries(
    quote,
    offers.map(([plan, { delivered }]) => [plan, delivered] as const),
  )
  return Promise.allSettled(
    outcomes.map(async ([plan, one]) => {
      if (!one.ok) throw fromWireError(one.error)
      const { offer } = one
      const found = estimates.get(plan)
      if (!found) throw await noPathOn(quote, plan, offer)
      return { plan, offer, amounts: found.amounts, destinationGas: found.gas }
    }),
  )
}

/**
 * Lanes that take the same token share what is searched for it, and different tokens are searched for side by side. At a
 * block that is new one thread does it all: each of several would read the market.
 */
async function offersOf(
  quote: RouteQuote,
  plans: readonly CrosschainPlan[],
  isCold: boolean,
): Promise<OfferOutcome[]> {
  const { tasks, context, source } = quote
  const request = sourceRequest(quote)
  const groupOf = ({ lane }: CrosschainPlan) => (isCold ? null : lane.tokenIn)
  const found = new Map<CrosschainPlan, OfferOutcome>()
  await Promise.all(
    [...new Set(plans.map(groupOf))].map(async (name) => {
      const group = plans.filter((plan) => groupOf(plan) === name)
      const lanes = group.map((plan) => usualTerms(quote, plan))
      const args = { request, lanes, candidates: candidatesPerSearch }
      const outcomes = await tasks.runAt('offers', args, source.pin, context)
      for (const [plan, one] of zip(group, outcomes)) found.set(plan, one)
    }),
  )
  return plans.flatMap((plan) => found.get(plan) ?? [])
}

export function usualTerms({ receiver, destination }: RouteQuote, plan: CrosschainPlan): LaneTerms {
  const { lane, runsOrder, gasDrop } = plan
  const { message, orderGas, deliveryGas } = usualPayload(plan)
  const terms = {
    receiver: runsOrder ? lane.orderReceiver : receiver,
    message,
    gas: callGas(plan, orderGas),
    ...deliveryCosts(destination, lane, deliveryGas),
    ...defined({ gasDrop }),
  }
  return { lane, terms }
}

/** The lane that delivers the most worth. */
function likelyBest(
  quote: RouteQuote,
  offers: readonly (readonly [CrosschainPlan, Offer])[],
): readonly [CrosschainPlan, Offer] | undefined {
  const ranked = offers.map((one) => {
    const [plan, offer] = one
    const amounts = [{ token: plan.lane.tokenOut, amount: offer.delivered }]
    const deliveryCost = claimCost(quote.destination, plan)
    return { one, worth: worthOf(quote, { amounts, ...offer, deliveryCost }) ?? 0 }
  })
  return ranked.toSorted((a, b) => b.worth - a.worth)[0]?.one
}

async function noPathOn(
  quote: RouteQuote,
  plan: CrosschainPlan,
  { delivered }: Offer,
): Promise<ForkrouteError> {
  const some = await estimateDeliveries(quote, [[plan, delivered / muchSmaller]])
  const { symbol } = plan.lane
  return new ForkrouteError(
    'NO_ROUTE',
    some.has(plan)
      ? `No way on the destination takes the whole amount of ${symbol} on.`
      : `No way leads on from ${symbol} on the destination.`,
  )
}

/** A swap on the destination as a quote that stays there. */
export function destinationRequest(
  { request, destination }: RouteQuote,
  input: TokenAmount,
  tokenOut: Address,
): RouteRequest {
  return {
    chainId: destination.chain.id,
    fromAddress: quoteSender,
    strategy: 'router',
    executionMode: 'backend',
    inputs: [input],
    tokensOut: [tokenOut],
    limit: { kind: 'slippage', centiBps: 0n },
    ignoreAggregators: request.ignoreAggregators,
    ignoreStandards: request.ignoreStandards,
    includeTransactionCost: false,
    includePriceImpact: false,
    router: { candidates: candidatesPerSearch },
    ...defined({ poolChoice: request.poolChoice }),
  }
}

/**
 * Reads the destination's market, and has its fork run it, while the source is at work: of amounts that are worth what
 * goes in. Nothing depends on it.
 */
function warm(quote: RouteQuote, plans: readonly CrosschainPlan[]): void {
  const { tasks, context, source, destination, request } = quote
  const usd = request.inputs.reduce((sum, { token, amount }) => {
    const price = source.prices.get(token)
    return sum + (price ? (Number(amount) / 10 ** price.decimals) * price.priceUsd : 0)
  }, 0)
  const delivered = new Set(plans.map(({ lane }) => canonical(quote, lane.tokenOut)))
  for (const token of delivered) {
    const price = destination.prices.get(token)
    const worth = price ? (usd / price.priceUsd) * 10 ** price.decimals : 0
    for (const { token: tokenOut, shareBps } of tokensWanted(quote)) {
      const amount = (BigInt(Math.floor(worth)) * shareBps) / bpsDenominator
      if (amount === 0n || token === canonical(quote, tokenOut)) continue
      const asked = destinationRequest(quote, { token, amount }, tokenOut)
      const args = { mode: 'quote' as const, request: asked, accountId: context.accountId }
      void quietly(
        tasks.runAt('route', args, destination.pin, context),
        'The market of the destination is read ahead, and nothing depends on it.',
      )
    }
  }
}

/** What amounts delivered would give of each token that is asked for; absent where no path is found. */
export async function estimateDeliveries(
  quote: RouteQuote,
  deliveries: readonly (readonly [CrosschainPlan, bigint])[],
): Promise<ReadonlyMap<CrosschainPlan, DestinationEstimate>> {
  const fee = destinationFee(quote)
  const left = ([plan, amount]: readonly [CrosschainPlan, bigint]) =>
    fee && plan.runsOrder ? amount - (amount * fee.bps) / bpsDenominator : amount
  const found = new Map<CrosschainPlan, DestinationEstimate>(
    deliveries.map(([plan]) => [plan, { amounts: [], gas: 0n }]),
  )
  const tokens = new Set(deliveries.map(([{ lane }]) => canonical(quote, lane.tokenOut)))
  for (const { token, shareBps } of tokensWanted(quote)) {
    // One after the other, so that amounts stand in the order of the tokens.
    await Promise.all(
      [...tokens].map(async (tokenIn) => {
        const group = deliveries.filter(([{ lane }]) => canonical(quote, lane.tokenOut) === tokenIn)
        const amounts = group.map((one) => (left(one) * shareBps) / bpsDenominator)
        const given = await estimateSwaps(quote, { tokenIn, tokenOut: token, amounts })
        for (const [[plan], one] of zip(group, given)) {
          const before = found.get(plan)
          if (one === null) found.delete(plan)
          else if (before) {
            const amounts = [...before.amounts, { token, amount: one.amountOut }]
            found.set(plan, { amounts, gas: before.gas + one.gas })
          }
        }
      }),
    )
  }
  return found
}

/** @returns one for each amount; null where no path is found. */
async function estimateSwaps(
  quote: RouteQuote,
  swap: {
    readonly tokenIn: Address
    readonly tokenOut: Address
    readonly amounts: readonly bigint[]
  },
): Promise<readonly (Estimate | null)[]> {
  const { tasks, context, destination } = quote
  const { tokenIn, tokenOut, amounts } = swap
  const isNothing = amounts.every((amount) => amount === 0n)
  if (isNothing || tokenIn === canonical(quote, tokenOut)) {
    return amounts.map((amountOut) => ({ amountOut, gas: 0n }))
  }
  const request = destinationRequest(quote, { token: tokenIn, amount: at(amounts, 0) }, tokenOut)
  return tasks.runAt('estimates', { request, amounts }, destination.pin, context)
}

function canonical({ destination }: RouteQuote, token: Address): Address {
  return canonicalToken(destination.chain, token)
}

/** Tokens that are asked for, or that the position is made of, and the part of what is delivered for each. */
function tokensWanted({
  position,
  request,
}: RouteQuote): { readonly token: Address; readonly shareBps: bigint }[] {
  return request.tokensOut.map((token, index) => {
    return { token, shareBps: BigInt(position?.shares[index] ?? bpsDenominator) }
  })
}
