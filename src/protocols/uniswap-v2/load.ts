/** State of pairs in one bulk read of raw storage: reserves, and what the value of their shares depends on. */
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, bpsDenominator, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import { toWord } from '../shared/storage-slots.js'
import type { LiquidityState } from './liquidity.js'
import type { UniswapV2State } from './math.js'
import { isSharesPool, reservesSlot } from './pairs.js'

/** Pair storage. */
const slots = { totalSupply: toWord(0n), reserves: reservesSlot, kLast: toWord(11n) }
/** Factory storage. */
const feeToSlot = toWord(0n)

export async function loadPairs(args: {
  readonly slug: string
  readonly reader: StateReader
  readonly venue: VenueParameters
  readonly pools: readonly Pool[]
}): Promise<(LoadedPool<UniswapV2State | LiquidityState> | Unreadable)[]> {
  const { slug, reader, venue, pools } = args
  const factory = toAddress(String(venue.factory))
  const groups = pools.map((pool) => readsOf(pool, factory))
  const reads = groups.flat()
  const results = reads.length === 0 ? [] : await reader.storage(reads)
  let from = 0
  return pools.map((pool, index) => {
    const pairResults = results.slice(from, from + (groups[index]?.length ?? 0))
    from += pairResults.length
    const unreadable = (message: string) => ({ protocol: slug, subject: pool.id, message })
    if (!isFee(pool.parameters.feeBps)) return unreadable('The pool lacks the parameter feeBps.')
    const failed = pairResults.find((result) => !result.ok)
    if (failed && !failed.ok) return unreadable(failed.message)
    return { pool, state: toState(pairResults), partial: false }
  })
}

function readsOf(pool: Pool, factory: Address) {
  const { address } = pool
  const reserves = { address, slot: slots.reserves }
  if (!isSharesPool(pool)) return [reserves]
  return [
    reserves,
    { address, slot: slots.totalSupply },
    { address, slot: slots.kLast },
    { address: factory, slot: feeToSlot },
  ]
}

function toState(results: readonly ReadResult[]): UniswapV2State | LiquidityState {
  const [word = 0n, totalSupply, kLast = 0n, feeTo = 0n] = results.map((result) =>
    result.ok ? BigInt(result.value) : 0n,
  )
  const reserves = {
    reserve0: BigInt.asUintN(112, word),
    reserve1: BigInt.asUintN(112, word >> 112n),
  }
  if (totalSupply === undefined) return reserves
  return { ...reserves, totalSupply, kLast, isFeeOn: feeTo !== 0n }
}

function isFee(feeBps: unknown): boolean {
  return Number.isInteger(feeBps) && Number(feeBps) >= 0 && Number(feeBps) <= bpsDenominator
}
