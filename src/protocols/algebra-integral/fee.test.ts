import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ConcentratedState, concentratedSwap } from '../shared/concentrated/swap.js'
import { sqrtPriceAtTick } from '../shared/concentrated/tick-math.js'
import { feeOfSwaps, tellingAmounts } from './fee.js'

const state: ConcentratedState = {
  sqrtPriceX96: sqrtPriceAtTick(11),
  tick: 11,
  liquidity: 10n ** 18n,
  feePips: [500n, 500n],
  tickSpacing: 1,
  isTickList: true,
  ticks: [-600, 600],
  liquidityNets: [10n ** 18n, -(10n ** 18n)],
  lowerTick: -887_272,
  upperTick: 887_272,
}

/** What a pool that takes this fee would answer, and the one that it keeps. */
function quotesAt(fee: (amountIn: bigint) => bigint, zeroForOne: boolean, kept = 500n) {
  return (tellingAmounts(state, zeroForOne) ?? []).map((amountIn) => {
    const paid = fee(amountIn)
    const taking = { ...state, feePips: [paid, paid] as const }
    const { amountOut } = concentratedSwap(taking, zeroForOne, amountIn)
    return { zeroForOne, amountIn, amountOut, fee: kept }
  })
}

describe('feeOfSwaps', () => {
  test('property: any fee below all of the input is found by the output alone', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 999_000n), fc.boolean(), (fee, zeroForOne) => {
        const found = feeOfSwaps(
          state,
          quotesAt(() => fee, zeroForOne),
          true,
        )
        expect(found).toEqual({ fee, isProven: true })
      }),
    )
  })

  test('a fee that grows with the size is that of the larger swap, and not proven', () => {
    const quotes = quotesAt((amountIn) => (amountIn > 10n ** 14n ? 900n : 300n), true)
    expect(feeOfSwaps(state, quotes, true)).toEqual({ fee: 900n, isProven: false })
  })

  test('another fee than the kept one is no proof where plugins cannot add any', () => {
    const quotes = quotesAt(() => 700n, true)
    expect(feeOfSwaps(state, quotes, false)).toEqual({ fee: 700n, isProven: false })
  })

  test('in a pool of some hundred units several fees give the same output, which proves none', () => {
    const small = { ...state, liquidity: 10n ** 6n, ticks: [], liquidityNets: [] }
    const quotes = (tellingAmounts(small, true) ?? []).map((amountIn) => ({
      zeroForOne: true,
      amountIn,
      fee: 500n,
      amountOut: concentratedSwap(small, true, amountIn).amountOut,
    }))
    expect(feeOfSwaps(small, quotes, true)).toEqual({ fee: 500n, isProven: false })
    expect(feeOfSwaps(small, quotes, false)).toEqual({ fee: 500n, isProven: true })
  })

  test('an output that no fee gives is null', () => {
    const [larger] = quotesAt(() => 0n, true)
    if (!larger) throw new Error('no quote')
    const more = { ...larger, amountOut: larger.amountOut + 1n }
    expect(feeOfSwaps(state, [more], true)).toBeNull()
  })
})

test('a pool without liquidity at its price has no swap that tells', () => {
  expect(tellingAmounts({ ...state, liquidity: 0n }, true)).toBeNull()
})
