/**
 * Amounts that are worth dividing, over HTTP on the sandbox chain; each returned transaction is executed on an Anvil
 * of the test's own.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { asSent, executeOnFork } from '../../support/execute.js'
import type { Answer } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const wbtc: Address = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const link: Address = '0x514910771af9ca656af840dff83e8264ecf986ca'
const ether = 10n ** 18n
const alice = sandboxAccount('alice').address
/** Holds nothing: the execution funds exactly what the simulation did. */
const stranger: Address = '0x00000000000000000000000000000000000a11ce'

interface Leg {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly pool: string
  readonly share: number
}
interface RouteStep {
  readonly tokenIn: readonly string[]
  readonly tokenOut: readonly string[]
  readonly internalRoutes?: readonly Leg[]
}

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})
function route(query: Record<string, string | readonly string[]>): Promise<Answer> {
  const sender = { fromAddress: stranger, executionMode: 'backend' }
  return service.get('/api/v1/shortcuts/route', { chainId: '1', ...sender, ...query })
}

/** Executes with exactly the inputs; the delivered amount, with gas and status checked. */
async function delivered(answer: Answer, fund: readonly [Address, bigint][], tokenOut: Address) {
  expect(answer.status, answer.text).toBe(200)
  const { tx, createdAt, gas } = answer.body
  const done = await executeOnFork({
    nodeUrl: service.nodeUrl,
    blockNumber: createdAt,
    tx,
    watch: [{ token: tokenOut, owner: stranger }],
    fund: fund.map(([token, amount]) => ({ token, amount })),
    approve: contractAddress('Router'),
    // What a chain allows one transaction: that of a giant trade takes nearly all of the usual limit.
    gas: 16_777_216n,
  })
  expect(done.status).toBe('success')
  expect(done.gasUsed).toBe(BigInt(gas))
  return done.deltas
}

function poolsOf(answer: Answer): string[] {
  return answer.body.route.flatMap(
    (step: RouteStep) => step.internalRoutes?.map(({ pool }) => pool) ?? [],
  )
}

describe('GET /api/v1/shortcuts/route with an amount worth dividing', () => {
  test.each([
    ['WETH to USDC', weth, usdc, 500n * ether],
    ['native in', nativeToken, wbtc, 200n * ether],
    ['native out', usdc, nativeToken, 1_500_000_000_000n],
    ['over several tokens', usdc, link, 1_000_000_000_000n],
  ] as const)(
    '%s: the split delivers exactly amountOut and uses exactly gas',
    async (_name, tokenIn, tokenOut, amountIn) => {
      const answer = await route({ tokenIn, tokenOut, amountIn: amountIn.toString() })
      const amounts = await delivered(answer, [[tokenIn, amountIn]], tokenOut)
      expect(amounts).toEqual([BigInt(answer.body.amountOut)])
      expect(new Set(poolsOf(answer)).size).toBeGreaterThan(2)
    },
  )

  test('of an amount far beyond its best pools, over more swaps than usual: exactly amountOut and gas, too', async () => {
    const amountIn = 100_000n * ether
    const answer = await route({ tokenIn: weth, tokenOut: usdc, amountIn: amountIn.toString() })
    expect(poolsOf(answer).length).toBeGreaterThan(24)
    const amounts = await delivered(answer, [[weth, amountIn]], usdc)
    expect(amounts).toEqual([BigInt(answer.body.amountOut)])
  })

  test('one step shows its pools with shares that add up, tokens are spent after they came in', async () => {
    const { body } = await route({
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: (500n * ether).toString(),
    })
    const steps: RouteStep[] = body.route
    const swaps = steps.filter(({ internalRoutes }) => internalRoutes)
    expect(swaps.some(({ internalRoutes }) => (internalRoutes?.length ?? 0) > 1)).toBe(true)
    for (const { tokenIn, tokenOut, internalRoutes = [] } of swaps) {
      expect(internalRoutes.reduce((sum, { share }) => sum + share, 0)).toBe(10_000)
      for (const leg of internalRoutes)
        expect([[leg.tokenIn], [leg.tokenOut]]).toEqual([tokenIn, tokenOut])
    }
    const held = new Set<string>([weth])
    for (const { tokenIn, tokenOut } of steps) {
      expect(held.has(tokenIn[0] ?? '')).toBe(true)
      for (const token of tokenOut) held.add(token)
    }
    const spent = new Map<string, number>()
    for (const [index, { tokenIn }] of steps.entries()) spent.set(tokenIn[0] ?? '', index)
    for (const [index, { tokenOut }] of steps.entries()) {
      const last = spent.get(tokenOut[0] ?? '')
      if (last !== undefined) expect(last).toBeGreaterThan(index)
    }
  })

  test('it gives more than any of its protocols alone', async () => {
    const query = { tokenIn: weth, tokenOut: usdc, amountIn: (500n * ether).toString() }
    const split = await route(query)
    const used = new Set<string>(
      split.body.route.map((step: { protocol: string }) => step.protocol),
    )
    const protocols: string[] = (await service.get('/api/v1/aggregators')).body
    for (const protocol of used) {
      if (!protocols.includes(protocol)) continue
      const others = protocols.filter((each) => each !== protocol)
      const alone = await route({ ...query, ignoreAggregators: others })
      if (alone.status !== 200) continue
      expect(BigInt(split.body.amountOut)).toBeGreaterThanOrEqual(BigInt(alone.body.amountOut))
    }
    expect(used.size).toBeGreaterThan(1)
  })

  test('several inputs are merged into one flow', async () => {
    const [first, second] = [100n * ether, 2_000n * ether]
    const answer = await route({
      tokenIn: [weth, link],
      amountIn: [first.toString(), second.toString()],
      tokenOut: dai,
    })
    const inputs: [Address, bigint][] = [
      [weth, first],
      [link, second],
    ]
    expect(await delivered(answer, inputs, dai)).toEqual([BigInt(answer.body.amountOut)])
    expect(new Set(poolsOf(answer)).size).toBeGreaterThan(4)
  })

  test.each(['router-legacy', 'svcwallet-v2', 'delegate', 'delegate-legacy'])(
    'strategy %s carries out a split',
    async (routingStrategy) => {
      const amountIn = (300n * ether).toString()
      const answer = await route({
        fromAddress: alice,
        tokenIn: nativeToken,
        amountIn,
        tokenOut: usdc,
        routingStrategy,
      })
      expect(answer.status, answer.text).toBe(200)
      const done = await executeOnFork({
        nodeUrl: service.nodeUrl,
        blockNumber: answer.body.createdAt,
        ...asSent(answer.body.tx, routingStrategy, alice),
        watch: [{ token: usdc, owner: alice }],
      })
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([BigInt(answer.body.amountOut)])
      expect(new Set(poolsOf(answer)).size).toBeGreaterThan(2)
    },
  )
})
