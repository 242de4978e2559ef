import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { squareRoot } from './square-root.js'

describe('squareRoot', () => {
  test('property: its square is not above the value, that of the next is', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 1n << 256n }), (value) => {
        const root = squareRoot(value)
        expect(root * root <= value && (root + 1n) * (root + 1n) > value).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})
