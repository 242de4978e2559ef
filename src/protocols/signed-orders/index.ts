/**
 * Orders that makers have signed, each as a pool of one direction: a fixed rate up to what is left of it. They come with the
 * request from those who imported them, and no look-up finds them.
 * Venue parameters: none. Pool parameters: `order`, a SignedOrder as JSON.
 */
import { smaller } from '../../domain/lists.js'
import type { ExecutorStep } from '../../domain/order.js'
import type { MakerOffer } from '../../domain/signed-order.js'
import type { Pool } from '../pool.js'
import { type Direction, defineProtocol, type EncodeSwapArgs, type Swap } from '../protocol.js'
import { sampledSwap } from '../shared/sampled/sample.js'
import { loadOrders, ordersSlug } from './load.js'
import { oneInchFill } from './one-inch/fill.js'
import type { OrderState } from './order-state.js'
import { settledFill } from './settled-orders.js'

/** The check of the signature, the mark of what is filled, and two transfers that the contract makes. */
const gasPerFill = 95_000n
/** A contract of the maker tells the rate, or is called in the fill. */
const gasOfForeignCode = 60_000n

export const signedOrders = defineProtocol<OrderState>({
  slug: ordersSlug,
  name: 'Signed orders',
  project: ordersSlug,
  category: 'dex',
  url: 'https://eips.ethereum.org/EIPS/eip-712',
  description: 'Orders that makers have signed, filled at the rate that they state.',
  swaps: {
    paysRecipient: true,
    discover: async () => ({ pools: [], unreadable: [] }),
    load: loadOrders,
    swap: fill,
    gasEstimate: (_pool, { foreignCode }) =>
      gasPerFill + (foreignCode === null ? 0n : gasOfForeignCode),
    encodeSwap,
    cautions: (_pool, { order }) => [
      {
        kind: 'order',
        message: `The maker can cancel its order or spend what it offers; it ${endOf(order)}.`,
      },
    ],
  },
  trust: {
    foreignCode: (_pool, state) => state.foreignCode,
    isNoPriceSource: () => true,
  },
})

function endOf({ expiry }: MakerOffer): string {
  return expiry === null ? 'has no end' : `ends at ${new Date(expiry * 1_000).toISOString()}`
}

/** Beyond what is left nothing comes out: the contract would leave the rest with the caller. */
function fill(
  _pool: Pool,
  state: OrderState,
  direction: Direction,
  amountIn: bigint,
): Swap<OrderState> {
  const { order, left, leftOut, sampled } = state
  const isServed =
    direction.tokenIn === order.tokenIn &&
    direction.tokenOut === order.tokenOut &&
    amountIn > 0n &&
    amountIn <= left &&
    (order.partialFill || amountIn === left)
  if (!isServed) return { amountOut: 0n, exact: true, after: () => state }
  const quoted = sampled && sampledSwap(sampled, direction, amountIn)
  const amountOut = quoted?.amountOut ?? (order.partialFill ? linear(state, amountIn) : leftOut)
  return {
    amountOut,
    // What a maker offers is what it says.
    exact: quoted === null || order.format === 'levels',
    after: () => ({
      ...state,
      left: state.isOnce ? 0n : left - amountIn,
      leftOut: leftOut - amountOut,
      sampled: quoted ? quoted.after() : null,
    }),
  }
}

/** At the rate of the whole order, rounded down. */
function linear({ order, leftOut }: OrderState, amountIn: bigint): bigint {
  return smaller((amountIn * BigInt(order.amountOut)) / BigInt(order.amountIn), leftOut)
}

function encodeSwap(args: EncodeSwapArgs<OrderState>): ExecutorStep[] {
  const { order } = args.state
  if (order.format === 'levels') throw new Error(`The maker ${order.name} has signed nothing`)
  const { tokenIn: token, settlement: spender } = order
  return [
    { kind: 'approve', token, spender, amount: args.amountIn },
    order.format === 'forkroute' ? settledFill(order, args) : oneInchFill(order, args),
  ]
}
