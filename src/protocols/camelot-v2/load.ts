/** Pairs of Camelot's factory: found, and read, from raw storage in bulk. */
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs, LoadedPool } from '../protocol.js'
import { poolsInList } from '../shared/factory-lists.js'
import { addressInWord, toWord } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'
import type { CamelotState } from './math.js'

/** Factory storage; `getPair` is a mapping. */
const factorySlots = { feeTo: toWord(3n), ownerFeeShare: toWord(4n) }
const getPairSlot = 6n

/** Pair storage; both reserves and both fees share a slot, and the kind is the low byte of its own. */
const pairSlots = {
  factory: toWord(5n),
  token0: toWord(6n),
  token1: toWord(7n),
  reserves: toWord(8n),
  unit0: toWord(9n),
  unit1: toWord(10n),
  kind: toWord(12n),
}
const wordsPerPair = Object.keys(pairSlots).length

export function discoverPairs(
  slug: string,
  { reader, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const list = { factory: toAddress(String(venue.factory)), name: 'getPair', slot: getPairSlot }
  const wanted = orderedPairs(pairs).map((pair) => ({ pair, parameters: {} }))
  return poolsInList(slug, reader, list, wanted)
}

/** A contract that is no pair of the factory with the tokens of the record is Unreadable. */
export async function loadPairs(
  slug: string,
  args: {
    readonly reader: StateReader
    readonly venue: VenueParameters
    readonly pools: readonly Pool[]
  },
): Promise<(LoadedPool<CamelotState> | Unreadable)[]> {
  const { reader, venue, pools } = args
  if (pools.length === 0) return []
  const factory = toAddress(String(venue.factory))
  const results = await reader.storage([
    ...Object.values(factorySlots).map((slot) => ({ address: factory, slot })),
    ...pools.flatMap(({ address }) => Object.values(pairSlots).map((slot) => ({ address, slot }))),
  ])
  const common = results.slice(0, 2)
  return pools.map((pool, index) => {
    const from = common.length + index * wordsPerPair
    const pairResults = [...common, ...results.slice(from, from + wordsPerPair)]
    const failed = pairResults.find((result) => !result.ok)
    const state = failed && !failed.ok ? failed.message : toState(pool, factory, pairResults)
    if (typeof state !== 'string') return { pool, state, partial: false }
    return { protocol: slug, subject: pool.id, message: state }
  })
}

/** @returns a sentence where the contract is not the pair. */
function toState(
  { tokens }: Pool,
  factory: Address,
  results: readonly ReadResult[],
): CamelotState | string {
  const words = results.map((result) => (result.ok ? result.value : '0x0'))
  const [maker, token0, token1] = words.slice(2, 5).map((word) => addressInWord(word))
  if (maker !== factory || token0 !== tokens[0] || token1 !== tokens[1]) {
    return 'The contract is no pair of the factory with these tokens.'
  }
  const values = words.map(BigInt)
  const [feeTo = 0n, share = 0n] = values
  const [reserves = 0n, unit0 = 0n, unit1 = 0n, kind = 0n] = values.slice(5)
  return {
    isStable: BigInt.asUintN(8, kind) !== 0n,
    reserve0: BigInt.asUintN(112, reserves),
    reserve1: BigInt.asUintN(112, reserves >> 112n),
    unit0,
    unit1,
    fees: [BigInt.asUintN(16, reserves >> 224n), BigInt.asUintN(16, reserves >> 240n)],
    ownerShare: BigInt.asUintN(160, feeTo) === 0n ? 0n : share,
  }
}
