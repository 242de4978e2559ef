import { describe, expect, test } from 'vitest'
import type { Address } from '../../domain/primitives.js'
import type { Pool } from '../../protocols/pool.js'
import type { ConcentratedState } from '../../protocols/shared/concentrated/swap.js'
import { uniswapV3 } from '../../protocols/uniswap-v3/index.js'
import { boundedPool, directionKey } from './bounded.js'
import { type MarketPool, MarketView } from './market-view.js'

const [a, b]: [Address, Address] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`]
const pool: Pool = {
  protocol: 'uniswap-v3',
  id: `0x${'1'.repeat(40)}`,
  address: `0x${'1'.repeat(40)}`,
  tokens: [a, b],
  parameters: { fee: 3_000, tickSpacing: 60 },
}
const state: ConcentratedState = {
  sqrtPriceX96: 2n ** 96n,
  tick: 0,
  liquidity: 10n ** 21n,
  feePips: [3_000n, 3_000n],
  tickSpacing: 60,
  ticks: [],
  liquidityNets: [],
  lowerTick: -15_360,
  upperTick: 15_300,
}
const free: MarketPool = { adapter: uniswapV3, loaded: { pool, state, partial: true } }
const there = { tokenIn: a, tokenOut: b }
const most = 10n ** 18n
const bounded = boundedPool(free, new Map([[directionKey(there), most]]))

const swapIn = ({ adapter, loaded }: MarketPool, amount: bigint, from = loaded.state) =>
  adapter.swaps.swap(pool, from, there, amount)

describe('boundedPool', () => {
  test('a swap up to the bound is that of the pool, and one beyond it gives nothing, to the unit', () => {
    const [own, same] = [free, bounded].map((one) => swapIn(one, most))
    expect(same).toMatchObject({ amountOut: own?.amountOut, exact: true })
    expect(own?.amountOut).toBeGreaterThan(0n)
    expect(swapIn(bounded, most + 1n)).toMatchObject({ amountOut: 0n, exact: true })
  })

  test('what a swap takes is gone for the next one', () => {
    const after = swapIn(bounded, (most * 3n) / 4n).after()
    const left = most / 4n
    expect(swapIn(bounded, left, after).amountOut).toBe(swapIn(free, left, after).amountOut)
    expect(swapIn(bounded, left + 1n, after).amountOut).toBe(0n)
    // The state before it has all of it still.
    expect(swapIn(bounded, most).amountOut).toBeGreaterThan(0n)
  })

  test('estimates end where quotes do', () => {
    const estimate = bounded.adapter.swaps.estimator?.(pool, state, there)
    const own = free.adapter.swaps.estimator?.(pool, state, there)
    expect(estimate?.(Number(most))).toBe(own?.(Number(most)))
    expect(estimate?.(Number(most) * 1.001)).toBe(0)
  })

  test('the other direction has no bound', () => {
    const back = { tokenIn: b, tokenOut: a }
    const [own, same] = [free, bounded].map(({ adapter }) =>
      adapter.swaps.swap(pool, state, back, most * 100n),
    )
    expect(own?.amountOut).toBeGreaterThan(0n)
    expect(same?.amountOut).toBe(own?.amountOut)
  })

  test('a view knows each bound as a pool of its own', () => {
    const view = new MarketView({ pools: [free] })
    const smaller = boundedPool(free, new Map([[directionKey(there), most / 2n]]))
    const withMost = view.with(new Map([[free, bounded]]))
    expect(withMost.pools).toEqual([bounded])
    expect(view.with(new Map([[free, bounded]]))).toBe(withMost)
    expect(view.with(new Map([[free, smaller]])).pools).toEqual([smaller])
  })
})
