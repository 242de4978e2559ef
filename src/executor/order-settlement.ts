/** The contract that settles signed orders of our own format: its address, and what makers sign. Pure. */
import { hashTypedData } from 'viem'
import type { Address, Hex } from '../domain/primitives.js'
import {
  makerOrderTypes,
  type OrderTerms,
  type OwnOrder,
  type SignedOrder,
  toMakerOrder,
} from '../domain/signed-order.js'
import { standaloneContracts } from './deployments.js'

/** The same on every chain; it is there only where somebody has deployed it. */
export const orderSettlement: Address = standaloneContracts.OrderSettlement.address

/** What the maker signs, as eth_signTypedData_v4 takes it. */
export function toTypedOrder(order: OrderTerms) {
  return {
    domain: {
      name: 'Forkroute Orders',
      version: '1',
      chainId: order.chainId,
      verifyingContract: orderSettlement,
    },
    types: makerOrderTypes,
    primaryType: 'MakerOrder',
    message: toMakerOrder(order),
  } as const
}

export function hashOfOrder(order: OrderTerms): Hex {
  return hashTypedData(toTypedOrder(order))
}

/** The order with what follows from its terms. */
export function toSignedOrder({ signature, ...terms }: OwnOrder): SignedOrder {
  const hash = hashOfOrder(terms)
  return { ...terms, format: 'forkroute', hash, settlement: orderSettlement, signature }
}
