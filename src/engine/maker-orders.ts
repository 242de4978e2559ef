/** Orders that makers sign for one request: exactly what its best way would need of them, before it is simulated. */
import type { CallContext, RouteRequest } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { BlockPin } from '../domain/primitives.js'
import type { MakerDemand } from '../domain/signed-order.js'
import type { TaskRunner } from './task-runner.js'

/** Whether a maker offers anything for the request; the block that it names, and changes to it, are none of a maker's. */
export function asksMakers(
  { chainId, blockNumber }: Pick<RouteRequest, 'chainId' | 'blockNumber'>,
  { makers, whatIf, heads }: Pick<CallContext, 'makers' | 'whatIf' | 'heads'>,
): boolean {
  return blockNumber === undefined && !whatIf && !heads && (makers?.levels(chainId).length ?? 0) > 0
}

/**
 * The context with the orders that makers have signed. A search with their levels tells what is needed; one who does not sign
 * in time is left out.
 */
export async function withSignedOrders(
  tasks: Pick<TaskRunner, 'runAt'>,
  args: { readonly mode: 'route' | 'quote'; readonly request: RouteRequest },
  block: BlockPin,
  context: CallContext,
): Promise<CallContext> {
  const { makers, signal, accountId } = context
  if (!makers) return context
  const { chainId } = block
  const own = context.orders?.(chainId) ?? []
  const offers = [...own, ...makers.levels(chainId)]
  const asked = { ...context, orders: () => offers }
  const demand = await tasks
    .runAt('demand', { ...args, accountId }, block, asked)
    .catch(unlessRefused)
  const signed = await Promise.all(demand.map((one) => makers.sign(one, signal)))
  const orders = [...own, ...signed.flatMap((order) => order ?? [])]
  return { ...context, orders: (id) => (id === chainId ? orders : (context.orders?.(id) ?? [])) }
}

/** Why there is no way without the makers tells the calculation itself. */
function unlessRefused(error: unknown): readonly MakerDemand[] {
  if (error instanceof ForkrouteError && error.status < 500) return []
  throw error
}
