/** Concentrated pools of one contract, laid out as those of Uniswap V4. */
import type { Address, Hex } from '../../../domain/primitives.js'
import type { Pool, Unreadable } from '../../pool.js'
import type { DiscoverArgs } from '../../protocol.js'
import { tickPlacesOf } from '../concentrated/load.js'
import type { ConcentratedState } from '../concentrated/swap.js'
import { mappingSlot, toWord } from '../storage-slots.js'

const pips = 1_000_000n

/** Where the state of a pool lies from its first slot on. */
export function slotsFrom(base: bigint) {
  return { slot0: base, liquidity: base + 3n, ticks: base + 4n, tickBitmap: base + 5n }
}

/** The slots of price and liquidity, which tell how deep a pool is. */
export function depthSlotsFrom(address: Address, base: bigint) {
  return [base, base + 3n].map((slot) => ({ address, slot: toWord(slot) }))
}

/**
 * The whole fee where the protocol's part is taken first, and the pool's from the rest.
 * @param protocol - 1/1_000_000, as is the pool's.
 */
export function combinedFee(protocol: bigint, pool: bigint): bigint {
  return protocol + pool - (protocol * pool) / pips
}

/**
 * Fee by direction.
 * @param slot0 - from the low end: price (160 bits), tick (24), protocol fee (12 per direction), pool fee (24).
 * @returns 1/1_000_000 of token0 in, of token1 in.
 * @see Uniswap/v4-core 1.0.2, src/libraries/ProtocolFeeLibrary.sol, calculateSwapFee
 */
export function swapFees(slot0: bigint): readonly [bigint, bigint] {
  const pool = BigInt.asUintN(24, slot0 >> 208n)
  return [
    combinedFee(BigInt.asUintN(12, slot0 >> 184n), pool),
    combinedFee(BigInt.asUintN(12, slot0 >> 196n), pool),
  ]
}

/** Words of a tick's record: liquidity, two fee growths. */
const wordsPerTick = 3n

/** Fee growth of both tokens, and the records of the next tick on either side. */
export function swapSlotsFrom(base: bigint, { ticks, tick }: ConcentratedState): Hex[] {
  const above = ticks.findIndex((each) => each > tick)
  const next = above < 0 ? [ticks.at(-1)] : [ticks[above - 1], ticks[above]]
  const records = next.flatMap((each) =>
    each === undefined ? [] : [mappingSlot(BigInt(each), base + 4n)],
  )
  const found = [base + 1n, base + 2n]
  for (const record of records) {
    for (let word = 1n; word < wordsPerTick; word++) found.push(record + word)
  }
  return found.map(toWord)
}

/**
 * Those of the candidates that have a price.
 * @param candidates - with the parameter `tickSpacing`.
 * @param baseOf - the first slot of a pool's state, by its id.
 */
export async function initialisedAmong<
  Candidate extends Pool & { parameters: { tickSpacing: number } },
>(
  { reader }: Pick<DiscoverArgs, 'reader'>,
  candidates: readonly Candidate[],
  baseOf: (id: string) => bigint,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  if (candidates.length === 0) return { pools: [], unreadable: [] }
  // The look-up is a word of the state already: the rest of it comes along.
  for (const { protocol, id, address, parameters } of candidates) {
    reader.guess?.(`${protocol} ${id}`, () => {
      const { tickSpacing } = parameters
      const places = tickPlacesOf({ address, slots: slotsFrom(baseOf(id)), tickSpacing })
      return { pools: [{ ...places, isLookUp: true }] }
    })
  }
  const results = await reader.storage(
    candidates.map(({ id, address }) => ({ address, slot: toWord(baseOf(id)) })),
  )
  const pools: Pool[] = []
  const unreadable: Unreadable[] = []
  candidates.forEach((pool, index) => {
    const result = results[index]
    if (!result?.ok) {
      const { protocol, id, tokens } = pool
      const [a, b] = tokens
      const message = result?.message ?? 'Not read.'
      const pair = a && b ? { pair: [a, b] as const } : {}
      unreadable.push({ protocol, subject: id, message, ...pair })
    } else if (BigInt(result.value) !== 0n) {
      pools.push(pool)
    }
  })
  return { pools, unreadable }
}
