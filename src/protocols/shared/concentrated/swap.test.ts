import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ConcentratedState, concentratedSwap, isBeyondKnown } from './swap.js'
import { maxTick, minTick, sqrtPriceAtTick, tickAtSqrtPrice } from './tick-math.js'

interface Position {
  readonly lower: number
  readonly upper: number
  readonly liquidity: bigint
}

/** A pool whose state is known everywhere. */
function poolOf(
  positions: readonly Position[],
  sqrtPriceX96: bigint,
  tickSpacing: number,
  feePips: bigint,
): ConcentratedState {
  const nets = new Map<number, bigint>()
  const tick = tickAtSqrtPrice(sqrtPriceX96)
  let liquidity = 0n
  for (const position of positions) {
    nets.set(position.lower, (nets.get(position.lower) ?? 0n) + position.liquidity)
    nets.set(position.upper, (nets.get(position.upper) ?? 0n) - position.liquidity)
    if (position.lower <= tick && tick < position.upper) liquidity += position.liquidity
  }
  const entries = [...nets].sort(([a], [b]) => a - b)
  return {
    sqrtPriceX96,
    tick,
    liquidity,
    feePips: [feePips, feePips],
    tickSpacing,
    ticks: entries.map(([at]) => at),
    liquidityNets: entries.map(([, net]) => net),
    lowerTick: minTick,
    upperTick: maxTick,
  }
}

const pools = fc
  .record({
    tickSpacing: fc.constantFrom(1, 10, 60, 200),
    feePips: fc.constantFrom(100n, 500n, 3_000n, 10_000n),
    center: fc.integer({ min: -3_000, max: 3_000 }),
    offset: fc.bigInt({ min: 0n, max: 1n << 70n }),
    ranges: fc.array(
      fc.tuple(
        fc.integer({ min: -60, max: 59 }),
        fc.integer({ min: 1, max: 60 }),
        fc.bigInt({ min: 10n ** 6n, max: 10n ** 24n }),
      ),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ tickSpacing, feePips, center, offset, ranges }) =>
    poolOf(
      ranges.map(([start, width, liquidity]) => ({
        lower: start * tickSpacing,
        upper: (start + width) * tickSpacing,
        liquidity,
      })),
      sqrtPriceAtTick(center) + offset,
      tickSpacing,
      feePips,
    ),
  )
const amounts = fc.oneof(
  fc.bigInt({ min: 1n, max: 10_000n }),
  fc.bigInt({ min: 1n, max: 10n ** 30n }),
)
const directions = fc.boolean()

const quoteOf = (state: ConcentratedState, zeroForOne: boolean, amountIn: bigint) => {
  const { amountOut, unspent, exact } = concentratedSwap(state, zeroForOne, amountIn)
  return { amountOut, unspent, exact }
}

const out = (state: ConcentratedState, zeroForOne: boolean, amountIn: bigint) =>
  concentratedSwap(state, zeroForOne, amountIn).amountOut

const fullRange = poolOf(
  [{ lower: -887_220, upper: 887_220, liquidity: 10n ** 21n }],
  1n << 96n,
  60,
  3_000n,
)

describe('concentratedSwap', () => {
  test('known vector: 1e18 into 1e21 of liquidity at price 1 and 0.3 % gives 996006981039903216', () => {
    expect(concentratedSwap(fullRange, true, 10n ** 18n)).toMatchObject({
      amountOut: 996006981039903216n,
      unspent: 0n,
      exact: true,
    })
    expect(out(fullRange, false, 10n ** 18n)).toBe(996006981039903216n)
  })
  test('a pool that was never initialised gives nothing', () => {
    const empty = { ...fullRange, sqrtPriceX96: 0n, liquidity: 0n, ticks: [], liquidityNets: [] }
    const nothing = { amountOut: 0n, unspent: 1n, exact: true }
    expect(concentratedSwap(empty, true, 1n)).toMatchObject(nothing)
    expect(concentratedSwap(empty, true, 1n).after()).toBe(empty)
  })
  test('more than the pool can take gives all of its reserves and ends', () => {
    const state = poolOf([{ lower: -60, upper: 60, liquidity: 10n ** 18n }], 1n << 96n, 60, 500n)
    const all = concentratedSwap(state, true, 10n ** 40n)
    expect(all.exact).toBe(true)
    const more = concentratedSwap(state, true, 10n ** 50n)
    expect(more.amountOut).toBe(all.amountOut)
    expect(more.unspent - all.unspent).toBe(10n ** 50n - 10n ** 40n)
    expect(concentratedSwap(state, true, 10n ** 40n).after()).toMatchObject({
      liquidity: 0n,
      tick: minTick,
    })
  })
  test('a swap past the known range is an estimate with constant liquidity', () => {
    const narrow = { ...fullRange, lowerTick: -60, upperTick: 60, ticks: [], liquidityNets: [] }
    expect(concentratedSwap(narrow, true, 10n ** 18n).exact).toBe(true)
    const estimate = concentratedSwap(narrow, true, 10n ** 20n)
    expect(estimate.exact).toBe(false)
    expect(Number(estimate.amountOut)).toBeCloseTo(Number(out(fullRange, true, 10n ** 20n)), -2)
  })
  test('an estimate that moves the price by a factor of 64 is none', () => {
    const blind = { ...fullRange, lowerTick: 1, upperTick: 0, ticks: [], liquidityNets: [] }
    for (const down of [true, false]) {
      // At price 1 the root moves eightfold for seven times the liquidity, of which 0.3 % more are the fee.
      const near = (7n * 10n ** 21n * 1_000n) / 997n
      expect(concentratedSwap(blind, down, near - 10n).amountOut).toBeGreaterThan(0n)
      const far = near + 10n
      const refused = { amountOut: 0n, unspent: far, exact: false }
      expect(concentratedSwap(blind, down, far)).toMatchObject(refused)
      // Where all is known, so far is as good as near.
      expect(concentratedSwap(fullRange, down, far)).toMatchObject({
        exact: true,
        unspent: 0n,
      })
      expect(out(fullRange, down, far)).toBeGreaterThan(0n)
    }
  })
  test('with an unknown range nothing is exact', () => {
    const blind = { ...fullRange, lowerTick: 1, upperTick: 0, ticks: [], liquidityNets: [] }
    expect(concentratedSwap(blind, true, 1_000n).exact).toBe(false)
    expect(concentratedSwap(blind, false, 1_000n).exact).toBe(false)
  })
  test('property: inside the known range the result does not depend on what lies beyond', () => {
    fc.assert(
      fc.property(pools, directions, amounts, fc.nat({ max: 4_000 }), (state, down, x, reach) => {
        const lowerTick = Math.floor((state.tick - reach) / 256 / state.tickSpacing)
        const upperTick = Math.floor((state.tick + reach) / 256 / state.tickSpacing) + 1
        const limits = {
          lowerTick: lowerTick * 256 * state.tickSpacing,
          upperTick: (upperTick * 256 - 1) * state.tickSpacing,
        }
        const inside = (tick: number) => tick >= limits.lowerTick && tick <= limits.upperTick
        const narrow = {
          ...state,
          ...limits,
          ticks: state.ticks.filter(inside),
          liquidityNets: state.liquidityNets.filter((_net, i) => inside(state.ticks[i] ?? 0)),
        }
        const quote = concentratedSwap(narrow, down, x)
        if (quote.exact) expect(quote.amountOut).toBe(out(state, down, x))
      }),
    )
  })
  test('property: more in never gives less out', () => {
    fc.assert(
      fc.property(pools, directions, amounts, amounts, (state, down, x, more) => {
        expect(out(state, down, x + more)).toBeGreaterThanOrEqual(out(state, down, x))
      }),
    )
  })
})

describe('isBeyondKnown', () => {
  const everywhere = poolOf(
    [{ lower: -9_000, upper: 9_000, liquidity: 10n ** 20n }],
    sqrtPriceAtTick(0),
    10,
    500n,
  )
  const [small, large] = [10n ** 18n, 10n ** 20n]

  test('a swap that ends past either end of the known range, and no smaller one', () => {
    const around = { ...everywhere, lowerTick: -2_560, upperTick: 2_550 }
    for (const zeroForOne of [true, false]) {
      expect(isBeyondKnown(around, zeroForOne, small)).toBe(false)
      expect(isBeyondKnown(around, zeroForOne, large)).toBe(true)
    }
  })

  test('none where all prices are known, whatever the pool can take, or the pool has no price', () => {
    for (const zeroForOne of [true, false]) {
      expect(isBeyondKnown(everywhere, zeroForOne, large)).toBe(false)
      expect(isBeyondKnown({ ...everywhere, sqrtPriceX96: 0n }, zeroForOne, large)).toBe(false)
    }
  })

  test('not because a fee may have changed', () => {
    const old = { ...everywhere, lowerTick: -2_560, upperTick: 2_550, isFeeOld: true }
    expect(concentratedSwap(old, true, small).exact).toBe(false)
    expect(isBeyondKnown(old, true, small)).toBe(false)
  })
})

describe('the state after a swap', () => {
  test('property: two swaps in a row never give more than one of the sum', () => {
    fc.assert(
      fc.property(pools, directions, amounts, amounts, (state, down, x, y) => {
        const split = out(state, down, x) + out(concentratedSwap(state, down, x).after(), down, y)
        expect(split).toBeLessThanOrEqual(out(state, down, x + y))
      }),
    )
  })
  test('property: there and back never gains', () => {
    fc.assert(
      fc.property(pools, directions, amounts, (state, down, x) => {
        const there = out(state, down, x)
        fc.pre(there > 0n)
        const back = out(concentratedSwap(state, down, x).after(), !down, there)
        expect(back).toBeLessThanOrEqual(x)
      }),
    )
  })
  test('property: the tick belongs to the price, the liquidity to the tick, and the input stays as it was', () => {
    fc.assert(
      fc.property(pools, directions, amounts, (state, down, x) => {
        const before = structuredClone(state)
        const after = concentratedSwap(state, down, x).after()
        expect(state).toEqual(before)
        const passed = state.ticks.filter((tick) => tick <= after.tick).length
        const nets = state.liquidityNets.slice(0, passed)
        expect(after.liquidity).toBe(nets.reduce((sum, net) => sum + net, 0n))
        const tick = tickAtSqrtPrice(after.sqrtPriceX96)
        // Right after crossing downwards the tick is one below that of the price.
        expect([tick, tick - 1]).toContain(after.tick)
      }),
    )
  })
})

describe('a list of ticks', () => {
  const range = { lower: 500, upper: 9_000, liquidity: 123_456_789n * 10n ** 9n }
  const words = poolOf([range], sqrtPriceAtTick(3_000) + 12_345n, 1, 500n)
  const list = { ...words, isTickList: true }
  const amountIn = 8n * 10n ** 15n

  test('rounds only at its ticks: as a table whose words are wider than the range', () => {
    const wide = { ...words, tickSpacing: 32_767 }
    for (const amount of [amountIn, amountIn - 1n, amountIn / 3n, 7n]) {
      const swap = quoteOf(list, true, amount)
      expect(swap).toEqual(quoteOf(wide, true, amount))
      expect(concentratedSwap(list, true, amount).after()).toMatchObject({
        sqrtPriceX96: concentratedSwap(wide, true, amount).after().sqrtPriceX96,
      })
    }
    expect(concentratedSwap(list, true, amountIn).after().tick).toBeLessThan(2_000)
  })

  test('is exact up to the end of the known range, and an estimate from there on', () => {
    const known = { ...list, ticks: [9_000], liquidityNets: [-range.liquidity], lowerTick: 2_800 }
    const small = quoteOf(known, true, amountIn / 20n)
    expect(small).toEqual(quoteOf(list, true, amountIn / 20n))
    expect(small.exact).toBe(true)
    expect(concentratedSwap(known, true, amountIn).exact).toBe(false)
  })

  test('what is exact does not depend on where the known range ends, to the last unit before it', () => {
    for (let lowerTick = 2_200; lowerTick < 2_900; lowerTick += 25) {
      const known = { ...list, ticks: [9_000], liquidityNets: [-range.liquidity], lowerTick }
      let [exact, beyond] = [0n, amountIn]
      while (exact + 1n < beyond) {
        const middle = (exact + beyond) / 2n
        if (quoteOf(known, true, middle).exact) exact = middle
        else beyond = middle
      }
      expect(quoteOf(known, true, exact)).toEqual(quoteOf(list, true, exact))
    }
  })
})
