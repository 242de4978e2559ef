import { describe, expect, test } from 'vitest'
import { type Asset, type Psm3State, swapExactIn } from './math.js'

const ray = 10n ** 27n
const usdc: Asset = { unit: 10n ** 6n, held: 10n ** 12n, allowed: null, isShare: false }
const usds: Asset = { unit: 10n ** 18n, held: 10n ** 24n, allowed: null, isShare: false }
const susds: Asset = { unit: 10n ** 18n, held: 10n ** 24n, allowed: null, isShare: true }
/** A share is worth 1.05. */
const rate = (ray * 105n) / 100n
const stateOf = (first: Asset, second: Asset): Psm3State => ({ rate, assets: [first, second] })

describe('swapExactIn', () => {
  test.each([
    ['USDC for USDS at par', stateOf(usdc, usds), true, 1_234_567n, 1_234_567_000_000_000_000n],
    ['USDS for USDC, rounded down', stateOf(usdc, usds), false, 1_999_999_999_999n, 1n],
    ['USDC for sUSDS', stateOf(usdc, susds), true, 1_050_000n, 10n ** 18n],
    // 1/1.05 is 952380.95… in units of USDC, which the rate divides before the digits are added.
    [
      'USDC for sUSDS, rounded to a unit of USDC',
      stateOf(usdc, susds),
      true,
      1_000_000n,
      952_380n * 10n ** 12n,
    ],
    ['sUSDS for USDC', stateOf(usdc, susds), false, 10n ** 18n, 1_050_000n],
    ['USDS for sUSDS', stateOf(usds, susds), true, 10n ** 18n, 952_380_952_380_952_380n],
    ['sUSDS for USDS', stateOf(usds, susds), false, 10n ** 18n, 105n * 10n ** 16n],
  ])('known vector: %s', (_name, state, zeroForOne, amountIn, amountOut) => {
    expect(swapExactIn(state, zeroForOne, amountIn)?.amountOut).toBe(amountOut)
  })

  test('what came in is added, what went out is missing, of what may be taken as well', () => {
    const state = stateOf({ ...usdc, allowed: 5_000_000n }, usds)
    expect(swapExactIn(state, false, 2n * 10n ** 18n)?.after.assets).toEqual([
      { ...usdc, held: usdc.held - 2_000_000n, allowed: 3_000_000n },
      { ...usds, held: usds.held + 2n * 10n ** 18n },
    ])
    expect(swapExactIn(state, true, 7n)?.after.assets[0]).toEqual({
      ...usdc,
      held: usdc.held + 7n,
      allowed: 5_000_000n,
    })
  })

  test('all that it holds is paid, and not one unit more', () => {
    const state = stateOf(usdc, usds)
    expect(swapExactIn(state, false, 10n ** 24n)?.amountOut).toBe(usdc.held)
    expect(swapExactIn(state, false, 10n ** 24n + 10n ** 12n)).toBeNull()
  })

  test('no more than it may take of its pocket', () => {
    const state = stateOf({ ...usdc, allowed: 1_000_000n }, usds)
    expect(swapExactIn(state, false, 10n ** 18n)?.amountOut).toBe(1_000_000n)
    expect(swapExactIn(state, false, 10n ** 18n + 10n ** 12n)).toBeNull()
  })
})
