/**
 * Orders that makers have signed, each as a pool of one direction: a fixed rate up to what is left of it. They come with the
 * request from those who imported them, and no look-up finds them.
 * Venue parameters: none. Pool parameters: `order`, a SignedOrder as JSON.
 */
import { getAbiItem } from 'viem'
import type { ExecutorStep } from '../../domain/order.js'
import { toMakerOrder } from '../../domain/signed-order.js'
import type { Pool } from '../pool.js'
import { type Direction, defineProtocol, type EncodeSwapArgs, type Swap } from '../protocol.js'
import { loadOrders, type OrderState, ordersSlug, settlementAbi } from './load.js'

/** The check of the signature, the mark of what is filled, and two transfers that the contract makes. */
const gasPerFill = 95_000n

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
    gasEstimate: () => gasPerFill,
    encodeSwap,
    cautions: (_pool, { order }) => [
      {
        kind: 'order',
        message: `The maker can cancel its order or spend what it offers; it ends at ${new Date(order.expiry * 1_000).toISOString()}.`,
      },
    ],
  },
  trust: {
    // A maker with code decides about its signature when the order is filled.
    foreignCode: (_pool, { order, isSignedByCode }) => (isSignedByCode ? order.maker : null),
    isNoPriceSource: () => true,
  },
})

/** Beyond what is left nothing comes out: the contract would leave the rest with the caller. */
function fill(
  _pool: Pool,
  state: OrderState,
  { tokenIn, tokenOut }: Direction,
  amountIn: bigint,
): Swap<OrderState> {
  const { order, left } = state
  const isServed =
    tokenIn === order.tokenIn &&
    tokenOut === order.tokenOut &&
    amountIn <= left &&
    (order.partialFill || amountIn === left)
  return {
    amountOut: isServed ? (amountIn * BigInt(order.amountOut)) / BigInt(order.amountIn) : 0n,
    exact: true,
    after: () => (isServed ? { ...state, left: left - amountIn } : state),
  }
}

function encodeSwap(args: EncodeSwapArgs<OrderState>): ExecutorStep[] {
  const { state, amountIn, recipient } = args
  const { order } = state
  const abi = getAbiItem({ abi: settlementAbi, name: 'fill' })
  return [
    { kind: 'approve', token: order.tokenIn, spender: order.settlement, amount: amountIn },
    {
      kind: 'call',
      target: order.settlement,
      abi,
      args: [toMakerOrder(order), order.signature, amountIn, recipient],
    },
  ]
}
