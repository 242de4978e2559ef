import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CryptoPoolState, cryptoAmountOut, cryptoExchange } from './crypto-math.js'

const e18 = 10n ** 18n

/** USD, BTC at 60,000 and ETH at 3,000; 3 million of each, so D is 9 million. */
const balanced: CryptoPoolState = {
  kind: 'crypto',
  balances: [3_000_000n * 10n ** 6n, 50n * 10n ** 8n, 1_000n * e18],
  precisions: [10n ** 12n, 10n ** 10n, 1n],
  priceScale: [60_000n * e18, 3_000n * e18],
  invariant: 9_000_000n * e18,
  amp: 1_707_629n,
  gamma: 11_809_167_828_997n,
  midFee: 3_000_000n,
  outFee: 30_000_000n,
  feeGamma: 500_000_000_000_000n,
  solver: 'newton',
  weighsFee: false,
}
/** The pools of USDT and USDC with WBTC and WETH on mainnet, after block 24628607. */
const ofMainnet: Omit<CryptoPoolState, 'balances' | 'priceScale' | 'invariant' | 'solver'> = {
  ...balanced,
  amp: 1_707_629n,
  gamma: 11_809_167_828_997n,
}
const tricrypto2: CryptoPoolState = {
  ...ofMainnet,
  solver: 'newton',
  balances: [3_617_931_398_710n, 5_133_514_340n, 1_743_757_418_777_887_492_127n],
  priceScale: [70_583_173_161_166_205_059_386n, 2_056_725_505_874_175_060_069n],
  invariant: 10_827_742_239_259_450_221_868_980n,
}
const tricryptoUsdc: CryptoPoolState = {
  ...ofMainnet,
  solver: 'cubic',
  balances: [3_291_676_972_992n, 4_668_558_675n, 1_586_410_876_989_174_696_421n],
  priceScale: [70_523_262_672_596_146_584_146n, 2_055_594_447_541_526_776_071n],
  invariant: 9_845_099_674_670_522_066_372_551n,
}

const twocrypto: CryptoPoolState = {
  kind: 'crypto',
  balances: [856_346_882_994_162_387_386_374n, 993_186_010_048_613_487_511_902n],
  precisions: [1n, 1n],
  priceScale: [1_375_719_336_963_675_141n],
  invariant: 2_166_316_529_861_878_836_181_987n,
  amp: 400_000n,
  gamma: 145_000_000_000_000n,
  midFee: 3_000_000n,
  outFee: 30_000_000n,
  feeGamma: 230_000_000_000_000n,
  solver: 'newton',
  weighsFee: false,
}
const states = fc.constantFrom<CryptoPoolState>(
  balanced,
  { ...balanced, solver: 'cubic' },
  tricryptoUsdc,
)

const sizes = fc.bigInt({ min: 10n ** 4n, max: 10n ** 12n })

describe('cryptoAmountOut', () => {
  test('a small swap in a balanced pool pays the price scale less the middle fee', () => {
    // 60 USD for a thousandth BTC, 0.03 % fee.
    const out = cryptoAmountOut(balanced, 0, 1, 60n * 10n ** 6n)
    expect(out).toBeGreaterThan(99_960n)
    expect(out).toBeLessThan(99_975n)
  })

  test('known vectors: swaps of block 24628608 of mainnet', () => {
    expect(cryptoAmountOut(tricrypto2, 1, 0, 8_015_253n)).toBe(5_649_175_301n)
    expect(cryptoAmountOut(tricryptoUsdc, 1, 0, 5_896_431n)).toBe(4_154_580_896n)
  })

  test('known vectors: pools of two coins, by the steps of 2021 and by those of twocrypto-ng', () => {
    const sell = [0, 1, 7_308_130_462_016_327_680n] as const
    const buy = [1, 0, 13_460_930_109_518_272_512n] as const
    expect(cryptoAmountOut(twocrypto, ...sell)).toBe(8_380_783_423_118_056_385n)
    expect(cryptoAmountOut(twocrypto, ...buy)).toBe(11_667_763_872_282_745_189n)
    const later: CryptoPoolState = { ...twocrypto, solver: 'cubic' }
    expect(cryptoAmountOut(later, ...sell)).toBe(8_380_783_423_119_979_779n)
    expect(cryptoAmountOut(later, ...buy)).toBe(11_667_763_872_283_804_568n)
  })

  test('known vectors: the fee of twocrypto-ng since 2025', () => {
    const latest: CryptoPoolState = { ...twocrypto, solver: 'cubic', weighsFee: true }
    expect(cryptoAmountOut(latest, 0, 1, 7_308_130_462_016_327_680n)).toBe(
      8_380_778_246_765_280_008n,
    )
    expect(cryptoAmountOut(latest, 1, 0, 13_460_930_109_518_272_512n)).toBe(
      11_667_756_666_910_078_487n,
    )
  })

  test('property: both ways to solve find the same root, to one part in 10 billion', () => {
    const pools = fc.constantFrom(balanced, tricrypto2, tricryptoUsdc, twocrypto)
    fc.assert(
      fc.property(pools, fc.bigInt({ min: 10n ** 4n, max: 10n ** 10n }), (state, share) => {
        const amount = ((state.balances[0] ?? 0n) * share) / 10n ** 10n
        const newton = cryptoAmountOut({ ...state, solver: 'newton' }, 0, 1, amount)
        const cubic = cryptoAmountOut({ ...state, solver: 'cubic' }, 0, 1, amount)
        const difference = newton > cubic ? newton - cubic : cubic - newton
        // Newton stops within 1e-14 of D.
        expect(difference).toBeLessThanOrEqual(2n + (state.balances[1] ?? 0n) / 10n ** 10n)
      }),
    )
  })

  test('an amount that leaves the range of the contract gives 0', () => {
    expect(cryptoAmountOut(balanced, 0, 1, 10n ** 18n)).toBe(0n)
    expect(cryptoAmountOut({ ...balanced, balances: [0n, 0n, 0n] }, 0, 1, 10n ** 6n)).toBe(0n)
  })

  test('the two coins of a swap move, the third and a refused swap leave all as it was', () => {
    const amountIn = 1_000n * 10n ** 6n
    const { amountOut, after } = cryptoExchange(balanced, 0, 2, amountIn)
    const [usd = 0n, btc = 0n, eth = 0n] = balanced.balances
    expect(after()).toEqual({ ...balanced, balances: [usd + amountIn, btc, eth - amountOut] })
    expect(cryptoExchange(balanced, 0, 1, 10n ** 18n).after()).toBe(balanced)
  })

  test('without a gamma of its own the fee grows with the imbalance itself', () => {
    const amountIn = 900_000n * 10n ** 6n
    const free = cryptoAmountOut({ ...balanced, midFee: 0n, outFee: 0n }, 0, 2, amountIn)
    const whole = { ...balanced, feeGamma: 0n, midFee: 0n, outFee: 10n ** 10n }
    // Dollars in each coin after the swap; what is left is the product over that of equal parts.
    const parts = [3_900_000, 3_000_000, 3_000_000 - (Number(free) / 1e18) * 3_000]
    const third = parts.reduce((sum, part) => sum + part, 0) / 3
    const left = parts.reduce((product, part) => product * (part / third), 1)
    expect(Number(cryptoAmountOut(whole, 0, 2, amountIn)) / Number(free)).toBeCloseTo(left, 6)
  })

  test('property: more in gives more out, at a worse price', () => {
    fc.assert(
      fc.property(states, sizes, (state, amount) => {
        const one = cryptoAmountOut(state, 0, 2, amount)
        const two = cryptoAmountOut(state, 0, 2, amount * 2n)
        expect(two).toBeGreaterThanOrEqual(one)
        // Newton stops within 1e-14 of D, about 3e-11 ETH.
        expect(two).toBeLessThanOrEqual(one * 2n + 10n ** 8n)
      }),
    )
  })

  test('property: there and back never gains', () => {
    fc.assert(
      fc.property(states, fc.bigInt({ min: 10n ** 7n, max: 10n ** 12n }), (state, amount) => {
        const out = cryptoAmountOut(state, 0, 2, amount)
        const back = cryptoAmountOut(cryptoExchange(state, 0, 2, amount).after(), 2, 0, out)
        expect(back).toBeLessThanOrEqual(amount)
      }),
    )
  })
})
