import { describe, expect, test } from 'vitest'
import { blocksPerChunkOf, chunkId, divideBlocks, rangeOf } from './queue-chunks.js'

describe('divideBlocks', () => {
  test('nine blocks in any order are chunks of four neighbours, the last one shorter', () => {
    const blocks = [9n, 1n, 2n, 8n, 3n, 4n, 7n, 5n, 6n]
    expect(divideBlocks(blocks, [], 4)).toEqual([[1n, 2n, 3n, 4n], [5n, 6n, 7n, 8n], [9n]])
  })

  test('no chunk encloses a range that is held: a new one begins behind it', () => {
    const held = [{ first: 14n }, { first: 30n }]
    expect(divideBlocks([10n, 12n, 16n, 18n, 20n, 22n, 24n], held, 4)).toEqual([
      [10n, 12n],
      [16n, 18n, 20n, 22n],
      [24n],
    ])
  })

  test('no blocks are no chunks', () => {
    expect(divideBlocks([], [{ first: 1n }], 4)).toEqual([])
  })
})

describe('rangeOf', () => {
  test('reads what chunkId wrote, and is null for another job', () => {
    const id = chunkId('job', [5n, 7n, 9n])
    expect(rangeOf('job', id)).toEqual({ first: 5n, last: 9n })
    expect(rangeOf('other', id)).toBeNull()
  })
})

test('a job of ten blocks is divided into chunks of one, and a job of a thousand into chunks of four', () => {
  expect([10, 33, 1_000].map(blocksPerChunkOf)).toEqual([1, 3, 4])
})
