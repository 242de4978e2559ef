import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  afterStaking,
  pooledEthByShares,
  type StakedState,
  staked,
  unwrapped,
  wrapped,
} from './math.js'

/** A share is worth 1.2 ether. */
const state: StakedState = { pooledEther: 1_200n, shares: 1_000n, stakeLimit: 600n, proven: true }

describe('wrapped', () => {
  test('known vector: 13 stETH are 10 shares, which hold 12 and wrap into 10', () => {
    expect(wrapped(state, 13n)).toBe(10n)
  })
  test('known vector: 11 stETH are 9 shares, which hold 10 and wrap into 8: a unit is lost on the way', () => {
    expect(wrapped(state, 11n)).toBe(8n)
  })
})

describe('unwrapped', () => {
  test('known vector: 9 wstETH are sent as 10 stETH, which are 8 shares and hold 9', () => {
    expect(unwrapped(state, 9n)).toBe(9n)
  })
})

describe('staked', () => {
  test('known vector: 600 ether are 500 shares and hold 600; 601 are above the limit', () => {
    expect([staked(state, 600n), staked(state, 601n)]).toEqual([600n, 0n])
    expect(afterStaking(state, 600n)).toMatchObject({
      pooledEther: 1_800n,
      shares: 1_500n,
      stakeLimit: 0n,
    })
    expect(afterStaking(state, 601n)).toBe(state)
  })
})

const states = fc
  .record({
    shares: fc.bigInt({ min: 10n ** 18n, max: 10n ** 25n }),
    gainBps: fc.bigInt({ min: 0n, max: 9_999n }),
  })
  .map(({ shares, gainBps }) => ({
    shares,
    pooledEther: shares + (shares * gainBps) / 10_000n + 1n,
    stakeLimit: 2n ** 96n,
    proven: true,
  }))
const amounts = fc.bigInt({ min: 1n, max: 10n ** 27n })

describe('rounding', () => {
  test('property: while a share is worth more than a wei, wrapping and unwrapping lose 8 wei at most and gain none', () => {
    fc.assert(
      fc.property(states, amounts, (at, amount) => {
        const back = unwrapped(at, wrapped(at, amount))
        expect(back).toBeLessThanOrEqual(amount)
        // Each of the divisions loses less than a share, and a share is worth less than two wei here.
        expect(amount - back).toBeLessThanOrEqual(8n)
      }),
    )
  })
  test('property: staking never lowers what a share is worth', () => {
    fc.assert(
      fc.property(states, amounts, (at, amount) => {
        const after = afterStaking(at, amount)
        const unit = 10n ** 18n
        expect(pooledEthByShares(after, unit)).toBeGreaterThanOrEqual(pooledEthByShares(at, unit))
      }),
    )
  })
  test('a contract without shares gives nothing and does not divide by them', () => {
    const none = { pooledEther: 0n, shares: 0n, stakeLimit: 0n, proven: false }
    expect([wrapped(none, 5n), unwrapped(none, 5n), staked(none, 5n)]).toEqual([0n, 0n, 0n])
  })
})
