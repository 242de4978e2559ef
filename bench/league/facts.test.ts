import { describe, expect, test } from 'vitest'
import type { ConcentratedState } from '../../src/protocols/shared/concentrated/swap.js'
import { ticksWithin } from './facts.js'

const state: ConcentratedState = {
  sqrtPriceX96: 1n << 96n,
  tick: 5,
  liquidity: 100n,
  feePips: [500n, 500n],
  tickSpacing: 10,
  ticks: [-40, -20, 0, 10, 30],
  liquidityNets: [7n, 20n, 30n, -25n, -9n],
  lowerTick: -40,
  upperTick: 30,
}

describe('ticksWithin', () => {
  test('liquidity begins and ends with the known range', () => {
    expect(ticksWithin(state)).toEqual([
      { index: -40, net: 50n },
      { index: -20, net: 20n },
      { index: 0, net: 30n },
      { index: 10, net: -25n },
      { index: 30, net: -75n },
    ])
  })
  test('where nothing is known on either side it lasts to the next usable ticks', () => {
    const unknown = { ...state, ticks: [], liquidityNets: [], lowerTick: 6, upperTick: 5 }
    expect(ticksWithin(unknown)).toEqual([
      { index: 0, net: 100n },
      { index: 10, net: -100n },
    ])
  })
})
