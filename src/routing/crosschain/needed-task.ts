/** What a stated output takes on the destination, by native math alone. */
import type { RouteRequest } from '../../domain/engine.js'
import { at } from '../../domain/lists.js'
import type { Task } from '../block/task.js'
import { openSearch } from '../route/open-search.js'
import type { OutputTooLarge } from '../search/exact-output.js'
import { atDeliveryPrice } from './delivery-price.js'
import { type Needed, neededFor } from './needed.js'

export interface NeededArgs {
  /** Has one input, whose amount is not looked at, one output, and its `amountOut`. */
  readonly request: RouteRequest
}

/** @returns null where no path leads there. */
export async function runNeeded(
  task: Task,
  { request }: NeededArgs,
): Promise<Needed | OutputTooLarge | null> {
  const { token } = at(request.inputs, 0)
  const output = { token: at(request.tokensOut, 0), amount: request.amountOut ?? 0n }
  const opened = await task.clock.stage('state', () => openSearch(atDeliveryPrice(task), request))
  return task.clock.stage('search', async () => neededFor(opened, token, output))
}
