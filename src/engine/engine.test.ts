import { describe, expect, test } from 'vitest'
import { ethereum } from '../chains/ethereum.js'
import type { BundleAction } from '../domain/bundle.js'
import { type Engine, noAccount } from '../domain/engine.js'
import type { Address } from '../domain/primitives.js'
import { createEngine, type EngineParts } from './engine.js'
import { createTurns } from './turns.js'

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

/** Of a node that never answers; records everything that is asked of the chain. */
function unreachable(): { readonly engine: Engine; readonly asked: string[] } {
  const asked: string[] = []
  const part = (name: string, own: Readonly<Record<string, unknown>> = {}): never =>
    new Proxy(own, {
      get: (target, method) =>
        target[String(method)] ??
        (() => {
          asked.push(`${name}.${String(method)}`)
          throw new Error('no answer')
        }),
    }) as never
  const parts: EngineParts = {
    chains: [ethereum],
    archive: part('archive'),
    forks: part('forks'),
    pins: part('pins'),
    workers: part('workers', { turns: createTurns(1, 1) }),
    catalog: part('catalog'),
    positions: part('positions'),
    tokens: [],
    positionsMaxAgeSeconds: 1,
    opportunitiesMinTvlUsd: null,
    disabledAggregators: [],
    marksAnswers: true,
    stopping: new AbortController().signal,
    onProblem: () => asked.push('onProblem'),
  }
  return { engine: createEngine(parts), asked }
}

function bundle(engine: Engine, actions: readonly BundleAction[]) {
  const terms = {
    chainId: 1,
    fromAddress: weth,
    strategy: 'router',
    executionMode: 'backend',
  } as const
  const none = { ignoreAggregators: [], ignoreStandards: [], skipQuote: false }
  return engine.bundle(
    { ...terms, ...none, actions, serviceName: 'svc', blockNumber: 999_999_999n },
    { accountId: noAccount, signal: new AbortController().signal },
  )
}

const route = (args: Readonly<Record<string, unknown>>): BundleAction => ({
  protocol: 'svc',
  action: 'route',
  args: { tokenIn: weth, tokenOut: usdc, amountIn: '1', ...args },
})

describe('bundle', () => {
  test.each([
    [
      'an unknown action',
      { ...route({}), action: 'rout' },
      /^action 0, action must be one of route, /,
    ],
    ['a wrong argument', route({ tokenIn: '0x12' }), /^action 0, tokenIn must be an address/],
    ['a reference to itself', route({ amountIn: { useOutputOfCallAt: 0 } }), /an action before it/],
    ['bad slippage', route({ slippage: '10000.01' }), /^action 0, slippage must be basis points/],
    ['one token twice', route({ tokenOut: weth }), /^action 0, tokenOut must be another token/],
  ])('%s is refused with nothing pinned and nothing leased', async (_name, action, message) => {
    const { engine, asked } = unreachable()
    await expect(bundle(engine, [action])).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      status: 400,
      message: expect.stringMatching(message),
    })
    expect(asked).toEqual([])
  })

  test('without a mistake the block is pinned', async () => {
    const { engine, asked } = unreachable()
    await expect(bundle(engine, [route({})])).rejects.toThrow('no answer')
    expect(asked).toEqual(['pins.at'])
  })
})
