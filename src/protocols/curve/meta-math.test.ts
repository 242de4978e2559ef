import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type MetaPoolState, metaExchange } from './meta-math.js'
import { virtualPrice } from './stable-liquidity.js'
import { type StablePoolState, withInvariant } from './stable-math.js'

const e18 = 10n ** 18n
const e6 = 10n ** 6n

function pool(changes: Partial<StablePoolState>): StablePoolState {
  return withInvariant({
    kind: 'stable',
    balances: [],
    rates: [],
    amp: 20_000n,
    ampPrecision: 100n,
    fee: 4_000_000n,
    adminFee: 5_000_000_000n,
    offpegFeeMultiplier: 0n,
    legacy: false,
    dividesAtEnd: false,
    ...changes,
  })
}

function meta(own: StablePoolState, base: StablePoolState, supply: bigint): MetaPoolState {
  const rates = [own.rates[0] ?? 0n, virtualPrice({ pool: base, supply })]
  const priced = withInvariant({ ...own, rates })
  return { kind: 'meta', pool: priced, base: { pool: base, supply }, isRateCached: false }
}

/** A metapool of 2021 on the three-coin pool of 2020. */
const onThreePool = meta(
  pool({
    balances: [3_210_987n * e18, 4_321_098n * e18],
    rates: [e18, e18],
    amp: 150_000n,
  }),
  pool({
    balances: [12_345_678n * e18, 23_456_789n * e6, 34_567_890n * e6],
    rates: [e18, 10n ** 30n, 10n ** 30n],
    amp: 2000n,
    ampPrecision: 1n,
    fee: 1_500_000n,
  }),
  68_255_957_499_342_534_783_494_863n,
)

/** Both of stableswap-ng, with fees that grow off the peg. */
const ofLaterFactories = meta(
  pool({
    balances: [1_500_000n * e18, 900_000n * e18],
    rates: [e18, e18],
    offpegFeeMultiplier: 20_000_000_000n,
    dividesAtEnd: true,
  }),
  pool({
    balances: [5_000_000n * e6, 7_500_000n * e18],
    rates: [10n ** 30n, e18],
    fee: 1_000_000n,
    offpegFeeMultiplier: 50_000_000_000n,
    dividesAtEnd: true,
  }),
  12_248_730_700_459_675_949_666_228n,
)

function afterSteps(
  start: MetaPoolState,
  steps: readonly { i: number; j: number; amountIn: bigint; amountOut: bigint }[],
): MetaPoolState {
  return steps.reduce((state, { i, j, amountIn, amountOut }) => {
    const swap = metaExchange(state, i, j, amountIn)
    expect(swap?.amountOut).toBe(amountOut)
    return swap?.after() ?? state
  }, start)
}

describe('metaExchange', () => {
  test('known vectors: a metapool of 2021 on the three-coin pool of 2020, one swap after the other', () => {
    expect(onThreePool.pool.rates[1]).toBe(1_030_927_835_051_546_391n)
    const { pool: own, base } = afterSteps(onThreePool, [
      { i: 0, j: 1, amountIn: 10_000n * e18, amountOut: 9_698_311_497_480_125_063_731n },
      { i: 0, j: 3, amountIn: 250_000n * e18 + 1n, amountOut: 249_936_516_014n },
      { i: 4, j: 0, amountIn: 777_777n * e6, amountOut: 776_993_819_083_865_279_084_692n },
      { i: 1, j: 0, amountIn: 5_000n * e18, amountOut: 5_150_117_996_033_988_154_261n },
      { i: 2, j: 0, amountIn: e18, amountOut: 999_572_828_741_020_362n },
    ])
    expect(own.balances).toEqual([
      2_688_685_571_763_307_860_486_534n,
      4_828_107_974_406_154_539_743_580n,
    ])
    expect(base.pool.balances).toEqual([
      12_345_675_149_402_985_953_250_432n,
      23_206_835_872_550n,
      35_345_655_906_612n,
    ])
    expect(base.supply).toBe(68_767_716_234_184_230_128_478_188n)
  })

  test('known vectors: pools of stableswap-ng', () => {
    const { pool: own, base } = afterSteps(ofLaterFactories, [
      { i: 0, j: 2, amountIn: 200_000n * e18, amountOut: 198_839_380_462n },
      { i: 3, j: 0, amountIn: 123_456n * e18 + 9n, amountOut: 123_837_077_499_263_090_812_126n },
      { i: 1, j: 0, amountIn: 50_000n * e18, amountOut: 51_168_445_382_860_475_338_332n },
    ])
    expect(own.balances).toEqual([
      1_524_957_376_741_622_771_572_820n,
      875_688_531_509_849_818_219_529n,
    ])
    expect(base.pool.balances).toEqual([4_801_153_386_323n, 7_623_454_783_743_090_347_965_155n])
    expect(base.supply).toBe(12_174_460_421_042_251_131_147_141n)
  })

  test('coins of the base pool trade with the coin only', () => {
    expect(metaExchange(onThreePool, 2, 3, e18)).toBeNull()
    expect(metaExchange(onThreePool, 2, 1, e18)).toBeNull()
    expect(metaExchange(onThreePool, 1, 2, e18)).toBeNull()
    expect(metaExchange(onThreePool, 0, 0, e18)).toBeNull()
  })

  test('a cached rate of the shares outlasts swaps through the base pool', () => {
    const cached = { ...onThreePool, isRateCached: true }
    const amountIn = 1_000_000n * e6
    const rateAfter = (state: MetaPoolState) =>
      metaExchange(state, 4, 0, amountIn)?.after().pool.rates[1] ?? 0n
    expect(rateAfter(cached)).toBe(cached.pool.rates[1])
    // Fees of the deposit stay in the base pool.
    expect(rateAfter(onThreePool)).toBeGreaterThan(onThreePool.pool.rates[1] ?? 0n)
  })

  test('an amount over what the base pool holds, and one that overflows, give null', () => {
    const small = meta(
      pool({ balances: [9_000_000n * e18, 9_000_000n * e18], rates: [e18, e18] }),
      pool({ balances: [e18, e18], rates: [e18, e18] }),
      2n * e18,
    )
    expect(metaExchange(small, 0, 2, 1_000_000n * e18)).toBeNull()
    expect(metaExchange(onThreePool, 2, 0, 2n ** 250n)).toBeNull()
    expect(metaExchange(onThreePool, 0, 1, 2n ** 250n)).toBeNull()
    expect(metaExchange(onThreePool, 0, 2, 2n ** 250n)).toBeNull()
  })

  test('property: there and back never gains, more in never gives less out', () => {
    const states = fc.constantFrom(onThreePool, ofLaterFactories)
    const sizes = fc.bigInt({ min: 10n ** 6n, max: 2_000_000n * e6 })
    fc.assert(
      fc.property(states, fc.integer({ min: 1, max: 3 }), sizes, (state, j, micros) => {
        const amountIn = micros * 10n ** 12n
        const there = metaExchange(state, 0, j, amountIn)
        if (!there) throw new Error('no swap')
        const back = metaExchange(there.after(), j, 0, there.amountOut)
        expect(back?.amountOut ?? 0n).toBeLessThanOrEqual(amountIn)
        const more = metaExchange(state, 0, j, amountIn + amountIn / 9n)
        expect(more?.amountOut ?? 0n).toBeGreaterThanOrEqual(there.amountOut)
      }),
    )
  })
})
