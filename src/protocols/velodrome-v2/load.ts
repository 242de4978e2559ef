/** Pools of a Velodrome factory: found, and read, from raw storage in bulk. */
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs, LoadedPool } from '../protocol.js'
import { poolsInList } from '../shared/factory-lists.js'
import { addressInWord, mappingSlot, toWord } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'
import type { VelodromeState } from './math.js'

/** Base slots of the factory's mappings; what lies before them is the same in every factory. */
export interface FactorySlots {
  readonly getPool: bigint
  readonly customFee: bigint
}

/** Factory storage; isPaused is the low byte of its slot. */
const factorySlots = { isPaused: toWord(0n), stableFee: toWord(1n), volatileFee: toWord(2n) }

/** Pool storage; `stable` lies behind an address in its slot. Units are 10^decimals. */
export const poolSlots = {
  stable: toWord(12n),
  token0: toWord(13n),
  token1: toWord(14n),
  factory: toWord(16n),
  unit0: toWord(18n),
  unit1: toWord(19n),
  reserve0: toWord(20n),
  reserve1: toWord(21n),
}
const wordsPerPool = Object.keys(poolSlots).length + 1

/** A custom fee of this value means that there is none to pay. */
const noFee = 420n

/** Volatile and stable pools of the pairs, by the factory's own list. */
export function discoverPools(
  slug: string,
  slots: FactorySlots,
  { reader, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const list = { factory: toAddress(String(venue.factory)), name: 'getPool', slot: slots.getPool }
  const wanted = orderedPairs(pairs).flatMap((pair) =>
    [false, true].map((stable) => ({ pair, keys: [stable ? 1n : 0n], parameters: { stable } })),
  )
  return poolsInList(slug, reader, list, wanted)
}

/** A contract that is no pool of the factory, or not the one that the record describes, is Unreadable. */
export async function loadPools(
  slug: string,
  slots: FactorySlots,
  args: {
    readonly reader: StateReader
    readonly venue: VenueParameters
    readonly pools: readonly Pool[]
  },
): Promise<(LoadedPool<VelodromeState> | Unreadable)[]> {
  const { reader, venue, pools } = args
  if (pools.length === 0) return []
  const factory = toAddress(String(venue.factory))
  const results = await reader.storage([
    ...Object.values(factorySlots).map((slot) => ({ address: factory, slot })),
    ...pools.flatMap(({ address }) => [
      ...Object.values(poolSlots).map((slot) => ({ address, slot })),
      { address: factory, slot: toWord(mappingSlot(BigInt(address), slots.customFee)) },
    ]),
  ])
  const common = results.slice(0, Object.keys(factorySlots).length)
  return pools.map((pool, index) => {
    const from = common.length + index * wordsPerPool
    const poolResults = [...common, ...results.slice(from, from + wordsPerPool)]
    const failed = poolResults.find((result) => !result.ok)
    const state = failed && !failed.ok ? failed.message : toState(pool, factory, poolResults)
    if (typeof state !== 'string') return { pool, state, partial: false }
    return { protocol: slug, subject: pool.id, message: state }
  })
}

/** @returns a sentence where the contract is not the pool. */
function toState(
  { tokens, parameters }: Pool,
  factory: Address,
  results: readonly ReadResult[],
): VelodromeState | string {
  const words = results.map((result) => (result.ok ? result.value : '0x0'))
  const values = words.map(BigInt)
  const [paused = 0n, stableFee = 0n, volatileFee = 0n, kind = 0n] = values
  const [unit0 = 0n, unit1 = 0n, reserve0 = 0n, reserve1 = 0n, customFee = 0n] = values.slice(7)
  const [token0, token1, maker] = words.slice(4, 7).map((word) => addressInWord(word))
  if (maker !== factory || token0 !== tokens[0] || token1 !== tokens[1]) {
    return 'The contract is no pool of the factory with these tokens.'
  }
  const isStable = BigInt.asUintN(8, kind >> 160n) !== 0n
  if (parameters.stable !== isStable) return `The pool is ${isStable ? '' : 'not '}stable.`
  const usual = isStable ? stableFee : volatileFee
  return {
    isStable,
    reserve0,
    reserve1,
    unit0,
    unit1,
    feeBps: customFee === noFee ? 0n : customFee === 0n ? usual : customFee,
    isPaused: BigInt.asUintN(8, paused) !== 0n,
  }
}
