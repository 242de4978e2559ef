import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool } from '../pool.js'
import { balancerV2 } from './index.js'

const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const vault: Address = '0xba12222222228d8ba445958a75a0704d566bf2c8'
const executor: Address = '0x00000000000000000000000000000000000000ee'
const receiver: Address = '0x00000000000000000000000000000000000000ff'

const pool: Pool = {
  protocol: 'balancer-v2',
  id: `0x${'12'.repeat(32)}`,
  address: vault,
  tokens: [dai, usdc],
  parameters: { kind: 'stable', decimals: ['18', '6'] },
}

const e18 = 10n ** 18n
const word = (values: string, items: readonly unknown[]) =>
  encodeAbiParameters(parseAbiParameters(values), items)

/** A node that answers these calls by selector; all others revert. */
function readerOf(answers: Readonly<Record<string, Hex>>): StateReader {
  return {
    block: { timestamp: 1_000n } as StateReader['block'],
    storage: async () => [],
    call: async (calls) =>
      calls.map(({ data }): ReadResult => {
        const value = answers[data.slice(0, 10)]
        return value ? { ok: true, value } : { ok: false, reason: 'reverted', message: '' }
      }),
  }
}

const getPoolTokens = '0xf94d4668'
const getSwapFeePercentage = '0x55c67628'
const getAmplificationParameter = '0x6daccffa'
const getScalingFactors = '0x1dd746ea'

const held = word('address[], uint256[], uint256', [[dai, usdc], [5n * e18, 6_000_000n], 1n])
const answers = {
  [getPoolTokens]: held,
  [getSwapFeePercentage]: word('uint256', [10n ** 14n]),
  [getAmplificationParameter]: word('uint256, bool, uint256', [200_000n, false, 1000n]),
}

async function load(changes: Readonly<Record<string, Hex>>, from: Pool = pool) {
  const reader = readerOf({ ...answers, ...changes })
  const [loaded] = await balancerV2.swaps.load({
    reader,
    chain: ethereum,
    venue: {},
    pools: [from],
  })
  return loaded
}

describe('balancerV2.load', () => {
  test('takes scaling from the decimals where the pool has no scaling factors', async () => {
    expect(await load({})).toMatchObject({
      partial: false,
      state: { balances: [5n * e18, 6_000_000n], scalingFactors: [e18, 10n ** 30n], exact: true },
    })
  })

  test('rates without a provider and a ramp that cannot be read make the math an estimate', async () => {
    const rated = await load({ [getScalingFactors]: word('uint256[]', [[e18 + 1n, 10n ** 30n]]) })
    expect(rated).toMatchObject({ partial: true, state: { exact: false } })
    const ramp = word('uint256, bool, uint256', [200_000n, true, 1000n])
    expect(await load({ [getAmplificationParameter]: ramp })).toMatchObject({ partial: true })
  })

  test('names what is missing or contradicts the identity', async () => {
    const other = word('address[], uint256[], uint256', [[usdc, dai], [1n, 1n], 1n])
    const { [getAmplificationParameter]: _amp, ...less } = answers
    const reader = readerOf(less)
    const all = await balancerV2.swaps.load({ reader, chain: ethereum, venue: {}, pools: [pool] })
    expect(all).toMatchObject([{ message: expect.stringContaining('amplification') }])
    expect(await load({ [getPoolTokens]: other })).toMatchObject({
      message: expect.stringContaining('other tokens'),
    })
    const weightless = { ...pool, parameters: { kind: 'weighted', decimals: ['18', '6'] } }
    expect(await load({}, weightless)).toMatchObject({
      message: expect.stringContaining('weights'),
    })
  })
})

describe('balancerV2.encodeSwap', () => {
  test('the Vault pulls from the Executor and pays the receiver', async () => {
    const loaded = await load({})
    if (!loaded || !('state' in loaded)) throw new Error('not loaded')
    const amountIn = { ref: 'balance', token: dai } as const
    const steps = balancerV2.swaps.encodeSwap({
      chain: ethereum,
      venue: {},
      helpers: {},
      executor,
      recipient: receiver,
      pool,
      state: loaded.state,
      tokenIn: dai,
      tokenOut: usdc,
      amountIn,
    })
    expect(steps).toMatchObject([
      { kind: 'approve', token: dai, spender: vault, amount: amountIn },
      {
        kind: 'call',
        target: vault,
        args: [
          { poolId: pool.id, kind: 0, assetIn: dai, assetOut: usdc, amount: amountIn },
          { sender: executor, recipient: receiver },
          0n,
          2n ** 256n - 1n,
        ],
      },
    ])
  })
})
