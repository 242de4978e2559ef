import { describe, expect, test } from 'vitest'
import { rewardPerYear } from './math.js'

describe('rewardPerYear', () => {
  const rates = { staked: 5n, ratePerSecond: 3n, periodFinish: 1_000n }
  test('known vector: 3 a second are 94,672,800 a year of 365.25 days', () => {
    expect(rewardPerYear(rates, 999n)).toBe(94_672_800n)
  })
  test('nothing once the period is over, and nothing while nobody has staked', () => {
    expect(rewardPerYear(rates, 1_000n)).toBe(0n)
    expect(rewardPerYear({ ...rates, staked: 0n }, 1n)).toBe(0n)
  })
})
