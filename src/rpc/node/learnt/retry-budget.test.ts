import { describe, expect, test } from 'vitest'
import { seeded } from '../../../../test/support/synthetic-market.js'
import { createRetryBudget } from './retry-budget.js'

describe('the budget of requests that are sent again', () => {
  test('whatever fails, all requests are less than two and a half times those of a first time', () => {
    for (const share of [0.2, 0.5, 1]) {
      const random = seeded(3)
      let clock = 0
      const budget = createRetryBudget(() => clock)
      let [first, again, open] = [0, 0, 0]
      // A minute of 40 new requests a second; whatever failed wants to go out again at once.
      for (; clock < 60_000; clock += 25) {
        first += 1
        budget.earn()
        if (random() < share) open += 1
        const due = open
        for (let one = 0; one < due; one += 1) {
          if (!budget.spend()) break
          again += 1
          if (random() >= share) open -= 1
        }
      }
      expect((first + again) / first).toBeLessThan(2.5)
      if (share === 0.2) expect(open).toBeLessThan(3)
    }
  })

  test('once it is spent, the next comes after a quarter of a second', () => {
    let clock = 0
    const budget = createRetryBudget(() => clock)
    while (budget.spend());
    expect(budget.waitMs()).toBe(250)
    clock += 250
    expect(budget.waitMs()).toBe(0)
    expect(budget.spend()).toBe(true)
    expect(budget.spend()).toBe(false)
  })

  test('what is not spent in an hour is no more than a burst', () => {
    let clock = 0
    const budget = createRetryBudget(() => clock)
    clock += 3_600_000
    let spent = 0
    while (budget.spend()) spent += 1
    expect(spent).toBe(48)
  })
})
