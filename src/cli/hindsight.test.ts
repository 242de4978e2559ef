import { expect, test } from 'vitest'
import { blocksOf } from './hindsight.js'

test('a range of blocks, or one block', () => {
  expect(blocksOf('5..7')).toEqual({ from: 5, to: 7 })
  expect(blocksOf('5')).toEqual({ from: 5, to: 5 })
})

test.each(['', '7..5', '1..10001', '5-7', '..7'])('%s is none', (text) => {
  expect(() => blocksOf(text)).toThrow('--blocks: must be a range of at most 10000 blocks')
})
