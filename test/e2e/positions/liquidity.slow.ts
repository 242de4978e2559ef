/**
 * Shares of pools through the whole product: what the answer says is what its transaction does on a fork of its own.
 */
import { maxUint256, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { curveSharesAddresses } from '../../../src/sandbox/addresses.js'
import { balancerPoolId } from '../../../src/sandbox/market/catalog.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { expectExecution, stepsOf } from '../../support/answers.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const alice = sandboxAccount('alice').address
const router = contractAddress('Router')
const ether = 10n ** 18n
const [curveShare, otherCurveShare] = curveSharesAddresses as [Address, Address]
/** WBTC / WETH, and DAI / USDC / USDT. */
const [weightedShare, stableShare] = [0, 5].map(
  (place) => balancerPoolId(place).slice(0, 42) as Address,
) as [Address, Address]
const shares = [curveShare, otherCurveShare, weightedShare, stableShare]
/** So little of a pool that it can give it back. */
const some = { [weightedShare]: ether, [stableShare]: 20_000n * ether }

let sandbox: Sandbox
let node: NodeWriter
let service: TestService

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  await node.rpc('anvil_impersonateAccount', [alice])
  for (const share of shares) {
    const amount = some[share] ?? 1_000_000n * ether
    await node.rpc('anvil_dealERC20', [alice, share, numberToHex(amount)])
    await node.send(share, 'function approve(address, uint256)', [router, maxUint256], alice)
  }
  service = await startService({ RPC_URL_1: sandbox.url })
})
afterAll(async () => {
  await service.stop()
  await node.close()
  await sandbox.stop()
})

function route(tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<Answer> {
  const query = { fromAddress: alice, tokenIn, tokenOut, amountIn: amountIn.toString() }
  return service.get('/api/v1/shortcuts/route', query)
}

describe('shares of Curve pools', () => {
  test('a coin becomes shares by one deposit', async () => {
    const answer = await route(token('USDC'), curveShare, 1_234_567_890n)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toContain('deposit curve')
    expect(Number(answer.body.amountOut) / 1e18).toBeCloseTo(1_234, -2)
    await expectExecution(sandbox.url, answer, curveShare)
  })

  test('native ether becomes shares: swaps, then deposits', async () => {
    const answer = await route(nativeToken, curveShare, 3n * ether)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toContain('deposit curve')
    await expectExecution(sandbox.url, answer, curveShare)
  })

  test('shares become a coin of the pool, and another token', async () => {
    for (const symbol of ['USDT', 'WETH']) {
      const answer = await route(curveShare, token(symbol), 12_345n * ether)
      expect(answer.status, answer.text).toBe(200)
      expect(stepsOf(answer)).toContain('redeem curve')
      await expectExecution(sandbox.url, answer, token(symbol))
    }
  })

  test('shares of one pool become shares of another', async () => {
    const answer = await route(curveShare, otherCurveShare, 54_321n * ether)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toEqual(expect.arrayContaining(['redeem curve', 'deposit curve']))
    await expectExecution(sandbox.url, answer, otherCurveShare)
  })

  test('the pool without a deposit contract gives no single coin, so there is no way from its shares', async () => {
    const answer = await route(otherCurveShare, token('USDC'), ether)
    expect(answer.status, answer.text).toBe(422)
  })

  test('a share has no price of its own: what it would give can be moved by trading', async () => {
    const answer = await service.get(`/api/v1/prices/1/${curveShare}`)
    expect(answer.status, answer.text).toBe(404)
  })
})

describe('shares of Balancer pools', () => {
  test.each([
    ['WETH', weightedShare, 2n * ether],
    ['UNI', weightedShare, 500n * ether],
    ['DAI', stableShare, 12_345n * ether],
  ])('%s becomes shares by a join', async (symbol, share, amountIn) => {
    const answer = await route(token(symbol), share, amountIn)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toContain('deposit balancer-v2')
    await expectExecution(sandbox.url, answer, share)
  })

  test.each([
    [weightedShare, 'WBTC', ether / 10n],
    [stableShare, 'USDC', 9_999n * ether],
    [stableShare, 'WETH', 9_999n * ether],
  ])('shares %s become %s by an exit', async (share, symbol, amountIn) => {
    const answer = await route(share, token(symbol), amountIn)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toContain('redeem balancer-v2')
    await expectExecution(sandbox.url, answer, token(symbol))
  })

  test('shares of a Curve pool become shares of a Balancer pool, and the other way round', async () => {
    for (const [tokenIn, tokenOut] of [
      [curveShare, stableShare],
      [stableShare, curveShare],
    ] as const) {
      const answer = await route(tokenIn, tokenOut, 5_000n * ether)
      expect(answer.status, answer.text).toBe(200)
      expect(stepsOf(answer).join()).toMatch(/redeem .*deposit /)
      await expectExecution(sandbox.url, answer, tokenOut)
    }
  })
})
