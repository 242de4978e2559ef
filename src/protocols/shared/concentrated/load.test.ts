import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../../test/support/storage-reader.js'
import type { Address, Hex } from '../../../domain/primitives.js'
import type { StateReader } from '../../../domain/state.js'
import { mappingSlot, toWord } from '../storage-slots.js'
import { type ConcentratedSource, loadConcentrated } from './load.js'
import { concentratedSwap } from './swap.js'
import { sqrtPriceAtTick } from './tick-math.js'

const address: Address = '0x00000000000000000000000000000000000000aa'
const slots = { slot0: 0n, liquidity: 4n, ticks: 5n, tickBitmap: 6n }
const source: ConcentratedSource = {
  address,
  slots,
  tickSpacing: 10,
  feePips: () => [500n, 500n],
}
const wordSlot = (word: number) => toWord(mappingSlot(BigInt(word), slots.tickBitmap))
const tickSlot = (tick: number) => toWord(mappingSlot(BigInt(tick), slots.ticks))

/** Storage of one pool: price at `tick`, and what is initialised. */
function poolStorage(tick: number, ticks: Readonly<Record<number, bigint>>, spacing = 10) {
  const storage: Record<Hex, Hex> = {}
  const packed = BigInt.asUintN(24, BigInt(tick)) << 160n
  storage[toWord(slots.slot0)] = toWord(packed | sqrtPriceAtTick(tick))
  const words = new Map<number, bigint>()
  let liquidity = 0n
  for (const [key, net] of Object.entries(ticks)) {
    const at = Number(key)
    if (at <= tick) liquidity += net
    const compressed = at / spacing
    const word = compressed >> 8
    words.set(word, (words.get(word) ?? 0n) | (1n << BigInt(compressed - word * 256)))
    const gross = net < 0n ? -net : net
    storage[tickSlot(at)] = toWord((BigInt.asUintN(128, net) << 128n) | gross)
  }
  for (const [word, bitmap] of words) storage[wordSlot(word)] = toWord(bitmap)
  storage[toWord(slots.liquidity)] = toWord(liquidity)
  return storage
}

async function loadOne(reader: StateReader, from = source) {
  const [load] = await loadConcentrated(reader, [from])
  if (!load?.ok) throw new Error(load?.message)
  return load
}

const wide = { '-6000': 10n ** 20n, '-40': 5n, 30: -5n, 6000: -(10n ** 20n) }

describe('loadConcentrated', () => {
  test('three rounds give price, liquidity and the ticks around', async () => {
    const reader = storageReader(poolStorage(-7, wide))
    const { state, partial } = await loadOne(reader)
    expect(reader.rounds()).toBe(3)
    expect(partial).toBe(false)
    expect(state).toEqual({
      sqrtPriceX96: sqrtPriceAtTick(-7),
      tick: -7,
      liquidity: 10n ** 20n + 5n,
      feePips: [500n, 500n],
      tickSpacing: 10,
      ticks: [-6_000, -40, 30],
      liquidityNets: [10n ** 20n, 5n, -5n],
      // Two words on either side of word -1: tick 6000 lies beyond them.
      lowerTick: -7_680,
      upperTick: 5_110,
    })
  })
  test('reads of all pools share the rounds', async () => {
    const reader = storageReader(poolStorage(5, wide))
    const loads = await loadConcentrated(reader, [source, source, source])
    expect(loads.map((load) => load.ok)).toEqual([true, true, true])
    expect(reader.rounds()).toBe(3)
  })
  test('a pool that was never initialised needs one round and quotes nothing', async () => {
    const reader = storageReader({})
    const { state } = await loadOne(reader)
    expect(reader.rounds()).toBe(1)
    expect(concentratedSwap(state, true, 1n)).toMatchObject({ amountOut: 0n, exact: true })
  })
  test('a pool whose liquidity cannot be read fails alone, with the reason', async () => {
    const refused = toWord(slots.liquidity)
    const reader = storageReader(poolStorage(5, wide), [refused])
    expect(await loadConcentrated(reader, [source])).toEqual([{ ok: false, message: 'refused' }])
  })
  test('an unreadable word ends the known range before it', async () => {
    const reader = storageReader(poolStorage(5, wide), [wordSlot(-1)])
    const { state, partial } = await loadOne(reader)
    expect(partial).toBe(true)
    expect(state).toMatchObject({ lowerTick: 0, upperTick: 7_670, ticks: [30, 6_000] })
    expect(concentratedSwap(state, true, 10n ** 15n).exact).toBe(true)
    expect(concentratedSwap(state, true, 10n ** 17n).exact).toBe(false)
    expect(concentratedSwap(state, false, 10n ** 17n).exact).toBe(true)
  })
  test('without the current word only estimates remain', async () => {
    const reader = storageReader(poolStorage(5, wide), [wordSlot(0)])
    const { state } = await loadOne(reader)
    expect(state).toMatchObject({ lowerTick: 6, upperTick: 5, ticks: [] })
    const quote = concentratedSwap(state, true, 1_000_000n)
    expect(quote).toMatchObject({ amountOut: 999_999n, exact: false })
  })
  test('an unreadable tick can be reached and not be crossed', async () => {
    const reader = storageReader(poolStorage(5, wide), [tickSlot(30)])
    const { state, partial } = await loadOne(reader)
    expect(partial).toBe(true)
    expect(state).toMatchObject({ upperTick: 30, ticks: [-40] })
  })
  test('a greater reach reads further, and more ticks', async () => {
    const far = { ...wide, '-30000': 7n, 11000: -7n }
    const reader = storageReader(poolStorage(-7, far))
    const [load] = await loadConcentrated(reader, [source], 4)
    expect(reader.rounds()).toBe(3)
    // Five words on either side, for 10,496 ticks.
    expect(load).toMatchObject({
      partial: false,
      state: { lowerTick: -15_360, upperTick: 12_790, ticks: [-6_000, -40, 30, 6_000, 11_000] },
    })
  })
  test('more than 300 initialised ticks on one side end the range at the 301st', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [index + 1, index % 2 ? -1n : 1n]),
    )
    const reader = storageReader(poolStorage(0, { ...many, '-2': 10n ** 20n }, 1))
    const { state, partial } = await loadOne(reader, { ...source, tickSpacing: 1 })
    expect(partial).toBe(false)
    expect(state.upperTick).toBe(301)
    expect(state.ticks).toHaveLength(301)
    const [further] = await loadConcentrated(reader, [{ ...source, tickSpacing: 1 }], 4)
    expect(further?.ok && further.state.ticks).toHaveLength(401)
  })
})
