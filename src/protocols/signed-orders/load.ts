/** What is left of signed orders at the block, as their contracts tell it for the block's successor. */
import type { ChainDefinition } from '../../chains/chain.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { zip } from '../../domain/lists.js'
import { type BlockPin, zeroAddress } from '../../domain/primitives.js'
import type { MakerOffer } from '../../domain/signed-order.js'
import type { StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import { offeredBy } from './levels.js'
import { loadOneInch } from './one-inch/load.js'
import { nothingLeft, type OrderFacts, type OrderState } from './order-state.js'
import { loadSettled } from './settled-orders.js'

export const ordersSlug = 'signed-orders'

/** A maker or a token with code that burns gas costs a request no more than this. */
const gasOfCheck = 500_000n

/** What a maker offers to sign has no address: nothing settles it yet. */
export function toOrderPool(order: MakerOffer): Pool {
  return {
    protocol: ordersSlug,
    id: order.hash,
    address: order.format === 'levels' ? zeroAddress : order.settlement,
    tokens: [order.tokenIn, order.tokenOut],
    parameters: { order: JSON.stringify(order) },
  }
}

/** Whether the block after this one is later than the order's last second, where it has one. */
export function isOver(
  { expiry }: MakerOffer,
  at: { readonly block: BlockPin; readonly chain: ChainDefinition },
): boolean {
  return expiry !== null && nextBlockTime(at.block, at.chain.blockTimeSeconds) > BigInt(expiry)
}

function orderOf({ parameters }: Pool): MakerOffer {
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
  const at = { timestamp, gas: gasOfCheck }
  const orders = pools.map(orderOf)
  const own = orders.filter((order) => order.format === 'forkroute')
  const oneInch = orders.filter((order) => order.format === '1inch-v4')
  const [ofOwn, ofOneInch] = await Promise.all([
    loadSettled(reader, own, at),
    loadOneInch(reader, oneInch, at),
  ])
  const facts = new Map<MakerOffer, OrderFacts | string>([
    ...zip(own, ofOwn),
    ...zip(oneInch, ofOneInch),
    ...orders.flatMap((order) =>
      order.format === 'levels' ? [[order, offeredBy(order)] as const] : [],
    ),
  ])
  return zip(pools, orders).map(([pool, order]) => {
    const found = facts.get(order) ?? nothingLeft
    if (typeof found === 'string') return unreadablePool(pool, found)
    return { pool, state: { order, ...found }, partial: false }
  })
}
