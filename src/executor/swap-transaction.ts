/** Compiles an order whose route is plain swaps to a call of `Router.swap()`. Pure. */

import { hexToBigInt } from 'viem'
import { latestDeadline } from '../domain/deadline.js'
import type { Order, SwapLegs, UnsignedTransaction } from '../domain/order.js'
import { type Address, isNative, zeroAddress } from '../domain/primitives.js'
import { contractAddress } from './deployments.js'
import { type PackedHop, packSwap } from './swap-order.js'

/**
 * @param order - of one input and one output; its steps are not looked at.
 * @param measuresPairs - pairs look what has arrived instead of believing the amount: for tokens that tax transfers.
 * @throws RangeError for an amount beyond 128 bits.
 */
export function buildSwap(args: {
  readonly from: Address
  readonly order: Order
  readonly legs: SwapLegs
  readonly measuresPairs: boolean
}): UnsignedTransaction {
  const { from, order, legs, measuresPairs } = args
  const { inputs, outputs, receiver, accountId, referralCode, deadline, feeReceiver } = order
  const [input] = inputs
  const [output] = outputs
  const [first] = legs.legs
  if (!input || !output || !first) throw new RangeError('a swap has an input, an output and a leg')
  const { fee = 0n } = input
  const isTagged = hexToBigInt(accountId) !== 0n || hexToBigInt(referralCode) !== 0n
  const data = packSwap({
    deadline: deadline === latestDeadline ? null : deadline,
    amountIn: isNative(input.token) ? null : input.amount,
    minimum: output.minAmountOut,
    tokenIn: currency(first.hops[0]?.tokenIn),
    tokenOut: currency(first.hops.at(-1)?.tokenOut),
    wraps: legs.wraps,
    unwraps: legs.unwraps,
    tags: isTagged ? { accountId, referralCode } : null,
    receiver: receiver === from ? null : receiver,
    fee: fee > 0n ? { receiver: feeReceiver, amount: fee } : null,
    hops: legs.legs.flatMap(({ share, hops }) => packLeg(share, hops, measuresPairs)),
  })
  return {
    from,
    to: contractAddress('Router'),
    data,
    value: isNative(input.token) ? input.amount : 0n,
  }
}

type LegHop = SwapLegs['legs'][number]['hops'][number]

function packLeg(
  share: number | null,
  hops: readonly LegHop[],
  measuresPairs: boolean,
): PackedHop[] {
  return hops.map((hop, index) => ({
    ...packHop(hop, hops[index - 1], measuresPairs),
    isLast: index === hops.length - 1,
    share: index === 0 ? (share ?? 0) : 0,
    // The order says what the last hop yields.
    ...(index === hops.length - 1 && { tokenOut: zeroAddress }),
  }))
}

function packHop(
  hop: LegHop,
  previous: LegHop | undefined,
  measuresPairs: boolean,
): Omit<PackedHop, 'isLast' | 'share'> {
  const tokenIn = previous ? currency(hop.tokenIn) : zeroAddress
  const none = { tokenIn: zeroAddress, tokenOut: zeroAddress, tickSpacing: 0 }
  switch (hop.family) {
    case 'v2': {
      const { pair: target, feeBps: fee, zeroForOne } = hop
      return measuresPairs
        ? { ...none, family: 'v2-measured', target, fee, zeroForOne, tokenIn: hop.tokenIn }
        : { ...none, family: 'v2', target, fee, zeroForOne }
    }
    case 'v3': {
      const { pool: target, zeroForOne } = hop
      return { ...none, family: 'v3', target, fee: 0, zeroForOne, tokenIn }
    }
    case 'v4': {
      const { manager, fee, tickSpacing } = hop
      const tokenOut = currency(hop.tokenOut)
      const v4Hop = { family: 'v4', zeroForOne: false, fee, tickSpacing, tokenOut } as const
      // Adjacent ones share an unlock.
      return previous?.family === 'v4'
        ? { ...v4Hop, target: zeroAddress, tokenIn: zeroAddress }
        : { ...v4Hop, target: manager, tokenIn }
    }
  }
}

/** The currency of V4 that a token is: native is the zero address. */
function currency(token: Address = zeroAddress): Address {
  return isNative(token) ? zeroAddress : token
}
