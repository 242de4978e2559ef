/** Builds the adapter of one V3-style exchange from its row of parameters; see `index.ts`. */
import { parseAbiItem } from 'viem'
import { concentratedParts, feeAndSpacing, isZeroForOne } from '../concentrated/adapter-parts.js'
import type { ConcentratedSource } from '../concentrated/load.js'
import type { ConcentratedState } from '../concentrated/swap.js'
import { maxSqrtPriceX96, minSqrtPriceX96 } from '../concentrated/tick-math.js'
import { defineProtocol, type ProtocolAdapter } from '../protocol.js'
import { discoverV3, type FactorySlots } from './discover.js'

interface UniswapV3Row {
  readonly slug: string
  readonly name: string
  readonly project: string
  readonly url: string
  readonly forkOf?: string
  readonly factorySlots: FactorySlots
  readonly poolSlots: ConcentratedSource['slots']
}

/** One range, oracle entry written, callback paid. */
const gasPerSwap = 130_000n

const swapAbi = parseAbiItem(
  'function swap(address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96, bytes data) returns (int256 amount0, int256 amount1)',
)

/** @returns Adapter for pools with V3's `swap` and maths; the row says where their state lies. */
export function defineUniswapV3Like(row: UniswapV3Row): ProtocolAdapter<ConcentratedState> {
  const { factorySlots, poolSlots, ...identity } = row
  return defineProtocol<ConcentratedState>({
    ...identity,
    category: 'dex',
    description: `Concentrated-liquidity pools of ${row.name}.`,
    paysRecipient: true,
    discover: (args) => discoverV3(row.slug, factorySlots, args),
    ...concentratedParts((pool) => {
      const parameters = feeAndSpacing(pool)
      if (!parameters) return 'The pool lacks the parameters fee and tickSpacing.'
      const fee = BigInt(parameters.fee)
      return {
        address: pool.address,
        slots: poolSlots,
        tickSpacing: parameters.tickSpacing,
        feePips: () => [fee, fee],
      }
    }),
    gasEstimate: () => gasPerSwap,
    encodeSwap({ pool, tokenIn, amountIn, recipient }) {
      const zeroForOne = isZeroForOne(pool, tokenIn)
      const limit = zeroForOne ? minSqrtPriceX96 + 1n : maxSqrtPriceX96 - 1n
      return [
        {
          kind: 'call',
          target: pool.address,
          abi: swapAbi,
          args: [recipient, zeroForOne, amountIn, limit, '0x'],
          payToken: tokenIn,
        },
      ]
    },
  })
}
