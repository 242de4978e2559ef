/** Bins around the active ones of many pools, from raw storage in two rounds: which bins hold anything, and what. */
import { zip } from '../../../domain/lists.js'
import type { Address, Hex } from '../../../domain/primitives.js'
import type { StateReader } from '../../../domain/state.js'
import { mappingSlot, toWord } from '../storage-slots.js'
import type { BinsState } from './swap.js'

/** Words of 256 bins on either side of the one with the price. */
const wordsPerSide = 1
/** Bins that are loaded on either side at most. */
const binsPerSide = 120
const binsPerWord = 256

/** Where a pool keeps its bins. */
export interface BinsSource {
  readonly address: Address
  /** Slots of mappings: 128 bits of each token by id, and a bit per bin by the id without its last eight bits. */
  readonly bins: bigint
  readonly leaves: bigint
  readonly activeId: number
}

/** In the order of the sources; a sentence where something cannot be read. */
export async function loadBins(
  reader: StateReader,
  sources: readonly BinsSource[],
): Promise<(Omit<BinsState, 'binStep'> | string)[]> {
  const words = await readEach(reader, sources, ({ address, leaves, activeId }) =>
    wordsAround(activeId).map((word) => ({
      address,
      slot: toWord(mappingSlot(BigInt(word), leaves)),
    })),
  )
  const ranges = zip(sources, words).map(([{ activeId }, bits]) => toRange(activeId, bits))
  const held = await readEach(reader, zip(sources, ranges), ([{ address, bins }, range]) =>
    typeof range === 'string'
      ? []
      : range.ids.map((id) => ({ address, slot: toWord(mappingSlot(BigInt(id), bins)) })),
  )
  return zip(ranges, held).map(([range, read]) => {
    if (typeof range === 'string') return range
    if (typeof read === 'string') return read
    const reserves = read.map(BigInt)
    return {
      ...range,
      reservesX: reserves.map((word) => BigInt.asUintN(128, word)),
      reservesY: reserves.map((word) => word >> 128n),
    }
  })
}

/** The words that each asks for, by one bulk read; a sentence where one of them cannot be read. */
export async function readEach<Item>(
  reader: StateReader,
  items: readonly Item[],
  readsOf: (
    item: Item,
    index: number,
  ) => readonly { readonly address: Address; readonly slot: Hex }[],
): Promise<(readonly Hex[] | string)[]> {
  const groups = items.map(readsOf)
  const reads = groups.flat()
  const results = reads.length === 0 ? [] : await reader.storage(reads)
  let from = 0
  return groups.map(({ length }) => {
    const group = results.slice(from, from + length)
    from += length
    const failed = group.find((result) => !result.ok)
    if (failed && !failed.ok) return failed.message
    return group.map((result) => (result.ok ? result.value : '0x0'))
  })
}

function wordsAround(activeId: number): number[] {
  const middle = activeId >> 8
  return Array.from({ length: 2 * wordsPerSide + 1 }, (_, k) => middle - wordsPerSide + k).filter(
    (word) => word >= 0 && word < 2 ** 16,
  )
}

/** The nearest bins that hold something, and how far all such bins are known. */
function toRange(activeId: number, leaves: readonly Hex[] | string) {
  if (typeof leaves === 'string') return leaves
  const words = wordsAround(activeId)
  const all = words.flatMap((word, index) => {
    const bits = BigInt(leaves[index] ?? '0x0')
    return Array.from({ length: binsPerWord }, (_, bit) => word * binsPerWord + bit).filter(
      (_id, bit) => (bits >> BigInt(bit)) & 1n,
    )
  })
  const below = all.filter((id) => id < activeId)
  const above = all.filter((id) => id > activeId)
  const ids = [
    ...below.slice(-binsPerSide),
    ...(all.includes(activeId) ? [activeId] : []),
    ...above.slice(0, binsPerSide),
  ]
  const [first = 0, last = 0] = [words[0], words.at(-1)]
  const lowest = ids[0]
  const highest = ids.at(-1)
  return {
    ids,
    lowerId: below.length > binsPerSide && lowest ? lowest : first * binsPerWord,
    upperId: above.length > binsPerSide && highest ? highest : (last + 1) * binsPerWord - 1,
  }
}
