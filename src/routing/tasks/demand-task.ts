/** What a route would need of makers that sign when they are asked: found by native math, before anything is simulated. */

import { smaller } from '../../domain/lists.js'
import type { TokenAmount } from '../../domain/primitives.js'
import type { MakerDemand, MakerLevels } from '../../domain/signed-order.js'
import type { OrderState } from '../../protocols/signed-orders/order-state.js'
import type { Task } from '../block/task.js'
import type { MarketPool } from '../market/market-view.js'
import { withoutFee } from '../route/built.js'
import { searchFlows } from '../route/find-flows.js'
import { prepareRoute, type RouteArgs } from '../route/prepare.js'
import { type Flow, runFlow } from '../search/flow.js'

const gasUnit = 1_000_000n
/** A part of an amount may turn out larger where it is proven, and what is signed bounds it. */
const [marginParts, allParts] = [101n, 100n]

/**
 * Of the way that is best after gas, with the offers among the orders of the task; empty where it needs none of them, and
 * for several tokens out.
 *
 * @throws ForkrouteError as `Engine.route`.
 */
export async function findDemand(
  task: Task,
  args: Pick<RouteArgs, 'mode' | 'request' | 'accountId'>,
): Promise<readonly MakerDemand[]> {
  const [tokenOut, ...others] = args.request.tokensOut
  if (tokenOut === undefined || others.length > 0) return []
  const prepared = await prepareRoute(task, args, undefined)
  const found = await searchFlows(task, prepared)
  if ('missing' in found) return []
  const price = prepared.argsFor([]).gasCost(tokenOut) ?? 0n
  const worth = ({ amountOut, gas }: Flow) => amountOut - (gas * price) / gasUnit
  const best = found.flows.reduce((a, b) => (worth(b) > worth(a) ? b : a))
  return demandOf(best, found.inputs.map(withoutFee), tokenOut)
}

function demandOf(flow: Flow, inputs: readonly TokenAmount[], tokenOut: TokenAmount['token']) {
  const amounts = new Map<MakerLevels, bigint>()
  runFlow(flow.edges, inputs, tokenOut, (hop, amountIn) => {
    const offer = hop.kind === 'swap' ? offerOf(hop.market) : null
    if (offer) amounts.set(offer, (amounts.get(offer) ?? 0n) + amountIn)
  })
  return [...amounts].map(([offer, amount]): MakerDemand => {
    const { chainId, name, tokenIn } = offer
    const isWhole = inputs.some((input) => input.token === tokenIn && input.amount === amount)
    const amountIn = isWhole
      ? amount
      : smaller((amount * marginParts) / allParts, BigInt(offer.amountIn))
    return { chainId, name, tokenIn, tokenOut: offer.tokenOut, amountIn }
  })
}

function offerOf({ loaded }: MarketPool): MakerLevels | null {
  const { order } = loaded.state as Partial<OrderState>
  return order?.format === 'levels' ? order : null
}
