import { describe, expect, test } from 'vitest'
import { seeded } from '../../../../test/support/synthetic-market.js'
import { createNodePace } from './node-pace.js'

const most = { batch: 300, requests: 16 }

describe('the size of batches', () => {
  test('a node that fails one request of five, and limits some, gets batches of the sizes that it takes nearly always', () => {
    const random = seeded(7)
    const pace = createNodePace(most)
    pace.answered(40)
    let smaller = 0
    for (let request = 0; request < 5_000; request++) {
      const calls = 1 + Math.floor(random() * 40)
      const fate = random()
      if (fate < 0.018) pace.limited(calls, Date.now())
      else if (fate < 0.2) pace.failed(calls)
      else pace.answered(calls)
      if (pace.batch() < 40) smaller += 1
    }
    expect(smaller / 5_000).toBeLessThan(0.15)
  })

  test.each([25, 8, 1])(
    'a node that takes %d calls at once, and limits more, gets no more soon',
    (limit) => {
      const pace = createNodePace(most)
      let refused = 0
      for (let request = 0; request < 40; request++) {
        const calls = pace.batch()
        if (calls > limit) {
          refused += 1
          pace.limited(calls, Date.now())
        } else pace.answered(calls)
      }
      expect(refused).toBeLessThan(12)
      expect(pace.batch()).toBeLessThanOrEqual(2 * limit)
    },
  )

  test('a node that drops what is above ten calls without a word: half as many are tried after three in a row', () => {
    const pace = createNodePace(most)
    for (let request = 0; request < 40; request++) {
      const calls = pace.batch()
      if (calls > 10) pace.failed(calls)
      else pace.answered(calls)
    }
    expect(pace.batch()).toBeLessThanOrEqual(20)
  })

  test('a node that took large batches and does no more: two of a size are enough', () => {
    const pace = createNodePace(most)
    pace.answered(300)
    pace.limited(300, Date.now())
    expect(pace.batch()).toBe(300)
    pace.limited(300, Date.now() + 1)
    expect(pace.batch()).toBe(150)
  })
})
