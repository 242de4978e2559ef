/** Same request, same block: the same bytes, whatever was asked before, at the same time, or by how many forks and threads. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdt: Address = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const wbtc: Address = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const uni: Address = '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984'
const link: Address = '0x514910771af9ca656af840dff83e8264ecf986ca'
const nobody: Address = '0x00000000000000000000000000000000000a11ce'
const alice = sandboxAccount('alice').address
const ether = 10n ** 18n

type Ask = readonly [path: string, query: Readonly<Record<string, string | readonly string[]>>]

const quote = '/api/v1/shortcuts/quote'
const route = '/api/v1/shortcuts/route'

/** The head stands still on the sandbox; `past` is a block before it. */
function asks(past: string): readonly Ask[] {
  const common = { chainId: '1' }
  return [
    [quote, { ...common, tokenIn: weth, tokenOut: usdc, amountIn: `${ether}` }],
    [quote, { ...common, tokenIn: uni, tokenOut: link, amountIn: `${100n * ether}` }],
    [quote, { ...common, tokenIn: link, tokenOut: dai, amountIn: `${5_000n * ether}` }],
    [quote, { ...common, tokenIn: wbtc, tokenOut: usdt, amountIn: '250000000' }],
    [quote, { ...common, tokenIn: usdc, tokenOut: uni, amountIn: '777000000', blockNumber: past }],
    [quote, { ...common, tokenIn: usdt, tokenOut: nativeToken, amountIn: '9000000000000' }],
    [
      route,
      {
        ...common,
        fromAddress: alice,
        tokenIn: [nativeToken, dai],
        amountIn: [`${ether}`, `${900n * ether}`],
        tokenOut: usdt,
        includeTransactionCost: 'true',
      },
    ],
    [
      route,
      { ...common, fromAddress: alice, tokenIn: usdc, amountIn: '50000000', tokenOut: [weth, dai] },
    ],
    // Two shortcomings at once: always the first token's is reported.
    [
      route,
      {
        ...common,
        fromAddress: nobody,
        tokenIn: [usdt, usdc, weth],
        amountIn: ['1', '2', '3'],
        tokenOut: dai,
      },
    ],
    ['/api/v1/prices/1', { addresses: [uni, link, wbtc, nativeToken, usdc] }],
  ]
}

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let past: string
/** Of a service that was asked one thing after the other, with one fork and one thread; and of the same once more. */
let expected: string[]
let again: string[]

beforeAll(async () => {
  sandbox = await startSandbox({})
  past = String(sandbox.blockNumber - 25n)
  const reference = await fresh({ FORKS_PER_BLOCK: '1', WORKERS: '1' })
  expected = await answers(reference, order(), 1)
  again = await answers(reference, order(), 4)
  await reference.stop()
  expect(expected.map((text) => text.slice(0, 3))).toEqual(
    asks(past).map(([, query]) => (query.fromAddress === nobody ? '400' : '200')),
  )
})
afterAll(() => sandbox.stop())

const order = () => asks(past).map((_ask, index) => index)

function fresh(env: Readonly<Record<string, string>>): Promise<TestService> {
  return startService({ RPC_URL_1: sandbox.url, AUTH_MODE: 'open', ...env })
}

/** Answers in the order of `asks`. */
async function answers(
  service: TestService,
  wanted: readonly number[],
  atOnce: number,
): Promise<string[]> {
  const list = asks(past)
  const texts: string[] = []
  for (let start = 0; start < wanted.length; start += atOnce) {
    await Promise.all(
      wanted.slice(start, start + atOnce).map(async (index) => {
        const { text, status } = await service.get(...(list[index] as Ask))
        texts[index] = `${status} ${text.replace(/,?"requestId":"[^"]*"/, '')}`
      }),
    )
  }
  return texts
}

describe('answers', () => {
  test('one after the other, one fork, one thread; again on the same instance: the same bytes', () => {
    expect(again).toEqual(expected)
  })

  test.each([
    ['backwards', { FORKS_PER_BLOCK: '2', WORKERS: '2' }, 'down', 1],
    ['all at once', { FORKS_PER_BLOCK: '2', WORKERS: '2' }, 'up', 32],
    ['three at a time, backwards, one thread', { WORKERS: '1' }, 'down', 3],
  ])('%s: the same bytes, and again on the same instance', async (_name, env, way, atOnce) => {
    const service = await fresh(env)
    try {
      const turned = way === 'up' ? order() : order().toReversed()
      expect(await answers(service, turned, atOnce)).toEqual(expected)
      expect(await answers(service, order(), 4)).toEqual(expected)
    } finally {
      await service.stop()
    }
  })
})
