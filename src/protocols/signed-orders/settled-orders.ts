/** Orders of our own format: one call of OrderSettlement tells what is left of one, and another fills it. */
import { encodeFunctionData, getAbiItem, parseAbi, slice } from 'viem'
import { zip } from '../../domain/lists.js'
import type { CallStep } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import { type ForkrouteOrder, toMakerOrder } from '../../domain/signed-order.js'
import type { ReadCall, ReadResult, StateReader } from '../../domain/state.js'
import { nothingLeft, type OrderFacts } from './order-state.js'

export const settlementAbi = parseAbi([
  'struct MakerOrder { address maker; address tokenIn; address tokenOut; uint256 amountIn; uint256 amountOut; uint256 expiry; uint256 nonce; bool partialFill; }',
  'function fill(MakerOrder order, bytes signature, uint256 amountIn, address recipient) returns (uint256 amountOut)',
  'function fillable(MakerOrder order, bytes signature) view returns (uint256 amountIn, uint256 held, bool byCode)',
])

/** Three words in hexadecimal. */
const checkLength = 2 + 3 * 64

/** @returns in the order of the orders: what is left, or what the node said where it lacks state. */
export async function loadSettled(
  reader: StateReader,
  orders: readonly ForkrouteOrder[],
  at: Pick<ReadCall, 'timestamp' | 'gas'>,
): Promise<(OrderFacts | string)[]> {
  if (orders.length === 0) return []
  const answers = await reader.call(orders.map((order) => checkOf(order, at)))
  return zip(orders, answers).map(([order, answer]) =>
    !answer.ok && answer.reason === 'unreadable' ? answer.message : checkedBy(order, answer),
  )
}

function checkOf(order: ForkrouteOrder, at: Pick<ReadCall, 'timestamp' | 'gas'>): ReadCall {
  const args = [toMakerOrder(order), order.signature] as const
  const data = encodeFunctionData({ abi: settlementAbi, functionName: 'fillable', args })
  return { to: order.settlement, data, ...at }
}

/** Where nothing was deployed the answer is empty. */
function checkedBy(order: ForkrouteOrder, answer: ReadResult): OrderFacts {
  if (!answer.ok || answer.value.length !== checkLength) return nothingLeft
  const [left = 0n, held = 0n, byCode] = [0, 1, 2].map((index) =>
    BigInt(slice(answer.value, 32 * index, 32 * index + 32)),
  )
  return {
    ...nothingLeft,
    left,
    leftOut: (left * BigInt(order.amountOut)) / BigInt(order.amountIn),
    held,
    // A maker with code decides about its signature when the order is filled.
    foreignCode: byCode === 0n ? null : order.maker,
  }
}

export function settledFill(
  order: ForkrouteOrder,
  { amountIn, recipient }: { readonly amountIn: unknown; readonly recipient: Address },
): CallStep {
  return {
    kind: 'call',
    target: order.settlement,
    abi: getAbiItem({ abi: settlementAbi, name: 'fill' }),
    args: [toMakerOrder(order), order.signature, amountIn, recipient],
  }
}
