/** The contract that settles signed orders of our own format: its address, and what makers sign. Pure. */
import { domainSeparator, hashTypedData, numberToHex } from 'viem'
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

/** The chain on which scripts/build-contracts.mjs has deployed the code that generated/contracts.ts keeps. */
const buildChainId = 31_337

/** Its runtime code on a chain. The constructor writes the id of the chain and the separator of EIP-712 into it. */
export function settlementCode(chainId: number): Hex {
  const [built, wanted] = [chainWords(buildChainId), chainWords(chainId)]
  return built.reduce<Hex>(
    (code, word, index) => code.replaceAll(word, wanted[index] ?? word) as Hex,
    standaloneContracts.OrderSettlement.runtimeCode,
  )
}

function chainWords(chainId: number): string[] {
  const words = [numberToHex(chainId, { size: 32 }), domainSeparator({ domain: domainOn(chainId) })]
  return words.map((word) => word.slice(2))
}

function domainOn(chainId: number) {
  return {
    name: 'Forkroute Orders',
    version: '1',
    chainId,
    verifyingContract: orderSettlement,
  } as const
}

/** What the maker signs, as eth_signTypedData_v4 takes it. */
export function toTypedOrder(order: OrderTerms) {
  return {
    domain: domainOn(order.chainId),
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
