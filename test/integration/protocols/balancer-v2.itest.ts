/** Swaps in pools of Balancer v2, against the deployed contracts. */
import fc from 'fast-check'
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { balancerV2 } from '../../../src/protocols/balancer-v2/index.js'
import { BalancerContext, unitOf } from '../../support/protocols/balancer-context.js'

const rampAbi = parseAbi(['function startAmplificationParameterUpdate(uint256, uint256)'])

let context: BalancerContext

beforeAll(async () => {
  context = await BalancerContext.start()
})
afterAll(() => context?.close())

const swaps = fc.record({
  pair: fc.uniqueArray(fc.nat({ max: 4 }), { minLength: 2, maxLength: 2 }),
  /** Power of ten of the amount, from 1e-8 tokens. */
  digits: fc.integer({ min: 0, max: 12 }),
  factor: fc.integer({ min: 1, max: 9999 }),
})

describe('balancer-v2 pools against the deployed contracts', () => {
  for (const kind of ['weighted', 'stable', 'composable'] as const) {
    test(`property: any swap in a ${kind} pool gives the predicted output and leaves the predicted state`, async () => {
      for (const pool of context.pools[kind]) {
        const places = pool.parameters.decimals
        await fc.assert(
          fc.asyncProperty(swaps, async ({ pair, digits, factor }) => {
            const [i = 0, j = 0] = pair.map((k) => k % pool.tokens.length)
            // The pool's own share is joined and left for, not traded.
            const own = pool.tokens.indexOf(pool.id.slice(0, 42) as Address)
            if (i === j || i === own || j === own) return
            const decimals = Array.isArray(places) ? Number(places[i]) : 18
            const amountIn = 1n + (BigInt(factor) * 10n ** BigInt(digits + decimals)) / 10n ** 8n
            await context.swapAndCompare(pool, i, j, amountIn)
          }),
          { numRuns: 40 },
        )
      }
    })
  }

  test('a rate whose cache has run out is renewed by the swap: the quote takes the new one', async () => {
    const pool = context.pools.aging
    const [first] = context.pools.providers
    if (!first) throw new Error('no provider')
    await context.chain.mineAfter(2 * 86_400)
    await context.chain.setAnswer(first, 12n * 10n ** 17n + 7n)
    const places = [0, 1, 2].filter((k) => pool.tokens[k] !== pool.id.slice(0, 42))
    const [i = 0, j = 0] = places
    const { state, partial } = await context.load(pool)
    expect(partial).toBe(true)
    const amountIn = 1_234n * unitOf(pool, i) + 1n
    const quote = balancerV2.swaps.swap(
      pool,
      state,
      { tokenIn: pool.tokens[i] ?? '0x', tokenOut: pool.tokens[j] ?? '0x' },
      amountIn,
    )
    expect(quote).toMatchObject({
      amountOut: await context.swap(pool, state, i, j, amountIn),
      exact: false,
    })
    expect(quote.amountOut).toBeGreaterThan(0n)
    // From here on the cache holds what was quoted with.
    const renewed = await context.load(pool)
    expect(renewed.partial).toBe(false)
    expect(renewed.state.scalingFactors).toEqual(state.scalingFactors)
    await context.swapAndCompare(pool, j, i, 999n * unitOf(pool, j))
  })

  test('a ramp of the amplification is followed to the block of the swap', async () => {
    const pool = context.pools.aging
    const contract = toAddress(pool.id.slice(0, 42))
    const end = (await context.chain.reader()).block.timestamp + 4n * 86_400n
    const started = await context.chain.send(
      contract,
      rampAbi,
      'startAmplificationParameterUpdate',
      [1900n, end],
    )
    expect(started).not.toBeNull()
    const places = [0, 1, 2].filter((k) => pool.tokens[k] !== contract)
    const [i = 0, j = 0] = places
    const before = (await context.load(pool)).state.amp
    await context.chain.mineAfter(36_000)
    await context.chain.mineNextAfter(ethereum.blockTimeSeconds)
    await context.swapAndCompare(pool, i, j, 123_456n * unitOf(pool, i), false)
    expect((await context.load(pool)).state.amp).toBeGreaterThan(before)
  })
})
