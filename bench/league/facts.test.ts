import { describe, expect, test } from 'vitest'
import { ethereum } from '../../src/chains/ethereum.js'
import { nativeToken } from '../../src/domain/primitives.js'
import type { ConcentratedState } from '../../src/protocols/shared/concentrated/swap.js'
import type { ConcentratedFacts } from './contract.js'
import { ticksWithin, withWrapped } from './facts.js'

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

describe('withWrapped', () => {
  const below = '0x00000000000000000000000000000000000000aa'
  const above = '0xff000000000000000000000000000000000000aa'
  const facts: ConcentratedFacts = {
    kind: 'concentrated',
    id: '0x1',
    tokens: [nativeToken, above],
    fee: 0.003,
    balances: [4n, 16n],
    sqrtPriceX96: 2n << 96n,
    tick: 13_863,
    liquidity: 8n,
    tickSpacing: 60,
    ticks: [
      { index: 12_000, net: 8n },
      { index: 15_000, net: -8n },
    ],
  }
  test('native itself becomes the wrapped token', () => {
    expect(withWrapped(facts)).toEqual({ ...facts, tokens: [ethereum.wrappedNative, above] })
  })
  test('where that comes after the other token, price and ticks are turned round', () => {
    expect(withWrapped({ ...facts, tokens: [nativeToken, below] })).toEqual({
      ...facts,
      tokens: [below, ethereum.wrappedNative],
      balances: [16n, 4n],
      sqrtPriceX96: 1n << 95n,
      tick: -13_864,
      ticks: [
        { index: -15_000, net: 8n },
        { index: -12_000, net: -8n },
      ],
    })
  })
})
