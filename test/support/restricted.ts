/**
 * What a request gets over all pools of a random market, beside what it gets over some of them: to have more pools must
 * not cost anything.
 */
import type { Address } from '../../src/domain/primitives.js'
import { type MarketPool, MarketView } from '../../src/routing/market/market-view.js'
import { findCandidates } from '../../src/routing/search/candidates.js'
import {
  type SyntheticMarket,
  type SyntheticRequest,
  seeded,
  syntheticMarket,
} from './synthetic-market.js'

export interface Lead {
  /** Of the market. */
  readonly seed: number
  /** The place of the request among those of the market. */
  readonly request: number
  /** Which pools are left out. */
  readonly without: string
  /** What some of the pools give more than all of them, after gas; negative where they give less. */
  readonly bps: number
}

const venues = ['uniswap-v2', 'uniswap-v3', 'curve'] as const
/** Part of the pools that a random restriction leaves out. */
const randomPart = 0.3
const gasUnit = 1e6
/** Not one of the market's tokens: nothing is wrapped. */
const noToken: Address = '0x0000000000000000000000000000000000000001'

/** Leads of the pools without one venue each, and of those without some at random, for all requests of one market. */
export function leadsOfRestricted(seed: number, requests: number): Lead[] {
  const market = syntheticMarket(60, seed, 0.15)
  const random = seeded(seed)
  const restrictions: readonly (readonly [string, (pool: MarketPool) => boolean])[] = [
    ...venues.map((venue) => [venue, ({ adapter }: MarketPool) => adapter.slug !== venue] as const),
    ['pools at random', () => random() >= randomPart],
  ]
  const restricted = restrictions.map(([without, isKept]) => ({
    without,
    view: new MarketView({ pools: market.pools.filter(isKept) }),
  }))
  return market.requests(requests).flatMap((request, place) => {
    const free = netOf(market, market.view, request)
    if (free === null) return []
    return restricted.flatMap(({ without, view }) => {
      const net = netOf(market, view, request)
      if (net === null) return []
      return { seed, request: place, without, bps: ((net - free) / Math.abs(free)) * 1e4 }
    })
  })
}

/** Raw units of tokenOut after gas; null where there is no route. */
function netOf(
  { gasCost }: SyntheticMarket,
  view: MarketView,
  { tokenIn, tokenOut, amountIn }: SyntheticRequest,
): number | null {
  const { candidates } = findCandidates({
    market: view,
    wrappedNative: noToken,
    inputs: [{ token: tokenIn, amount: amountIn }],
    tokensOut: [tokenOut],
    maxHops: 3,
    count: 24,
    gasCost,
  })
  const gasPrice = Number(gasCost(tokenOut) ?? 0n) / gasUnit
  const nets = candidates.map(({ amountOut, gas }) => Number(amountOut) - Number(gas) * gasPrice)
  return nets.length ? Math.max(...nets) : null
}
