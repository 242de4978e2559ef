import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { approach } from './approach.js'

/** What a share, a cost, and whole units leave of an amount. */
interface Curve {
  readonly bps: bigint
  readonly cost: bigint
  readonly unit: bigint
}

function outputOf({ bps, cost, unit }: Curve, amountIn: bigint): bigint {
  const sent = amountIn - (amountIn % unit)
  const output = (sent * bps) / 10_000n - cost
  return output > 0n ? output : 0n
}

const on = (curve: Curve, wanted: bigint, start: bigint, most = 12) => {
  const tried: bigint[] = []
  const found = approach({ wanted, start, most }, async (amountIn) => {
    tried.push(amountIn)
    return { output: outputOf(curve, amountIn), value: amountIn }
  })
  return found.then((amountIn) => ({ amountIn, tried }))
}

describe('approach', () => {
  test('an amount that gives what is wanted is the only one tried', async () => {
    const curve = { bps: 9_990n, cost: 0n, unit: 1n }
    expect(await on(curve, 999_000n, 1_000_000n)).toEqual({
      amountIn: 1_000_000n,
      tried: [1_000_000n],
    })
  })

  test('of a share and a cost, from twice the amount and from half of it, a few attempts find the least', async () => {
    const curve = { bps: 9_994n, cost: 700_000n, unit: 1n }
    for (const start of [2_000_000_000n, 500_000_000n, 1_000_000_000n]) {
      const { amountIn, tried } = await on(curve, 998_700_000n, start)
      const least = ((998_700_000n + curve.cost) * 10_000n) / curve.bps
      expect(Number((amountIn ?? 0n) - least) / Number(least)).toBeLessThan(1e-5)
      expect(tried.length).toBeLessThanOrEqual(4)
    }
  })

  test('a start that gives nothing grows until something comes out', async () => {
    const curve = { bps: 10_000n, cost: 1_000n, unit: 1n }
    const { amountIn, tried } = await on(curve, 10n, 10n)
    expect(amountIn).toBe(1_010n)
    expect(tried.slice(0, 5)).toEqual([10n, 40n, 160n, 640n, 2_560n])
  })

  test('what never comes out is null, after as many attempts as there may be', async () => {
    const curve = { bps: 0n, cost: 0n, unit: 1n }
    const { amountIn, tried } = await on(curve, 10n, 10n, 5)
    expect(amountIn).toBeNull()
    expect(tried).toHaveLength(5)
  })

  test('an attempt that ends it leaves the best so far', async () => {
    const outputs = [200n, null]
    const found = await approach({ wanted: 100n, start: 7n, most: 5 }, async (amountIn) => {
      const output = outputs.shift()
      return output === null || output === undefined ? null : { output, value: amountIn }
    })
    expect(found).toBe(7n)
  })

  test('whatever the curve, what is found is enough, at most a tenth of a basis point or a few units above the least', async () => {
    const curves = fc.record({
      bps: fc.bigInt(5_000n, 10_000n),
      cost: fc.bigInt(0n, 10n ** 6n),
      unit: fc.constantFrom(1n, 10n, 1_000n),
      wanted: fc.bigInt(10n ** 9n, 10n ** 13n),
      offBps: fc.bigInt(-500n, 500n),
    })
    await fc.assert(
      fc.asyncProperty(curves, async ({ wanted, offBps, ...curve }) => {
        const exact = ((wanted + curve.cost) * 10_000n) / curve.bps
        const start = (exact * (10_000n + offBps)) / 10_000n
        const { amountIn } = await on(curve, wanted, start)
        expect(amountIn).not.toBeNull()
        const found = amountIn ?? 0n
        expect(outputOf(curve, found)).toBeGreaterThanOrEqual(wanted)
        expect(found - exact).toBeLessThanOrEqual(exact / 90_000n + 4n * curve.unit)
      }),
      { numRuns: 300 },
    )
  })
})
