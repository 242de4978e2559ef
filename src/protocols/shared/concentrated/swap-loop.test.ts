import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  swapAmounts as amounts,
  concentratedStates as pools,
} from '../../../../test/support/protocols/concentrated-states.js'
import { type ConcentratedState, concentratedSwap } from './swap.js'
import {
  maxSqrtPriceX96,
  maxTick,
  minSqrtPriceX96,
  minTick,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from './tick-math.js'

/*
 * The swap of Uniswap V3 once more, statement by statement as its contracts have it: the bitmap is walked bit by bit,
 * and every amount is a mulDiv. Slow and plain, to compare with.
 * Uniswap/v3-core 1.0.1: UniswapV3Pool.swap, TickBitmap, SwapMath, SqrtPriceMath.
 */
const q96 = 1n << 96n
const million = 1_000_000n
const up = (numerator: bigint, denominator: bigint) =>
  numerator / denominator + (numerator % denominator > 0n ? 1n : 0n)

function amount0(a: bigint, b: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const [low, high] = a < b ? [a, b] : [b, a]
  const numerator = liquidity * q96
  return roundUp
    ? up(up(numerator * (high - low), high), low)
    : (numerator * (high - low)) / high / low
}

function amount1(a: bigint, b: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = liquidity * (a < b ? b - a : a - b)
  return roundUp ? up(product, q96) : product / q96
}

function nextPrice(price: bigint, liquidity: bigint, amount: bigint, zeroForOne: boolean): bigint {
  if (!zeroForOne) return price + (amount * q96) / liquidity
  const numerator = liquidity * q96
  const product = amount * price
  // Two's complement overflow of the product or of the sum.
  return product < 2n ** 256n && numerator + product < 2n ** 256n
    ? up(numerator * price, numerator + product)
    : up(numerator, numerator / price + amount)
}

function stepOf(price: bigint, target: bigint, liquidity: bigint, remaining: bigint, fee: bigint) {
  const zeroForOne = price >= target
  const amountsIn = zeroForOne ? amount0 : amount1
  const amountsOut = zeroForOne ? amount1 : amount0
  const lessFee = (remaining * (million - fee)) / million
  const toTarget = amountsIn(price, target, liquidity, true)
  const next = lessFee >= toTarget ? target : nextPrice(price, liquidity, lessFee, zeroForOne)
  const amountIn = next === target ? toTarget : amountsIn(price, next, liquidity, true)
  const feeAmount = next === target ? up(amountIn * fee, million - fee) : remaining - amountIn
  return { next, used: amountIn + feeAmount, out: amountsOut(price, next, liquidity, false) }
}

function nextTick(ticks: ReadonlySet<number>, tick: number, spacing: number, zeroForOne: boolean) {
  let compressed = Math.floor(tick / spacing) + (zeroForOne ? 0 : 1)
  for (; ; compressed += zeroForOne ? -1 : 1) {
    const bit = ((compressed % 256) + 256) % 256
    const isInitialised = ticks.has(compressed * spacing)
    if (isInitialised || bit === (zeroForOne ? 0 : 255)) {
      return Math.min(Math.max(compressed * spacing, minTick), maxTick)
    }
  }
}

function swapAsDeployed(pool: ConcentratedState, zeroForOne: boolean, amountIn: bigint) {
  const nets = new Map(pool.ticks.map((tick, index) => [tick, pool.liquidityNets[index] ?? 0n]))
  const initialised = new Set(nets.keys())
  const limit = zeroForOne ? minSqrtPriceX96 + 1n : maxSqrtPriceX96 - 1n
  const fee = pool.feePips[zeroForOne ? 0 : 1]
  let { sqrtPriceX96, tick, liquidity } = pool
  let remaining = amountIn
  let amountOut = 0n
  while (remaining !== 0n && sqrtPriceX96 !== limit) {
    const start = sqrtPriceX96
    const next = nextTick(initialised, tick, pool.tickSpacing, zeroForOne)
    const price = sqrtPriceAtTick(next)
    const isPast = zeroForOne ? price < limit : price > limit
    const step = stepOf(start, isPast ? limit : price, liquidity, remaining, fee)
    sqrtPriceX96 = step.next
    remaining -= step.used
    amountOut += step.out
    if (sqrtPriceX96 === price) {
      const net = nets.get(next) ?? 0n
      liquidity += zeroForOne ? -net : net
      tick = zeroForOne ? next - 1 : next
    } else if (sqrtPriceX96 !== start) {
      tick = tickAtSqrtPrice(sqrtPriceX96)
    }
  }
  return { amountOut, unspent: remaining, sqrtPriceX96, liquidity, tick }
}

/** The swap with the state after it. */
function swapOf(pool: ConcentratedState, zeroForOne: boolean, amountIn: bigint) {
  const { amountOut, unspent, exact, after } = concentratedSwap(pool, zeroForOne, amountIn)
  return { amountOut, unspent, exact, state: after() }
}

test('property: a swap is the one of the contract to the wei, with its price, tick and liquidity after', () => {
  fc.assert(
    fc.property(pools, fc.boolean(), amounts, (pool, zeroForOne, amountIn) => {
      const { amountOut, unspent, ...end } = swapAsDeployed(pool, zeroForOne, amountIn)
      const exact = true
      expect(swapOf(pool, zeroForOne, amountIn)).toEqual({
        amountOut,
        unspent,
        exact,
        state: { ...pool, ...end },
      })
    }),
    { numRuns: 150 },
  )
})

test('property: a second swap goes on from where the first one ended', () => {
  fc.assert(
    fc.property(pools, fc.boolean(), fc.boolean(), amounts, amounts, (pool, a, b, x, y) => {
      const { amountOut: _, unspent: __, ...end } = swapAsDeployed(pool, a, x)
      const { amountOut } = swapAsDeployed({ ...pool, ...end }, b, y)
      const after = concentratedSwap(pool, a, x).after()
      expect(concentratedSwap(after, b, y).amountOut).toBe(amountOut)
    }),
    { numRuns: 50 },
  )
})

test('property: what was asked of a state before changes nothing, to the unit around every tick', () => {
  const asked = fc.array(amounts, { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(pools, fc.boolean(), asked, fc.nat(), (pool, zeroForOne, before, place) => {
      const fresh = () => ({ ...pool })
      for (const amountIn of before) concentratedSwap(pool, zeroForOne, amountIn)
      const stop = pool.ticks[place % pool.ticks.length] ?? 0
      const passes = (amountIn: bigint) => {
        const { tick } = concentratedSwap(fresh(), zeroForOne, amountIn).after()
        return zeroForOne ? tick < stop : tick >= stop
      }
      let [low, high] = [0n, 10n ** 30n]
      while (high - low > 1n) {
        const middle = (low + high) / 2n
        if (passes(middle)) high = middle
        else low = middle
      }
      for (const amountIn of [low, high, high + 1n, ...before].filter((each) => each > 0n)) {
        expect(swapOf(pool, zeroForOne, amountIn)).toEqual(swapOf(fresh(), zeroForOne, amountIn))
      }
    }),
    { numRuns: 60 },
  )
})
