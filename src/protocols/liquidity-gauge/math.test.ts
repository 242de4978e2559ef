import { describe, expect, test } from 'vitest'
import { mintedPerYear } from './math.js'

describe('mintedPerYear', () => {
  const facts = {
    supply: 5n,
    rate: 8n,
    epochEnd: 1_000n,
    weight: 10n ** 18n / 4n,
    isKilled: 0n,
  }
  test('known vector: a quarter of 8 a second is 63,115,200 a year of 365.25 days', () => {
    expect(mintedPerYear(facts, 999n)).toBe(63_115_200n)
  })
  test.each([
    ['nobody has staked', { supply: 0n }],
    ['the gauge is killed', { isKilled: 1n }],
    ['it has no weight', { weight: 0n }],
    ['its controller does not say the weight', { weight: null }],
    ['it does not say the rate', { rate: null }],
    ['it does not say until when the rate holds', { epochEnd: null }],
    ['the rate is of an epoch that is over', { epochEnd: 999n }],
  ])('nothing where %s', (_why, changed) => {
    expect(mintedPerYear({ ...facts, ...changed }, 999n)).toBe(0n)
  })
  test('a gauge that cannot be killed is not', () => {
    expect(mintedPerYear({ ...facts, isKilled: null }, 999n)).toBeGreaterThan(0n)
  })
})
