/** The call that fills an order of 1inch's protocol. */
import { concatHex, getAbiItem, size } from 'viem'
import type { CallStep } from '../../../domain/order.js'
import type { Address } from '../../../domain/primitives.js'
import type { OneInchOrder } from '../../../domain/signed-order.js'
import { oneInchAbi, orderTupleOf } from './load.js'
import { compactSignature } from './order.js'

/** Who gets what the maker gives stands in front of the extension, whose length is told, too. */
const argsHaveTarget = 1n << 251n
const extensionLengthOffset = 224n

/** The amount is what the maker takes; of a part that it does not take nothing is spent. */
export function oneInchFill(
  order: OneInchOrder,
  { amountIn, recipient }: { readonly amountIn: unknown; readonly recipient: Address },
): CallStep {
  const { settlement, signature, extension, isSignedByKey } = order
  const traits = argsHaveTarget | (BigInt(size(extension)) << extensionLengthOffset)
  const end = [amountIn, traits, concatHex([recipient, extension])]
  const named = isSignedByKey ? 'fillOrderArgs' : 'fillContractOrderArgs'
  return {
    kind: 'call',
    target: settlement,
    abi: getAbiItem({ abi: oneInchAbi, name: named }),
    args: [
      orderTupleOf(order),
      ...(isSignedByKey ? compactSignature(signature) : [signature]),
      ...end,
    ],
  }
}
