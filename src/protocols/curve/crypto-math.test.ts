import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CryptoPoolState, cryptoAmountOut, cryptoApply } from './crypto-math.js'

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
}
const sizes = fc.bigInt({ min: 10n ** 4n, max: 10n ** 12n })

describe('cryptoAmountOut', () => {
  test('a small swap in a balanced pool pays the price scale less the middle fee', () => {
    // 60 USD for a thousandth BTC, 0.03 % fee.
    const out = cryptoAmountOut(balanced, 0, 1, 60n * 10n ** 6n)
    expect(out).toBeGreaterThan(99_960n)
    expect(out).toBeLessThan(99_975n)
  })

  test('an amount that leaves the range of the contract gives 0', () => {
    expect(cryptoAmountOut(balanced, 0, 1, 10n ** 18n)).toBe(0n)
    expect(cryptoAmountOut({ ...balanced, balances: [0n, 0n, 0n] }, 0, 1, 10n ** 6n)).toBe(0n)
  })

  test('property: more in gives more out, at a worse price', () => {
    fc.assert(
      fc.property(sizes, (amount) => {
        const one = cryptoAmountOut(balanced, 0, 2, amount)
        const two = cryptoAmountOut(balanced, 0, 2, amount * 2n)
        expect(two).toBeGreaterThanOrEqual(one)
        // Newton stops within 1e-14 of D, about 3e-11 ETH.
        expect(two).toBeLessThanOrEqual(one * 2n + 10n ** 8n)
      }),
    )
  })

  test('property: there and back never gains', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 7n, max: 10n ** 12n }), (amount) => {
        const out = cryptoAmountOut(balanced, 0, 2, amount)
        const back = cryptoAmountOut(cryptoApply(balanced, 0, 2, amount), 2, 0, out)
        expect(back).toBeLessThanOrEqual(amount)
      }),
    )
  })
})
