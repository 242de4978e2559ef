import { describe, expect, test } from 'vitest'
import type { RouteAnswer } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Address } from '../domain/primitives.js'
import { withPlainWay } from './without-overlay.js'

const pool = (name: number): Address => `0x${String(name).padStart(40, '0')}`

/** An answer by these pools, whose transaction is told apart by `data`. */
function answerBy(pools: readonly number[], data: `0x${string}`): RouteAnswer {
  const internalRoutes = pools.map((name) => ({ pool: pool(name) }))
  const known: Partial<RouteAnswer> = {
    block: { number: 7n, changes: { stateId: 'x' } } as RouteAnswer['block'],
    tx: { to: pool(99), data } as RouteAnswer['tx'],
    route: [{ internalRoutes }] as unknown as RouteAnswer['route'],
    warnings: ['of all'],
  }
  return known as RouteAnswer
}

const alternativeBy = (pools: readonly number[], data: `0x${string}`) => ({
  ...answerBy(pools, data),
  lossBps: 3,
  sharedPools: [],
})

describe('the way without the overlay', () => {
  test('takes the place of the last alternative, and is asked for at the block as it is', async () => {
    const alternatives = [alternativeBy([2], '0x02'), alternativeBy([3], '0x03')]
    const best = { ...answerBy([1], '0x01'), alternatives }
    const asked: object[] = []
    const answer = await withPlainWay(best, { alternatives: 2 }, async (block) => {
      asked.push(block)
      return { ...answerBy([2, 4], '0x04'), warnings: ['of all', 'its own'] }
    })
    expect(asked).toEqual([{ number: 7n }])
    expect(answer.alternatives).toEqual([
      alternatives[0],
      expect.objectContaining({
        tx: { to: pool(99), data: '0x04' },
        lossBps: null,
        sharedPools: [pool(2)],
        warnings: ['its own'],
        withoutOverlay: true,
      }),
    ])
  })

  test('is marked where it is an alternative already, and not added where it is the best itself', async () => {
    const alternatives = [alternativeBy([2], '0x02')]
    const best = { ...answerBy([1], '0x01'), alternatives }
    const known = await withPlainWay(best, { alternatives: 1 }, async () => answerBy([2], '0x02'))
    expect(known.alternatives).toEqual([{ ...alternatives[0], withoutOverlay: true }])
    const same = await withPlainWay(best, { alternatives: 1 }, async () => answerBy([1], '0x01'))
    expect(same).toBe(best)
  })

  test('that does not exist is a warning, and any other failure one of the request', async () => {
    const best = answerBy([1], '0x01')
    const noRoute = async () => {
      throw new ForkrouteError('NO_ROUTE', 'No pools.')
    }
    const answer = await withPlainWay(best, { alternatives: 1 }, noRoute)
    expect(answer.warnings).toEqual([
      'of all',
      'No way was found that does not count on the overlay: No pools.',
    ])
    const lost = async () => {
      throw new ForkrouteError('FORK_UNAVAILABLE', 'Gone.')
    }
    await expect(withPlainWay(best, { alternatives: 1 }, lost)).rejects.toThrow('Gone.')
  })

  test('is not looked for without alternatives', async () => {
    const best = answerBy([1], '0x01')
    const never = async () => {
      throw new Error('It was asked for.')
    }
    expect(await withPlainWay(best, {}, never)).toBe(best)
  })
})
