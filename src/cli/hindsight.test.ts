import { expect, test } from 'vitest'
import { blocksOf, sinceOf } from './hindsight.js'

test('a range of blocks, or one block', () => {
  expect(blocksOf('5..7')).toEqual({ from: 5, to: 7 })
  expect(blocksOf('5')).toEqual({ from: 5, to: 5 })
})

test.each(['', '7..5', '1..10001', '5-7', '..7'])('%s is none', (text) => {
  expect(() => blocksOf(text)).toThrow('--blocks: must be a range of at most 10000 blocks')
})

test('a number of blocks to look back, or none', () => {
  expect(sinceOf('20')).toBe(20)
  expect(sinceOf(undefined)).toBeUndefined()
})

test.each(['', '0', '-1', 'ten', '1e2', '101'])(
  '%s is no number of blocks to look back',
  (text) => {
    expect(() => sinceOf(text)).toThrow('--since: must be an integer from 1 to 100.')
  },
)
