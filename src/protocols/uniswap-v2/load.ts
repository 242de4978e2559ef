/**
 * State of pairs in one bulk read of raw storage: reserves, and what the value of their shares depends on. Of pairs with a
 * token whose balances change by themselves also what they hold, since they may count on more.
 */
import { encodeFunctionData, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { zip } from '../../domain/lists.js'
import { type Address, bpsDenominator, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import { readAll } from '../shared/read-all.js'
import { readWord } from '../shared/read-word.js'
import { toWord } from '../shared/storage-slots.js'
import type { LiquidityState } from './liquidity.js'
import type { UniswapV2State } from './math.js'
import { isSharesPool, reservesSlot } from './pairs.js'

/** Pair storage. */
const slots = { totalSupply: toWord(0n), reserves: reservesSlot, kLast: toWord(11n) }
/** Factory storage. */
const feeToSlot = toWord(0n)
const [balanceOfAbi] = parseAbi(['function balanceOf(address) view returns (uint256)'])

export async function loadPairs(args: {
  readonly slug: string
  readonly reader: StateReader
  readonly venue: VenueParameters
  readonly pools: readonly Pool[]
  /** Tokens whose balances change by themselves; absent: none. */
  readonly rebasing?: ReadonlySet<Address>
}): Promise<(LoadedPool<UniswapV2State | LiquidityState> | Unreadable)[]> {
  const { slug, reader, venue, pools } = args
  const factory = toAddress(String(venue.factory))
  const groups = pools.map((pool) => readsOf(pool, factory))
  const reads = groups.flat()
  const [results, holdings] = await Promise.all([
    reads.length === 0 ? [] : reader.storage(reads),
    holdingsOf(args),
  ])
  let from = 0
  return pools.map((pool, index) => {
    const pairResults = results.slice(from, from + (groups[index]?.length ?? 0))
    from += pairResults.length
    const unreadable = (message: string) => ({ protocol: slug, subject: pool.id, message })
    if (!isFee(pool.parameters.feeBps)) return unreadable('The pool lacks the parameter feeBps.')
    const failed = pairResults.find((result) => !result.ok)
    if (failed && !failed.ok) return unreadable(failed.message)
    const state = toState(pairResults)
    const held = holdings.get(pool)
    return { pool, state: held ? countingOn(state, held) : state, partial: false }
  })
}

/** What pairs hold of token0 and token1, raw units. Without those that hold no such token, or cannot be read. */
async function holdingsOf({
  reader,
  pools,
  rebasing,
}: Pick<Parameters<typeof loadPairs>[0], 'reader' | 'pools' | 'rebasing'>): Promise<
  ReadonlyMap<Pool, readonly [bigint, bigint]>
> {
  const asked = pools.filter(({ tokens }) => tokens.slice(0, 2).some((one) => rebasing?.has(one)))
  const calls = asked.map(({ address, tokens }) => {
    const data = encodeFunctionData({ abi: [balanceOfAbi], args: [address] })
    return tokens.slice(0, 2).map((to) => ({ to, data }))
  })
  return new Map(
    zip(asked, await readAll(reader, calls)).flatMap(([pool, results]) => {
      const [held0, held1] = results.map(readWord)
      return isKnown(held0) && isKnown(held1) ? [[pool, [held0, held1]] as const] : []
    }),
  )
}

/** The state after `sync`, where the pair counts on more than it holds; else the same. */
function countingOn<State extends UniswapV2State>(
  state: State,
  [reserve0, reserve1]: readonly [bigint, bigint],
): State {
  const isShort = reserve0 < state.reserve0 || reserve1 < state.reserve1
  return isShort ? { ...state, reserve0, reserve1, isShort } : state
}

function isKnown(value: bigint | null | undefined): value is bigint {
  return value !== null && value !== undefined
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
