import { describe, expect, test } from 'vitest'
import { syntheticMarket } from '../../../test/support/synthetic-market.js'
import type { Address } from '../../domain/primitives.js'
import { type MarketPool, MarketView } from '../market/market-view.js'
import { findCandidates } from './candidates.js'
import { applyHop, hopSwap, type PoolStates } from './flow.js'
import { TokenGraph } from './graph.js'
import type { Path } from './path.js'
import { findPaths, type SearchArgs } from './search.js'

const gasUnit = 1_000_000n
/** Not one of the market's tokens: nothing is wrapped. */
const noToken: Address = '0x0000000000000000000000000000000000000001'

/** The best of all paths by brute force, after gas; null: there is none. */
function bestOfAll(args: SearchArgs, pools: readonly MarketPool[]): bigint | null {
  const holding = (token: Address) =>
    pools.filter(({ loaded }) => loaded.pool.tokens.includes(token))
  let best: bigint | null = null
  const walk = (token: Address, amount: bigint, gas: bigint, visited: readonly Address[]) => {
    if (token === args.tokenOut) {
      const net = amount - (gas * (args.gasCostOut ?? 0n)) / gasUnit
      if (best === null || net > best) best = net
      return
    }
    for (const market of holding(token)) {
      const { pool, state } = market.loaded
      for (const next of pool.tokens) {
        const isLast = visited.length === args.maxHops
        if (visited.includes(next) || (isLast && next !== args.tokenOut)) continue
        const { amountOut } = market.adapter.swaps.swap(
          pool,
          state,
          { tokenIn: token, tokenOut: next },
          amount,
        )
        if (amountOut === 0n) continue
        walk(next, amountOut, gas + market.adapter.swaps.gasEstimate(pool, state), [
          ...visited,
          next,
        ])
      }
    }
  }
  walk(args.tokenIn, args.amountIn, 0n, [args.tokenIn])
  return best
}

function searchesOf(poolCount: number, seed: number, count: number, share?: number) {
  const market = syntheticMarket(poolCount, seed, share)
  // A view of its own: nothing is remembered of it.
  const view = new MarketView({ pools: market.pools })
  return market.requests(count).map((request) => ({
    market,
    args: {
      ...request,
      market: view,
      maxHops: 3,
      wrappedNative: noToken,
      gasCostIn: market.gasCost(request.tokenIn),
      gasCostOut: market.gasCost(request.tokenOut),
    },
  }))
}

describe('findPaths', () => {
  test('finds the best path of all in at least 99.5 % of seeded markets, and never misses that there is one', () => {
    const cases = [12, 30, 60].flatMap((size) =>
      Array.from({ length: 8 }, (_, index) => searchesOf(size, size * 100 + index, 16, 0.15)),
    )
    const found = cases.flat().map(({ market, args }) => {
      const best = bestOfAll(args, market.pools)
      const [path] = findPaths(args)
      expect(path === undefined).toBe(best === null)
      if (!path || best === null) return true
      return path.amountOut - (path.gas * (args.gasCostOut ?? 0n)) / gasUnit === best
    })
    const hits = found.filter(Boolean).length
    expect(hits / found.length, `${hits} of ${found.length}`).toBeGreaterThanOrEqual(0.995)
  })

  test('with four swaps allowed the best path is never worse than with three, and better where a fourth brings 1 %', () => {
    const cases = [12, 24].flatMap((size) =>
      Array.from({ length: 8 }, (_, index) => searchesOf(size, size * 100 + index, 8, 0.4)),
    )
    let better = 0
    let missed = 0
    for (const { market, args } of cases.flat()) {
      const netOf = (path: Path | undefined) =>
        path ? path.amountOut - (path.gas * (args.gasCostOut ?? 0n)) / gasUnit : null
      const [three] = findPaths(args)
      const [four] = findPaths({ ...args, maxHops: 4 })
      const best = bestOfAll({ ...args, maxHops: 4 }, market.pools)
      const [shorter, longer] = [netOf(three), netOf(four)]
      expect(longer === null).toBe(best === null)
      if (longer === null || best === null) continue
      if (shorter !== null) expect(longer).toBeGreaterThanOrEqual(shorter)
      if (shorter !== null && best * 100n <= shorter * 101n) continue
      if (longer === best) better++
      else missed++
    }
    expect(better).toBeGreaterThan(10)
    expect(missed).toBeLessThan(better / 10)
  })

  test('with four swaps allowed it asks less than twice the quotes of three', () => {
    let quotes = 0
    const isAllowed = () => {
      quotes++
      return true
    }
    const quotesWith = (maxHops: number) => {
      quotes = 0
      for (const { args } of searchesOf(60, 6, 48, 0.1)) findPaths({ ...args, maxHops, isAllowed })
      return quotes
    }
    expect(quotesWith(4) / quotesWith(3)).toBeLessThan(2)
  })

  test('the best path of all pools is never more than 0.1 bps below that of some of them', () => {
    const restrictions: readonly ((market: MarketPool, place: number) => boolean)[] = [
      ({ adapter }) => adapter.slug !== 'uniswap-v2',
      ({ adapter }) => adapter.slug !== 'uniswap-v3',
      (_, place) => (place * 7) % 10 < 7,
      (_, place) => (place * 3) % 10 < 9,
    ]
    const cases = [12, 30, 60].flatMap((size) =>
      Array.from({ length: 8 }, (_, index) => searchesOf(size, size * 100 + index, 12, 0.15)),
    )
    let compared = 0
    for (const [index, { market, args }] of cases.flat().entries()) {
      const gasCost = Number(args.gasCostOut ?? 0n) / Number(gasUnit)
      const best = (maxHops: number, pools: readonly MarketPool[]) => {
        const [path] = findPaths({ ...args, maxHops, market: new MarketView({ pools }) })
        return path ? Number(path.amountOut) - Number(path.gas) * gasCost : null
      }
      for (const maxHops of [2, 3, 4]) {
        const free = best(maxHops, market.pools)
        for (const [k, isKept] of restrictions.entries()) {
          const kept = market.pools.filter((pool, place) => isKept(pool, place + index))
          const restricted = best(maxHops, kept)
          if (restricted === null || free === null) {
            expect(restricted, `request ${index}, restriction ${k}`).toBeNull()
            continue
          }
          const bps = ((restricted - free) / Math.abs(free)) * 1e4
          expect(bps, `request ${index}, ${maxHops} swaps, restriction ${k}`).toBeLessThan(0.1)
          compared++
        }
      }
    }
    expect(compared).toBeGreaterThan(1_000)
  })

  test('in a large market the best paths are no worse than where all are looked at, however few are enough', () => {
    const searches = searchesOf(1_200, 6, 24)
    const pools = searches[0]?.market.pools ?? []
    const small = new MarketView({ pools })
    Object.assign(small.memory(TokenGraph), { isLarge: false })
    for (const { args } of searches) {
      expect(args.market.memory(TokenGraph).isLarge).toBe(true)
      const net = ({ amountOut, gas }: Path) =>
        amountOut - (gas * (args.gasCostOut ?? 0n)) / gasUnit
      const all = findPaths({ ...args, market: small })
      for (const enough of [1, 24, undefined]) {
        const best = findPaths({ ...args, enough })
        expect(best.length).toBe(Math.min(enough ?? 128, all.length))
        for (const [place, path] of best.entries()) {
          expect(net(path)).toBeGreaterThanOrEqual(net(all[place] as Path))
        }
      }
    }
  })

  test('a market of a thousand pools: within the pools that it may use, the same paths for the same market in any state of use', () => {
    const [first, ...others] = searchesOf(1_000, 5, 12)
    if (!first) throw new Error('no request')
    const { market, args } = first
    const fresh = findPaths(args).map(({ key }) => key)
    expect(fresh.length).toBeGreaterThan(0)
    for (const other of others) findPaths({ ...other.args, market: args.market })
    expect(findPaths(args).map(({ key }) => key)).toEqual(fresh)
    const isAllowed = ({ adapter }: MarketPool) => adapter.slug === 'uniswap-v2'
    const own = findPaths({ ...args, isAllowed })
    const alone = new MarketView({ pools: market.pools.filter(isAllowed) })
    expect(own.length).toBeGreaterThan(0)
    expect(own[0]?.key).toBe(findPaths({ ...args, market: alone })[0]?.key)
  })

  test('asked for the best few above an amount, it finds none worse than a search for all does, in changed states too', () => {
    const cases = [30, 60, 300].flatMap((size) => searchesOf(size, size, 24, 0.15))
    let compared = 0
    for (const { args } of cases) {
      const [first] = findPaths(args)
      if (!first) continue
      const states: PoolStates = new Map()
      let amount = args.amountIn
      for (const hop of first.hops) {
        const swap = hopSwap(hop, states, amount)
        applyHop(hop, swap, states)
        amount = swap.amountOut
      }
      for (const where of [{}, { states }]) {
        const slice = { ...args, ...where, amountIn: args.amountIn / 16n + 1n }
        const all = findPaths(slice)
        const moreThan = Number(all[all.length >> 1]?.amountOut ?? 0n)
        const net = ({ amountOut, gas }: Path) =>
          Number(amountOut) - (Number(gas) * Number(args.gasCostOut ?? 0n)) / Number(gasUnit)
        const above = all.filter(({ amountOut }) => Number(amountOut) > moreThan)
        const few = findPaths({ ...slice, wanted: { count: 3, moreThan } })
        expect(few.length).toBeLessThanOrEqual(3)
        expect(few.length).toBeGreaterThanOrEqual(Math.min(above.length, 3))
        for (const [place, path] of few.entries()) {
          const other = above[place]
          expect(Number(path.amountOut)).toBeGreaterThan(moreThan)
          if (other) expect(net(path)).toBeGreaterThanOrEqual(net(other))
        }
        compared++
      }
    }
    expect(compared).toBeGreaterThan(100)
  })

  test('told to stop, it gives what it has, after at least one path, and asks far fewer quotes', () => {
    const [search] = searchesOf(1_000, 5, 1)
    if (!search) throw new Error('no request')
    const { args, market } = search
    let quotes = 0
    const isAllowed = () => {
      quotes++
      return true
    }
    const all = findPaths({ ...args, isAllowed })
    const whole = quotes
    quotes = 0
    const some = findPaths({ ...args, isAllowed, shouldStop: () => true })
    expect(some.length).toBeGreaterThan(0)
    expect(some.length).toBeLessThan(all.length)
    expect(quotes).toBeLessThan(whole / 5)
    const candidates = {
      market: market.view,
      wrappedNative: args.wrappedNative,
      inputs: [{ token: args.tokenIn, amount: args.amountIn }],
      tokensOut: [args.tokenOut],
      maxHops: 3,
      count: 24,
      gasCost: market.gasCost,
    }
    expect(findCandidates({ ...candidates, shouldStop: () => true }).wasCut).toBe(true)
    expect(findCandidates({ ...candidates, shouldStop: () => false }).wasCut).toBe(false)
  })
})

describe('MarketView', () => {
  test('the graph of a view is built once, and each view has its own', () => {
    const { pools } = syntheticMarket(20, 1)
    const view = new MarketView({ pools })
    expect(view.memory(TokenGraph)).toBe(view.memory(TokenGraph))
    expect(new MarketView({ pools }).memory(TokenGraph)).not.toBe(view.memory(TokenGraph))
  })
})
