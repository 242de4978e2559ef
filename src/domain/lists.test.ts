import { describe, expect, test } from 'vitest'
import { at, tokenAmounts, zip } from './lists.js'

describe('at', () => {
  test('gives the entry, zero and null too', () => {
    expect(at([0n, 5n], 0)).toBe(0n)
    expect(at([null], 0)).toBeNull()
  })

  test.each([-1, 2])('throws for entry %i of two', (index) => {
    expect(() => at([1n, 2n], index)).toThrow(new TypeError(`no entry ${index} of 2`))
  })
})

describe('zip', () => {
  test('pairs entries at the same position', () => {
    expect(zip(['a', 'b'], [1n, 2n])).toEqual([
      ['a', 1n],
      ['b', 2n],
    ])
  })

  test.each([[[1n]], [[1n, 2n, 3n]]])('throws for two entries beside %o', (right) => {
    expect(() => zip(['a', 'b'], right)).toThrow(TypeError)
  })
})

describe('tokenAmounts', () => {
  test('keeps the order', () => {
    expect(tokenAmounts(['0xb', '0xa'], [2n, 1n])).toEqual([
      { token: '0xb', amount: 2n },
      { token: '0xa', amount: 1n },
    ])
  })
})
