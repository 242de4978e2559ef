import { describe, expect, test } from 'vitest'
import { seeded } from '../../../../test/support/synthetic-market.js'
import { createNodeBulkLimits } from '../bulk/bulk-limits.js'
import { NodeHealth } from './node-health.js'
import { createNodePace } from './node-pace.js'
import { createNoise } from './noise.js'

/** As of the eleven ways of `bad-node.ts`: each request fails, and one of eleven of those says that it is limited. */
function steadyNoise(share: number, seed: number) {
  const random = seeded(seed)
  return (): 'answered' | 'limited' | 'failed' => {
    if (random() >= share) return 'answered'
    return random() < 1 / 11 ? 'limited' : 'failed'
  }
}

describe('a limit', () => {
  test('the first refusal of a node that never failed stands out', () => {
    const noise = createNoise()
    noise.limited()
    expect(noise.isLimiting()).toBe(true)
  })

  test.each([1, 2, 3, 4])('one of eleven kinds of failures does not, seed %d', (seed) => {
    const next = steadyNoise(0.2, seed)
    const noise = createNoise()
    let standsOut = 0
    for (let request = 0; request < 20_000; request += 1) {
      const fate = next()
      noise[fate]()
      if (fate === 'limited' && noise.isLimiting()) standsOut += 1
    }
    expect(standsOut).toBeLessThan(40)
  })

  test('a node that fails a twentieth and limits a third stands out nearly each time', () => {
    const random = seeded(5)
    const noise = createNoise()
    let [limits, standsOut] = [0, 0]
    for (let request = 0; request < 5_000; request += 1) {
      const fate = random()
      if (fate < 1 / 3) {
        noise.limited()
        limits += 1
        if (noise.isLimiting()) standsOut += 1
      } else if (fate < 1 / 3 + 0.05) noise.failed()
      else noise.answered()
    }
    expect(standsOut / limits).toBeGreaterThan(0.95)
  })
})

describe('a row of failures', () => {
  test('three in a row of a node that hardly ever fails are no noise', () => {
    const row = createNoise().row()
    row.failed()
    row.failed()
    expect(row.failed()).toEqual({ count: 3, chance: 0.02 ** 3 })
  })

  test('its own failures do not make it likelier', () => {
    const noise = createNoise()
    const row = noise.row()
    let last = row.failed()
    for (let failure = 1; failure < 20; failure += 1) {
      noise.failed()
      last = row.failed()
    }
    expect(last).toEqual({ count: 20, chance: 0.02 ** 20 })
  })
})

describe('what is learnt of a node that steadily fails a fifth of its requests', () => {
  test.each([1, 2, 3])('sizes, places and health stay as they are, seed %d', (seed) => {
    const next = steadyNoise(0.2, seed)
    const noise = createNoise()
    let clock = 1
    const pace = createNodePace({ batch: 300, requests: 16 }, noise, () => clock)
    const health = new NodeHealth('node 1', () => undefined, noise)
    health.verified()
    const bulk = createNodeBulkLimits(noise, () => clock)
    let [small, narrow, down, withoutBulk] = [0, 0, 0, 0]
    const requests = 20_000
    for (let request = 0; request < requests; request += 1) {
      clock += 20
      const calls = 1 + (request % 60)
      const arrived = pace.sent()
      const fate = next()
      noise[fate]()
      if (fate === 'answered') {
        pace.answered(calls)
        bulk.worked()
        health.recordSuccess()
      } else {
        if (fate === 'limited' && noise.isLimiting()) pace.limited(calls, clock)
        if (fate === 'failed') pace.failed(calls)
        bulk.failed(clock, clock + 1)
        health.recordFailure(Number.POSITIVE_INFINITY, 'no answer')
      }
      arrived()
      if (pace.batch() < 60) small += 1
      if (pace.requests() < 8) narrow += 1
      if (!health.isUsable()) down += 1
      if (!bulk.mayRead(1n)) withoutBulk += 1
    }
    expect(small / requests).toBeLessThan(0.02)
    expect(narrow / requests).toBeLessThan(0.05)
    expect(down).toBe(0)
    expect(withoutBulk / requests).toBeLessThan(0.02)
  })

  test('it is no trouble to tell: the service stays ready', () => {
    const health = new NodeHealth('node 1', () => undefined, createNoise())
    health.verified()
    health.recordFailure(Number.POSITIVE_INFINITY, 'no answer')
    expect(health.problem()).toBe('node 1: no answer')
    expect(health.trouble()).toBeNull()
    for (const _more of [2, 3]) health.recordFailure(Number.POSITIVE_INFINITY, 'no answer')
    expect(health.trouble()).toBe('node 1: no answer')
    health.recordSuccess()
    expect(health.trouble()).toBeNull()
  })

  test('a node that answers nothing any more is down soon', () => {
    const noise = createNoise()
    const next = steadyNoise(0.2, 9)
    for (let request = 0; request < 500; request += 1) noise[next()]()
    const health = new NodeHealth('node 1', () => undefined, noise)
    health.verified()
    let failures = 0
    while (health.isUsable()) {
      noise.failed()
      health.recordFailure(Number.POSITIVE_INFINITY, 'no answer')
      failures += 1
    }
    expect(failures).toBeLessThanOrEqual(12)
  })
})

describe('bulk reads', () => {
  test('a node that fails them alone is read without, and with them again after a while', () => {
    let clock = 1
    const bulk = createNodeBulkLimits(createNoise(), () => clock)
    for (let call = 0; call < 3; call += 1) {
      clock += 20
      bulk.failed(clock, clock + 1)
    }
    expect(bulk.mayRead(1n)).toBe(false)
    clock += 10_000
    expect(bulk.mayRead(1n)).toBe(true)
  })

  test('a node that answers nothing at all says nothing of them', () => {
    let clock = 1
    const bulk = createNodeBulkLimits(createNoise(), () => clock)
    for (let call = 0; call < 50; call += 1) {
      clock += 20
      bulk.failed(clock, 0)
    }
    expect(bulk.mayRead(1n)).toBe(true)
  })
})
