/**
 * What lanes would take for a stated output: from its end to its beginning, by native math on both sides and the bridge's
 * quotes between them. Lanes are compared by it, and what is found is where their proofs begin.
 */
import { canonicalToken } from '../../chains/chain.js'
import { ForkrouteError, fromWireError } from '../../domain/errors.js'
import { at, zip } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { ExactOfferOutcome } from '../../routing/crosschain/exact-offers-task.js'
import { grossInput } from '../../routing/route/prepare.js'
import {
  destinationRequest,
  estimateDeliveries,
  type LaneEstimate,
  usualTerms,
} from './estimates.js'
import {
  type CrosschainPlan,
  candidatesPerSearch,
  destinationFee,
  planWithAmount,
  type RouteQuote,
  sourceRequest,
} from './plan.js'

/** This part of the most that is known to be delivered can be asked for with certainty. */
const certainPart = { of: 99n, whole: 100n } as const

/** What has to be delivered of a token. */
interface Wanted {
  /** Raw units. */
  readonly amount: bigint
  /** Of the swaps that follow, roughly. */
  readonly gas: bigint
  /** Why that is not enough: what is asked for is then the most that the destination gives, raw units of the tokenOut. */
  readonly tooLarge?: { readonly error: ForkrouteError; readonly most: bigint }
}

/** @returns one for each plan, in their order, with the amount in its request; rejected as `estimateLanes`. */
export async function estimateExactly(
  quote: RouteQuote,
  plans: readonly CrosschainPlan[],
): Promise<PromiseSettledResult<LaneEstimate>[]> {
  const { tasks, context, source } = quote
  const [token, amount] = [at(quote.request.tokensOut, 0), quote.request.amountOut ?? 0n]
  const wanted = await wantedOf(quote, plans)
  const reachable = plans.flatMap((plan) => {
    const one = wanted.get(plan)
    return one ? [{ plan, one }] : []
  })
  const { amountOut: _, ...request } = sourceRequest(quote)
  const lanes = reachable.map(({ plan, one }) => ({
    ...usualTerms(quote, plan),
    wanted: one.amount,
  }))
  const args = { request, lanes, candidates: candidatesPerSearch }
  const outcomes = new Map(
    zip(
      reachable.map(({ plan }) => plan),
      await tasks.runAt('exactOffers', args, source.pin, context),
    ),
  )
  const most = await mostOf(quote, [...outcomes])
  return Promise.allSettled(
    plans.map(async (plan) => {
      const [there, outcome] = [wanted.get(plan), outcomes.get(plan)]
      if (!there || !outcome) {
        throw new ForkrouteError(
          'NO_ROUTE',
          `No way leads on from ${plan.lane.symbol} on the destination.`,
        )
      }
      const { tooLarge } = there
      if (!outcome.ok) {
        throw withMost(tooLarge?.error ?? fromWireError(outcome.error), most.get(plan))
      }
      if (tooLarge) throw withMost(tooLarge.error, tooLarge.most)
      const { offer } = outcome
      const planned = planWithAmount(quote, plan, offer.amountIn)
      return { plan: planned, offer, amounts: [{ token, amount }], destinationGas: there.gas }
    }),
  )
}

/** What each lane has to deliver. */
async function wantedOf(
  quote: RouteQuote,
  plans: readonly CrosschainPlan[],
): Promise<ReadonlyMap<CrosschainPlan, Wanted>> {
  const { chain } = quote.destination
  const fee = destinationFee(quote)
  const canonical = ({ lane }: CrosschainPlan) => canonicalToken(chain, lane.tokenOut)
  const tokens = [...new Set(plans.map(canonical))]
  const found = new Map(
    await Promise.all(tokens.map(async (one) => [one, await neededOf(quote, one)] as const)),
  )
  return new Map(
    plans.flatMap((plan): [CrosschainPlan, Wanted][] => {
      const { lane, runsOrder } = plan
      const needed = found.get(canonical(plan))
      if (!needed) return []
      const bps = fee && runsOrder ? fee.bps : undefined
      return [[plan, { ...needed, amount: grossInput(lane.tokenOut, needed.amount, bps).amount }]]
    }),
  )
}

/** What the stated output takes of a token that lanes deliver; null where no path leads there. */
async function neededOf(quote: RouteQuote, token: Address): Promise<Wanted | null> {
  const { destination, request } = quote
  const [tokenOut, amount] = [at(request.tokensOut, 0), request.amountOut ?? 0n]
  if (token === canonicalToken(destination.chain, tokenOut)) return { amount, gas: 0n }
  const found = await neededFor(quote, token, amount)
  if (found === null) return null
  if ('amountIn' in found) return { amount: found.amountIn, gas: found.gas }
  const message = `No input of ${token} gives ${amount} of ${tokenOut} on the destination: the pools hold too little.`
  const { most } = found
  const less = await neededFor(quote, token, most)
  if (!less || 'most' in less) return null
  const tooLarge = { error: new ForkrouteError('NO_ROUTE', message), most }
  return { amount: less.amountIn, gas: less.gas, tooLarge }
}

function neededFor(quote: RouteQuote, token: Address, amountOut: bigint) {
  const { tasks, context, destination, request } = quote
  const asked = destinationRequest(quote, { token, amount: 0n }, at(request.tokensOut, 0))
  return tasks.runAt('needed', { request: { ...asked, amountOut } }, destination.pin, context)
}

/** Raw units of the tokenOut that can be asked for of lanes which cannot deliver as much as is wanted. */
async function mostOf(
  quote: RouteQuote,
  outcomes: readonly (readonly [CrosschainPlan, ExactOfferOutcome])[],
): Promise<ReadonlyMap<CrosschainPlan, bigint>> {
  const limited = outcomes.flatMap(([plan, one]) =>
    !one.ok && one.most ? [[plan, one.most] as const] : [],
  )
  if (!limited.length) return new Map()
  const given = await estimateDeliveries(quote, limited)
  return new Map(
    [...given].flatMap(
      ([
        plan,
        {
          amounts: [one],
        },
      ]): [CrosschainPlan, bigint][] =>
        one ? [[plan, (one.amount * certainPart.of) / certainPart.whole]] : [],
    ),
  )
}

/** The error with the largest output that can be asked for. */
function withMost(error: ForkrouteError, most: bigint | undefined): ForkrouteError {
  if (!most) return error
  const details = { ...error.details, largestAmountOut: most.toString() }
  return new ForkrouteError(error.code, error.message, details)
}
