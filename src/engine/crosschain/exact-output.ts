/**
 * A stated output over one lane: pairs of both legs are settled with amounts that approach the least one with which the
 * receiver gains it.
 */
import type { TransactionOutput } from '../../domain/bundle.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import { approach } from '../../routing/crosschain/approach.js'
import { type CrosschainPlan, planWithAmount, type RouteQuote } from './plan.js'
import type { Settled, Settlement } from './settle.js'

/** Pairs that are settled at most. */
const mostPairs = 5

/** Funds are checked for the amount that is the answer, and for no other. */
const ofFunds: ReadonlySet<string> = new Set(['INSUFFICIENT_BALANCE', 'INSUFFICIENT_ALLOWANCE'])

/** @param first - with the amount to begin with. @throws ForkrouteError as `Settlement.settle`. */
export async function settleExactly(
  quote: RouteQuote,
  settlement: Settlement,
  first: CrosschainPlan,
): Promise<Settled> {
  const wanted = quote.request.amountOut ?? 0n
  let unchecked: RouteQuote | undefined
  let reached = false
  const settle = async (amount: bigint, from: RouteQuote = unchecked ?? quote) =>
    settlement.settle(planWithAmount(from, first, amount))
  const attempt = async (amount: bigint) => {
    const settled = await settle(amount)
      .catch((error: unknown) => {
        if (unchecked || !isOfFunds(error)) throw error
        unchecked = { ...quote, request: { ...quote.request, executionMode: 'backend' } }
        return settle(amount)
      })
      // A smaller amount that fails leaves the one that was found.
      .catch((error: unknown) => {
        if (!reached) throw error
      })
    if (!settled) return null
    const output = at<TransactionOutput>(settled.outputs, 0).amountOut
    reached ||= output >= wanted
    return { output, value: settled }
  }
  const start = amountOf(first)
  const found = await approach<Settled>({ wanted, start, most: mostPairs }, attempt)
  if (found) return unchecked ? settle(amountOf(found.plan), quote) : found
  throw new ForkrouteError(
    'SIMULATION_REVERTED',
    `What the receiver gains over ${first.lane.bridge} stays below amountOut, whatever is sent.`,
  )
}

function amountOf({ source }: CrosschainPlan): bigint {
  if (source.kind !== 'route') throw new RangeError('A stated output is that of a route.')
  return at(source.request.inputs, 0).amount
}

function isOfFunds(error: unknown): boolean {
  return error instanceof ForkrouteError && ofFunds.has(error.code)
}
