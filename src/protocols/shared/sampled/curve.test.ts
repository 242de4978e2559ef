import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concaveCurve, outputOf, type Sample } from './curve.js'

/** Of a constant product without a fee. */
function constantProduct(amountIn: bigint): bigint {
  return (amountIn * 10n ** 30n) / (10n ** 24n + amountIn)
}

function samplesOf(output: (amountIn: bigint) => bigint, largest: bigint): Sample[] {
  return Array.from({ length: 13 }, (_, k) => {
    const amountIn = largest / 3n ** BigInt(k)
    return { amountIn, amountOut: output(amountIn) }
  })
}

/** What the second may differ from the first by, as a part of it. */
function partBetween(a: bigint, b: bigint): number {
  return Math.abs(Number(a - b)) / Number(a)
}

describe('concaveCurve', () => {
  test('is the constant product itself, between its quotes as well', () => {
    const curve = concaveCurve(samplesOf(constantProduct, 2n * 10n ** 24n))
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 12n, max: 2n * 10n ** 24n }), (amountIn) => {
        expect(partBetween(constantProduct(amountIn), outputOf(curve, amountIn))).toBeLessThan(1e-9)
      }),
    )
  })

  test('gives what was quoted, where no mix of other quotes gives more', () => {
    const curve = concaveCurve([
      { amountIn: 100n, amountOut: 100n },
      { amountIn: 10n, amountOut: 20n },
      { amountIn: 50n, amountOut: 30n },
    ])
    expect([10n, 100n].map((amountIn) => outputOf(curve, amountIn))).toEqual([20n, 100n])
    // What a part of the smaller quote and a part of the larger one give together.
    expect(outputOf(curve, 50n)).toBeGreaterThanOrEqual(55n)
  })

  test('stays at the most that was quoted', () => {
    const curve = concaveCurve([
      { amountIn: 10n, amountOut: 20n },
      { amountIn: 20n, amountOut: 30n },
      { amountIn: 40n, amountOut: 25n },
    ])
    expect([20n, 40n, 10n ** 30n].map((amountIn) => outputOf(curve, amountIn))).toEqual([
      30n,
      30n,
      30n,
    ])
  })

  test('gives nothing for nothing, and nothing where nothing was quoted', () => {
    const curve = concaveCurve([{ amountIn: 10n, amountOut: 20n }])
    expect([outputOf(curve, 0n), outputOf(concaveCurve([]), 5n)]).toEqual([0n, 0n])
    expect(outputOf(curve, 5n)).toBe(10n)
  })

  test('rises, and ever less, whatever was quoted', () => {
    const sample = fc.record({
      amountIn: fc.bigInt({ min: 1n, max: 10n ** 9n }).map((amount) => amount * 10n ** 18n),
      amountOut: fc.bigInt({ min: 0n, max: 10n ** 9n }).map((amount) => amount * 10n ** 18n),
    })
    const amounts = fc.tuple(
      fc.bigInt({ min: 0n, max: 10n ** 28n }),
      fc.bigInt({ min: 1n, max: 10n ** 27n }),
    )
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 13 }), amounts, (samples, [from, step]) => {
        const curve = concaveCurve(samples)
        const [a = 0n, b = 0n, c = 0n] = [0n, 1n, 2n].map((k) => outputOf(curve, from + k * step))
        expect(b).toBeGreaterThanOrEqual(a)
        // Each of the three is rounded down, and so is each bend.
        expect(c - b).toBeLessThanOrEqual(b - a + 2n)
      }),
    )
  })
})
