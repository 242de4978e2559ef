/** Routes on the sandbox's other chains, beside each other on one service: each transaction is carried out on an Anvil of its own. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { arbitrumPlan } from '../../../src/sandbox/plans/arbitrum.js'
import { basePlan } from '../../../src/sandbox/plans/base.js'
import type { SandboxPlan } from '../../../src/sandbox/plans/plan.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { executeOnFork } from '../../support/execute.js'
import { startService, type TestService } from '../../support/service/service.js'

const plans = [arbitrumPlan, basePlan]
const alice = sandboxAccount('alice').address
let sandboxes: Sandbox[]
let service: TestService

beforeAll(async () => {
  sandboxes = await startSandboxes(plans.map(({ market }) => market.chain.id))
  const nodes = sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])
  service = await startService(Object.fromEntries(nodes))
})
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

const nodeOf = (chainId: number) => sandboxes.find((one) => one.chainId === chainId)?.url ?? ''

/** Of dollars to a tenth of what alice has. */
function requestsOn({ market }: SandboxPlan) {
  const tokens = market.tokens.filter(
    ({ behaviour }) => !['honeypot', 'frozen'].includes(behaviour),
  )
  return fc
    .record({
      tokenIn: fc.constantFrom(...tokens),
      tokenOut: fc.constantFrom(...tokens),
      dollars: fc.integer({ min: 5, max: 500_000 }),
    })
    .filter(({ tokenIn, tokenOut }) => tokenIn !== tokenOut)
}

describe.each(plans)('$market.chain.name', (plan) => {
  const { chain } = plan.market
  const chainId = String(chain.id)

  test('routes between any of its tokens give what was answered, for the gas that was answered', async () => {
    const requests = fc.sample(requestsOn(plan), { seed: chain.id, numRuns: 6 })
    for (const { tokenIn, tokenOut, dollars } of requests) {
      const worth = BigInt(dollars) * 10n ** BigInt(12 + tokenIn.decimals)
      const amountIn = String(worth / tokenIn.priceUsdE12)
      const { status, text, body } = await service.get('/api/v1/shortcuts/route', {
        chainId,
        fromAddress: alice,
        amountIn,
        tokenIn: tokenIn.address,
        tokenOut: tokenOut.address,
      })
      const label = `${dollars} $ of ${tokenIn.symbol} to ${tokenOut.symbol}: ${text.slice(0, 300)}`
      expect(status, label).toBe(200)
      const execution = await executeOnFork({
        nodeUrl: nodeOf(chain.id),
        blockNumber: body.createdAt,
        blockTimeSeconds: plan.blockSeconds,
        tx: body.tx,
        watch: [{ token: tokenOut.address, owner: alice }],
      })
      expect(execution.status, label).toBe('success')
      expect(execution.deltas, label).toEqual([BigInt(body.amountOut)])
      expect(execution.gasUsed, label).toBe(BigInt(body.gas))
      // Nobody gains more by a trade than pools are off, and deep pools take little.
      const value =
        (BigInt(body.amountOut) * tokenOut.priceUsdE12) / 10n ** BigInt(tokenOut.decimals)
      expect(Number(value) / 1e12 / dollars, label).toBeGreaterThan(0.5)
      expect(Number(value) / 1e12 / dollars, label).toBeLessThan(1.15)
    }
  })

  test('native ether in and out', async () => {
    const [usdc] = chain.stableAnchors
    for (const [tokenIn, tokenOut, amountIn] of [
      [nativeToken, usdc, `${10n ** 18n}`],
      [usdc, nativeToken, '2500000000'],
    ] as [Address, Address, string][]) {
      const query = { chainId, fromAddress: alice, tokenIn, tokenOut, amountIn }
      const { body, text } = await service.get('/api/v1/shortcuts/route', query)
      expect(body.chainId ?? chain.id, text).toBe(chain.id)
      const execution = await executeOnFork({
        nodeUrl: nodeOf(chain.id),
        blockNumber: body.createdAt,
        blockTimeSeconds: plan.blockSeconds,
        tx: body.tx,
        watch: [{ token: tokenOut, owner: alice }],
      })
      expect(execution.deltas, text).toEqual([BigInt(body.amountOut)])
      expect(execution.gasUsed, text).toBe(BigInt(body.gas))
    }
  })

  test('what cannot be sold, or moved, gets no answer but the reason', async () => {
    const trap = plan.market.tokens.find(({ behaviour }) => /honeypot|frozen/.test(behaviour))
    const { status, body } = await service.get('/api/v1/shortcuts/quote', {
      chainId,
      tokenIn: trap?.address,
      tokenOut: chain.wrappedNative,
      amountIn: `${1_000n * 10n ** 18n}`,
    })
    expect([status, body.code]).toEqual([422, 'SIMULATION_REVERTED'])
  })

  test('prices are those at which its pools are kept, by feeds and by pools', async () => {
    const last = plan.prices().at(-1) ?? {}
    for (const { symbol, address, behaviour } of plan.market.tokens) {
      if (/honeypot|frozen/.test(behaviour)) continue
      const { body, text } = await service.get(`/api/v1/prices/${chainId}/${address}`)
      const expected = Number(last[symbol]) / 1e12
      expect(Math.abs(body.price / expected - 1), `${symbol}: ${text}`).toBeLessThan(0.01)
    }
  })

  test('a token of the other chain is none here', async () => {
    const other = plans.find((one) => one !== plan)?.market.chain.stableAnchors[0]
    const { status, body } = await service.get('/api/v1/shortcuts/quote', {
      chainId,
      tokenIn: nativeToken,
      tokenOut: other,
      amountIn: `${10n ** 18n}`,
    })
    expect([status, body.code]).toEqual([422, 'NO_ROUTE'])
  })
})

test('one after the other, an answer of one chain is never that of the other', async () => {
  const ask = (plan: SandboxPlan) =>
    service.get('/api/v1/shortcuts/quote', {
      chainId: String(plan.market.chain.id),
      tokenIn: nativeToken,
      tokenOut: plan.market.chain.stableAnchors[0],
      amountIn: `${10n ** 18n}`,
    })
  const alone = [await ask(arbitrumPlan), await ask(basePlan)].map(({ text }) => text)
  const together = await Promise.all([...plans, ...plans, ...plans].map(ask))
  expect(together.map(({ text }) => text)).toEqual([...alone, ...alone, ...alone])
  expect(alone[0]).not.toBe(alone[1])
})
