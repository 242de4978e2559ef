/** A swap of V3's signature: the call, the hop of `Router.swap()`, and the slots of a pool laid out as V3's that it reads. */
import { parseAbiItem } from 'viem'
import type { Hex } from '../../../domain/primitives.js'
import type { Swaps } from '../../protocol.js'
import { mappingSlot, toWord } from '../storage-slots.js'
import { isZeroForOne } from './adapter-parts.js'
import type { ConcentratedSource } from './load.js'
import type { ConcentratedState } from './swap.js'
import { maxSqrtPriceX96, minSqrtPriceX96 } from './tick-math.js'

const swapAbi = parseAbiItem(
  'function swap(address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96, bytes data) returns (int256 amount0, int256 amount1)',
)

/** One call, paid in the callback whatever that is called; the outermost price is the limit. */
export const v3Swap = {
  paysRecipient: true,
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
} satisfies Partial<Swaps<ConcentratedState>>

/** The oracle's array lies two slots behind the bitmap. */
export function observationsSlot({ tickBitmap }: ConcentratedSource['slots']): bigint {
  return tickBitmap + 2n
}

/**
 * Fee growth and protocol fees, the oracle entries read and written, and the records of the next tick on either side.
 * @param wordsPerTick - of a tick's record; the first is read with the state.
 */
export function v3SwapSlots(
  slots: ConcentratedSource['slots'],
  wordsPerTick: bigint,
  state: ConcentratedState,
): Hex[] {
  const found: bigint[] = []
  for (let slot = slots.slot0 + 1n; slot < slots.liquidity; slot++) found.push(slot)
  const { oracle, ticks, tick } = state
  if (oracle && oracle.cardinality > 0) {
    // A swap in a new block writes the entry after the newest.
    const entries = [oracle.index, (oracle.index + 1) % oracle.cardinality]
    for (const entry of entries) found.push(observationsSlot(slots) + BigInt(entry))
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
