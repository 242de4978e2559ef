/** Orders that makers sign for one request: exactly what its best way would need of them, before it is simulated. */
import type { CallContext, RouteRequest } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { BlockPin } from '../domain/primitives.js'
import type { MakerDemand } from '../domain/signed-order.js'
import type { TaskRunner } from './task-runner.js'

/** Of the time that a call has left: the rest is for the answer, with or without them. */
const partForMakers = 1 / 4

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
  const { makers, signal, accountId, deadline } = context
  if (!makers) return context
  const { chainId, timestamp } = block
  const levels = makers.levels(chainId).filter(({ expiry }) => BigInt(expiry) > timestamp)
  if (levels.length === 0) return context
  const own = context.orders?.(chainId) ?? []
  const offers = [...own, ...levels]
  const asked = { ...context, orders: () => offers }
  const demand = await tasks
    .runAt('demand', { ...args, accountId }, block, asked)
    .catch(unlessRefused)
  const ms = deadline === undefined ? Infinity : (deadline - Date.now()) * partForMakers
  const within = { ms: Math.max(1, Math.floor(ms)), signal }
  const signed = await Promise.all(demand.map((one) => makers.sign(one, within)))
  const orders = [...own, ...signed.flatMap((order) => order ?? [])]
  return { ...context, orders: (id) => (id === chainId ? orders : (context.orders?.(id) ?? [])) }
}

/** Why there is no way without the makers tells the calculation itself. */
function unlessRefused(error: unknown): readonly MakerDemand[] {
  if (error instanceof ForkrouteError && error.status < 500) return []
  throw error
}
