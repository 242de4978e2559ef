import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { syntheticMarket } from '../../../test/support/synthetic-market.js'
import type { Address } from '../../domain/primitives.js'
import { type CandidateArgs, findCandidates } from './candidates.js'
import { findInput, leastInput } from './exact-output.js'

/** Every pool of the synthetic markets lists it first. */
const wrappedNative: Address = '0x0000000000000000000000000000000000000001'

/** Counts its calls. */
function counted(outputOf: (amountIn: bigint) => bigint) {
  const calls = { count: 0 }
  const counting = (amountIn: bigint) => {
    calls.count++
    return outputOf(amountIn)
  }
  return { calls, counting }
}

/** A constant product with reserves, without a fee. */
const product = (reserveIn: bigint, reserveOut: bigint) => (x: bigint) =>
  (x * reserveOut) / (reserveIn + x)

describe('leastInput', () => {
  test('known vector: of reserves 1000 and 1000, 500 takes 1000', () => {
    expect(leastInput(product(1_000n, 1_000n), 500n, 1n)).toBe(1_000n)
    expect(leastInput(product(1_000n, 1_000n), 999n, 7n)).toBe(999_000n)
  })

  test('what no amount gives is null, from any start', () => {
    for (const start of [1n, 1_000n, 10n ** 30n]) {
      expect(leastInput(product(1_000n, 1_000n), 1_000n, start)).toBeNull()
    }
  })

  test('property: enough, and a billionth less (below 10^9: one unit less) is not enough', () => {
    const amount = (digits: number) => fc.bigInt({ min: 1n, max: 10n ** BigInt(digits) })
    fc.assert(
      fc.property(
        amount(28),
        amount(28),
        amount(27),
        amount(27),
        (inside, outside, part, start) => {
          const target = (outside * part) / 10n ** 27n
          if (target === 0n || target * 1_000n > outside * 999n) return
          const { counting, calls } = counted(product(inside, outside))
          const least = leastInput(counting, target, start)
          expect(least).not.toBeNull()
          expect(counting(least ?? 0n)).toBeGreaterThanOrEqual(target)
          const less = (least ?? 0n) - (least ?? 0n) / 10n ** 9n - 1n
          expect(counting(less < 0n ? 0n : less)).toBeLessThan(target)
          expect(calls.count).toBeLessThan(150)
        },
      ),
    )
  })

  test('near the result it takes a dozen quotes', () => {
    const { counting, calls } = counted(product(10n ** 24n, 3n * 10n ** 15n))
    const target = product(10n ** 24n, 3n * 10n ** 15n)(10n ** 21n)
    leastInput(counting, target, 10n ** 21n + 10n ** 18n)
    expect(calls.count).toBeLessThan(16)
  })

  test('steps as wide as a token of few decimals has: the first amount of the step', () => {
    const steps = (x: bigint) => x / 400_000_000n
    expect(leastInput(steps, 1n, 5n * 10n ** 17n)).toBe(400_000_000n)
    expect(leastInput(steps, 1n, 1n)).toBe(400_000_000n)
    const many = leastInput(steps, 123_456_789n, 10n ** 9n) ?? 0n
    expect(steps(many)).toBe(123_456_789n)
    expect(many - 123_456_789n * 400_000_000n).toBeLessThan(many / 10n ** 9n)
  })

  test('a pool that takes no more than so much: what it gives by then is found, and no more', () => {
    const limited = (x: bigint) => (x > 10_000_000n ? 0n : x / 2n)
    expect(leastInput(limited, 4_999_999n, 100n)).toBe(9_999_998n)
    expect(leastInput(limited, 5_000_000n, 100n)).toBe(10_000_000n)
    expect(leastInput(limited, 5_000_001n, 100n)).toBeNull()
  })
})

/** The search of a seeded market for one pair, and what its best flow after gas gives. */
function searchesOf(seed: number) {
  const market = syntheticMarket(30, seed)
  return market.requests(6).map(({ tokenIn, tokenOut, amountIn }) => {
    const args: Omit<CandidateArgs, 'inputs'> = {
      market: market.view,
      wrappedNative,
      tokensOut: [tokenOut],
      maxHops: 3,
      count: 24,
      gasCost: market.gasCost,
    }
    const gasCostOut = market.gasCost(tokenOut)
    const search = (amount: bigint, knownSplits?: CandidateArgs['knownSplits']) =>
      findCandidates({ ...args, inputs: [{ token: tokenIn, amount }], knownSplits })
    const bestPath = (from: Address, to: Address, amount: bigint) =>
      findCandidates({
        ...args,
        inputs: [{ token: from, amount }],
        tokensOut: [to],
        count: 1,
        mayBeSplit: false,
      }).candidates[0]
    const outputFor = (amount: bigint) => {
      const net = (flow: { amountOut: bigint; gas: bigint }) =>
        flow.amountOut - (flow.gas * (gasCostOut ?? 0n)) / 1_000_000n
      const best = search(amount).candidates.toSorted((a, b) => (net(a) > net(b) ? -1 : 1))[0]
      return best?.amountOut ?? 0n
    }
    return { tokenIn, tokenOut, amountIn, gasCostOut, search, bestPath, outputFor }
  })
}

describe('findInput', () => {
  test.each([1, 2, 3])('seed %i: within 1 % of the input whose output is asked for', (seed) => {
    const cases = searchesOf(seed).filter(({ outputFor, amountIn }) => outputFor(amountIn) > 0n)
    expect(cases.length).toBeGreaterThan(3)
    for (const { amountIn, outputFor, tokenOut, ...args } of cases) {
      const output = { token: tokenOut, amount: outputFor(amountIn) }
      const { counting, calls } = counted(() => 0n)
      const found = findInput({
        ...args,
        output,
        search: (amount, knownSplits) => {
          counting(amount)
          return args.search(amount, knownSplits)
        },
      })
      if (!('found' in found)) throw new Error(`${output.amount} was not reached`)
      expect(Number(found.amountIn) / Number(amountIn)).toBeLessThan(1.01)
      expect(calls.count).toBeLessThanOrEqual(5)
    }
  })

  test('more than the pools hold: the most that is named is found', () => {
    let named = 0
    for (const { amountIn, outputFor, tokenOut, ...args } of searchesOf(4)) {
      if (outputFor(amountIn) === 0n) continue
      const answer = findInput({ ...args, output: { token: tokenOut, amount: 10n ** 60n } })
      if ('found' in answer) throw new Error('10^60 was reached')
      expect(answer.most).toBeGreaterThanOrEqual(outputFor(amountIn))
      const most = findInput({ ...args, output: { token: tokenOut, amount: answer.most } })
      expect(most).toHaveProperty('found')
      named++
    }
    expect(named).toBeGreaterThan(3)
  })

  test('tokens that no path joins: no candidates, and what is missing', () => {
    const [one] = searchesOf(5)
    if (!one) throw new Error('no request')
    const token: Address = `0x${'9'.repeat(40)}`
    const none = {
      candidates: [],
      missing: { tokenIn: one.tokenIn, tokenOut: token },
      wasCut: false,
    }
    const found = findInput({
      ...one,
      output: { token, amount: 5n },
      search: () => none,
      bestPath: () => undefined,
    })
    expect(found).toMatchObject({ found: none })
  })
})
