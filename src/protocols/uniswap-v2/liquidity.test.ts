import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { squareRoot } from '../shared/square-root.js'
import { burnt, type LiquidityState, soldPart, supplyWithFee, zapIn, zapOut } from './liquidity.js'
import { constantProductOut } from './math.js'

const rules = { feeBps: 30n, protocolFee: { numerator: 1n, root: 5n, rootLast: 1n } }
const reserve = fc.bigInt({ min: 1_000n, max: 10n ** 30n })
const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
/** A pair without protocol fee whose shares are the root of its reserves. */
const pairs = fc.record({ reserve0: reserve, reserve1: reserve }).map(pairOf)

function pairOf({ reserve0, reserve1 }: { reserve0: bigint; reserve1: bigint }): LiquidityState {
  const totalSupply = squareRoot(reserve0 * reserve1)
  return { reserve0, reserve1, totalSupply, kLast: 0n, isFeeOn: false }
}

describe('zapIn', () => {
  test('known vector: 1000 into 1e6/1e6 sells 500 for 498 and mints 498 shares', () => {
    const state = pairOf({ reserve0: 1_000_000n, reserve1: 1_000_000n })
    const zap = zapIn(state, true, 1_000n, rules)
    expect(zap).toMatchObject({ sold: 500n, liquidity: 498n, added: 499n })
  })
  test('property: never less than selling half, but for what one raw unit of either token mints', () => {
    fc.assert(
      fc.property(pairs, fc.boolean(), amount, (state, isToken0, amountIn) => {
        const [own, other] = isToken0
          ? [state.reserve0, state.reserve1]
          : [state.reserve1, state.reserve0]
        const half = amountIn / 2n
        const bought = constantProductOut(half, own, other, rules.feeBps)
        if (own + amountIn > (1n << 112n) - 1n || bought === 0n) return
        const byInput = ((amountIn - half) * state.totalSupply) / (own + half)
        const byOutput = (bought * state.totalSupply) / (other - bought)
        const least = byInput < byOutput ? byInput : byOutput
        const unit = state.totalSupply / (other - bought) + state.totalSupply / own + 2n
        const zap = zapIn(state, isToken0, amountIn, rules)
        expect((zap?.liquidity ?? 0n) + unit).toBeGreaterThanOrEqual(least)
      }),
      { numRuns: 2_000 },
    )
  })
  test('property: all proceeds are used, and no more comes back than one more raw unit of either would take', () => {
    fc.assert(
      fc.property(pairs, fc.boolean(), amount, (state, isToken0, amountIn) => {
        const zap = zapIn(state, isToken0, amountIn, rules)
        if (!zap) return
        const { sold, added, after } = zap
        const [own, other] = isToken0
          ? [state.reserve0, state.reserve1]
          : [state.reserve1, state.reserve0]
        expect(sold + added).toBeLessThanOrEqual(amountIn)
        const otherAfter = isToken0 ? after.reserve1 : after.reserve0
        expect(otherAfter).toBe(other)
        const bought = constantProductOut(sold, own, other, rules.feeBps)
        if (other - bought < 2n) return
        // One unit more sold brings this many units; one unit more of them takes this much.
        const units = (own * other) / (own + sold) ** 2n + 2n
        const unit = ((own + sold) * other * 2n) / (other - bought - 1n) ** 2n + 2n
        expect(amountIn - sold - added).toBeLessThanOrEqual(units * unit)
      }),
      { numRuns: 2_000 },
    )
  })
  test('property: in and out again never gains, and the value of a share never falls', () => {
    fc.assert(
      fc.property(pairs, fc.boolean(), amount, (state, isToken0, amountIn) => {
        const zap = zapIn(state, isToken0, amountIn, rules)
        if (!zap) return
        const { liquidity, after } = zap
        const k = ({ reserve0, reserve1 }: LiquidityState) => reserve0 * reserve1
        expect(k(after) * state.totalSupply ** 2n).toBeGreaterThanOrEqual(
          k(state) * after.totalSupply ** 2n,
        )
        const back = zapOut(after, isToken0, liquidity, rules)
        expect(back?.amountOut ?? 0n).toBeLessThanOrEqual(amountIn)
      }),
      { numRuns: 1_000 },
    )
  })
  test('a pair without shares, nothing, dust and more than uint112 mint none', () => {
    const state = pairOf({ reserve0: 10n ** 20n, reserve1: 10n ** 6n })
    expect(zapIn({ ...state, totalSupply: 0n }, true, 10n ** 18n, rules)).toBeNull()
    expect(zapIn(state, true, 0n, rules)).toBeNull()
    expect(zapIn(state, true, 1_000n, rules)).toBeNull()
    expect(zapIn(state, true, (1n << 112n) - 10n ** 20n, rules)).toBeNull()
    expect(soldPart(1_000n, 1_000n, 1_000n, 10_000n)).toBe(0n)
  })
})

describe('zapOut', () => {
  test('known vector: a tenth of 1e6/1e6 pays 100000 and what 100000 of the other buy of the rest', () => {
    const state = pairOf({ reserve0: 1_000_000n, reserve1: 1_000_000n })
    const bought = constantProductOut(100_000n, 900_000n, 900_000n, 30n)
    expect(zapOut(state, true, 100_000n, rules)).toMatchObject({
      amountOut: 100_000n + bought,
      after: { reserve0: 900_000n - bought, reserve1: 1_000_000n, totalSupply: 900_000n },
    })
  })
  test('all shares, nothing and shares of less than a unit pay nothing', () => {
    const state = pairOf({ reserve0: 10n ** 20n, reserve1: 10n ** 6n })
    expect(zapOut(state, true, state.totalSupply, rules)).toBeNull()
    expect(zapOut(state, true, 0n, rules)).toBeNull()
    expect(zapOut(state, true, 1_000n, rules)).toBeNull()
  })
})

describe('supplyWithFee', () => {
  const grown = {
    ...pairOf({ reserve0: 1_210_000n, reserve1: 1_000_000n }),
    totalSupply: 1_000_000n,
    kLast: 10n ** 12n,
    isFeeOn: true,
  }
  test('known vector: a growth of the root by 10 % mints a sixth of it, and 8 of 25 parts elsewhere', () => {
    // 1e6 * 1e5 / (5 * 1.1e6 + 1e6)
    expect(supplyWithFee(grown, rules)).toBe(1_015_384n)
    const protocolFee = { numerator: 8n, root: 17n, rootLast: 8n }
    expect(supplyWithFee(grown, { ...rules, protocolFee })).toBe(1_029_962n)
  })
  test('no fee where it is off, was off, or nothing has grown', () => {
    for (const change of [{ isFeeOn: false }, { kLast: 0n }, { kLast: 1_210_000n * 10n ** 6n }]) {
      expect(supplyWithFee({ ...grown, ...change }, rules)).toBe(1_000_000n)
    }
  })
  test('shares are worth less by it, and the last product is kept only while the fee is on', () => {
    expect(burnt(grown, 101_538n, rules)).toEqual({ amount0: 120_999n, amount1: 99_999n })
    const after = zapOut(grown, true, 101_538n, rules)?.after
    expect(after).toMatchObject({ kLast: (1_210_000n - 120_999n) * (1_000_000n - 99_999n) })
    expect(zapOut({ ...grown, isFeeOn: false }, true, 9n, rules)?.after.kLast).toBe(0n)
  })
})
