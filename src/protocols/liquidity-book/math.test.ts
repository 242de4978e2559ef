import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BookState, bookSwap } from './math.js'

const one = 2 ** 23
const whole = 1n << 128n
const book = (change: Partial<BookState> = {}): BookState => ({
  binStep: 10n,
  parameters: {
    baseFactor: 10_000n,
    variableFeeControl: 0n,
    protocolShare: 0n,
    maxVolatility: 0n,
    volatilityReference: 0n,
    idReference: one,
    activeId: one,
    isAlwaysRenewed: false,
  },
  ids: [one - 1, one, one + 1],
  reservesX: [0n, 1_000_000n, 1_000_000n],
  reservesY: [1_000_000n, 1_000_000n, 0n],
  lowerId: 0,
  upperId: 2 ** 24 - 1,
  hasBinLimit: true,
  hooks: null,
  isEstimate: false,
  ...change,
})

describe('bookSwap', () => {
  test('within the active bin: 10,000 less 0.1 %, rounded up, at the price of one', () => {
    expect(bookSwap(book(), true, 10_000n)?.amountOut).toBe(9_990n)
    expect(bookSwap(book(), true, 10_001n)?.amountOut).toBe(9_990n)
  })
  test('over a bin: the rest is sold at the price below, and the pair is active there', () => {
    const swap = bookSwap(book(), true, 1_500_000n)
    // A bin takes 1,000,000 and a fee of 1,002 (1/999, rounded up); 498,998 less 499 at 1/1.001 are 498,000.99.
    expect(swap?.amountOut).toBe(1_000_000n + 498_000n)
    expect(swap?.after.parameters.activeId).toBe(one - 1)
    expect(swap?.exact).toBe(true)
  })
  test('the other way round the rest is sold at the price above', () => {
    // 498,998 less 499 at 1.001.
    const swap = bookSwap(book(), false, 1_500_000n)
    expect(swap?.amountOut).toBe(1_000_000n + 498_000n)
    expect(swap?.after.parameters.activeId).toBe(one + 1)
  })
  test('bins get what they are paid, without the share of the protocol in the fee', () => {
    const { parameters } = book()
    const shared = { parameters: { ...parameters, protocolShare: 1_000n } }
    // Fees of 1,002 and 499, of which a tenth, rounded down, goes to the protocol.
    expect(bookSwap(book(), true, 1_500_000n)?.after).toMatchObject({
      reservesX: [498_998n, 2_001_002n, 1_000_000n],
      reservesY: [502_000n, 0n, 0n],
    })
    expect(bookSwap(book(shared), true, 1_500_000n)?.after).toMatchObject({
      reservesX: [498_949n, 2_000_902n, 1_000_000n],
      reservesY: [502_000n, 0n, 0n],
    })
    expect(bookSwap(book(shared), false, 1_500_000n)?.after).toMatchObject({
      reservesX: [0n, 0n, 502_000n],
      reservesY: [1_000_000n, 2_000_902n, 498_949n],
    })
  })
  test('bins that are empty, or of the other token, are passed', () => {
    const { parameters } = book()
    const ids = [one - 2, one - 1, one + 1, one + 2]
    const reserves = { reservesX: [0n, 0n, 0n, 9_000_000n], reservesY: [9_000_000n, 0n, 0n, 0n] }
    const far = book({ ids, ...reserves, parameters: { ...parameters, activeId: one } })
    // 9,990 at 1.001 twice are 9,970.05.
    for (const [forY, id] of [
      [true, one - 2],
      [false, one + 2],
    ] as const) {
      const swap = bookSwap(far, forY, 10_000n)
      expect([swap?.amountOut, swap?.after.parameters.activeId]).toEqual([9_970n, id])
    }
  })
  test('the fee of a bin follows from its distance and from what is remembered, up to a limit', () => {
    const { parameters } = book()
    const outOf = (change: Partial<BookState['parameters']>, amountIn: bigint) => {
      const moving = { ...parameters, variableFeeControl: 5_000_000n, maxVolatility: 500_000n }
      return bookSwap(book({ parameters: { ...moving, ...change } }), true, amountIn)?.amountOut
    }
    // One bin away the fee is 0.15%: 498,998 less 749 at 1/1.001.
    expect(outOf({}, 1_500_000n)).toBe(1_000_000n + 497_751n)
    expect(outOf({ idReference: one + 1 }, 10_000n)).toBe(9_985n)
    expect(outOf({ volatilityReference: 10_000n }, 10_000n)).toBe(9_985n)
    // Half as far it is 0.1125%, so 12 of 10,000.
    expect(outOf({ volatilityReference: 10_000n, maxVolatility: 5_000n }, 10_000n)).toBe(9_988n)
  })
  test('the variable part of a fee is rounded up', () => {
    const { parameters } = book()
    // A hundredth of 1e-18 counts as 1e-18, so that the fee of 0.1% of 1,000 is above 1.
    const tiny = { variableFeeControl: 1n, volatilityReference: 1n, maxVolatility: 1n }
    const moving = { ...parameters, baseFactor: 100_000n, ...tiny }
    expect(bookSwap(book({ binStep: 1n, parameters: moving }), true, 1_000n)?.amountOut).toBe(998n)
  })
  test('what a bin may hold is limited where the version does so', () => {
    const full = { reservesX: [0n, 10n ** 9n, 0n], reservesY: [0n, 1n << 118n, 0n] }
    expect(bookSwap(book(full), false, 10_000n)).toBeNull()
    expect(bookSwap(book({ ...full, hasBinLimit: false }), false, 10_000n)?.amountOut).toBe(9_990n)
  })
  test('nothing is refused or too much: 0, a unit that the fee takes, and more than 128 bits', () => {
    for (const amount of [0n, -5n, 1n]) expect(bookSwap(book(), true, amount)).toBeNull()
    const large = { hasBinLimit: false, reservesY: [0n, whole - 1n, 0n] }
    expect(bookSwap(book(large), true, 10_000n)).toBeNull()
    const most = book({ hasBinLimit: false, reservesY: [0n, 1n << 127n, 0n], lowerId: one })
    expect(bookSwap(most, true, whole - 1n)).not.toBeNull()
    expect(bookSwap(most, true, whole)).toBeNull()
  })
  test('a pair that renews its references, or was an estimate, is an estimate after a swap', () => {
    const { parameters } = book()
    const renewing = book({ parameters: { ...parameters, isAlwaysRenewed: true } })
    expect(bookSwap(renewing, true, 10_000n)).toMatchObject({
      exact: true,
      after: { isEstimate: true },
    })
    expect(bookSwap(book(), true, 10_000n)?.after.isEstimate).toBe(false)
    expect(bookSwap(book({ isEstimate: true }), true, 10_000n)).toMatchObject({
      exact: false,
      after: { isEstimate: true },
    })
  })
  test('crossed bins raise the fee where there is a variable part', () => {
    const { parameters } = book()
    const moving = { ...parameters, variableFeeControl: 5_000_000n, maxVolatility: 500_000n }
    const plain = bookSwap(book(), true, 1_500_000n)?.amountOut ?? 0n
    expect(bookSwap(book({ parameters: moving }), true, 1_500_000n)?.amountOut).toBeLessThan(plain)
    expect(bookSwap(book({ parameters: moving }), true, 10_000n)?.amountOut).toBe(9_990n)
  })
  test('more than all bins hold is refused; beyond the known ones it is an estimate', () => {
    expect(bookSwap(book(), true, 10n ** 9n)).toBeNull()
    const beyond = bookSwap(book({ lowerId: one - 256 }), true, 10n ** 9n)
    expect(beyond).toMatchObject({ amountOut: 2_000_000n, exact: false })
    const none = bookSwap(book({ ids: [], lowerId: one - 256 }), true, 10n ** 9n)
    expect(none).toMatchObject({ amountOut: 0n, exact: false })
    expect(bookSwap(book(), false, 10n ** 9n)).toBeNull()
    const above = bookSwap(book({ upperId: one + 256 }), false, 10n ** 9n)
    expect(above).toMatchObject({ amountOut: 2_000_000n, exact: false })
  })
  test('a fee above a tenth is refused', () => {
    const { parameters } = book()
    expect(
      bookSwap(book({ parameters: { ...parameters, baseFactor: 1_000_001n } }), true, 10_000n),
    ).toBeNull()
    const most = book({ parameters: { ...parameters, baseFactor: 1_000_000n } })
    expect(bookSwap(most, true, 10_000n)?.amountOut).toBe(9_000n)
  })
  test('property: what two swaps in a row give is never more than one of both', () => {
    const amount = fc.bigInt({ min: 1n, max: 700_000n })
    fc.assert(
      fc.property(fc.boolean(), amount, amount, (forY, a, b) => {
        const first = bookSwap(book(), forY, a)
        const second = bookSwap(first?.after ?? book(), forY, b)
        const both = bookSwap(book(), forY, a + b)
        const sum = (first?.amountOut ?? 0n) + (second?.amountOut ?? 0n)
        expect(both?.amountOut ?? 0n).toBeGreaterThanOrEqual(sum)
      }),
    )
  })
})
