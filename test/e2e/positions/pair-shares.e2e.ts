/**
 * Shares of V2 pairs over HTTP on the sandbox chain; each returned transaction is executed on an Anvil of the test's
 * own: it delivers what the answer says, and nothing of it stays on the way.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress, executorAddress } from '../../../src/executor/deployments.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { v2PairAddress } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { executeOnFork } from '../../support/execute.js'
import type { Answer } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const address = (symbol: string): Address => sandboxToken(symbol).address
const pair = (protocol: 'uniswap-v2' | 'sushiswap-v2', a: string, b: string): Address =>
  v2PairAddress(protocol, address(a), address(b))
const [weth, usdc, dai] = [address('WETH'), address('USDC'), address('DAI')]
const shares = pair('uniswap-v2', 'WETH', 'USDC')
const otherShares = pair('sushiswap-v2', 'WETH', 'DAI')
const ether = 10n ** 18n
/** Holds nothing: the execution funds exactly what the simulation did. */
const stranger: Address = '0x00000000000000000000000000000000000a11ce'

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})
function route(tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<Answer> {
  return service.get('/api/v1/shortcuts/route', {
    fromAddress: stranger,
    executionMode: 'backend',
    tokenIn,
    tokenOut,
    amountIn: amountIn.toString(),
  })
}

interface RouteStep {
  readonly action: string
  readonly protocol: string
  readonly primary: string
}

const stepsOf = ({ body }: Answer): string[] =>
  body.route.map(({ action, protocol }: RouteStep) => `${action} ${protocol}`)

/** Executes the answer; its amount and gas to the unit, and what the sender has left of what it gave. */
async function expectDelivery(
  answer: Answer,
  tokenIn: Address,
  tokenOut: Address,
  amountIn: bigint,
): Promise<bigint> {
  expect(answer.status, answer.text).toBe(200)
  const places = [
    executorAddress(stranger),
    contractAddress('Router'),
    contractAddress('UniswapV2Zapper'),
  ]
  const tokens = [weth, usdc, dai, shares, otherShares]
  const done = await executeOnFork({
    nodeUrl: service.nodeUrl,
    blockNumber: answer.body.createdAt,
    tx: answer.body.tx,
    watch: [
      { token: tokenOut, owner: stranger },
      { token: tokenIn, owner: stranger },
      ...places.flatMap((owner) => tokens.map((token) => ({ token, owner }))),
    ],
    fund: [{ token: tokenIn, amount: amountIn }],
    approve: contractAddress('Router'),
  })
  expect(done.status).toBe('success')
  const [gained, spent = 0n, ...rest] = done.deltas
  expect(gained).toBe(BigInt(answer.body.amountOut))
  expect(done.gasUsed).toBe(BigInt(answer.body.gas))
  expect(rest.every((delta) => delta === 0n)).toBe(true)
  return amountIn + spent
}

describe('GET /api/v1/shortcuts/route to and from the shares of a pair', () => {
  test('a token of the pair becomes shares: one deposit, dust comes back', async () => {
    const amountIn = 1_234_567_890n
    const answer = await route(usdc, shares, amountIn)
    const left = await expectDelivery(answer, usdc, shares, amountIn)
    expect(stepsOf(answer)).toContain('deposit uniswap-v2')
    expect(answer.body.route.at(-1).primary).toBe(shares)
    expect(left).toBeLessThan(10n)
  })

  test('native ether and a token of no side of it become shares', async () => {
    const fromNative = await route(nativeToken, shares, ether)
    await expectDelivery(fromNative, nativeToken, shares, ether)
    expect(stepsOf(fromNative).at(-1)).toBe('deposit uniswap-v2')
    const link = address('LINK')
    const fromLink = await route(link, shares, 100n * ether)
    await expectDelivery(fromLink, link, shares, 100n * ether)
    expect(stepsOf(fromLink).at(-1)).toBe('deposit uniswap-v2')
  })

  test('an amount worth dividing is, and no pair is used twice', async () => {
    const amountIn = 2_000_000_000_000n
    const answer = await route(usdc, shares, amountIn)
    await expectDelivery(answer, usdc, shares, amountIn)
    expect(answer.text).toContain('deposit')
    const legs: { pool: string; tokenOut: string }[] = answer.body.route.flatMap(
      (step: { internalRoutes?: { pool: string; tokenOut: string }[] }) =>
        step.internalRoutes ?? [],
    )
    // Deposits go by the name of the pair as well.
    const trades = legs.filter(({ tokenOut }) => tokenOut !== shares)
    expect(trades.some(({ pool }) => pool === shares)).toBe(false)
  })

  test('shares become a token of the pair, native ether, and one that the pair does not have', async () => {
    const amountIn = 10n ** 14n
    for (const tokenOut of [usdc, nativeToken, address('LINK')]) {
      const answer = await route(shares, tokenOut, amountIn)
      const left = await expectDelivery(answer, shares, tokenOut, amountIn)
      expect(stepsOf(answer)[0]).toBe('redeem uniswap-v2')
      expect(left).toBe(0n)
    }
  })

  test('shares become those of another pair of another exchange', async () => {
    const amountIn = 10n ** 13n
    const answer = await route(shares, otherShares, amountIn)
    await expectDelivery(answer, shares, otherShares, amountIn)
    const steps = stepsOf(answer)
    expect(steps[0]).toBe('redeem uniswap-v2')
    expect(steps.at(-1)).toBe('deposit sushiswap-v2')
  })

  test('shares are worth what the pair holds for them', async () => {
    const { body } = await service.get('/api/v1/prices/1', { addresses: [shares, usdc, weth] })
    const [share, dollar, wethPrice] = body.map(({ price }: { price: number }) => price)
    const node = createRpcClient(service.nodeUrl)
    const words = async (data: string) => {
      const answer = await node.request<string>('eth_call', [{ to: shares, data }, 'latest'])
      return (
        answer
          .slice(2)
          .match(/.{64}/g)
          ?.map((word) => Number(BigInt(`0x${word}`))) ?? []
      )
    }
    // getReserves() and totalSupply()
    const [usdcHeld = 0, wethHeld = 0] = await words('0x0902f1ac')
    const [supply = 0] = await words('0x18160ddd')
    await node.close()
    const worth = ((usdcHeld / 1e6) * dollar + (wethHeld / 1e18) * wethPrice) / (supply / 1e18)
    expect(share / worth).toBeCloseTo(1, 9)
  })
})
