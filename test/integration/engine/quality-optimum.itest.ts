/** The solver that bounds route quality, against closed forms and against trying everything in tiny cases. */
import { describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { balancerV2 } from '../../../src/protocols/balancer-v2/index.js'
import type { SwapAdapter } from '../../../src/protocols/protocol.js'
import { uniswapV2 } from '../../../src/protocols/uniswap-v2/index.js'
import { constantProductOut } from '../../../src/protocols/uniswap-v2/math.js'
import type { MarketPool } from '../../../src/routing/market/market-view.js'
import { createLaneCurves } from '../../support/optimum/lane-curves.js'
import { createOptimum } from '../../support/optimum/optimum.js'

const token = (index: number): Address => `0x${index.toString(16).padStart(40, '0')}`
const [input, output, middle, other] = [token(1), token(2), token(3), token(4)]
const unit = 10n ** 18n
const feeBps = 30n

let serial = 100

/** Reserves in whole units of 1e18. */
function pair(a: Address, reserveA: number, b: Address, reserveB: number): MarketPool {
  const address = token(serial++)
  const [wholeA, wholeB] = [BigInt(reserveA) * unit, BigInt(reserveB) * unit]
  const adapter = uniswapV2 as SwapAdapter
  const pool = {
    protocol: adapter.slug,
    id: address,
    address,
    tokens: a < b ? [a, b] : [b, a],
    parameters: { feeBps: Number(feeBps) },
  }
  const state =
    a < b ? { reserve0: wholeA, reserve1: wholeB } : { reserve0: wholeB, reserve1: wholeA }
  return { adapter, loaded: { pool, state, partial: false } }
}

/** Equal weights, a fee of 0.1 %. */
function basket(tokens: readonly Address[], reserves: readonly number[]): MarketPool {
  const address = token(serial++)
  const adapter = balancerV2 as SwapAdapter
  const pool = { protocol: adapter.slug, id: address, address, tokens, parameters: {} }
  const state = {
    kind: 'weighted',
    balances: reserves.map((reserve) => BigInt(reserve) * unit),
    scalingFactors: tokens.map(() => unit),
    swapFee: unit / 1_000n,
    weights: tokens.map(() => unit / BigInt(tokens.length)),
    amp: 0n,
    isModern: true,
    ownIndex: null,
    exact: true,
  }
  return { adapter, loaded: { pool, state, partial: false } }
}

function solve(pools: readonly MarketPool[], amountIn: bigint, maxHops = 3) {
  const place = { pools, wrappedNative: token(99), maxHops }
  const request = { tokenIn: input, tokenOut: output, amountIn }
  return createOptimum(createLaneCurves())(place, request)
}

/** Basis points by which `value` lies below `reference`. */
const below = (value: bigint | number, reference: bigint | number) =>
  (1 - Number(value) / Number(reference)) * 10_000

/** Output of one pool and its state after. */
function swap(market: MarketPool, state: unknown, from: Address, to: Address, amount: bigint) {
  const { adapter, loaded } = market
  return {
    amountOut:
      amount > 0n
        ? adapter.swaps.swap(loaded.pool, state, { tokenIn: from, tokenOut: to }, amount).amountOut
        : 0n,
    state:
      amount > 0n
        ? adapter.swaps.swap(loaded.pool, state, { tokenIn: from, tokenOut: to }, amount).after()
        : state,
  }
}

function out(market: MarketPool, from: Address, to: Address, amount: bigint): bigint {
  return swap(market, market.loaded.state, from, to, amount).amountOut
}

/** Within a thousandth of a basis point from both sides. */
function expectOptimum(found: ReturnType<typeof solve>, best: bigint | number) {
  expect(Math.abs(below(found.bound, best))).toBeLessThan(0.001)
  expect(Math.abs(below(found.amountOut, best))).toBeLessThan(0.001)
}

describe('createOptimum', () => {
  test('one pool gives what the pool gives', () => {
    const pool = pair(input, 1_000, output, 3_000_000)
    expectOptimum(solve([pool], 17n * unit), out(pool, input, output, 17n * unit))
  })

  test('two identical pools take half each', () => {
    const pools = [pair(input, 1_000, output, 3_000_000), pair(input, 1_000, output, 3_000_000)]
    const found = solve(pools, 200n * unit)
    const half = constantProductOut(100n * unit, 1_000n * unit, 3_000_000n * unit, feeBps)
    expectOptimum(found, 2n * half)
    expect(found.swaps.map(({ amountIn }) => Number(amountIn) / 1e18)).toEqual([
      expect.closeTo(100, 3),
      expect.closeTo(100, 3),
    ])
  })

  test('five pools of one price and different depths are as one pool with all their reserves', () => {
    const depths = [10, 40, 200, 1_000, 3_500]
    const pools = depths.map((depth) => pair(input, depth, output, depth * 7))
    const whole = depths.reduce((sum, depth) => sum + depth, 0)
    expectOptimum(
      solve(pools, 900n * unit),
      out(pair(input, whole, output, whole * 7), input, output, 900n * unit),
    )
  })

  test.each([1e-4, 1, 50, 2_000])(
    'pools of different prices: %d in is divided where marginal prices meet',
    (amount) => {
      const reserves = [
        [1_000, 3_000],
        [400, 1_212],
        [2_000, 5_900],
        [50, 160],
      ] as const
      const gamma = 0.997
      // Marginal output gamma*a*b/(a+gamma*x)^2 = price, so x = (sqrt(gamma*a*b/price) - a)/gamma.
      const taken = (price: number) =>
        reserves.map(([a, b]) => Math.max(0, (Math.sqrt((gamma * a * b) / price) - a) / gamma))
      let [low, high] = [1e-6, 10]
      for (let step = 0; step < 200; step++) {
        const price = (low + high) / 2
        if (taken(price).reduce((sum, x) => sum + x, 0) > amount) low = price
        else high = price
      }
      const best = taken(low).reduce((sum, x, index) => {
        const [a, b] = reserves[index] ?? [1, 0]
        return sum + (gamma * x * b) / (a + gamma * x)
      }, 0)
      const pools = reserves.map(([a, b]) => pair(input, a, output, b))
      expectOptimum(solve(pools, BigInt(amount * 1e6) * 10n ** 12n), best * 1e18)
    },
  )

  test('a chain of two gives what one pool after the other gives', () => {
    const first = pair(input, 5_000, middle, 9_000)
    const second = pair(middle, 20_000, output, 1_000)
    const between = out(first, input, middle, 321n * unit)
    expectOptimum(solve([first, second], 321n * unit), out(second, middle, output, between))
  })

  test('paths have no more swaps than allowed', () => {
    const first = pair(input, 5_000, middle, 9_000)
    const second = pair(middle, 20_000, other, 20_000)
    const third = pair(other, 20_000, output, 20_000)
    expect(solve([first, second, third], unit, 2).amountOut).toBe(0n)
    expect(solve([first, second, third], unit, 3).amountOut).toBeGreaterThan(unit)
  })

  test('a profitable round trip between other tokens is not ridden beyond the amount that passes', () => {
    const pools = [
      pair(input, 1_000, middle, 1_000),
      pair(middle, 1_000, other, 1_200),
      pair(middle, 1_000, other, 900),
      pair(other, 1_000, output, 1_000),
      pair(middle, 1_000, output, 1_000),
    ]
    const [first, second, , third] = pools
    if (!first || !second || !third) throw new Error('four pools')
    const amount = unit / 1_000n
    const twice = out(second, middle, other, out(first, input, middle, amount))
    expectOptimum(solve(pools, amount), out(third, other, output, twice))
  })

  test('tiny case: no division in steps of a fortieth over a network with a shared pool does better', () => {
    const direct = pair(input, 600, output, 580)
    const first = pair(input, 900, middle, 1_000)
    const detour = pair(input, 500, other, 500)
    const crossing = pair(other, 800, middle, 900)
    const last = [pair(middle, 700, output, 690), pair(middle, 300, output, 305)] as const
    const amount = 400n * unit
    const parts = 40
    let best = 0n
    for (let a = 0; a <= parts; a++) {
      for (let b = 0; a + b <= parts; b++) {
        const share = (k: number) => (amount * BigInt(k)) / BigInt(parts)
        const around = out(detour, input, other, share(parts - a - b))
        const arrived = out(first, input, middle, share(b)) + out(crossing, other, middle, around)
        for (let c = 0; c <= parts; c++) {
          const one = (arrived * BigInt(c)) / BigInt(parts)
          const total =
            out(direct, input, output, share(a)) +
            out(last[0], middle, output, one) +
            out(last[1], middle, output, arrived - one)
          if (total > best) best = total
        }
      }
    }
    const found = solve([direct, first, detour, crossing, ...last], amount)
    expect(below(best, found.bound)).toBeGreaterThanOrEqual(0)
    expect(below(best, found.bound)).toBeLessThan(3)
    expect(Math.abs(below(found.amountOut, found.bound))).toBeLessThan(0.001)
  })

  test('tiny case: lanes of one pool of three tokens are worth what they leave each other', () => {
    const three = basket([input, output, middle], [1_000, 1_000, 1_000])
    const first = pair(input, 400, middle, 410)
    const last = pair(middle, 900, output, 930)
    const amount = 300n * unit
    const parts = 60
    let best = 0n
    for (let a = 0; a <= parts; a++) {
      for (let b = 0; a + b <= parts; b++) {
        const share = (k: number) => (amount * BigInt(k)) / BigInt(parts)
        const one = swap(three, three.loaded.state, input, output, share(a))
        const two = swap(three, one.state, input, middle, share(b))
        const arrived = two.amountOut + out(first, input, middle, share(parts - a - b))
        const total = one.amountOut + out(last, middle, output, arrived)
        if (total > best) best = total
      }
    }
    const found = solve([three, first, last], amount)
    expect(below(best, found.bound)).toBeGreaterThanOrEqual(-0.01)
    expect(below(best, found.bound)).toBeLessThan(3)
    expect(Math.abs(below(found.amountOut, found.bound))).toBeLessThan(0.05)
  })
})
