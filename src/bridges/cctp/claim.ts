/** How a burn that is attested comes to be minted: nobody does it unasked. Pure. */
import { encodeFunctionData, hexToBigInt, padHex, size } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { type Address, type Hex, toAddress, zeroAddress } from '../../domain/primitives.js'
import type { Delivery } from '../bridge.js'
import { transmitterAbi } from './abi.js'
import type { Attestation } from './attestations.js'
import { cctpChain, landingOf } from './chain.js'
import { readBurn } from './message.js'

/** Anybody: mints are simulated as of somebody whom nobody knows. */
const claimer: Address = '0x00000000000000000000000000000000000cc791'
/** As the caller that a burn names. */
export const anybody = padHex('0x', { size: 32 })

/** The transaction that has a burn minted: of anybody, or of the caller that it names where that is no landing of ours. */
export function deliveryTransaction(
  { receiver }: Pick<Delivery, 'receiver'>,
  destination: ChainDefinition,
  { message, attestation }: Attestation,
): { readonly from: Address; readonly to: Address; readonly data: Hex } {
  const cctp = cctpChain(destination)
  const caller = readBurn(message)?.destinationCaller ?? anybody
  const isOurs = cctp !== null && caller === padHex(landingOf(cctp), { size: 32 })
  const data = encodeFunctionData({
    abi: transmitterAbi,
    functionName: 'receiveMessage',
    args: [message, attestation],
  })
  const isNamed = !isOurs && hexToBigInt(caller) > 0n
  return {
    from: isNamed ? toAddress(`0x${caller.slice(26)}`) : claimer,
    to: isOurs ? receiver : (cctp?.transmitter ?? zeroAddress),
    data,
  }
}

/** Whether anybody may have it minted: with our landing as its caller, or with none. */
export function isClaimable(delivery: Delivery, destination: ChainDefinition): boolean {
  const cctp = cctpChain(destination)
  const head = String(delivery.details.head) as Hex
  const caller = size(head) > 0 ? readBurn(head)?.destinationCaller : undefined
  return caller === anybody || (cctp !== null && caller === padHex(landingOf(cctp), { size: 32 }))
}
