/**
 * Uniswap V4: all pools live in one PoolManager, found by the hash of their key.
 * Only pools without hooks are quoted and swapped. Tokens of a pool may include native itself.
 * Venue parameters: `poolManager`. Pool parameters: `fee` (1/1_000_000), `tickSpacing`, `hooks`.
 */
import { parseAbiItem } from 'viem'
import type { Step } from '../../domain/plan.js'
import { isNative, zeroAddress } from '../../domain/primitives.js'
import { concentratedParts, feeAndSpacing, isZeroForOne } from '../concentrated/adapter-parts.js'
import type { ConcentratedState } from '../concentrated/swap.js'
import { helperAddress } from '../helper-address.js'
import { defineProtocol } from '../protocol.js'
import { discoverV4, poolStateSlot } from './discover.js'
import { keyOf, poolIdOf } from './pool-key.js'

const slug = 'uniswap-v4'
const gasPerSwap = 75_000n
const pips = 1_000_000n

/**
 * Fee by direction: the protocol's part (12 bits per direction) is taken first, the pool's from the rest.
 * @param slot0 - from the low end: price (160 bits), tick (24), protocol fee (24), pool fee (24).
 * @returns 1/1_000_000 of token0 in, of token1 in.
 * @see Uniswap/v4-core 1.0.2, src/libraries/ProtocolFeeLibrary.sol, calculateSwapFee
 */
export function swapFees(slot0: bigint): readonly [bigint, bigint] {
  const pool = BigInt.asUintN(24, slot0 >> 208n)
  const combined = (protocol: bigint) => protocol + pool - (protocol * pool) / pips
  return [combined(BigInt.asUintN(12, slot0 >> 184n)), combined(BigInt.asUintN(12, slot0 >> 196n))]
}

const helperName = 'UniswapV4Swapper'

const swapAbi = parseAbiItem(
  'function swap(address manager, (address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) key, bool zeroForOne, address recipient, bytes hookData) payable returns (uint256 amountOut)',
)

export const uniswapV4 = defineProtocol<ConcentratedState>({
  slug,
  name: 'Uniswap V4',
  project: 'uniswap',
  category: 'dex',
  url: 'https://uniswap.org',
  description: 'Concentrated-liquidity pools of Uniswap V4 without hooks.',
  paysRecipient: true,
  helperContracts: [helperName],
  discover: (args) => discoverV4(slug, args),
  ...concentratedParts((pool) => {
    const parameters = feeAndSpacing(pool)
    if (!parameters) return 'The pool lacks the parameters fee and tickSpacing.'
    if (pool.parameters.hooks !== zeroAddress) return 'Pools with hooks are not supported.'
    const key = keyOf(pool)
    if (!key || poolIdOf(key) !== pool.id) return 'The id is not the hash of the key of the pool.'
    const base = poolStateSlot(pool.id)
    return {
      address: pool.address,
      slots: { slot0: base, liquidity: base + 3n, ticks: base + 4n, tickBitmap: base + 5n },
      tickSpacing: parameters.tickSpacing,
      feePips: swapFees,
    }
  }),
  gasEstimate: () => gasPerSwap,
  encodeSwap({ pool, tokenIn, amountIn, helpers, recipient }): Step[] {
    const target = helperAddress(helpers, helperName)
    const args = [pool.address, keyOf(pool), isZeroForOne(pool, tokenIn), recipient, '0x']
    return isNative(tokenIn)
      ? [{ kind: 'call', target, abi: swapAbi, args, value: amountIn }]
      : [
          { kind: 'transfer', token: tokenIn, to: target, amount: amountIn },
          { kind: 'call', target, abi: swapAbi, args },
        ]
  },
})
