/** What an amount would give by native math alone: to compare lanes by. */
import { type Address, isNative, type TokenAmount } from '../../domain/primitives.js'
import type { MarketPool } from '../market/market-view.js'
import { isVerified } from '../market/verified.js'
import { needsNoTrust } from '../route/built.js'
import type { OpenSearch } from '../route/open-search.js'
import { type Flow, runFlow } from '../search/flow.js'
import { rememberedCandidates } from '../search/remembered.js'

/**
 * Candidates that an order can run, those of pools with code of their own only where there are no others: they
 * may promise what they do not pay.
 *
 * @param besides - other tokens of the order, of which a split must not spend any.
 */
export function flowsFor(
  { usable: { pools }, argsFor }: Pick<OpenSearch, 'usable' | 'argsFor'>,
  input: TokenAmount,
  tokenOut: Address,
  besides: readonly Address[] = [],
): readonly Flow[] {
  const search = (among: readonly MarketPool[]) => {
    const { candidates } = rememberedCandidates({ ...argsFor(among), inputs: [input] })
    return candidates.filter((flow) => isRunnable(flow, input.token, tokenOut, besides))
  }
  const found = search(pools)
  const named = new Set([input.token, tokenOut])
  if (found.every((flow) => needsNoTrust(flow, named))) return found
  const verified = search(pools.filter((pool) => isVerified(pool, named)))
  return verified.length > 0 ? verified : found
}

/** Whether a route that is one action of an order could run it. @see planRouteAction */
function isRunnable(
  { edges, isSplit }: Flow,
  tokenIn: Address,
  tokenOut: Address,
  besides: readonly Address[],
): boolean {
  if (!isSplit) return true
  const between = edges.flatMap(({ hop }) => (hop.tokenIn === tokenIn ? [] : [hop.tokenIn]))
  return !isNative(tokenOut) && !between.some((token) => besides.includes(token))
}

export interface Estimate {
  /** Raw units of the tokenOut. */
  readonly amountOut: bigint
  /** Rough, of the swaps alone. */
  readonly gas: bigint
}

/** A million units of gas are what costs of gas are told for. */
const gasUnit = 1_000_000n

/**
 * Estimates the flow that gives most after gas, by which a route is chosen, too; null where there is none.
 *
 * @param gasCost - raw units of the tokenOut that a million units of gas cost.
 */
export function bestOf(
  flows: readonly Flow[],
  input: TokenAmount,
  tokenOut: Address,
  gasCost: bigint,
): Estimate | null {
  const net = (one: Estimate) => afterGas(one, gasCost)
  return flows.reduce<Estimate | null>((best, { edges, gas }) => {
    const one = { amountOut: runFlow(edges, [input], tokenOut).amountOut, gas }
    return best === null || net(one) > net(best) ? one : best
  }, null)
}

/** @param gasCost - as of `bestOf`. */
export function afterGas({ amountOut, gas }: Estimate, gasCost: bigint): bigint {
  return amountOut - (gas * gasCost) / gasUnit
}
