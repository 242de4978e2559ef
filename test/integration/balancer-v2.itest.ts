import fc from 'fast-check'
import {
  encodeAbiParameters,
  encodeFunctionData,
  maxUint256,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../src/chains/ethereum.js'
import type { CallStep } from '../../src/domain/plan.js'
import { type Address, type Hex, toAddress, zeroAddress } from '../../src/domain/primitives.js'
import { balancerV2 } from '../../src/protocols/balancer-v2/index.js'
import type { BalancerState } from '../../src/protocols/balancer-v2/state.js'
import type { LoadedPool, Pool } from '../../src/protocols/protocol.js'
import { loadArtifacts } from '../../src/sandbox/artifacts.js'
import { erc20Abi, PoolScene } from './pool-scene.js'

const weightedFactoryAbi = parseAbi([
  'function create(string, string, address[], uint256[], uint256, address)',
])
const stableFactoryAbi = parseAbi([
  'function create(string, string, address[], uint256, uint256, address)',
])
const poolAbi = parseAbi(['function getPoolId() view returns (bytes32)'])
const vaultAbi = parseAbi([
  'function joinPool(bytes32, address, address, JoinRequest)',
  'struct JoinRequest { address[] assets; uint256[] maxAmountsIn; bytes userData; bool fromInternalBalance; }',
])

const e18 = 10n ** 18n

let scene: PoolScene
let vault: Address
let weighted: Pool[]
let stable: Pool[]

beforeAll(async () => {
  scene = await PoolScene.start()
  const artifacts = await loadArtifacts('.cache/sandbox', () => {})
  const code = (name: string): Hex => artifacts[name] ?? '0x'
  vault = await scene.deploy(code('balancerVault'), 'address, address, uint256, uint256', [
    zeroAddress,
    scene.trader,
    0n,
    0n,
  ])
  const weightedFactory = await scene.deploy(code('balancerWeightedFactory'), 'address', [vault])
  const stableFactory = await scene.deploy(code('balancerStableFactory'), 'address', [vault])

  async function create(
    kind: 'weighted' | 'stable',
    places: readonly number[],
    amounts: readonly bigint[],
    shape: readonly bigint[],
    swapFee: bigint,
  ): Promise<Pool> {
    const tokens = await scene.sortedTokens(places)
    const list = tokens.map(({ address }) => address)
    const receipt =
      kind === 'weighted'
        ? await scene.send(weightedFactory, weightedFactoryAbi, 'create', [
            'Pool',
            'BPT',
            list,
            shape,
            swapFee,
            scene.trader,
          ])
        : await scene.send(stableFactory, stableFactoryAbi, 'create', [
            'Pool',
            'BPT',
            list,
            shape[0],
            swapFee,
            scene.trader,
          ])
    const created = receipt?.logs.at(-1)?.topics[1]
    if (!created) throw new Error('no pool was created')
    const contract = toAddress(`0x${created.slice(26)}`)
    const id = await scene.call(contract, encodeFunctionData({ abi: poolAbi }))
    for (const token of list) await scene.send(token, erc20Abi, 'approve', [vault, maxUint256])
    const deposits = tokens.map(({ decimals }, k) => (amounts[k] ?? 0n) * 10n ** BigInt(decimals))
    const userData = encodeAbiParameters(parseAbiParameters('uint256, uint256[]'), [0n, deposits])
    const joined = await scene.send(vault, vaultAbi, 'joinPool', [
      id,
      scene.trader,
      scene.trader,
      { assets: list, maxAmountsIn: deposits, userData, fromInternalBalance: false },
    ])
    expect(joined).not.toBeNull()
    return {
      protocol: 'balancer-v2',
      id,
      address: vault,
      tokens: list,
      parameters: {
        kind,
        decimals: tokens.map(({ decimals }) => String(decimals)),
        ...(kind === 'weighted' && { weights: shape.map(String) }),
      },
    }
  }

  const percent = e18 / 100n
  weighted = [
    await create(
      'weighted',
      [18, 6],
      [3_000n, 9_000_000n],
      [50n * percent, 50n * percent],
      e18 / 1000n,
    ),
    await create('weighted', [18, 18], [80_000n, 10n], [80n * percent, 20n * percent], e18 / 333n),
    await create(
      'weighted',
      [8, 18, 6],
      [100n, 3_000n, 9_000_000n],
      [33n * percent, 33n * percent, 34n * percent],
      25n * 10n ** 14n,
    ),
  ]
  stable = [
    await create('stable', [18, 6], [1_000_000n, 1_300_000n], [200n], 4n * 10n ** 14n),
    await create('stable', [6, 18, 6], [900_000n, 2_000_000n, 1_500_000n], [5000n], 10n ** 14n),
  ]
})

afterAll(() => scene.close())

async function load(pool: Pool): Promise<LoadedPool<BalancerState>> {
  const reader = await scene.reader()
  const [loaded] = await balancerV2.load({
    reader,
    chain: ethereum,
    venue: { vault },
    pools: [pool],
  })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return loaded
}

/** Swaps by the adapter's own steps; the trader stands for the Executor. */
async function swapAndCompare(pool: Pool, i: number, j: number, amountIn: bigint): Promise<void> {
  const { state } = await load(pool)
  const tokenIn = pool.tokens[i] ?? '0x'
  const tokenOut = pool.tokens[j] ?? '0x'
  const quote = balancerV2.amountOut(pool, state, tokenIn, tokenOut, amountIn)
  const steps = balancerV2.encodeSwap({
    chain: ethereum,
    venue: { vault },
    pool,
    state,
    tokenIn,
    tokenOut,
    amountIn,
    executor: scene.trader,
    helpers: {},
    recipient,
  })
  const call = steps.find((step): step is CallStep => step.kind === 'call')
  if (!call) throw new Error('no call')
  const before = await scene.balanceOf(tokenOut, recipient)
  const receipt = await scene.send(call.target, [call.abi], 'swap', call.args)
  const received = (await scene.balanceOf(tokenOut, recipient)) - before
  expect(quote).toEqual({ amountOut: received, exact: true })
  if (!receipt || received === 0n) return
  const next = balancerV2.applySwap(pool, state, tokenIn, tokenOut, amountIn)
  expect((await load(pool)).state).toEqual(next)
}

const recipient: Address = '0x00000000000000000000000000000000000000aa'

const swaps = fc.record({
  pair: fc.uniqueArray(fc.nat({ max: 2 }), { minLength: 2, maxLength: 2 }),
  /** Power of ten of the amount, from 1e-8 tokens. */
  digits: fc.integer({ min: 0, max: 12 }),
  factor: fc.integer({ min: 1, max: 9999 }),
})

describe('balancer-v2 pools against the deployed contracts', () => {
  for (const kind of ['weighted', 'stable'] as const) {
    test(`property: any swap in a ${kind} pool gives the predicted output and leaves the predicted state`, async () => {
      for (const pool of kind === 'weighted' ? weighted : stable) {
        const places = pool.parameters.decimals
        await fc.assert(
          fc.asyncProperty(swaps, async ({ pair, digits, factor }) => {
            const [i = 0, j = 0] = pair.map((k) => k % pool.tokens.length)
            if (i === j) return
            const decimals = Array.isArray(places) ? Number(places[i]) : 18
            const amountIn = 1n + (BigInt(factor) * 10n ** BigInt(digits + decimals)) / 10n ** 8n
            await swapAndCompare(pool, i, j, amountIn)
          }),
          { numRuns: 40 },
        )
      }
    })
  }
})
