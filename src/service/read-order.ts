/** An order as a maker gives it away when it is asked: by the same rules as one that is imported. */
import { z } from 'zod'
import { OrderRow, toGivenOrder } from '../api/inputs/order-row.js'
import type { SignedOrder } from '../domain/signed-order.js'
import { toSignedOrders } from '../operations/signed-orders.js'

/** @throws Error that says what is wrong with it. */
export async function readOrder(chainId: number, row: unknown): Promise<SignedOrder> {
  const read = OrderRow.safeParse(row)
  if (!read.success) throw new Error(z.prettifyError(read.error).replaceAll('\n', ' '))
  const [order] = await toSignedOrders([toGivenOrder(chainId, read.data)])
  if (!order) throw new Error('it signed nothing')
  return order
}
