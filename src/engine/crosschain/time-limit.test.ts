import { describe, expect, test } from 'vitest'
import { createTimeLimit } from './time-limit.js'

describe('createTimeLimit', () => {
  test('of 1,000 ms what remains is given to each task, and after them nothing', () => {
    let time = 5_000
    const limit = createTimeLimit({ begunAt: 5_000, deadlineMs: 1_000, now: () => time })
    const request = { deadlineMs: 1_000, name: 'one' }
    expect(limit.applied(request)).toEqual({ deadlineMs: 1_000, name: 'one' })
    time = 5_400
    expect(limit.applied(request)).toEqual({ deadlineMs: 600, name: 'one' })
    time = 5_999
    expect(limit.applied(request).deadlineMs).toBe(1)
    time = 6_000
    expect(() => limit.applied(request)).toThrow('Nothing was found within 1000 ms.')
  })

  test('without a limit nothing changes', () => {
    const limit = createTimeLimit({ begunAt: 0, now: () => 1e12 })
    expect(limit.applied({})).toEqual({})
  })
})
