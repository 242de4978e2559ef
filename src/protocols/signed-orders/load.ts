/** What is left of signed orders at the block: one call for each, which its contract answers for the block's successor. */
import { encodeFunctionData, parseAbi, slice } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import type { BlockPin } from '../../domain/primitives.js'
import { type SignedOrder, toMakerOrder } from '../../domain/signed-order.js'
import type { ReadCall, ReadResult, StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { LoadedPool } from '../protocol.js'

export const ordersSlug = 'signed-orders'

export const settlementAbi = parseAbi([
  'struct MakerOrder { address maker; address tokenIn; address tokenOut; uint256 amountIn; uint256 amountOut; uint256 expiry; uint256 nonce; bool partialFill; }',
  'function fill(MakerOrder order, bytes signature, uint256 amountIn, address recipient) returns (uint256 amountOut)',
  'function fillable(MakerOrder order, bytes signature) view returns (uint256 amountIn, uint256 held, bool byCode)',
])

/** A maker or a token with code that burns gas costs a request no more than this. */
const gasOfCheck = 500_000n

export interface OrderState {
  readonly order: SignedOrder
  /** Raw units of tokenIn that can be filled; 0: it is filled, cancelled or expired, or its maker cannot pay. */
  readonly left: bigint
  /** Raw units of tokenOut that the maker has and allows, for all of its orders. */
  readonly held: bigint
  /** Whether code of the maker, and not its key, says that it has signed. */
  readonly isSignedByCode: boolean
}

const nothingLeft = { left: 0n, held: 0n, isSignedByCode: false }
/** Three words in hexadecimal. */
const checkLength = 2 + 3 * 64

export function toOrderPool(order: SignedOrder): Pool {
  return {
    protocol: ordersSlug,
    id: order.hash,
    address: order.settlement,
    tokens: [order.tokenIn, order.tokenOut],
    parameters: { order: JSON.stringify(order) },
  }
}

/** Whether the block after this one is later than the order's last second. */
export function isOver(
  { expiry }: SignedOrder,
  at: { readonly block: BlockPin; readonly chain: ChainDefinition },
): boolean {
  return nextBlockTime(at.block, at.chain.blockTimeSeconds) > BigInt(expiry)
}

function orderOf({ parameters }: Pool): SignedOrder {
  return JSON.parse(String(parameters.order))
}

/** An order whose check reverts, such as by its token or its maker's code, has nothing left. */
export async function loadOrders(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly pools: readonly Pool[]
}): Promise<(LoadedPool<OrderState> | Unreadable)[]> {
  const { reader, chain, pools } = args
  const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
  const answers = await reader.call(pools.map((pool) => checkOf(orderOf(pool), timestamp)))
  return pools.map((pool, index) => {
    const answer = answers[index]
    if (answer && !answer.ok && answer.reason === 'unreadable') {
      return unreadablePool(pool, answer.message)
    }
    return { pool, state: { order: orderOf(pool), ...checkedBy(answer) }, partial: false }
  })
}

function checkOf(order: SignedOrder, timestamp: bigint): ReadCall {
  const args = [toMakerOrder(order), order.signature] as const
  const data = encodeFunctionData({ abi: settlementAbi, functionName: 'fillable', args })
  return { to: order.settlement, data, timestamp, gas: gasOfCheck }
}

/** Where nothing was deployed the answer is empty. */
function checkedBy(answer: ReadResult | undefined): Omit<OrderState, 'order'> {
  if (!answer?.ok || answer.value.length !== checkLength) return nothingLeft
  const [left, held, byCode] = [0, 1, 2].map((index) =>
    BigInt(slice(answer.value, 32 * index, 32 * index + 32)),
  )
  return { left: left ?? 0n, held: held ?? 0n, isSignedByCode: byCode !== 0n }
}
