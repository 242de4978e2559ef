/**
 * Detects candidates that pools can fill only in part. Pools of concentrated liquidity swap what they can and leave the
 * rest of the input unspent; that is not the requested swap, however good its rate.
 */
import type { RouteRequest } from '../../domain/engine.js'
import type { Order } from '../../domain/order.js'
import { type Address, bpsDenominator } from '../../domain/primitives.js'
import type { MeasuredBalance, SimulationResult } from '../../domain/state.js'
import type { Built } from './built.js'

/** Raw units that rounding of rebasing tokens may leave. */
const roundingDust = 10n
/** Balances measured beside one transaction: each takes a million gas of the simulated block. */
const maxWatched = 8

interface Watched extends MeasuredBalance {
  /** The owner's balance difference when everything is spent; raw units. */
  readonly spent: bigint
  /** What may be left over without a refusal. */
  readonly dust: bigint
}

/**
 * Balances in which unspent tokens would show up. None where native math knows the whole path to the wei, since it
 * gives no quote for an amount that a pool cannot take.
 */
export function watchLeftovers(
  { candidate, plan, taken, order }: Built,
  request: Pick<RouteRequest, 'strategy' | 'fromAddress'>,
): Watched[] {
  if (candidate.exact) return []
  const owner = leftoverOwner(order, request)
  const inputs = taken.map(({ token, amount, fee = 0n }): Watched => {
    const gained = owner === order.feeReceiver ? fee : 0n
    const paid = owner === request.fromAddress ? amount : 0n
    return { token, owner, spent: gained - paid, dust: roundingDust + amount / bpsDenominator }
  })
  const others = plan.sweep
    .filter((token) => inputs.every((input) => input.token !== token))
    .map((token): Watched => ({ token, owner, spent: 0n, dust: roundingDust }))
  const outputs = new Set(order.outputs.map(({ token }) => token))
  return [...inputs, ...others].filter(({ token }) => !outputs.has(token)).slice(0, maxWatched)
}

/** The contracts send leftovers to the refund receiver, which legacy orders do not have. */
function leftoverOwner(
  { receiver, refundReceiver }: Order,
  { strategy, fromAddress }: Pick<RouteRequest, 'strategy' | 'fromAddress'>,
): Address {
  if (strategy === 'router-legacy') return receiver
  return strategy === 'delegate-legacy' ? fromAddress : refundReceiver
}

/**
 * The result itself, or `reverted` with the reason when the transaction left tokens unspent.
 *
 * @param watched - the balances that were measured, each token once.
 */
export function refusePartial(
  watched: readonly Watched[],
  result: SimulationResult | null,
): SimulationResult | null {
  if (result?.status !== 'success') return result
  const byToken = new Map(watched.map((one) => [one.token, one]))
  const unspent = result.deltas.find(({ token, amount }) => {
    const expected = byToken.get(token)
    return expected !== undefined && amount - expected.spent > expected.dust
  })
  if (!unspent) return result
  const { gasUsed, returnData } = result
  const reason = `the pools take only a part: ${unspent.token} is left unspent`
  return { status: 'reverted', gasUsed, returnData, reason }
}
