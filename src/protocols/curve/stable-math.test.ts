import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exchange, feeRate, rampedAmp, type StablePoolState, withInvariant } from './stable-math.js'

const e18 = 10n ** 18n
const e6 = 10n ** 6n
const units = [e18, e6, e6, e18]

/** The four-coin pool of 2020 as the differential test sets it up. */
function pool(changes: Partial<StablePoolState> = {}): StablePoolState {
  return withInvariant({
    kind: 'stable',
    balances: units.map((unit, k) => BigInt(1_000_000 + 300_000 * k) * unit),
    rates: units.map((unit) => 10n ** 36n / unit),
    amp: 256n,
    ampPrecision: 1n,
    fee: 4_000_000n,
    adminFee: 0n,
    legacy: true,
    offpegFeeMultiplier: 0n,
    dividesAtEnd: false,
    ...changes,
  })
}

function swapped(state: StablePoolState, i: number, j: number, amountIn: bigint): StablePoolState {
  const swap = exchange(state, i, j, amountIn)
  return swap ? withInvariant({ ...state, balances: swap.balances }) : state
}

const pairs = fc
  .uniqueArray(fc.nat({ max: 3 }), { minLength: 2, maxLength: 2 })
  .map(([i = 0, j = 1]) => ({ i, j }))
/** Multiples of a coin's unit, from 1e-6 to the size of the pool; far beyond, Newton's method need not settle. */
const sizes = fc
  .record({ digits: fc.nat({ max: 8 }), factor: fc.integer({ min: 1, max: 9999 }) })
  .map(
    ({ digits, factor }) =>
      (unit: bigint) =>
        (BigInt(factor) * unit * 10n ** BigInt(digits)) / e6,
  )
const threeOfAKind: Partial<StablePoolState> = {
  balances: [
    5_000_000_504_945_496_318_666_717n,
    30_000_213_620_289_967_296_625n,
    70_000_717_584_165_233_875_340n,
  ],
  rates: [e18, e18, e18],
  amp: 20_000n,
  ampPrecision: 100n,
  fee: 4_000_000n,
  adminFee: 5_000_000_000n,
  offpegFeeMultiplier: 20_000_000_000n,
  legacy: false,
}
const kinds = fc.constantFrom(
  pool(),
  pool({ legacy: false, adminFee: 5_000_000_000n }),
  pool({ legacy: false, ampPrecision: 100n, amp: 20_000n }),
  pool({
    legacy: false,
    ampPrecision: 100n,
    amp: 20_000n,
    dividesAtEnd: true,
    offpegFeeMultiplier: 100_000_000_000n,
  }),
)

describe('exchange', () => {
  test('known vectors: the deployed four-coin pool of 2020 gives these outputs one after the other', () => {
    let state = pool()
    const steps = [
      { i: 0, j: 1, amountIn: 10_000n * e18 + 7n, amountOut: 10_010_019_231n },
      { i: 1, j: 3, amountIn: 777_777_777_777n, amountOut: 777_113_641_543_681_656_385_866n },
      { i: 2, j: 0, amountIn: 1n, amountOut: 997_181_384_880n },
    ]
    for (const { i, j, amountIn, amountOut } of steps) {
      expect(exchange(state, i, j, amountIn)?.amountOut).toBe(amountOut)
      state = swapped(state, i, j, amountIn)
    }
  })

  test("known vector: 3pool's arithmetic on a lopsided pool", () => {
    const state = pool({
      balances: [2145n, 5_497_805_837_023_926n, 18_378_263_958_415_614_734_005_653n],
      rates: [10n ** 30n, 10n ** 28n, e18],
      amp: 2000n,
      adminFee: 5_000_000_000n,
      legacy: false,
    })
    expect(exchange(state, 0, 2, 11_338n)).toMatchObject({
      amountOut: 14_687_286_779_353_184_644_702_296n,
      balances: [13_483n, 5_497_805_837_023_926n, 3_688_038_546_253_435_854_680_568n],
    })
  })

  test('known vector: the base template with A_PRECISION 100', () => {
    const state = pool({
      balances: [401_761_533_702_639n, 2_482_668_444_272_505n, 33_451_548_283_643n],
      rates: [10n ** 28n, 10n ** 28n, 10n ** 28n],
      amp: 200_000n,
      ampPrecision: 100n,
      adminFee: 5_000_000_000n,
      legacy: false,
    })
    expect(exchange(state, 0, 1, 1_500_757_365n)).toMatchObject({
      amountOut: 1_541_184_965n,
      balances: [401_763_034_460_004n, 2_482_666_902_779_180n, 33_451_548_283_643n],
    })
  })

  test('known vectors: three coins with a rate of their own and a fee that grows off the peg', () => {
    let state = pool({
      balances: [1_234_567n * e18 + 1n, 2_345_678n * e6 + 2n, 987_654n * e18 + 3n],
      rates: [e18, 10n ** 30n, 1_043_210_987_654_321_098n],
      amp: 150_000n,
      ampPrecision: 100n,
      fee: 4_000_000n,
      adminFee: 5_000_000_000n,
      offpegFeeMultiplier: 50_000_000_000n,
      legacy: false,
      dividesAtEnd: true,
    })
    const steps = [
      { i: 0, j: 1, amountIn: 54_321n * e18 + 7n, amountOut: 54_321_844_544n },
      { i: 1, j: 2, amountIn: 300_000n * e6 + 1n, amountOut: 287_144_833_144_422_860_848_068n },
      { i: 2, j: 0, amountIn: 1_000_000n * e18, amountOut: 1_041_028_480_236_770_070_096_577n },
    ]
    for (const { i, j, amountIn, amountOut } of steps) {
      expect(exchange(state, i, j, amountIn)?.amountOut).toBe(amountOut)
      state = swapped(state, i, j, amountIn)
    }
    expect(state.balances).toEqual([
      247_641_197_845_856_867_592_139n,
      2_591_344_472_084n,
      1_700_439_384_268_631_147_539_388n,
    ])
  })

  test('known vector: where D is divided decides the last unit', () => {
    const outputOf = (dividesAtEnd: boolean) => {
      const state = pool({ ...threeOfAKind, dividesAtEnd })
      return exchange(state, 2, 0, (state.balances[2] ?? 0n) / 7n)?.amountOut
    }
    expect(outputOf(false)).toBe(137_375_941_260_103_772_084_871n)
    expect(outputOf(true)).toBe(137_375_941_260_103_772_084_873n)
  })

  test('a lopsided pool whose invariant never settles still trades where the contract does', () => {
    const state = pool({
      balances: [
        21_826_100_844_898_965_690_867_241n,
        1_341_795_104_618_358n,
        17_160_507n,
        87_311_164_496_965_546_082_124_574n,
      ],
    })
    expect(exchange(state, 2, 0, 881n)?.amountOut).toBe(1_102_096_471_906_111_549_195n)
  })

  test('what pools older than the factories quote takes the fee from raw units, and may be a unit off', () => {
    // 6 decimals: what the fee leaves of a raw amount is rounded once more.
    const quotes = [1n, 777n, 123_456n].map((units) => exchange(pool(), 0, 1, units * 10n ** 15n))
    for (const quote of quotes) {
      const [paid, early] = [quote?.amountOut ?? 0n, quote?.quotedEarly ?? 0n]
      expect(early - paid === 0n || early - paid === 1n).toBe(true)
    }
    const dear = exchange(pool({ fee: 10n ** 9n }), 0, 1, e18)
    const free = exchange(pool({ fee: 0n }), 0, 1, e18)
    const raw = free?.quotedEarly ?? 0n
    expect(raw).toBe(free?.amountOut)
    expect(dear?.quotedEarly).toBe(raw - raw / 10n)
  })

  test('the share of the fee that is the admins leaves the balances, in old pools as in later ones', () => {
    for (const legacy of [true, false]) {
      const fee = 10n ** 9n
      const traded = (adminFee: bigint) =>
        exchange(pool({ legacy, fee, adminFee }), 0, 3, 1_000n * e18)
      const [kept, halved] = [traded(0n), traded(5_000_000_000n)]
      expect(halved?.amountOut).toBe(kept?.amountOut)
      // About 999 came out, a tenth of it is the fee, and half of that leaves.
      const left = Number((kept?.balances[3] ?? 0n) - (halved?.balances[3] ?? 0n)) / 1e18
      expect(left).toBeGreaterThan(49.5)
      expect(left).toBeLessThan(50.5)
      expect(halved?.balances.slice(0, 3)).toEqual(kept?.balances.slice(0, 3))
    }
  })

  test('a coin is not traded for itself, and one that the pool has not is a mistake of ours', () => {
    expect(exchange(pool(), 1, 1, e6)).toBeNull()
    expect(() => exchange(pool(), 0, 4, e18)).toThrow(TypeError)
  })

  test('property: dust never comes out as less than nothing', () => {
    fc.assert(
      fc.property(kinds, pairs, fc.bigInt({ min: 1n, max: 20n }), (state, { i, j }, amountIn) => {
        expect(exchange(state, i, j, amountIn)?.amountOut ?? 0n).toBeGreaterThanOrEqual(0n)
      }),
    )
  })

  test('templates with A_PRECISION revert where the invariant never settles', () => {
    const balances = [
      21_826_100_844_898_965_690_867_241n,
      1_341_795_104_618_358n,
      17_160_507n,
      87_311_164_496_965_546_082_124_574n,
    ]
    const later = pool({ balances, legacy: true, amp: 25_600n, ampPrecision: 100n })
    expect(later.invariant).toBe(0n)
    expect(pool({ balances }).invariant).toBeGreaterThan(0n)
  })

  test('an empty pool, a pool without one coin and an overflowing amount give null', () => {
    expect(exchange(pool({ balances: [0n, 0n, 0n, 0n] }), 0, 1, e18)).toBeNull()
    expect(exchange(pool({ balances: [e18, e6, 0n, e18] }), 0, 1, e18)).toBeNull()
    expect(exchange(pool(), 1, 0, 2n ** 250n)).toBeNull()
  })

  test('property: without an admin fee the invariant never decreases by more than rounding', () => {
    fc.assert(
      fc.property(kinds, pairs, sizes, (state, { i, j }, size) => {
        const before = { ...state, adminFee: 0n }
        const next = swapped(before, i, j, size(units[i] ?? 1n))
        // One raw unit of a 6-decimal coin is 1e12 of D.
        expect(next.invariant + 2n * 10n ** 12n).toBeGreaterThanOrEqual(before.invariant)
      }),
    )
  })

  test('property: more in never gives less out', () => {
    fc.assert(
      fc.property(kinds, pairs, sizes, (state, { i, j }, size) => {
        const amount = size(units[i] ?? 1n)
        const less = exchange(state, i, j, amount)?.amountOut ?? 0n
        const more = exchange(state, i, j, amount + amount / 7n + 1n)?.amountOut ?? 0n
        expect(more).toBeGreaterThanOrEqual(less)
      }),
    )
  })

  test('property: there and back never gains', () => {
    fc.assert(
      fc.property(kinds, pairs, sizes, (state, { i, j }, size) => {
        const amount = size(units[i] ?? 1n)
        const out = exchange(state, i, j, amount)?.amountOut ?? 0n
        const back =
          out > 0n ? (exchange(swapped(state, i, j, amount), j, i, out)?.amountOut ?? 0n) : 0n
        expect(back).toBeLessThanOrEqual(amount)
      }),
    )
  })
})

describe('feeRate', () => {
  const multiplied = { offpegFeeMultiplier: 50_000_000_000n }

  test('is the fee itself at balance, or where nothing multiplies it', () => {
    expect(feeRate(multiplied, 4_000_000n, e18, e18)).toBe(4_000_000n)
    expect(feeRate({ offpegFeeMultiplier: 10n ** 10n }, 4_000_000n, 1n, e18)).toBe(4_000_000n)
    expect(feeRate({ offpegFeeMultiplier: 0n }, 4_000_000n, 1n, e18)).toBe(4_000_000n)
  })

  test('property: grows off the peg, up to the multiple of the fee', () => {
    const balance = fc.bigInt({ min: 1n, max: 10n ** 30n })
    fc.assert(
      fc.property(balance, balance, (a, b) => {
        const rate = feeRate(multiplied, 4_000_000n, a, b)
        expect(rate).toBeGreaterThanOrEqual(4_000_000n)
        expect(rate).toBeLessThanOrEqual(20_000_000n)
        // Further apart is never cheaper.
        if (b >= a) expect(feeRate(multiplied, 4_000_000n, a, 2n * b)).toBeGreaterThanOrEqual(rate)
      }),
    )
  })
})

describe('rampedAmp', () => {
  const ramp = { initial: 1000n, future: 2000n, initialTime: 100n, futureTime: 300n }

  test('moves in a straight line, truncated, and stays at the end', () => {
    expect(rampedAmp(ramp, 100n)).toBe(1000n)
    expect(rampedAmp(ramp, 201n)).toBe(1505n)
    expect(rampedAmp(ramp, 300n)).toBe(2000n)
    expect(rampedAmp(ramp, 9_999n)).toBe(2000n)
  })

  test('a falling ramp truncates what is taken off', () => {
    expect(rampedAmp({ ...ramp, initial: 2000n, future: 999n }, 133n)).toBe(1835n)
  })
})
