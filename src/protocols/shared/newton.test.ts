import { describe, expect, test } from 'vitest'
import { createSeededRandom } from '../../sandbox/seeded-random.js'
import { newton } from './newton.js'

/** All 255 rounds, one after the other. */
function plain(start: bigint, step: (value: bigint) => bigint) {
  let value = start
  for (let round = 0; round < 255; round++) {
    const previous = value
    value = step(value)
    const moved = value > previous ? value - previous : previous - value
    if (moved <= 1n) return { value, isSettled: true }
  }
  return { value, isSettled: false }
}

describe('newton', () => {
  test('ends where two results are a unit apart', () => {
    expect(newton(10n ** 30n, (value) => (value + 10n ** 20n / value) / 2n)).toEqual({
      value: 10n ** 10n,
      isSettled: true,
    })
  })

  test('gives what 255 rounds give, on random ways that lead into circles', () => {
    const random = createSeededRandom(7n)
    let circles = 0
    for (let run = 0; run < 2_000; run++) {
      const size = 2 + random(60)
      const next = Array.from({ length: size }, () => BigInt(random(size) * 7))
      const step = (value: bigint) => next[Number(value / 7n)] ?? 0n
      const all = plain(0n, step)
      if (!all.isSettled) circles++
      expect(newton(0n, step)).toEqual(all)
    }
    expect(circles).toBeGreaterThan(500)
  })

  test('a circle takes few rounds', () => {
    let rounds = 0
    const found = newton(0n, (value) => {
      rounds++
      return value === 20n ? 5n : value + 5n
    })
    expect(found).toEqual(plain(0n, (value) => (value === 20n ? 5n : value + 5n)))
    expect(rounds).toBeLessThan(20)
  })

  test('ways that never come back take all rounds', () => {
    let rounds = 0
    const found = newton(0n, (value) => {
      rounds++
      return value + 2n
    })
    expect(found).toEqual({ value: 510n, isSettled: false })
    expect(rounds).toBe(255)
  })

  test('ends with nothing where a step ends it', () => {
    expect(newton(0n, (value) => (value > 8n ? null : value + 4n))).toBeNull()
  })
})
