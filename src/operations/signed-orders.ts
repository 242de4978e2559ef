/** Orders as they are imported, with what follows from their terms. */
import { invalidRequest } from '../domain/common-errors.js'
import type { BookOrder, OwnOrder, SignedOrder } from '../domain/signed-order.js'
import { toSignedOrder } from '../executor/order-settlement.js'
import { oneInchProblem, toOneInchOrder } from '../protocols/signed-orders/one-inch/order.js'

/** @throws ForkrouteError INVALID_REQUEST with all orders that no route can fill. */
export function toSignedOrders(given: readonly (OwnOrder | BookOrder)[]): Promise<SignedOrder[]> {
  const problems = given.flatMap((order, index) => {
    const problem = 'data' in order ? oneInchProblem(order) : null
    return problem === null ? [] : [`orders[${index}] ${problem}`]
  })
  if (problems.length > 0) throw invalidRequest(problems)
  return Promise.all(
    given.map((order) => ('data' in order ? toOneInchOrder(order) : toSignedOrder(order))),
  )
}
