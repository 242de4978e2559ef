import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tokenIn } from '../../../test/support/routing/candidates.js'
import { grossInput } from './prepare.js'

describe('grossInput', () => {
  test('known vector: 9999 with a fee of 29 (30 bps, rounded down) leaves 9970', () => {
    expect(grossInput(tokenIn, 9_970n, 30n)).toEqual({ token: tokenIn, amount: 9_999n, fee: 29n })
  })

  test('without a fee it is the amount itself', () => {
    expect(grossInput(tokenIn, 5n, undefined)).toEqual({ token: tokenIn, amount: 5n })
  })

  test('property: exactly the amount is left after the fee, and one unit less leaves less', () => {
    const net = fc.bigInt({ min: 1n, max: 2n ** 128n })
    fc.assert(
      fc.property(net, fc.bigInt({ min: 0n, max: 100n }), (wanted, feeBps) => {
        const { amount, fee = 0n } = grossInput(tokenIn, wanted, feeBps)
        expect(fee).toBe((amount * feeBps) / 10_000n)
        expect(amount - fee).toBe(wanted)
        const less = amount - 1n
        expect(less - (less * feeBps) / 10_000n).toBeLessThan(wanted)
      }),
    )
  })
})
