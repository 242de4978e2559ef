import { describe, expect, test } from 'vitest'
import type { CallContext, Engine } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { nativeToken } from '../../domain/primitives.js'
import { examples } from '../schemas.js'
import { parsePlan } from './plan.js'

/** A chain whose newest block is 1000, a block each 10 seconds from 0 on. */
const engine = {
  networks: () => [{ id: 1 }],
  block: async () => ({ number: 1_000n, timestamp: 10_000n }),
  blockAtTime: async (_chainId: number, timestamp: bigint) => ({
    number: timestamp < 10_000n ? timestamp / 10n : 1_000n,
  }),
} as unknown as Engine
const context = { signal: new AbortController().signal } as CallContext

const parse = (body: unknown) =>
  parsePlan(body, {
    engine,
    dialect: { serviceName: 'svc', executionMode: 'user' },
    context,
  })
const request = { tokenIn: examples.weth, tokenOut: examples.usdc, amountIn: '1000' }
const blocks = { from: 'latest-100' }
const least = { blocks, requests: [request] }

async function problems(body: unknown): Promise<readonly string[]> {
  const error = await parse(body).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ForkrouteError)) throw error ?? new Error('the plan is accepted')
  expect(error.code).toBe('INVALID_REQUEST')
  return error.messages ?? [error.message]
}

describe('parsePlan', () => {
  test('the least plan: one request at every block to the newest, as the service does it', async () => {
    expect(await parse(least)).toEqual({
      name: 'backtest',
      chainId: 1,
      range: { kind: 'step', from: 900n, to: 1_000n, step: 1n },
      requests: [
        {
          name: 'request 1',
          request: {
            chainId: 1,
            strategy: 'router',
            executionMode: 'backend',
            inputs: [{ token: examples.weth, amount: 1_000n }],
            tokensOut: [examples.usdc],
            limit: { kind: 'slippage', centiBps: 5_000n },
            ignoreAggregators: [],
            ignoreStandards: [],
            includeTransactionCost: false,
            includePriceImpact: true,
          },
        },
      ],
      variants: [{ name: 'default', router: {}, ignoreStandards: [] }],
      baseline: 'default',
      delays: [],
    })
  })

  test('a request takes every field of a route, with its limit', async () => {
    const given = {
      ...request,
      name: 'payment',
      fromAddress: examples.sender,
      receiver: examples.usdc,
      routingStrategy: 'svcwallet-v2',
      fee: 10,
      feeReceiver: examples.weth,
      minAmountOut: '900',
      ignoreStandards: ['Curve'],
      referralCode: 'desk',
    }
    const { requests } = await parse({ blocks, requests: [given] })
    expect(requests).toMatchObject([
      {
        name: 'payment',
        request: {
          fromAddress: examples.sender,
          receiver: examples.usdc,
          strategy: 'wallet-v2',
          inputs: [{ feeBps: 10n }],
          feeReceiver: examples.weth,
          limit: { kind: 'minimum', minimums: [{ token: examples.usdc, amount: 900n }] },
          ignoreStandards: ['curve'],
          referralCode: 'desk',
        },
      },
    ])
    const { requests: slipping } = await parse({
      blocks,
      requests: [{ ...request, slippage: 12.5 }],
    })
    expect(slipping).toMatchObject([{ request: { limit: { kind: 'slippage', centiBps: 1_250n } } }])
    expect(slipping[0]?.request).not.toHaveProperty('fromAddress')
  })

  test('a variant is settings of the router, venues left out and a slippage', async () => {
    const variants = [
      { name: 'all' },
      {
        maxHops: '2',
        candidates: 8,
        splits: false,
        poolBlacklist: [examples.weth.toUpperCase().replace('0X', '0x')],
        ignoreAggregators: ['Uniswap-V2'],
        ignoreStandards: 'curve',
        slippage: '5',
      },
    ]
    const plan = await parse({ ...least, variants, baseline: 'variant 2' })
    expect(plan.baseline).toBe('variant 2')
    expect(plan.variants).toEqual([
      { name: 'all', router: {}, ignoreStandards: [] },
      {
        name: 'variant 2',
        router: { maxHops: 2, candidates: 8, splits: false, poolBlacklist: [examples.weth] },
        ignoreStandards: ['uniswap-v2', 'curve'],
        centiBps: 500n,
      },
    ])
  })

  test.each([
    [
      { from: 10, to: '20', step: 5 },
      { kind: 'step', from: 10n, to: 20n, step: 5n },
    ],
    [
      { from: 'latest-1000', to: '2000-01-01' },
      { kind: 'step', from: 0n, to: 1_000n, step: 1n },
    ],
    [
      { from: '1970-01-01T00:01:40Z', to: '@500' },
      { kind: 'step', from: 10n, to: 50n, step: 1n },
    ],
    [
      { from: 1, to: 2, changesOf: examples.weth },
      { kind: 'changes', from: 1n, to: 2n, addresses: [examples.weth] },
    ],
  ])('blocks %j', async (given, range) => {
    expect((await parse({ ...least, blocks: given })).range).toEqual(range)
  })

  test.each([
    [3, [1, 2, 3]],
    ['2', [1, 2]],
    [0, []],
    [
      [5, '1', 5, 20],
      [1, 5, 20],
    ],
    [[], []],
  ])('delays %j are %j', async (delays, expected) => {
    expect((await parse({ ...least, delays })).delays).toEqual(expected)
  })

  test('every mistake is listed with its place', async () => {
    const body = {
      name: 'x'.repeat(65),
      Blocks: {},
      blocks: { from: 'yesterday', step: 2, changesOf: [examples.weth], too: 1 },
      requests: [
        { ...request, tokenOut: '0x12', blockNumber: 5, amountin: 1 },
        { ...request, name: 'a', slippage: 5, minAmountOut: 1 },
        { tokenIn: nativeToken },
        'a quote',
        { ...request, name: 'b', chainId: 10 },
        { ...request, name: 'b' },
        { ...request, name: 'c', destinationChainId: 8453 },
      ],
      variants: [{ name: 'a', maxHops: 9, splits: 'maybe' }],
      baseline: 'b',
      delays: [0, 'x'],
    }
    expect(await problems(body)).toEqual([
      'Blocks is no field; blocks is',
      'name must be 1 to 64 printable characters',
      'requests[0].blockNumber must not be given: blocks are those of the plan, without haste',
      'requests[0].amountin is no field; amountIn is',
      'requests[0].tokenOut must be an address: 0x and 40 hexadecimal digits',
      'requests[1].slippage must not be given together with minAmountOut',
      'requests[2].amountIn is required',
      'requests[2].tokenOut is required',
      'requests[3] must be an object with fields',
      'requests[4].chainId must be that of the plan (1)',
      'variants[0].maxHops must be an integer from 1 to 4',
      'variants[0].splits must be true or false',
      'requests[5].name is "b" a second time',
      'delays[0] must be an integer from 1 to 7200',
      'delays[1] must be an integer from 1 to 7200',
      'delays must not be given: requests[6] leads to another chain; deliverySeconds says when it is delivered',
      'blocks.too is no field',
      'blocks.from must be a block number, latest, latest-N, a time such as 2026-03-01T12:00:00Z, or @ and unix seconds',
      'blocks.step must not be given together with changesOf',
    ])
  })

  test.each<[string, unknown, string[]]>([
    ['nothing', {}, ['requests is required', 'blocks is required']],
    ['a text', 'a plan', ['the plan must be an object with fields']],
    ['no request', { ...least, requests: [] }, ['requests must hold at least 1 value']],
    [
      'too many requests',
      { ...least, requests: Array(201).fill(request) },
      ['requests must hold at most 200 values (not 201)'],
    ],
    [
      'an unknown baseline',
      { ...least, baseline: 'x' },
      ['baseline must be the name of a variant, not "x"'],
    ],
    [
      'too many delays',
      { ...least, delays: 17 },
      ['delays must be an integer from 0 to 16, or a list of blocks'],
    ],
    [
      'a range that runs backwards',
      { ...least, blocks: { from: 20, to: 10 } },
      ['blocks.from is block 20, after blocks.to, which is 10'],
    ],
    [
      'a range beyond the newest block',
      { ...least, blocks: { from: 20, to: 2000 } },
      ['blocks.to is block 2000, but the newest is 1000'],
    ],
    [
      'a range that begins below the first block',
      { ...least, blocks: { from: 'latest-4000', to: 'latest-1001' } },
      [
        'blocks.from is 4000 blocks below the newest, which is 1000',
        'blocks.to is 1001 blocks below the newest, which is 1000',
      ],
    ],
    [
      'a range that begins after the newest block',
      { ...least, blocks: { from: '@10001' } },
      ['blocks.from is later than the newest block, which is 1000 of 1970-01-01T02:46:40.000Z'],
    ],
  ])('%s is refused', async (_what, body, expected) => {
    expect(await problems(body)).toEqual(expected)
  })

  test('behind more than a hundred mistakes no further requests and variants are read', async () => {
    const wrong = (count: number) => Array.from({ length: count }, () => 'x')
    const named = (name: string, list: string, count: number) => ({ name, [list]: wrong(count) })
    const requests = wrong(200).map((_, index) => ({
      ...request,
      ...named(`r${index}`, 'onlyPools', 200),
    }))
    const variants = wrong(32).map((_, index) => named(`v${index}`, 'poolBlacklist', 1_000))
    const found = await problems({ blocks, requests, variants })
    expect(found).toHaveLength(101)
    expect(found.at(-1)).toBe('There are at least 100 more mistakes.')
  })

  test('a chain that is not configured is UNKNOWN_CHAIN', async () => {
    await expect(parse({ ...least, chainId: 10 })).rejects.toMatchObject({ code: 'UNKNOWN_CHAIN' })
  })
})
