import { describe, expect, test } from 'vitest'
import { type BinPoolState, binFees, binPoolSwap } from './bin-math.js'

const one = 2 ** 23
const pool = (change: Partial<BinPoolState> = {}): BinPoolState => ({
  binStep: 10n,
  activeId: one,
  feePips: [1_000n, 1_000n],
  protocolPips: [0n, 0n],
  ids: [one - 1, one, one + 1],
  reservesX: [0n, 1_000_000n, 1_000_000n],
  reservesY: [1_000_000n, 1_000_000n, 0n],
  lowerId: 0,
  upperId: 2 ** 24 - 1,
  ...change,
})

test('fees of slot0: the protocol takes its part of each direction first', () => {
  const slot0 = BigInt(one) | (1_000n << 24n) | (37n << 36n) | (2_500n << 48n)
  expect(binFees(slot0)).toEqual({ feePips: [3_498n, 2_537n], protocolPips: [1_000n, 37n] })
})

describe('binPoolSwap', () => {
  test('within the active bin: 10,000 less 0.1 %, rounded up, at the price of one', () => {
    expect(binPoolSwap(pool(), true, 10_000n)?.amountOut).toBe(9_990n)
    expect(binPoolSwap(pool(), true, 10_001n)?.amountOut).toBe(9_990n)
  })

  test('over a bin both pay the same fee, of which the protocol’s part leaves the bins', () => {
    const swap = binPoolSwap(pool({ protocolPips: [250n, 0n] }), true, 1_500_000n)
    // The first takes 1,000,000 and a fee of 1,002 (1/999, rounded up); 498,998 less 499 at 1/1.001 are 498,000.99.
    expect(swap?.amountOut).toBe(1_498_000n)
    expect(swap?.exact).toBe(true)
    // A fourth of 1,002 and of 499, rounded down, is not kept.
    expect(swap?.after).toMatchObject({
      activeId: one - 1,
      reservesX: [498_998n - 124n, 2_001_002n - 250n, 1_000_000n],
      reservesY: [502_000n, 0n, 0n],
    })
  })

  test('the whole fee leaves where the protocol’s is all of it', () => {
    const swap = binPoolSwap(pool({ protocolPips: [0n, 1_000n] }), false, 10_000n)
    expect(swap?.after.reservesY[1]).toBe(1_009_990n)
  })

  test('nothing comes out of nothing, of too much, or of bins that do not hold enough', () => {
    for (const amountIn of [0n, 1n, 10n ** 9n, 2n ** 127n]) {
      expect(binPoolSwap(pool(), true, amountIn)).toBeNull()
    }
  })

  test('beyond the known bins it is an estimate', () => {
    const swap = binPoolSwap(pool({ lowerId: one - 1 }), true, 10n ** 9n)
    expect(swap).toMatchObject({ amountOut: 2_000_000n, exact: false })
  })

  test('a bin holds only so much, which the kept part of a fee counts for', () => {
    const most = 65251743116719673010965625540244653191619923014385985379600384103134737n
    const room = most / 2n ** 128n
    const amountIn = 10n ** 6n
    const at = (left: bigint, protocolPips: readonly [bigint, bigint]) =>
      pool({
        ids: [one],
        reservesX: [room - left],
        reservesY: [amountIn],
        protocolPips,
      })
    // Of a million 999,000 go out and all of it stays, so that the bin holds 1,000 more in sum.
    const before = amountIn + 1_000n
    expect(binPoolSwap(at(before, [0n, 0n]), true, amountIn)).not.toBeNull()
    expect(binPoolSwap(at(before - 1n, [0n, 0n]), true, amountIn)).toBeNull()
    expect(binPoolSwap(at(before - 1n, [1_000n, 0n]), true, amountIn)).not.toBeNull()
  })
})
