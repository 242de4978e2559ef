import { describe, expect, test } from 'vitest'
import type { Address } from '../../../domain/primitives.js'
import { outputOf } from './curve.js'
import { type Ask, curvesOf, directionKey, sampleAll } from './sample.js'

const direction = {
  tokenIn: `0x${'1'.repeat(40)}` as Address,
  tokenOut: `0x${'2'.repeat(40)}` as Address,
}
/** Of a constant product that has ten million of each token, in units of 1e6. */
const reserve = 10n ** 13n
const output = (amountIn: bigint) => (amountIn * reserve) / (reserve + amountIn)

async function sampled(largest: bigint, byDepth: boolean) {
  const asked: bigint[] = []
  const ask: Ask<null> = async (wanted) =>
    wanted.map(({ sizes }) =>
      sizes.map((size) => {
        asked.push(size)
        return { amountOut: output(size), unread: null }
      }),
    )
  const samplings = await sampleAll(ask, [{ subject: null, direction, largest, byDepth }])
  const curve = curvesOf(samplings).curves.get(directionKey(direction)) ?? []
  return { asked, at: (amountIn: bigint) => outputOf(curve, amountIn) }
}

describe('sampling by depth', () => {
  test('finds where a pool is exhausted, however much it takes', async () => {
    for (const largest of [10n ** 20n, 10n ** 27n, 2n ** 112n]) {
      const { asked, at } = await sampled(largest, true)
      for (const amount of [10n ** 8n, 10n ** 10n, 10n ** 12n]) {
        const off = Number(at(amount) - output(amount)) / Number(output(amount))
        expect(Math.abs(off), `${largest} ${amount}`).toBeLessThan(1e-3)
      }
      expect(asked.length).toBeLessThanOrEqual(13 + 12 + 13)
    }
  })

  test('asks for no more where the sizes suit the pool', async () => {
    const { asked } = await sampled(2n * reserve, true)
    expect(asked).toHaveLength(13)
  })

  test('is as before where it is not asked for', async () => {
    const { asked, at } = await sampled(2n ** 112n, false)
    expect(asked).toHaveLength(13)
    const off = Number(at(10n ** 9n) - output(10n ** 9n)) / Number(output(10n ** 9n))
    expect(Math.abs(off)).toBeGreaterThan(0.5)
  })
})
