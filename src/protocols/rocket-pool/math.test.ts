import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { afterBurn, afterMint, burnt, minted, type RocketState } from './math.js'

/** A rETH is worth 1.25 ether; a hundredth of a deposit is kept. */
const state: RocketState = {
  depositPool: '0x00000000000000000000000000000000000000dd',
  totalEther: 1_250n,
  supply: 1_000n,
  depositFee: 10n ** 16n,
  minDeposit: 10n,
  maxDeposit: 500n,
  collateral: 200n,
  proven: true,
}

describe('minted', () => {
  test('known vector: 200 ether less a fee of 2 are 158 rETH', () => {
    expect(minted(state, 200n)).toBe(158n)
  })
  test('nothing below the minimum of 10 and above the maximum of 500', () => {
    expect([minted(state, 9n), minted(state, 501n)]).toEqual([0n, 0n])
    expect([minted(state, 10n), minted(state, 500n)]).toEqual([8n, 396n])
  })
  test('one to one where there is no rETH, and nothing where no ether backs it', () => {
    const none = { ...state, depositFee: 0n }
    expect(minted({ ...none, supply: 0n }, 77n)).toBe(77n)
    expect(minted({ ...none, totalEther: 0n }, 77n)).toBe(0n)
  })
  test('a deposit takes up the room that is left', () => {
    expect(afterMint(state, 400n).maxDeposit).toBe(100n)
    expect(afterMint(state, 501n)).toBe(state)
  })
})

describe('burnt', () => {
  test('known vector: 101 rETH are 126 ether; 161 are 201, more than there is', () => {
    expect([burnt(state, 101n), burnt(state, 161n)]).toEqual([126n, 0n])
  })
  test('known vector: 160 rETH take all that there is', () => {
    expect(burnt(state, 160n)).toBe(200n)
  })
  test('one to one where no rETH is reported', () => {
    expect(burnt({ ...state, supply: 0n }, 77n)).toBe(77n)
  })
  test('what is paid is no longer there', () => {
    expect(afterBurn(state, 101n).collateral).toBe(74n)
    expect(afterBurn(state, 161n).collateral).toBe(200n)
  })
})

describe('rounding', () => {
  test('property: what is minted is never worth more than was deposited', () => {
    const states = fc.record({
      ether: fc.bigInt({ min: 1n, max: 10n ** 27n }),
      supply: fc.bigInt({ min: 1n, max: 10n ** 27n }),
      fee: fc.bigInt({ min: 0n, max: 10n ** 18n }),
    })
    fc.assert(
      fc.property(states, fc.bigInt({ min: 1n, max: 10n ** 27n }), (at, amount) => {
        const rates = { totalEther: at.ether, supply: at.supply, depositFee: at.fee }
        const limits = { minDeposit: 0n, maxDeposit: 10n ** 27n, collateral: 10n ** 60n }
        const there = { ...state, ...rates, ...limits }
        expect(burnt(there, minted(there, amount))).toBeLessThanOrEqual(amount)
      }),
    )
  })
})
