import { describe, expect, test } from 'vitest'
import { secondsBetween } from './track.js'

describe('secondsBetween', () => {
  test.each([
    [100, 160, 60],
    [100, 100, 0],
    [100, 99, null],
  ])('sent at %i and there at %i: %s', (sent, arrived, seconds) => {
    expect(secondsBetween({ timestamp: sent }, { timestamp: arrived })).toBe(seconds)
  })

  test('of what has not arrived there is none', () => {
    expect(secondsBetween({ timestamp: 100 }, undefined)).toBeNull()
  })
})
