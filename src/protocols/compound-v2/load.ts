import type { VenueParameters } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import { readWord } from '../shared/read-word.js'
import { encodeRead, type Getter } from './abi.js'
import { comptrollerOf, describeMarkets } from './markets.js'
import { accrued, exchangeRate, type MarketState, type StoredMarket } from './math.js'

const getters = [
  'getCash',
  'totalBorrows',
  'totalReserves',
  'totalSupply',
  'reserveFactorMantissa',
  'accrualBlockNumber',
  'borrowRatePerBlock',
  'exchangeRateStored',
] as const satisfies readonly Getter[]

interface Args {
  readonly reader: StateReader
  readonly venue: VenueParameters
  readonly pools: readonly Pool[]
}

/** The stored state of markets, in the order asked; a message for one that returns it only in part. */
export async function readMarkets(
  reader: StateReader,
  markets: readonly Address[],
): Promise<(StoredMarket | { readonly message: string })[]> {
  const results = await reader.call(
    markets.flatMap((to) => getters.map((name) => ({ to, data: encodeRead(name) }))),
  )
  return markets.map((_market, index) =>
    toStored(results.slice(index * getters.length, (index + 1) * getters.length)),
  )
}

function toStored(results: readonly ReadResult[]): StoredMarket | { readonly message: string } {
  const words = results.map(readWord)
  const missing = words.indexOf(null)
  if (missing >= 0) {
    const result = results[missing]
    const reason = result && !result.ok ? result.message : 'it answered something else'
    return { message: `${getters[missing]} could not be read: ${reason}.` }
  }
  const [cash, borrows, reserves, supply, reserveFactor, accruedAt, borrowRate, emptyRate] =
    words as bigint[]
  return { cash, borrows, reserves, supply, reserveFactor, accruedAt, borrowRate, emptyRate } as {
    [K in keyof StoredMarket]: bigint
  }
}

/**
 * Interest is counted until the block after the pinned one, in which a transaction would run. What the market says of
 * its rate at the block proves the counting; a node's calls may see either block.
 */
export async function loadMarkets({
  reader,
  venue,
  pools,
}: Args): Promise<(LoadedPool<MarketState> | Unreadable)[]> {
  const addresses = pools.map(({ address }) => address)
  const comptroller = comptrollerOf(venue)
  const [stored, described, rates, paused] = await Promise.all([
    readMarkets(reader, addresses),
    describeMarkets(reader, addresses),
    reader.call(addresses.map((to) => ({ to, data: encodeRead('exchangeRateCurrent') }))),
    reader.call(
      addresses.map((market) => ({
        to: comptroller,
        data: encodeRead('mintGuardianPaused', [market]),
      })),
    ),
  ])
  const block = reader.block.number
  return pools.map((pool, index) => {
    const market = stored[index]
    const facts = described[index]
    if (!market || 'message' in market)
      return unreadablePool(pool, market?.message ?? 'It was not read.')
    if (!facts || 'message' in facts)
      return unreadablePool(pool, facts?.message ?? 'It was not read.')
    if (pool.tokens[0] !== facts.underlying || pool.tokens[1] !== pool.address) {
      return unreadablePool(pool, 'A market has two tokens: its underlying, and itself.')
    }
    const totals = accrued(market, block + 1n)
    const statedRate = readWord(rates[index])
    const isProven = [totals, accrued(market, block)].some((at) => exchangeRate(at) === statedRate)
    const isMintPaused = readWord(paused[index]) === 1n
    return { pool, state: { ...totals, isMintPaused, isProven }, partial: !isProven }
  })
}
