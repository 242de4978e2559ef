import { describe, expect, test } from 'vitest'
import type { BacktestPlan } from '../domain/backtest.js'
import type { Engine, QuoteRequest, RouteAnswer } from '../domain/engine.js'
import { ForkrouteError, toWireError } from '../domain/errors.js'
import type { Address, BlockPin } from '../domain/primitives.js'
import { createCalculateBlock } from './calculate-block.js'

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const odd: Address = '0x0000000000000000000000000000000000000123'
const nobody: Address = '0x0000000000000000000000000000000000000bad'
const { signal } = new AbortController()
const quick = { firstPauseMs: 1, longestPauseMs: 1, totalMs: 20 }

const request: QuoteRequest = {
  chainId: 1,
  strategy: 'router',
  executionMode: 'backend',
  inputs: [{ token: weth, amount: 2n * 10n ** 18n }],
  tokensOut: [usdc],
  limit: { kind: 'slippage', centiBps: 5_000n },
  ignoreAggregators: [],
  ignoreStandards: ['curve'],
  includeTransactionCost: false,
  includePriceImpact: false,
}

const plan: BacktestPlan = {
  name: 'plan',
  chainId: 1,
  range: { kind: 'step', from: 100n, to: 100n, step: 1n },
  requests: [{ name: 'one', request }],
  variants: [
    { name: 'all', router: {}, ignoreStandards: [] },
    { name: 'short', router: { maxHops: 1 }, ignoreStandards: ['curve', 'lido'], centiBps: 7n },
  ],
  baseline: 'all',
  delays: [1, 3],
}

function answerTo({ router, tokensOut: [token = odd] }: QuoteRequest): RouteAnswer {
  const leg = {
    tokenIn: weth,
    tokenOut: usdc,
    protocol: 'uniswap-v2',
    pool: '0xp',
    share: 10_000,
    primary: odd,
  }
  const step = {
    tokenIn: [weth],
    tokenOut: [usdc],
    positionInId: [],
    positionOutId: [],
    chainId: 1,
  }
  return {
    chainId: 1,
    route: [
      { action: 'wrap', protocol: 'wrapped-native', primary: weth, ...step },
      { action: 'swap', protocol: 'uniswap-v2', primary: odd, internalRoutes: [leg], ...step },
    ],
    gas: 100_000n,
    outputs: [
      { token, amountOut: 5_000_000_000n - BigInt(router?.maxHops ?? 0), minAmountOut: 1n },
    ],
    priceImpact: -1,
    block: {} as BlockPin,
    tx: { from: nobody, to: odd, data: '0x', value: 0n },
    gasCost: { native: 10n ** 15n, usd: 2.5, l1DataFee: { native: 5n, usd: 0.5 } },
    warnings: [],
  }
}

/** An engine at block 100; `asked` keeps what it was asked. */
function setup(change: Partial<Engine> = {}) {
  const asked: { quotes: QuoteRequest[][]; executions: [bigint, number][] } = {
    quotes: [],
    executions: [],
  }
  const engine = {
    block: async () => ({ number: 100n, hash: '0xabc', timestamp: 1_700n }),
    tokens: () => [
      { address: weth, decimals: 18 },
      { address: usdc, decimals: 6 },
    ],
    prices: async (_chainId: number, tokens: readonly Address[]) =>
      tokens.map((address) => (address === odd ? null : { address, decimals: 6, price: 0.5 })),
    async quotes({ requests }: { requests: readonly QuoteRequest[] }) {
      asked.quotes.push([...requests])
      const quotes = requests.map((one) => ({ ok: true, value: answerTo(one), milliseconds: 1.26 }))
      return { quotes }
    },
    async executions(_chainId: number, block: bigint, requests: readonly unknown[]) {
      asked.executions.push([block, requests.length])
      return requests.map(() => ({
        status: 'filled',
        outputs: [{ token: odd, amount: 4n }],
        gas: 9n,
      }))
    },
    ...change,
  } as unknown as Engine
  return { asked, calculate: createCalculateBlock(engine, quick) }
}

describe('createCalculateBlock', () => {
  test('a row for every request and variant, with its price, gas and path', async () => {
    const { asked, calculate } = setup()
    const block = await calculate(plan, 100n, signal)
    expect(block).toMatchObject({ blockNumber: 100n, blockHash: '0xabc', timestamp: 1_700n })
    expect(block.rows[0]).toEqual({
      blockNumber: 100n,
      request: 'one',
      variant: 'all',
      milliseconds: 1.3,
      outcome: {
        ok: true,
        amountsOut: [5_000_000_000n],
        minAmountsOut: [1n],
        gas: 100_000n,
        gasCost: 10n ** 15n + 5n,
        gasCostUsd: 3,
        gasCostOut: 6_000_000n,
        priceImpact: -1,
        price: 2_500,
        path: [{ protocol: 'uniswap-v2', pool: '0xp', shareBps: 10_000 }],
      },
      executions: [
        { delay: 1, status: 'filled', amountsOut: [4n], gas: 9n },
        { delay: 3, status: 'filled', amountsOut: [4n], gas: 9n },
      ],
    })
    expect(block.rows[1]).toMatchObject({
      variant: 'short',
      outcome: { amountsOut: [4_999_999_999n] },
    })
    expect(asked.quotes).toMatchObject([
      [
        { router: {}, ignoreStandards: ['curve'], limit: request.limit },
        {
          router: { maxHops: 1 },
          ignoreStandards: ['curve', 'lido'],
          limit: { kind: 'slippage', centiBps: 7n },
          includeTransactionCost: true,
          includePriceImpact: true,
        },
      ],
    ])
  })

  test('what several variants have found is executed once', async () => {
    const { asked, calculate } = setup()
    await calculate(plan, 100n, signal)
    expect(asked.executions).toEqual([
      [101n, 1],
      [103n, 1],
    ])
  })

  test('a price and the gas in tokens are null where decimals or prices are not known', async () => {
    const { calculate } = setup()
    const requests = [{ name: 'odd', request: { ...request, tokensOut: [odd] } }]
    const { rows } = await calculate({ ...plan, requests }, 100n, signal)
    expect(rows[0]?.outcome).toMatchObject({
      ok: true,
      price: null,
      gasCostOut: null,
      gasCostUsd: 3,
    })
  })

  test('a later block that is not there, or state that is not read, is unknown', async () => {
    const { calculate } = setup({
      async executions(_chainId, block) {
        if (block === 101n) return [{ status: 'unreadable', message: 'no state' }]
        throw new ForkrouteError('UNKNOWN_BLOCK', 'Block 103 is not there.')
      },
    })
    const { rows } = await calculate(plan, 100n, signal)
    expect(rows[1]?.executions).toEqual([
      { delay: 1, status: 'unknown', message: 'no state' },
      { delay: 3, status: 'unknown', message: 'Block 103 is not there.' },
    ])
  })

  test('an error of the moment is asked again, for that row alone; one that is a fact is a row', async () => {
    const errors = [
      new ForkrouteError('NO_ROUTE', 'No path.', { maxHops: 3 }),
      new ForkrouteError('UPSTREAM_UNAVAILABLE', 'No node answers.'),
    ]
    const asked: number[] = []
    const { calculate } = setup({
      async quotes({ requests }) {
        asked.push(requests.length)
        const quotes = requests.map((one) => {
          const error = errors.shift()
          return error
            ? { ok: false as const, error: { ...toWireError(error), stack: 'secret' } }
            : { ok: true as const, value: answerTo(one) }
        })
        return { block: {} as BlockPin, quotes }
      },
    })
    const { rows } = await calculate(plan, 100n, signal)
    expect(asked).toEqual([2, 1])
    expect(rows[0]?.outcome).toEqual({
      ok: false,
      error: { code: 'NO_ROUTE', message: 'No path.', details: { maxHops: 3 } },
    })
    expect(rows[0]?.executions).toEqual([])
    expect(rows[1]?.outcome.ok).toBe(true)
  })

  /** `first` of the quotes are answered, the others have that error each time. */
  function failing(code: 'UPSTREAM_UNAVAILABLE' | 'STATE_UNAVAILABLE', first: number) {
    let left = first
    return setup({
      async quotes({ requests }) {
        const quotes = requests.map((one) =>
          left-- > 0
            ? { ok: true as const, value: answerTo(one) }
            : { ok: false as const, error: toWireError(new ForkrouteError(code, 'It is away.')) },
        )
        return { block: {} as BlockPin, quotes }
      },
    }).calculate(plan, 100n, signal)
  }

  test('a node that stays away fails the block, so that no row tells of the moment', async () => {
    await expect(failing('UPSTREAM_UNAVAILABLE', 1)).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
    })
  })

  test('state that stays away is a fact of its row, unless nothing else is to be had', async () => {
    const { rows } = await failing('STATE_UNAVAILABLE', 1)
    expect(rows.map(({ outcome }) => outcome.ok)).toEqual([true, false])
    await expect(failing('STATE_UNAVAILABLE', 0)).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
    })
  })

  test('an abort ends the wait between two tries', async () => {
    const stop = new AbortController()
    const { calculate } = setup({
      block() {
        stop.abort(new Error('enough'))
        throw new ForkrouteError('CHAIN_NOT_READY', 'Not yet.')
      },
    })
    await expect(calculate(plan, 100n, stop.signal)).rejects.toThrow('enough')
  })
})
