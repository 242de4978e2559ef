/**
 * What amounts of a token would give on the destination, by native math alone. One search serves amounts that are close
 * to each other, as those of several lanes are.
 */
import type { RouteRequest } from '../../domain/engine.js'
import { at } from '../../domain/lists.js'
import type { Task } from '../block/task.js'
import { openSearch } from '../route/open-search.js'
import type { Flow } from '../search/flow.js'
import { atDeliveryPrice } from './delivery-price.js'
import { bestOf, type Estimate, flowsFor } from './estimate.js'

export interface EstimatesArgs {
  /** Has one input, whose amount is not looked at, and one output. */
  readonly request: RouteRequest
  /** Raw units. */
  readonly amounts: readonly bigint[]
}

/** An amount that differs by less than one part in this takes the paths of the other: what that costs is of second order. */
const nearly = 100n

/** @returns one for each amount; null where no path is found. */
export async function runEstimates(
  task: Task,
  { request, amounts }: EstimatesArgs,
): Promise<readonly (Estimate | null)[]> {
  const { token } = at(request.inputs, 0)
  const tokenOut = at(request.tokensOut, 0)
  const opened = await task.clock.stage('state', () => openSearch(atDeliveryPrice(task), request))
  const gasCost = opened.argsFor(opened.usable.pools).gasCost(tokenOut) ?? 0n
  return task.clock.stage('search', async () => {
    let last: { readonly amount: bigint; readonly flows: readonly Flow[] } | undefined
    return amounts.map((amount) => {
      if (amount <= 0n) return null
      const input = { token, amount }
      const isNear = last && (amount - last.amount) ** 2n * nearly ** 2n <= last.amount ** 2n
      last = last && isNear ? last : { amount, flows: flowsFor(opened, input, tokenOut) }
      return bestOf(last.flows, input, tokenOut, gasCost)
    })
  })
}
