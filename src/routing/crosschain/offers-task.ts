/**
 * What lanes would deliver of a request's inputs, by native math up to the bridge and the bridge's own quote: to compare
 * lanes by, before any is simulated.
 */
import { isRefusal } from '../../bridges/bridge.js'
import { bridgeOf, createBridges } from '../../bridges/registry.js'
import { ForkrouteError, toWireError } from '../../domain/errors.js'
import type { Address } from '../../domain/primitives.js'
import { quoteSender } from '../../executor/deployments.js'
import { refused } from '../bundle/actions/bridge.js'
import type { TaskRun } from '../context/task-context.js'
import { whyNoRoute } from '../proof/why-no-route.js'
import { findCandidates } from '../search/candidates.js'
import { openSearch } from '../tasks/open-search.js'
import { inputsOf } from './departure-task.js'
import { bestOf, type Estimate, flowsFor } from './estimate.js'
import type { Offer, OfferOutcome, OffersArgs, Sending } from './messages.js'

/** In the order of the sendings. */
export async function runOffers(run: TaskRun, args: OffersArgs): Promise<readonly OfferOutcome[]> {
  const taken = new Map<Address, Promise<Estimate>>()
  return Promise.all(
    args.sendings.map(async (sending): Promise<OfferOutcome> => {
      const { tokenIn } = sending.lane
      const before = taken.get(tokenIn) ?? estimate(run, args, tokenIn)
      taken.set(tokenIn, before)
      try {
        return { ok: true, offer: await offerOf(run, sending, await before) }
      } catch (error) {
        if (!(error instanceof ForkrouteError)) throw error
        return { ok: false, error: toWireError(error) }
      }
    }),
  )
}

/** @throws ForkrouteError NO_ROUTE where the lane refuses. */
async function offerOf(
  run: TaskRun,
  { lane, parcel }: Sending,
  { amountOut: amountIn, gas }: Estimate,
): Promise<Offer> {
  const bridge = bridgeOf(lane, createBridges(run.settings))
  const quote = await bridge.quote({
    ...{ lane, parcel, amountIn, chain: run.block.chain },
    ...{ sender: quoteSender, reader: run.reader },
    priceOf: async (token) =>
      (await run.block.pricedTokens(run.reader, [token])).get(token) ?? null,
  })
  if (isRefusal(quote)) throw refused(lane, quote)
  const { delivered, nativeFee } = quote
  return { delivered, nativeFee, gas: gas + bridge.gasEstimate(lane, parcel) }
}

/** What all inputs together give of the token that a lane takes. @throws ForkrouteError NO_ROUTE. */
async function estimate(
  run: TaskRun,
  { request, candidates }: OffersArgs,
  tokenOut: Address,
): Promise<Estimate> {
  const parts = await Promise.all(
    inputsOf(request).map(async ({ token, amount, fee }): Promise<Estimate> => {
      const input = { token, amount: amount - fee }
      if (token === tokenOut || input.amount <= 0n) return { amountOut: input.amount, gas: 0n }
      const asked = { ...request, router: { candidates }, inputs: [input], tokensOut: [tokenOut] }
      const opened = await run.stage('state', () => openSearch(run, asked))
      const found = await run.stage('search', async () =>
        bestOf(flowsFor(opened, input, tokenOut), input, tokenOut),
      )
      if (found) return found
      const { all, router, argsFor, usable } = opened
      throw await whyNoRoute(run, {
        ...{ request: asked, missing: { tokenIn: token, tokenOut }, all },
        ...{ view: usable.view, maxHops: router.maxHops },
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
