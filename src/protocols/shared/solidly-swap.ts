/** Swaps on pools that tell their own output, as Solidly's do: our helper asks for it, and has it paid. */
import { parseAbiItem } from 'viem'
import type { Swaps } from '../protocol.js'
import { helperAddress } from './helper-address.js'

const helper = 'SolidlySwapper'
const swapAbi = parseAbiItem(
  'function swap(address pool, address tokenIn, bool zeroForOne, address recipient) returns (uint256 amountOut)',
)

interface Swapped<State> {
  readonly amountOut: bigint
  readonly after: State
}

/**
 * What swaps on all such pools have in common.
 *
 * @param swapped - the pool's own arithmetic; null: nothing comes out.
 */
export function solidlySwaps<State>(
  swapped: (state: State, zeroForOne: boolean, amountIn: bigint) => Swapped<State> | null,
) {
  return {
    paysRecipient: true,
    helperContracts: [helper],
    prepaidAt: (pool) => pool.address,
    swap(pool, state, { tokenIn }, amountIn) {
      const swap = swapped(state, tokenIn === pool.tokens[0], amountIn)
      return { amountOut: swap?.amountOut ?? 0n, exact: true, after: () => swap?.after ?? state }
    },
    encodeSwap({ pool, tokenIn, amountIn, helpers, recipient, isPrepaid }) {
      const swap = {
        kind: 'call',
        target: helperAddress(helpers, helper),
        abi: swapAbi,
        args: [pool.address, tokenIn, tokenIn === pool.tokens[0], recipient],
      } as const
      if (isPrepaid) return [swap]
      return [{ kind: 'transfer', token: tokenIn, to: pool.address, amount: amountIn }, swap]
    },
  } satisfies Partial<Swaps<State>>
}
