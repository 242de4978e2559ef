/** The least input for a stated output by native math alone: what a lane must be given, to compare lanes by. */
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type { OpenSearch } from '../route/open-search.js'
import { findCandidates } from '../search/candidates.js'
import { findInput, leastInput, type OutputTooLarge, outputOf } from '../search/exact-output.js'
import { afterGas, flowsFor } from './estimate.js'

export interface Needed {
  /** Raw units of the tokenIn. */
  readonly amountIn: bigint
  /** Rough, of the swaps alone. */
  readonly gas: bigint
}

/** @returns null where no path leads there. */
export function neededFor(
  opened: Pick<OpenSearch, 'usable' | 'argsFor'>,
  tokenIn: Address,
  output: TokenAmount,
): Needed | OutputTooLarge | null {
  const { usable, argsFor } = opened
  const args = argsFor(usable.pools)
  const found = findInput({
    tokenIn,
    output,
    search: (amount) => ({
      candidates: flowsFor(opened, { token: tokenIn, amount }, output.token),
      missing: null,
      wasCut: false,
    }),
    bestPath(from, to, amount) {
      const inputs = [{ token: from, amount }]
      return findCandidates({ ...args, inputs, tokensOut: [to], count: 1, mayBeSplit: false })
        .candidates[0]
    },
    gasCostOut: args.gasCost(output.token),
  })
  if ('most' in found) return found
  const gasCost = args.gasCost(output.token) ?? 0n
  const ranked = found.found.candidates.toSorted((a, b) =>
    afterGas(a, gasCost) < afterGas(b, gasCost) ? 1 : -1,
  )
  for (const flow of ranked) {
    const native = outputOf(flow, tokenIn, output.token)
    const amountIn = leastInput(native, output.amount, found.amountIn)
    if (amountIn !== null) return { amountIn, gas: flow.gas }
  }
  return null
}
