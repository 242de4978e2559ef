import { describe, expect, test } from 'vitest'
import { defaultCentiBps, lessSlippage, toBps } from './primitives.js'

describe('lessSlippage', () => {
  test.each([
    [1_000_000n, defaultCentiBps, 995_000n],
    [999n, 1n, 998n],
    [999n, 0n, 999n],
    [999n, 1_000_000n, 0n],
  ])('%d less %d hundredths of a basis point is %d, rounded down', (amount, centiBps, rest) => {
    expect(lessSlippage(amount, centiBps)).toBe(rest)
  })
})

describe('toBps', () => {
  test.each([
    [defaultCentiBps, '50'],
    [50n, '0.5'],
    [1_205n, '12.05'],
    [0n, '0'],
  ])('%d hundredths are %s basis points', (centiBps, text) => {
    expect(toBps(centiBps)).toBe(text)
  })
})
