/**
 * Reads the state of many concentrated-liquidity pools in three rounds of raw storage:
 * price and liquidity, then the bitmap words around the price, then the initialised ticks in them.
 * What cannot be read narrows the known range of that pool alone.
 */
import { defined } from '../../../domain/defined.js'
import type { Address, Hex } from '../../../domain/primitives.js'
import type { ReadResult, StateReader, TickPlaces } from '../../../domain/state.js'
import { mappingSlot, toWord } from '../storage-slots.js'
import { memo } from './memo.js'
import type { ConcentratedState } from './swap.js'
import { maxTick, minTick } from './tick-math.js'

/** Price range loaded on either side by a reach of 1, in ticks: 1.0001^2624 = 1.3. Whole bitmap words are loaded. */
const ticksPerSide = 2_624
/** Bound on the initialised ticks loaded on either side by a reach of 1; the known range ends at the next one. */
const maxInitializedPerSide = 300
const wordBits = 256

/** Where one pool keeps its state. The packing of slot0's low 184 bits, ticks and bitmap is common to all. */
export interface ConcentratedSource {
  readonly address: Address
  /** Slot numbers; the last two are the bases of mappings. */
  readonly slots: {
    readonly slot0: bigint
    readonly liquidity: bigint
    readonly ticks: bigint
    readonly tickBitmap: bigint
  }
  readonly tickSpacing: number
  /** Bits below the active liquidity in its word; absent: none. */
  readonly liquidityShift?: bigint
  /** True where a tick's change of liquidity is the low half of the second word of its record, not the high half of the first. */
  readonly isNetInSecondWord?: boolean
  /** Passed on as `isTickList` of the state. */
  readonly isTickList?: boolean
  /** True where slot0 holds the oracle's index and cardinality behind the tick, as in V3. */
  readonly hasOracle?: boolean
  /** Fee by direction from the word of slot0, 1/1_000_000. */
  readonly feePips: (slot0: bigint) => readonly [bigint, bigint]
}

type ConcentratedLoad =
  | { readonly ok: true; readonly state: ConcentratedState; readonly partial: boolean }
  | { readonly ok: false; readonly message: string }

/** Slots of V3 ticks and bitmap words are the same in every pool. */
const mappingSlots = memo(1_024, (base: bigint) =>
  memo(16_384, (key: number): Hex => toWord(mappingSlot(BigInt(key), base))),
)
/** Slots of the second word of a tick's record. */
const secondWords = memo(1_024, (base: bigint) =>
  memo(16_384, (key: number): Hex => toWord(mappingSlot(BigInt(key), base) + 1n)),
)

interface Read {
  readonly address: Address
  readonly slot: Hex
}

interface Head {
  readonly source: ConcentratedSource
  readonly reach: number
  readonly slot0: bigint
  readonly tick: number
  readonly liquidity: bigint
  /** Bitmap words to read, inclusive. */
  readonly firstWord: number
  readonly lastWord: number
}

interface Range {
  /** Ascending. */
  readonly ticks: readonly number[]
  readonly lowerTick: number
  readonly upperTick: number
  readonly partial: boolean
}

/** One bulk read for all pools; gives each pool its own results. */
async function readGroups(reader: StateReader, groups: readonly Read[][]): Promise<ReadResult[][]> {
  const reads = groups.flat()
  const results = reads.length === 0 ? [] : await reader.storage(reads)
  let from = 0
  return groups.map((group) => {
    const part = results.slice(from, from + group.length)
    from += group.length
    return part
  })
}

/**
 * @param reach - how many times as far as usual ticks are read, whole number.
 * @returns In the order of `sources`; not ok when price or active liquidity cannot be read.
 */
export async function loadConcentrated(
  reader: StateReader,
  sources: readonly ConcentratedSource[],
  reach = 1,
): Promise<ConcentratedLoad[]> {
  const heads = (
    await readGroups(
      reader,
      sources.map(({ address, slots }) => [
        { address, slot: toWord(slots.slot0) },
        { address, slot: toWord(slots.liquidity) },
      ]),
    )
  ).map((results, index) => decodeHead(sources[index], reach, results))

  const readable = heads.filter((head): head is Head => !('message' in head))
  const words = await readGroups(reader, readable.map(wordReads))
  const ranges = readable.map((head, index) => knownRange(head, words[index] ?? []))
  const infos = await readGroups(
    reader,
    ranges.map(({ ticks }, index) => tickReads(readable[index], ticks)),
  )
  const loaded = readable.map((head, index) => assemble(head, ranges[index], infos[index] ?? []))

  let next = 0
  return heads.map((head) => {
    if ('message' in head) return { ok: false, message: head.message }
    const load = loaded[next++]
    if (!load) throw new RangeError('A loaded pool is missing.')
    return load
  })
}

function decodeHead(
  source: ConcentratedSource | undefined,
  reach: number,
  [slot0Read, liquidityRead]: readonly ReadResult[],
): Head | { readonly message: string } {
  if (!source || !slot0Read || !liquidityRead) throw new RangeError('A storage read is missing.')
  if (!slot0Read.ok) return { message: slot0Read.message }
  if (!liquidityRead.ok) return { message: liquidityRead.message }
  const slot0 = BigInt(slot0Read.value)
  const tick = Number(BigInt.asIntN(24, slot0 >> 160n))
  const side = wordsPerSide(source.tickSpacing, reach)
  const word = wordOf(tick, source.tickSpacing)
  const initialized = BigInt.asUintN(160, slot0) !== 0n
  return {
    source,
    reach,
    slot0,
    tick,
    liquidity: BigInt.asUintN(128, BigInt(liquidityRead.value) >> (source.liquidityShift ?? 0n)),
    firstWord: initialized ? Math.max(word - side, wordOf(minTick, source.tickSpacing)) : 0,
    lastWord: initialized ? Math.min(word + side, wordOf(maxTick, source.tickSpacing)) : -1,
  }
}

function wordsPerSide(tickSpacing: number, reach: number): number {
  return Math.ceil((ticksPerSide * reach) / (wordBits * tickSpacing))
}

/** What `loadConcentrated` reads of a pool by a reach of 1, for guesses. */
export function tickPlacesOf(
  source: Pick<ConcentratedSource, 'address' | 'slots' | 'tickSpacing' | 'isNetInSecondWord'>,
): TickPlaces {
  const { address, slots, tickSpacing, isNetInSecondWord } = source
  return {
    address,
    slot0: toWord(slots.slot0),
    liquidity: toWord(slots.liquidity),
    tickBitmap: toWord(slots.tickBitmap),
    ticks: toWord(slots.ticks),
    tickSpacing,
    wordsPerSide: wordsPerSide(tickSpacing, 1),
    recordWord: isNetInSecondWord ? 1 : 0,
  }
}

function wordOf(tick: number, tickSpacing: number): number {
  return Math.floor(tick / tickSpacing) >> 8
}

function wordReads({ source, firstWord, lastWord }: Head): Read[] {
  const slotOf = mappingSlots(source.slots.tickBitmap)
  return Array.from({ length: lastWord - firstWord + 1 }, (_, index) => ({
    address: source.address,
    slot: slotOf(firstWord + index),
  }))
}

function tickReads(head: Head | undefined, ticks: readonly number[]): Read[] {
  if (!head) return []
  const { slots, isNetInSecondWord } = head.source
  const slotOf = (isNetInSecondWord ? secondWords : mappingSlots)(slots.ticks)
  return ticks.map((tick) => ({ address: head.source.address, slot: slotOf(tick) }))
}

/**
 * Initialised ticks and their range: from the price outwards as far as every word was readable
 * and the bound on ticks allows.
 */
function knownRange(head: Head, words: readonly ReadResult[]): Range {
  const { tick, firstWord, source } = head
  const spacing = source.tickSpacing
  const bitmaps = words.map((word) => (word.ok ? BigInt(word.value) : null))
  const wordTick = (word: number, bit: number) => (word * wordBits + bit) * spacing
  const down = wordOf(tick, spacing)
  // The search for the next tick above starts in the word of the following position.
  const up = wordOf(tick + spacing, spacing)

  const below: number[] = []
  let lowerTick = tick + 1
  for (let word = down; word >= firstWord; word -= 1) {
    const bitmap = bitmaps[word - firstWord]
    if (bitmap === null || bitmap === undefined) break
    below.push(
      ...bitsOf(bitmap)
        .map((bit) => wordTick(word, bit))
        .filter((t) => t <= tick)
        .reverse(),
    )
    lowerTick = Math.max(wordTick(word, 0), minTick)
  }
  const above: number[] = []
  let upperTick = tick
  for (let word = up; word <= head.lastWord; word += 1) {
    const bitmap = bitmaps[word - firstWord]
    if (bitmap === null || bitmap === undefined) break
    above.push(
      ...bitsOf(bitmap)
        .map((bit) => wordTick(word, bit))
        .filter((t) => t > tick),
    )
    upperTick = Math.min(wordTick(word, wordBits - 1), maxTick)
  }
  const mostTicks = maxInitializedPerSide * head.reach
  const lowerBound = below[mostTicks]
  const upperBound = above[mostTicks]
  return {
    ticks: [...below.slice(0, mostTicks).reverse(), ...above.slice(0, mostTicks)],
    lowerTick: lowerBound ?? lowerTick,
    upperTick: upperBound ?? upperTick,
    partial: bitmaps.includes(null),
  }
}

/** Positions of the set bits, ascending. */
function bitsOf(bitmap: bigint): number[] {
  const bits: number[] = []
  const digits = bitmap.toString(2)
  for (let bit = 0; bit < digits.length; bit += 1) {
    if (digits[digits.length - 1 - bit] === '1') bits.push(bit)
  }
  return bits
}

function assemble(
  head: Head,
  range: Range | undefined,
  infos: readonly ReadResult[],
): ConcentratedLoad {
  if (!range) throw new RangeError('The range of a pool is missing.')
  let { lowerTick, upperTick, partial } = range
  // A tick that cannot be read may be reached, not crossed: it ends the range.
  infos.forEach((info, index) => {
    const tick = range.ticks[index] ?? 0
    if (info.ok) return
    partial = true
    if (tick <= head.tick) lowerTick = Math.max(lowerTick, tick)
    else upperTick = Math.min(upperTick, tick)
  })
  const ticks: number[] = []
  const liquidityNets: bigint[] = []
  const netShift = head.source.isNetInSecondWord ? 0n : 128n
  infos.forEach((info, index) => {
    const tick = range.ticks[index] ?? 0
    if (!info.ok || tick < lowerTick || tick > upperTick) return
    ticks.push(tick)
    liquidityNets.push(BigInt.asIntN(128, BigInt(info.value) >> netShift))
  })
  return {
    ok: true,
    partial,
    state: {
      sqrtPriceX96: BigInt.asUintN(160, head.slot0),
      tick: head.tick,
      liquidity: head.liquidity,
      feePips: head.source.feePips(head.slot0),
      tickSpacing: head.source.tickSpacing,
      ...defined({ isTickList: head.source.isTickList || undefined }),
      ticks,
      liquidityNets,
      lowerTick,
      upperTick,
      ...(head.source.hasOracle && {
        oracle: {
          index: Number(BigInt.asUintN(16, head.slot0 >> 184n)),
          cardinality: Number(BigInt.asUintN(16, head.slot0 >> 200n)),
        },
      }),
    },
  }
}
