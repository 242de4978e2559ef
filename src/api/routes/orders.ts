/** Signed orders of a key, which its routes use as liquidity: docs/how-to/orders.md. */
import { z } from 'zod'
import { scopeMissing } from '../../domain/common-errors.js'
import type { ErrorCode } from '../../domain/errors.js'
import { orderVisibilities } from '../../domain/signed-order.js'
import { ownerOf } from '../call-inputs.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { pagesOf } from '../inputs/listing.js'
import { OrderRow, toGivenOrder } from '../inputs/order-row.js'
import { pageMetaOf } from '../records/listings.js'
import { OrderImport, OrderPage, OrderRemoval, toOrder } from '../records/order-records.js'
import { ChainId, described, examples, listOf, OrderHash, oneOf, withDefault } from '../schemas.js'

const tag = 'Orders'
const path = '/api/v1/orders'
const errors: readonly ErrorCode[] = ['INVALID_REQUEST', 'UNKNOWN_CHAIN', 'STORAGE_UNAVAILABLE']
/** Orders of one request. */
const mostAtOnce = 500

const chainId = withDefault(ChainId, 1, 1)

const importOrders = defineRoute({
  method: 'post',
  path,
  tag,
  operationId: 'importOrders',
  summary: 'Adds signed orders, which routes may use from then on.',
  description: `At most ${mostAtOnce} in one request and 2000 of one key. Each is checked on the chain at the block of every request that it may serve.`,
  input: z.object({
    chainId,
    visibility: described(
      withDefault(oneOf(orderVisibilities), 'key', 'key'),
      'key: requests with the key that imports them use them. all: those of every key do, which needs the scope admin.',
    ),
    orders: described(
      listOf(OrderRow, 1, mostAtOnce),
      'As makers have signed them, in our own format or as 1inch gives them.',
      [
        {
          maker: examples.sender,
          tokenIn: examples.weth,
          tokenOut: examples.usdc,
          amountIn: examples.oneEther,
          amountOut: '3000000000',
          expiry: 1_900_000_000,
          nonce: '1',
          partialFill: true,
          signature: `0x${'11'.repeat(65)}`,
        },
      ],
    ),
  }),
  response: OrderImport,
  errors: [...errors, 'SCOPE_MISSING'],
})

const getOrders = defineRoute({
  method: 'get',
  path,
  tag,
  operationId: 'getOrders',
  summary: 'Orders that the key has imported, a page at a time.',
  description: 'The oldest first.',
  input: z.object({ chainId, ...pagesOf(500, 100) }),
  response: OrderPage,
  errors,
})

const removeOrders = defineRoute({
  method: 'delete',
  path,
  tag,
  operationId: 'removeOrders',
  summary: 'Forgets orders that the key has imported.',
  description:
    'Whoever has them can still fill them: only the maker can cancel them, on the chain.',
  input: z.object({
    chainId,
    hashes: described(listOf(OrderHash, 1, mostAtOnce), 'Of the orders.', [`0x${'22'.repeat(32)}`]),
  }),
  response: OrderRemoval,
  errors,
})

export const orderEndpoints: readonly Endpoint[] = [
  endpoint(importOrders, async ({ operations, keys, caller, scopes, input }) => {
    if (input.visibility === 'all' && keys && !scopes.includes('admin')) {
      throw scopeMissing(
        'Orders for every key need a key with the scope admin: leave out visibility, or ask an operator.',
        'admin',
      )
    }
    const orders = input.orders.map((row) => toGivenOrder(input.chainId, row))
    const owner = ownerOf(keys !== null, caller)
    const { hashes, ...imported } = await operations.importOrders(owner, input.visibility, orders)
    return { ...imported, hashes: [...hashes] }
  }),
  endpoint(getOrders, ({ operations, keys, caller, input }) => {
    const { page, pageSize } = input
    const query = { chainId: input.chainId, offset: (page - 1) * pageSize, limit: pageSize }
    const { total, orders } = operations.ordersOf(ownerOf(keys !== null, caller), query)
    return { meta: pageMetaOf(total, { page, pageSize }), data: orders.map(toOrder) }
  }),
  endpoint(removeOrders, ({ operations, keys, caller, input }) => {
    const owner = ownerOf(keys !== null, caller)
    return { removed: operations.removeOrders(owner, input.chainId, input.hashes) }
  }),
]
