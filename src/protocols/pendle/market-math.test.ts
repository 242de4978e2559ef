import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Pool } from '../pool.js'
import { afterTrade, type MarketState, tradeOf } from './market-math.js'
import { ptForExactSy } from './router-search.js'
import { type PendleState, swapIn } from './state.js'

const one = 10n ** 18n
const year = 31_536_000n
const market: MarketState = {
  kind: 'market',
  totalPt: 1_000_000n * one,
  totalSy: 900_000n * one,
  totalLp: 940_000n * one,
  scalarRoot: 60n * one,
  expiry: 1_800_000_000n,
  lnFeeRateRoot: 5n * 10n ** 15n,
  reserveFeePercent: 80n,
  lastLnImpliedRate: 8n * 10n ** 16n,
  index: (11n * one) / 10n,
  time: 1_800_000_000n - year / 2n,
}
const [pt, sy] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`] as const
const pool: Pool = { protocol: 'pendle', id: pt, address: pt, tokens: [pt, sy], parameters: {} }
const swap = (state: PendleState, isForward: boolean, amountIn: bigint) =>
  swapIn(
    pool,
    state,
    isForward ? { tokenIn: pt, tokenOut: sy } : { tokenIn: sy, tokenOut: pt },
    amountIn,
  )
const sellPt = (state: PendleState, amountIn: bigint) => swap(state, true, amountIn)
const buyPt = (state: PendleState, amountIn: bigint) => swap(state, false, amountIn)

const amounts = fc.bigInt({ min: 10n ** 6n, max: 300_000n * one })
const states = fc.record({
  totalPt: fc.bigInt({ min: 10n ** 22n, max: 10n ** 25n }),
  share: fc.integer({ min: 20, max: 90 }),
  lnRate: fc.bigInt({ min: 10n ** 16n, max: 4n * 10n ** 17n }),
  days: fc.integer({ min: 1, max: 700 }),
})
function stateOf({
  totalPt,
  share,
  lnRate,
  days,
}: {
  totalPt: bigint
  share: number
  lnRate: bigint
  days: number
}): MarketState {
  const asset = (totalPt * BigInt(100 - share)) / BigInt(share)
  return {
    ...market,
    totalPt,
    totalSy: (asset * one) / market.index,
    lastLnImpliedRate: lnRate,
    time: market.expiry - BigInt(days) * 86_400n,
  }
}

describe('a market', () => {
  test('prices a little PT by the implied yield, less the fee', () => {
    // Half a year at 8 %, and a fee of 0.5 % a year.
    const price = Math.exp(-0.04) / 1.1
    const paid = Number(sellPt(market, one).amountOut) / 1e18
    expect(paid / price).toBeCloseTo(Math.exp(-0.0025), 6)
    const bought = Number(buyPt(market, one).amountOut) / 1e18
    expect(bought * price).toBeLessThanOrEqual(Math.exp(-0.0025) + 1e-6)
    expect(bought * price).toBeGreaterThan(Math.exp(-0.0025) * (1 - 6e-5))
  })

  test('keeps a fifth of the fee, and gives the rest away', () => {
    const trade = tradeOf(market, -1_000n * one)
    expect(trade.toReserve).toBeGreaterThan(0n)
    expect((trade.toReserve * 100n) / trade.fee).toBe(80n)
    const after = afterTrade(market, -1_000n * one, trade)
    expect(after.totalPt).toBe(market.totalPt + 1_000n * one)
    expect(after.totalSy).toBe(market.totalSy - trade.sy - trade.toReserve)
    expect(after.lastLnImpliedRate).toBeGreaterThan(market.lastLnImpliedRate)
  })

  test('property: what is bought and sold at once never comes back as more', () => {
    fc.assert(
      fc.property(states, amounts, (one, amountIn) => {
        const state = stateOf(one)
        const bought = buyPt(state, amountIn)
        const sold = sellPt(bought.after(), bought.amountOut || 1n)
        if (bought.amountOut > 0n) expect(sold.amountOut).toBeLessThan(amountIn)
      }),
    )
  })

  test('property: what the router buys costs the SY, or a little less', () => {
    fc.assert(
      fc.property(states, amounts, (one, amountIn) => {
        const state = stateOf(one)
        const { amountOut } = buyPt(state, amountIn)
        if (amountOut === 0n) return
        expect(ptForExactSy(state, amountIn)).toBe(amountOut)
        const cost = -tradeOf(state, amountOut).sy
        expect(cost).toBeLessThanOrEqual(amountIn)
        expect(cost * 100_000n).toBeGreaterThanOrEqual(amountIn * 99_995n - 100_000n)
      }),
    )
  })

  test('property: more in gives no less out', () => {
    fc.assert(
      fc.property(states, amounts, fc.boolean(), (one, amountIn, isForward) => {
        const state = stateOf(one)
        const [less, more] = [amountIn, 2n * amountIn].map(
          (x) => swap(state, isForward, x).amountOut,
        )
        if (less && more) expect(more).toBeGreaterThan(less)
      }),
    )
  })

  test('takes nothing that it cannot serve, and stays as it was', () => {
    const dust = 10n
    for (const [state, isForward, amountIn] of [
      [{ ...market, time: market.expiry }, true, one],
      [{ ...market, time: market.expiry }, false, one],
      [market, true, 100_000_000n * one],
      [market, false, 100_000_000n * one],
      [market, true, dust],
      [market, false, dust],
      [{ ...market, totalPt: 0n }, true, one],
      [market, true, 0n],
    ] as const) {
      const { amountOut, after } = swap(state, isForward, amountIn)
      expect([amountOut, after()]).toEqual([0n, state])
    }
    expect(swapIn(pool, market, { tokenIn: pt, tokenOut: pt }, one).amountOut).toBe(0n)
  })
})

describe('a redemption', () => {
  const state: PendleState = { kind: 'redemption', supply: 100n * one, index: (125n * one) / 100n }
  test('pays the asset in SY, no more than there is PT, and makes no PT', () => {
    const { amountOut, after } = sellPt(state, 10n * one)
    expect(amountOut).toBe(8n * one)
    expect(after()).toEqual({ ...state, supply: 90n * one })
    expect(sellPt(state, 3n).amountOut).toBe(2n)
    expect(sellPt(state, 100n * one + 1n).amountOut).toBe(0n)
    expect(buyPt(state, one).amountOut).toBe(0n)
  })
})

describe('an SY', () => {
  const rate = { numerator: 3n, denominator: 2n }
  const state: PendleState = {
    kind: 'yield',
    supply: 100n,
    deposit: { ...rate, isProven: true },
    redeem: { ...rate, isProven: false },
  }
  test('converts in proportion, rounded down, and tells what is proven', () => {
    expect(sellPt(state, 5n)).toMatchObject({ amountOut: 7n, exact: true })
    expect(sellPt(state, 2n ** 101n).exact).toBe(false)
    expect(sellPt(state, 5n).after()).toEqual({ ...state, supply: 107n })
    expect(buyPt(state, 5n)).toMatchObject({ amountOut: 7n, exact: false })
    expect(buyPt(state, 5n).after()).toEqual({ ...state, supply: 95n })
  })
  test('pays no more than there is of it, and not what it does not pay', () => {
    expect(buyPt(state, 101n)).toMatchObject({ amountOut: 0n })
    expect(buyPt(state, 101n).after()).toBe(state)
    expect(buyPt({ ...state, redeem: null }, 5n)).toMatchObject({ amountOut: 0n })
    expect(sellPt({ ...state, deposit: null }, 5n)).toMatchObject({ amountOut: 0n })
  })
})
