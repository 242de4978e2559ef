/** Swaps on pools that tell their own output, as Solidly's do: our helper asks for it, and has it paid. */
import { parseAbiItem } from 'viem'
import type { Swaps } from '../protocol.js'
import { helperAddress } from './helper-address.js'

const helper = 'SolidlySwapper'
const swapAbi = parseAbiItem(
  'function swap(address pool, address tokenIn, bool zeroForOne, address recipient) returns (uint256 amountOut)',
)

export const solidlySwap = {
  paysRecipient: true,
  helperContracts: [helper],
  prepaidAt: (pool) => pool.address,
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
} satisfies Pick<Swaps<never>, 'paysRecipient' | 'helperContracts' | 'prepaidAt' | 'encodeSwap'>
