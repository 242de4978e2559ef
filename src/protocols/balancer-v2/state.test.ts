import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import { mulDown, powUp } from '../shared/balancer-math/fixed-point.js'
import { stableInvariant } from './stable-math.js'
import { type BalancerState, poolSwap } from './state.js'

const e18 = 10n ** 18n
const a: Address = '0x00000000000000000000000000000000000000aa'
const b: Address = '0x00000000000000000000000000000000000000bb'
const c: Address = '0x00000000000000000000000000000000000000cc'

const pool: Pool = {
  protocol: 'balancer-v2',
  id: `${c}${'0'.repeat(24)}`,
  address: '0xba12222222228d8ba445958a75a0704d566bf2c8',
  tokens: [a, b],
  parameters: {},
}

function weighted(changes: Partial<BalancerState> = {}): BalancerState {
  return {
    kind: 'weighted',
    balances: [3_000n * e18, 9_000_000n * 10n ** 6n],
    scalingFactors: [e18, 10n ** 30n],
    swapFee: 10n ** 15n,
    weights: [e18 / 2n, e18 / 2n],
    amp: 0n,
    isModern: false,
    ownIndex: null,
    exact: true,
    ...changes,
  }
}

function stable(changes: Partial<BalancerState> = {}): BalancerState {
  return {
    ...weighted(),
    kind: 'stable',
    balances: [1_000_000n * e18, 1_300_000n * 10n ** 6n],
    amp: 200_000n,
    swapFee: 4n * 10n ** 14n,
    weights: [],
    ...changes,
  }
}

const states = fc.constantFrom(
  weighted(),
  weighted({ isModern: true }),
  weighted({ weights: [(e18 * 8n) / 10n, (e18 * 2n) / 10n] }),
  stable(),
  stable({ isModern: true }),
)
/** Raw units of the first token, from dust to the size of the pool; far beyond, Newton's method need not settle. */
const amounts = fc
  .record({ digits: fc.nat({ max: 21 }), factor: fc.integer({ min: 1, max: 999 }) })
  .map(({ digits, factor }) => BigInt(factor) * 10n ** BigInt(digits))

describe('poolSwap', () => {
  test('known vectors: deployed pools of 2021 give these outputs', () => {
    const amount = 123n * 10n ** 16n + 1n
    expect(poolSwap(pool, weighted(), { tokenIn: a, tokenOut: b }, amount).amountOut).toBe(
      3_684_800_742n,
    )
    const tilted = weighted({
      balances: [80_000n * e18, 10n * e18],
      scalingFactors: [e18, e18],
      swapFee: 3_003_003_003_003_003n,
      weights: [(e18 * 8n) / 10n, (e18 * 2n) / 10n],
    })
    expect(poolSwap(pool, tilted, { tokenIn: a, tokenOut: b }, amount).amountOut).toBe(
      613_129_656_474_150n,
    )
    expect(poolSwap(pool, stable(), { tokenIn: a, tokenOut: b }, amount).amountOut).toBe(1_231_160n)
  })

  test('known vector: a deployed pool of three weighted tokens', () => {
    const state = weighted({
      balances: [100n * 10n ** 8n, 3_000n * e18, 9_000_000n * 10n ** 6n],
      scalingFactors: [10n ** 28n, e18, 10n ** 30n],
      swapFee: 25n * 10n ** 14n,
      weights: [(e18 * 33n) / 100n, (e18 * 33n) / 100n, (e18 * 34n) / 100n],
    })
    const three = { ...pool, tokens: [a, b, c] }
    expect(poolSwap(three, state, { tokenIn: a, tokenOut: b }, 123_000_001n).amountOut).toBe(
      36_361_620_191_436_216_000n,
    )
  })

  test('weighted pools refuse more than 30 % of the balance, and the Vault more than 112 bits', () => {
    expect(
      poolSwap(pool, weighted({ swapFee: 0n }), { tokenIn: a, tokenOut: b }, 900n * e18).amountOut,
    ).toBeGreaterThan(0n)
    expect(
      poolSwap(pool, weighted({ swapFee: 0n }), { tokenIn: a, tokenOut: b }, 900n * e18 + 1n)
        .amountOut,
    ).toBe(0n)
    expect(poolSwap(pool, stable(), { tokenIn: a, tokenOut: b }, 2n ** 112n).amountOut).toBe(0n)
  })

  test('an empty pool, a foreign token and the pool share of a composable pool give 0', () => {
    expect(
      poolSwap(pool, stable({ balances: [0n, 0n] }), { tokenIn: a, tokenOut: b }, e18).amountOut,
    ).toBe(0n)
    expect(poolSwap(pool, stable(), { tokenIn: a, tokenOut: c }, e18).amountOut).toBe(0n)
    const composable = stable({
      balances: [1_000_000n * e18, 2n ** 111n, 1_300_000n * 10n ** 6n],
      scalingFactors: [e18, e18, 10n ** 30n],
      ownIndex: 1,
    })
    const three = { ...pool, tokens: [a, c, b] }
    expect(poolSwap(three, composable, { tokenIn: a, tokenOut: c }, e18).amountOut).toBe(0n)
    // The share takes no part: the other two trade as in a pool of their own.
    expect(poolSwap(three, composable, { tokenIn: a, tokenOut: b }, e18).amountOut).toBe(
      poolSwap(pool, stable(), { tokenIn: a, tokenOut: b }, e18).amountOut,
    )
  })

  test('property: more in never gives less out, within what the pool serves', () => {
    fc.assert(
      fc.property(states, amounts, (state, amount) => {
        const more = poolSwap(
          pool,
          state,
          { tokenIn: a, tokenOut: b },
          amount + amount / 5n + 1n,
        ).amountOut
        // Zero: over the limit of the pool.
        if (more > 0n)
          expect(more).toBeGreaterThanOrEqual(
            poolSwap(pool, state, { tokenIn: a, tokenOut: b }, amount).amountOut,
          )
      }),
    )
  })

  test('property: there and back never gains', () => {
    fc.assert(
      fc.property(states, amounts, (state, amount) => {
        const out = poolSwap(pool, state, { tokenIn: a, tokenOut: b }, amount).amountOut
        const next = poolSwap(pool, state, { tokenIn: a, tokenOut: b }, amount).after()
        expect(
          poolSwap(pool, next, { tokenIn: b, tokenOut: a }, out).amountOut,
        ).toBeLessThanOrEqual(amount)
      }),
    )
  })

  test('property: the invariant never decreases by a swap', () => {
    const invariantOf = (state: BalancerState) => {
      const scaled = state.balances.map((x, k) => mulDown(x, state.scalingFactors[k] ?? 0n))
      if (state.kind === 'stable') return stableInvariant(state.amp, scaled, false)
      const powers = scaled.map((x, k) => powUp(x, state.weights[k] ?? 0n, false))
      return powers.reduce((product, x) => (product * x) / e18, e18)
    }
    fc.assert(
      fc.property(states, amounts, (state, amount) => {
        const before = invariantOf(state)
        const after = invariantOf(
          poolSwap(pool, state, { tokenIn: a, tokenOut: b }, amount).after(),
        )
        // pow itself is known to 1e-14 only.
        expect(after + before / 10n ** 12n).toBeGreaterThanOrEqual(before)
      }),
    )
  })
})
