/** Signed orders that one call may use: its key's own and those of all. */
import type { Operations } from '../domain/operations/operations.js'
import type { SignedOrder } from '../domain/signed-order.js'

/** Without keys all callers are one owner. No key has this id. */
const everybody = 'everybody'

/** @param hasKeys - false: the service asks for no keys. */
export function ownerOf(hasKeys: boolean, caller: string): string {
  return hasKeys ? caller : everybody
}

export interface CallOrders {
  /** The same however often a call asks, whatever is imported meanwhile. */
  orders(chainId: number): readonly SignedOrder[]
  /** All that the call has asked for, for a recording. */
  given(): readonly SignedOrder[]
}

export function ordersFor(operations: Pick<Operations, 'usableOrders'>, owner: string): CallOrders {
  const byChain = new Map<number, readonly SignedOrder[]>()
  return {
    orders(chainId) {
      const orders = byChain.get(chainId) ?? operations.usableOrders(owner, chainId)
      byChain.set(chainId, orders)
      return orders
    },
    given: () => [...byChain.values()].flat(),
  }
}
