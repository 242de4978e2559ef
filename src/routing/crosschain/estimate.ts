/** What an amount would give by native math alone: to compare lanes by. */
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type { MarketPool } from '../market/market.js'
import { isVerified } from '../market/verified.js'
import { needsNoTrust } from '../route/built.js'
import type { OpenSearch } from '../route/open-search.js'
import { type Flow, runFlow } from '../search/flow.js'
import { rememberedCandidates } from '../search/remembered.js'

/** Candidates, those of pools with code of their own only where there are no others: they may promise what they do not pay. */
export function flowsFor(
  { usable: { pools }, argsFor }: Pick<OpenSearch, 'usable' | 'argsFor'>,
  input: TokenAmount,
  tokenOut: Address,
): readonly Flow[] {
  const search = (among: readonly MarketPool[]) =>
    rememberedCandidates({ ...argsFor(among), inputs: [input] }).candidates
  const found = search(pools)
  const named = new Set([input.token, tokenOut])
  if (found.every((flow) => needsNoTrust(flow, named))) return found
  const verified = search(pools.filter((pool) => isVerified(pool, named)))
  return verified.length > 0 ? verified : found
}

export interface Estimate {
  /** Raw units of the tokenOut. */
  readonly amountOut: bigint
  /** Rough, of the swaps alone. */
  readonly gas: bigint
}

/** Of the flow that gives most; null of none. */
export function bestOf(
  flows: readonly Flow[],
  { token, amount }: TokenAmount,
  tokenOut: Address,
): Estimate | null {
  const inputs = [{ token, amountIn: amount }]
  return flows.reduce<Estimate | null>((best, { edges, gas }) => {
    const { amountOut } = runFlow(edges, inputs, tokenOut)
    return best === null || amountOut > best.amountOut ? { amountOut, gas } : best
  }, null)
}
