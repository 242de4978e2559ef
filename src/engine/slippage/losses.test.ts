import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lessSlippage } from '../../domain/primitives.js'
import { type BlockOutput, filledCount, heldBlocks, lossesAfter, slippageFor } from './losses.js'

const given = (...amounts: number[]): BlockOutput[] => amounts.map((amount) => [BigInt(amount)])

describe('lossesAfter', () => {
  test('whole basis points, rounded up; a gain is no loss', () => {
    const outputs = given(1_000_000, 999_900, 999_899, 1_000_000)
    expect(lossesAfter(outputs, 1)).toEqual([0n, 1n, 1n])
    expect(lossesAfter(outputs, 2)).toEqual([0n, 2n])
    expect(lossesAfter(outputs, 3)).toEqual([0n])
    expect(lossesAfter(outputs, 4)).toEqual([])
  })

  test('is the least with which the minimum of the quote is reached', () => {
    const amount = fc.bigInt(1n, 10n ** 30n)
    fc.assert(
      fc.property(amount, amount, (before, after) => {
        const [bps = 0n] = lossesAfter([[before], [after]], 1)
        expect(after).toBeGreaterThanOrEqual(lessSlippage(before, bps * 100n))
        if (bps > 0n) expect(after).toBeLessThan(lessSlippage(before, (bps - 1n) * 100n))
      }),
    )
  })

  test('of several outputs the one that loses most counts', () => {
    const outputs: BlockOutput[] = [
      [10_000n, 10_000n],
      [9_990n, 9_900n],
    ]
    expect(lossesAfter(outputs, 1)).toEqual([100n])
  })

  test('a block at which it reverts is no quote, and fills none', () => {
    const outputs: BlockOutput[] = [[100n], 'reverted', [100n]]
    expect(lossesAfter(outputs, 1)).toEqual([10_001n])
    expect(lossesAfter(outputs, 2)).toEqual([0n])
  })

  test('a block that is not known counts for nothing', () => {
    expect(lossesAfter([[100n], 'unknown', [100n]], 1)).toEqual([])
  })
})

describe('slippageFor', () => {
  const losses = (count: number, ...last: bigint[]) => [...Array<bigint>(count).fill(0n), ...last]

  test('a pair that does not move gets one basis point', () => {
    expect(slippageFor(losses(150))).toBe(1n)
  })

  test.each([
    [199, [30n], 1n],
    [198, [20n, 30n], 20n],
    [149, [30n], 30n],
    [0, [30n], 30n],
  ])('%i quotes that lose nothing, then %o', (count, last, expected) => {
    expect(slippageFor(losses(count, ...last))).toBe(expected)
  })
})

test('filledCount counts those whose loss is at most the slippage', () => {
  expect([0n, 9n, 10n, 11n].map((bps) => filledCount([0n, 5n, 10n, 10_001n], bps))).toEqual([
    1, 2, 3, 3,
  ])
})

describe('heldBlocks', () => {
  test('ends before the first delay at which too few fill', () => {
    const falling = given(10_000, 9_990, 9_980, 9_970, 9_960, 9_950)
    expect(heldBlocks(falling, 5n, 5)).toBe(0)
    expect(heldBlocks(falling, 11n, 5)).toBe(1)
    expect(heldBlocks(falling, 29n, 5)).toBe(2)
    expect(heldBlocks(falling, 30n, 5)).toBe(3)
    expect(heldBlocks(falling, 50n, 5)).toBe(5)
  })

  test('is no more than was measured', () => {
    expect(heldBlocks(given(1, 1, 1), 1n, 2)).toBe(2)
    expect(heldBlocks([], 1n, 2)).toBe(0)
  })
})
