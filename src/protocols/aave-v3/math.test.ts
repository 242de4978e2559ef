import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  afterDeposit,
  afterWithdrawal,
  deposited,
  type EdgeState,
  edgeState,
  withdrawn,
} from './math.js'
import { ray, rayDiv, rayMul } from './ray.js'
import type { Reserve } from './reserve.js'

const index = (ray * 105n) / 100n
const state: EdgeState = { index, room: 1_000n, liquidity: 400n }
const reserve: Reserve & { scaledSupply: bigint; held: bigint } = {
  asset: '0x0000000000000000000000000000000000000001',
  aToken: '0x0000000000000000000000000000000000000002',
  variableDebtToken: '0x0000000000000000000000000000000000000003',
  id: 3,
  decimals: 2,
  isActive: true,
  isFrozen: false,
  isPaused: false,
  isBorrowable: true,
  reserveFactor: 2_000n,
  supplyCap: 100n,
  liquidityIndex: ray,
  liquidityRate: 0n,
  accruedToTreasury: 0n,
  scaledSupply: 5_000n,
  held: 700n,
}

describe('rayMul and rayDiv', () => {
  test('known vectors: halves are rounded up', () => {
    expect(rayMul(1n, ray / 2n)).toBe(1n)
    expect(rayMul(1n, ray / 2n - 1n)).toBe(0n)
    expect(rayMul(1_000n, index)).toBe(1_050n)
    expect(rayDiv(1_000n, index)).toBe(952n)
    expect(rayDiv(1n, 2n * ray)).toBe(1n)
  })
})

describe('deposited', () => {
  test('known vector: 1000 at an index of 1.05 are 952 scaled units, which are worth 1000', () => {
    expect(deposited(state, 1_000n)).toBe(1_000n)
  })
  test('known vector: 10 at an index of 1.95 are 5 scaled units, which are worth 10', () => {
    expect(deposited({ ...state, index: (ray * 195n) / 100n }, 10n)).toBe(10n)
  })
  test('known vector: 3 at an index of 1.95 are 2 scaled units, which are worth 4', () => {
    expect(deposited({ ...state, index: (ray * 195n) / 100n }, 3n)).toBe(4n)
  })
  test('nothing above the room, and nothing for nothing', () => {
    expect(deposited(state, 1_001n)).toBe(0n)
    expect([0n, -5n].map((amount) => deposited(state, amount))).toEqual([0n, 0n])
  })
  test('property: an index below 2 loses or gains one unit at most', () => {
    const indices = fc.bigInt({ min: ray, max: 2n * ray - 1n })
    fc.assert(
      fc.property(indices, fc.bigInt({ min: 1n, max: 2n ** 100n }), (at, amount) => {
        const difference = deposited({ ...state, index: at, room: 2n ** 200n }, amount) - amount
        expect([-1n, 0n, 1n]).toContain(difference)
      }),
    )
  })
})

describe('withdrawn', () => {
  test('one to one, up to what lies there', () => {
    expect(withdrawn(state, 400n)).toBe(400n)
    expect(withdrawn(state, 401n)).toBe(0n)
    expect([0n, -5n].map((amount) => withdrawn(state, amount))).toEqual([0n, 0n])
  })
})

describe('edgeState', () => {
  test('known vector: a cap of 100.00 with 50.00 lent leaves 49.95 after the treasury of a tenth of a per cent', () => {
    // 5 units of interest, a quarter of them and a unit or two more for the treasury.
    const { room } = edgeState(reserve, (ray * 1_001n) / 1_000n)
    expect(room).toBe(10_000n - 5_008n)
  })
  test('known vector: a cap of 100,000.00 with 50,000.00 lent, a thousandth of interest, a fifth of it kept', () => {
    const large = {
      ...reserve,
      scaledSupply: 5_000_000n,
      supplyCap: 100_000n,
      accruedToTreasury: 7n,
    }
    // 5001 of interest, a quarter of it for the treasury, a tenth more and 2 units: 7 + 1250 + 125 + 2.
    // (5,000,000 + 1384) * 1.001 = 5,006,385.384
    expect(edgeState(large, (ray * 1_001n) / 1_000n).room).toBe(10_000_000n - 5_006_385n)
  })
  test('a reserve whose treasury keeps all interest still has room', () => {
    const { room } = edgeState({ ...reserve, reserveFactor: 10_000n, supplyCap: 10_000n }, ray)
    expect(room).toBeGreaterThan(900_000n)
    expect(room).toBeLessThan(995_000n)
  })
  test('no cap: there is room for everything', () => {
    expect(edgeState({ ...reserve, supplyCap: 0n }, ray).room).toBe(2n ** 256n - 1n)
  })
  test('a full reserve takes nothing and gives back', () => {
    const full = edgeState({ ...reserve, scaledSupply: 10_000n }, ray)
    expect(full).toEqual({ index: ray, room: 0n, liquidity: 700n })
  })
  test('frozen: nothing in; paused or not active: nothing in or out', () => {
    expect(edgeState({ ...reserve, isFrozen: true }, ray)).toMatchObject({
      room: 0n,
      liquidity: 700n,
    })
    expect(edgeState({ ...reserve, isPaused: true }, ray)).toMatchObject({
      room: 0n,
      liquidity: 0n,
    })
    expect(edgeState({ ...reserve, isActive: false }, ray)).toMatchObject({
      room: 0n,
      liquidity: 0n,
    })
  })
})

describe('afterDeposit and afterWithdrawal', () => {
  test('what goes in takes room and can be withdrawn', () => {
    expect(afterDeposit(state, 300n)).toEqual({ index, room: 700n, liquidity: 700n })
    expect(afterWithdrawal(state, 300n)).toEqual({ index, room: 1_300n, liquidity: 100n })
  })
  test('what cannot be served changes nothing', () => {
    expect(afterDeposit(state, 1_001n)).toBe(state)
    expect(afterWithdrawal(state, 401n)).toBe(state)
  })
})
