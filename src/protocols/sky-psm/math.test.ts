import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buyGem, type PsmState, sellGem } from './math.js'

const ether = 10n ** 18n
const state: PsmState = {
  factor: 10n ** 12n,
  tin: 10n ** 15n,
  tout: 2n * 10n ** 15n,
  dai: 1_000n * ether,
  gems: 1_000n * 10n ** 6n,
}

describe('sellGem', () => {
  test('known vector: 100 USDC at 0.1 % are 99.9 DAI, which it has less of then', () => {
    const swap = sellGem(state, 100_000_000n)
    expect(swap?.amountOut).toBe(99_900_000_000_000_000_000n)
    expect(swap?.after).toEqual({
      ...state,
      dai: 900_100_000_000_000_000_000n,
      gems: 1_100_000_000n,
    })
  })

  test('all DAI that it holds is paid, and not one unit more', () => {
    const free = { ...state, tin: 0n }
    expect(sellGem(free, 1_000_000_000n)?.amountOut).toBe(1_000n * ether)
    expect(sellGem({ ...free, dai: free.dai - 1n }, 1_000_000_000n)).toBeNull()
  })

  test('while selling is halted nothing comes out', () => {
    expect(sellGem({ ...state, tin: null }, 1n)).toBeNull()
    expect(sellGem({ ...state, tout: null }, 1n)).not.toBeNull()
  })
})

describe('buyGem', () => {
  test('known vector: 100.2 DAI at 0.2 % are 100 USDC, and what is over buys nothing', () => {
    for (const dai of [100_200_000_000_000_000_000n, 100_200_001_001_999_999_999n]) {
      const swap = buyGem(state, dai)
      expect(swap?.amountOut).toBe(100_000_000n)
      expect(swap?.after).toEqual({
        ...state,
        dai: 1_100_200_000_000_000_000_000n,
        gems: 900_000_000n,
      })
    }
    expect(buyGem(state, 100_200_001_002_000_000_000n)?.amountOut).toBe(100_000_001n)
  })

  test('all USDC of the pocket is paid, and not one unit more', () => {
    const free = { ...state, tout: 0n }
    expect(buyGem(free, 1_000n * ether)?.amountOut).toBe(free.gems)
    expect(buyGem({ ...free, gems: free.gems - 1n }, 1_000n * ether)).toBeNull()
  })

  test('while buying is halted nothing comes out', () => {
    expect(buyGem({ ...state, tout: null }, ether)).toBeNull()
    expect(buyGem({ ...state, tin: null }, ether)).not.toBeNull()
  })

  test('property: what the contract takes for it is no more than was given, and one unit more would be dearer', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 30n), fc.bigInt(0n, ether), (dai, tout) => {
        const deep = { ...state, tout, gems: 10n ** 40n }
        const swap = buyGem(deep, dai)
        const costOf = (gems: bigint) => {
          const worth = gems * deep.factor
          return worth + (worth * tout) / ether
        }
        const bought = swap?.amountOut ?? 0n
        expect(costOf(bought)).toBeLessThanOrEqual(dai)
        expect(costOf(bought + 1n)).toBeGreaterThanOrEqual(dai)
        expect((swap?.after.dai ?? 0n) - deep.dai).toBe(costOf(bought))
      }),
    )
  })
})
