/** Joins and exits with one token of Balancer v2's pools, against the deployed contracts. */
import fc from 'fast-check'
import { encodeAbiParameters, encodeFunctionData, maxUint256, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type CallStep, isEncodedValues } from '../../../src/domain/order.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { balancerV2 } from '../../../src/protocols/balancer-v2/index.js'
import { liquidityPool } from '../../../src/protocols/balancer-v2/liquidity-pool.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { BalancerContext, unitOf } from '../../support/protocols/balancer-context.js'
import { erc20Abi } from '../../support/protocols/pool-context.js'

const feesAbi = parseAbi([
  'function getProtocolFeesCollector() view returns (address)',
  'function setSwapFeePercentage(uint256)',
])

const e18 = 10n ** 18n

let context: BalancerContext

beforeAll(async () => {
  context = await BalancerContext.start()
})
afterAll(() => context?.close())

/** Joins or leaves by the adapter's own steps, as `swapAndCompare` does for swaps. @returns what the trader got. */
async function moveAndCompare(
  pool: Pool,
  tokenIn: Address,
  tokenOut: Address,
  amountIn: bigint,
  exact = true,
): Promise<bigint> {
  const read = async () => {
    const reader = await context.chain.reader()
    const args = { reader, chain: ethereum, venue: { vault: context.vault }, pools: [pool] }
    const [loaded] = await balancerV2.swaps.load(args)
    if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
    return loaded.state
  }
  const state = await read()
  const quote = balancerV2.swaps.swap(pool, state, { tokenIn, tokenOut }, amountIn)
  const steps = balancerV2.swaps.encodeSwap({
    chain: ethereum,
    venue: { vault: context.vault },
    pool,
    state,
    tokenIn,
    tokenOut,
    amountIn,
    helpers: {},
    executor: context.chain.trader,
    recipient: context.chain.trader,
  })
  const call = steps.find((step): step is CallStep => step.kind === 'call')
  if (!call) throw new Error('no call')
  const before = await context.chain.balanceOf(tokenOut, context.chain.trader)
  await context.chain.send(call.target, [call.abi], call.abi.name, call.args.map(encoded))
  const received = (await context.chain.balanceOf(tokenOut, context.chain.trader)) - before
  if (exact) {
    expect(quote, `${tokenIn} > ${tokenOut}: ${amountIn}`).toMatchObject({
      amountOut: received,
      exact,
    })
  } else {
    expect(quote.exact).toBe(false)
    expect(Number(quote.amountOut) / Number(received)).toBeCloseTo(1, 2)
  }
  if (exact && received > 0n) {
    expect(await read()).toEqual(quote.after())
  }
  return received
}

/** @param fee - part of swap fees, E18. */
async function setProtocolFee(fee: bigint): Promise<void> {
  const call = encodeFunctionData({ abi: feesAbi, functionName: 'getProtocolFeesCollector' })
  const collector = toAddress(`0x${(await context.chain.call(context.vault, call)).slice(26)}`)
  expect(await context.chain.send(collector, feesAbi, 'setSwapFeePercentage', [fee])).not.toBeNull()
}

/** What the Executor's encoding does with values inside bytes. */
function encoded(value: unknown): unknown {
  if (isEncodedValues(value)) return encodeAbiParameters(value.types, value.values)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, encoded(each)]))
}

const moves = fc.record({
  isJoin: fc.boolean(),
  place: fc.nat({ max: 2 }),
  digits: fc.noBias(fc.integer({ min: 0, max: 12 })),
  factor: fc.integer({ min: 1, max: 9999 }),
})

async function moveAtRandom(pool: Pool): Promise<number> {
  const record = liquidityPool(pool)
  const share = record.tokens.at(-1) ?? '0x'
  let moved = 0
  await fc.assert(
    fc.asyncProperty(moves, async ({ isJoin, place, digits, factor }) => {
      const k = place % pool.tokens.length
      const token = pool.tokens[k] ?? '0x'
      const unit = isJoin ? unitOf(pool, k) : 10n ** 18n
      const amountIn = 1n + (BigInt(factor) * 10n ** BigInt(digits) * unit) / 10n ** 8n
      const [tokenIn, tokenOut] = isJoin ? [token, share] : [share, token]
      if ((await moveAndCompare(record, tokenIn, tokenOut, amountIn)) > 0n) moved += 1
    }),
    { numRuns: 30 },
  )
  return moved
}

describe('balancer-v2 liquidity against the deployed contracts', () => {
  test('with a protocol fee, what swaps of a weighted pool have earned is taken before a join or exit', async () => {
    await setProtocolFee(e18 / 2n)
    for (const pool of context.pools.weighted) {
      const record = liquidityPool(pool)
      const share = record.tokens.at(-1) ?? '0x'
      for (const k of pool.tokens.keys()) {
        const next = (k + 1) % pool.tokens.length
        const [token = '0x', other = '0x'] = [pool.tokens[k], pool.tokens[next]]
        await context.swapAndCompare(pool, k, next, unitOf(pool, k) * 3n + 7n)
        const joined = await moveAndCompare(record, token, share, unitOf(pool, k) + 3n)
        expect(joined).toBeGreaterThan(0n)
        await context.swapAndCompare(pool, k, next, unitOf(pool, k) * 2n + 5n)
        expect(await moveAndCompare(record, share, other, e18 / 10n + 1n)).toBeGreaterThan(0n)
      }
    }
    await setProtocolFee(0n)
  })

  test('with a protocol fee, a stable pool of 2021 is an estimate: it does not say what it compares with', async () => {
    await setProtocolFee(e18 / 2n)
    for (const pool of context.pools.stable) {
      await context.swapAndCompare(pool, 0, 1, unitOf(pool, 0) * 30_000n + 7n)
      const record = liquidityPool(pool)
      const share = record.tokens.at(-1) ?? '0x'
      const [token = '0x'] = pool.tokens
      const received = await moveAndCompare(record, token, share, unitOf(pool, 0) * 100n, false)
      expect(received).toBeGreaterThan(0n)
    }
    await setProtocolFee(0n)
  })

  test('shares of composable pools are swapped: near to what they give, and called an estimate', async () => {
    for (const pool of context.pools.composable) {
      const own = pool.id.slice(0, 42) as Address
      const i = pool.tokens.indexOf(own)
      const { balances, scalingFactors } = (await context.load(pool)).state
      const worth = balances.map((held, k) => (k === i ? 0n : held * (scalingFactors[k] ?? 0n)))
      // Swaps before may have left little of the others.
      const j = worth.reduce((best, each, k) => (each > (worth[best] ?? 0n) ? k : best), 0)
      const unit = unitOf(pool, j)
      for (const [from, to, amountIn] of [
        [j, i, 1_234n * unit + 1n],
        [i, j, 999n * e18 + 7n],
      ] as const) {
        const { state } = await context.load(pool)
        const [tokenIn = own, tokenOut = own] = [pool.tokens[from], pool.tokens[to]]
        const quote = balancerV2.swaps.swap(pool, state, { tokenIn, tokenOut }, amountIn)
        // The shares of the trader are on the way to the Vault.
        await context.chain.send(tokenIn, erc20Abi, 'approve', [context.vault, maxUint256])
        const received = await context.swap(pool, state, from, to, amountIn)
        expect(received).toBeGreaterThan(0n)
        expect(quote.exact).toBe(false)
        expect(Number(quote.amountOut) / Number(received)).toBeCloseTo(1, 6)
      }
    }
  })

  test('a share finds the pool by the Vault alone; what it finds is what an operator imports', async () => {
    const reader = await context.chain.reader()
    const common = { reader, chain: ethereum, venue: { vault: context.vault } }
    for (const pool of [...context.pools.weighted, ...context.pools.stable]) {
      const share = pool.id.slice(0, 42) as Address
      const [token = share, other = share] = pool.tokens
      const pairs = [
        [token, share],
        [token, other],
      ] as const
      expect(await balancerV2.swaps.discover({ ...common, pairs })).toEqual({
        pools: [liquidityPool(pool)],
        unreadable: [],
      })
    }
    for (const pool of context.pools.composable) {
      const share = pool.id.slice(0, 42) as Address
      const [token = share] = pool.tokens.filter((each) => each !== share)
      const { pools } = await balancerV2.swaps.discover({ ...common, pairs: [[token, share]] })
      expect(pools.map(({ id, tokens }) => ({ id, tokens }))).toEqual([
        { id: pool.id, tokens: pool.tokens },
      ])
    }
    const [pool] = context.pools.weighted
    const pairs = [[pool?.tokens[0] ?? '0x', pool?.tokens[1] ?? '0x']] as const
    expect(await balancerV2.swaps.discover({ ...common, pairs })).toEqual({
      pools: [],
      unreadable: [],
    })
  })

  for (const kind of ['weighted', 'stable'] as const) {
    test(`property: any join or exit of a ${kind} pool with one token gives the predicted amount and state`, async () => {
      let moved = 0
      for (const pool of context.pools[kind]) moved += await moveAtRandom(pool)
      expect(moved).toBeGreaterThan(15)
    })
  }
})
