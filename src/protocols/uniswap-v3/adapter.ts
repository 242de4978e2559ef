/** Builds the adapter of one V3-style exchange from its row of parameters; see `index.ts`. */
import { parseAbiItem } from 'viem'
import type { Hex } from '../../domain/primitives.js'
import { defineProtocol, type ProtocolAdapter } from '../protocol.js'
import {
  concentratedParts,
  feeAndSpacing,
  isZeroForOne,
} from '../shared/concentrated/adapter-parts.js'
import type { ConcentratedSource } from '../shared/concentrated/load.js'
import type { ConcentratedState } from '../shared/concentrated/swap.js'
import { maxSqrtPriceX96, minSqrtPriceX96 } from '../shared/concentrated/tick-math.js'
import { mappingSlot, toWord } from '../shared/storage-slots.js'
import { discoverV3, type FactorySlots } from './discover.js'
import { nftPositions } from './nft-positions.js'
import { v3PoolEvents } from './pool-events.js'

interface UniswapV3Row {
  readonly slug: string
  readonly name: string
  readonly project: string
  readonly url: string
  readonly forkOf?: string
  readonly factorySlots: FactorySlots
  readonly poolSlots: ConcentratedSource['slots']
  /** Whether positions are made through Uniswap's NonfungiblePositionManager or one with the same functions. */
  readonly hasPositions?: boolean
}

/** Ticks crossed now and then, oracle entry written, callback paid. */
const gasPerSwap = 75_000n

const swapAbi = parseAbiItem(
  'function swap(address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96, bytes data) returns (int256 amount0, int256 amount1)',
)

/** Words of a tick's record: liquidity, two fee growths, oracle values. */
const wordsPerTick = 4n

/** Fee growth and protocol fees, the oracle entries read and written, and the records of the next tick on either side. */
function swapSlots(slots: UniswapV3Row['poolSlots'], state: ConcentratedState): Hex[] {
  const found: bigint[] = []
  for (let slot = slots.slot0 + 1n; slot < slots.liquidity; slot++) found.push(slot)
  const { oracle, ticks, tick } = state
  if (oracle && oracle.cardinality > 0) {
    // The oracle's array lies two slots behind the bitmap; a swap in a new block writes the entry after the newest.
    const entries = [oracle.index, (oracle.index + 1) % oracle.cardinality]
    for (const entry of entries) found.push(slots.tickBitmap + 2n + BigInt(entry))
  }
  const above = ticks.findIndex((each) => each > tick)
  const next = above < 0 ? [ticks.at(-1)] : [ticks[above - 1], ticks[above]]
  for (const each of next) {
    if (each === undefined) continue
    const record = mappingSlot(BigInt(each), slots.ticks)
    for (let word = 1n; word < wordsPerTick; word++) found.push(record + word)
  }
  return found.map(toWord)
}

/** @returns Adapter for pools with V3's `swap` and math; the row says where their state lies. */
export function defineUniswapV3Like(row: UniswapV3Row): ProtocolAdapter<ConcentratedState> {
  const { factorySlots, poolSlots, hasPositions = false, ...identity } = row
  return defineProtocol<ConcentratedState>({
    ...identity,
    category: 'dex',
    description: `Concentrated-liquidity pools of ${row.name}.`,
    paysRecipient: true,
    discover: (args) => discoverV3(row.slug, factorySlots, args),
    poolEvents: v3PoolEvents(row.slug, poolSlots),
    ...concentratedParts((pool) => {
      const parameters = feeAndSpacing(pool)
      if (!parameters) return 'The pool lacks the parameters fee and tickSpacing.'
      const fee = BigInt(parameters.fee)
      return {
        address: pool.address,
        slots: poolSlots,
        tickSpacing: parameters.tickSpacing,
        hasOracle: true,
        feePips: () => [fee, fee],
      }
    }),
    ...(hasPositions && {
      positions: nftPositions({
        slug: row.slug,
        name: row.name,
        factorySlots,
        slot0: poolSlots.slot0,
      }),
    }),
    swapSlots: (_pool, state) => swapSlots(poolSlots, state),
    gasEstimate: () => gasPerSwap,
    swapHop: (pool, tokenIn) => ({
      family: 'v3',
      pool: pool.address,
      zeroForOne: isZeroForOne(pool, tokenIn),
    }),
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
