/** Algebra's pools by our own steps against the bytecode of its packages: V1, and Integral with and without plugins. */
import { keccak256, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { polygon } from '../../../src/chains/polygon.js'
import type { Address } from '../../../src/domain/primitives.js'
import { camelotV4, swapxV1 } from '../../../src/protocols/algebra-integral/index.js'
import type { IntegralState } from '../../../src/protocols/algebra-integral/load.js'
import { quickswapV3 } from '../../../src/protocols/algebra-v1/index.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { SwapAdapter } from '../../../src/protocols/protocol.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import {
  type AlgebraExchange,
  type AlgebraVersion,
  algebraCode,
  placeAlgebra,
} from '../../support/protocols/algebra-packages.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import {
  loadOne,
  placeHelpers,
  type SwapScene,
  swapOnChain,
} from '../../support/protocols/swap-on-chain.js'
import { depthOf, poolsToldBy } from '../../support/protocols/told-by-events.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const transferAbi = parseAbi(['function transfer(address, uint256)'])
const minterAbi = parseAbi(['function mint(address, int24, int24, uint128)'])
const poolAbi = parseAbi([
  'function initialize(uint160)',
  'function setPlugin(address)',
  'function setPluginConfig(uint8)',
])
const beforeSwap = 1
const dynamicFee = 128

const contract = compileTestContracts('Algebra.sol')
let context: PoolContext
let helpers: SwapScene<IntegralState>['helpers']
let minter: Address
let code: (key: string) => `0x${string}`
const versions = ['v1', 'integral10', 'integral12', 'integral1210'] as const
const exchanges = {} as Record<AlgebraVersion, AlgebraExchange>
const adapters: Record<AlgebraVersion, SwapAdapter<IntegralState>> = {
  v1: quickswapV3,
  integral10: swapxV1,
  integral12: camelotV4,
  integral1210: camelotV4,
}

beforeAll(async () => {
  context = await PoolContext.start()
  code = await algebraCode()
  for (const version of versions) {
    exchanges[version] = await placeAlgebra(context, version)
  }
  helpers = await placeHelpers(context)
  minter = await context.deploy(contract('AlgebraMinter').bytecode)
}, 180_000)
afterAll(() => context.close())

function sceneOf(version: AlgebraVersion): SwapScene<IntegralState> {
  const { venue } = exchanges[version]
  return { context, adapter: adapters[version], chain: polygon, venue, helpers }
}

/** A pool with liquidity in and out of range, as the factory lists it. */
async function open(
  version: AlgebraVersion,
  tick: number | null,
  plugins?: Address,
): Promise<{ scene: SwapScene<IntegralState>; pool: Pool }> {
  const scene = sceneOf(version)
  const tokens = [await context.token(18), await context.token(6)] as const
  await exchanges[version].makePool(tokens, plugins)
  const reader = await context.reader()
  const { adapter, chain, venue } = scene
  const pairs = [[tokens[1], tokens[0]]] as const
  const [pool] = (await adapter.swaps.discover({ reader, chain, venue, pairs })).pools
  if (!pool) throw new Error('not found')
  if (tick === null) return { scene, pool }
  await context.send(pool.address, poolAbi, 'initialize', [sqrtPriceAtTick(tick) + 12_345n])
  for (const token of tokens) {
    await context.send(token, transferAbi, 'transfer', [minter, 10n ** 40n])
  }
  const near = Math.floor(tick / 60) * 60
  for (const [lower, upper, liquidity] of [
    [-887_220, 887_220, 10n ** 13n],
    [near - 60, near + 120, 10n ** 15n],
    [near + 60, near + 3_000, 3n * 10n ** 14n],
    [near - 4_020, near - 60, 7n * 10n ** 14n],
    [near - 1_020, near - 960, 10n ** 16n],
  ] as const) {
    const sent = await context.send(minter, minterAbi, 'mint', [
      pool.address,
      lower,
      upper,
      liquidity,
    ])
    expect(sent, `${lower} to ${upper}`).not.toBeNull()
  }
  return { scene, pool }
}

async function setPlugin(pool: Pool, name: string, config: number): Promise<void> {
  const plugin = await context.deploy(contract(name).bytecode)
  for (const [key, value] of [
    ['setPlugin', plugin],
    ['setPluginConfig', config],
  ] as const) {
    expect(await context.send(pool.address, poolAbi, key, [value])).not.toBeNull()
  }
}

const moving = ({ sqrtPriceX96, tick, liquidity }: IntegralState) => ({
  sqrtPriceX96,
  tick,
  liquidity,
})

/** Sizes from three units to more than there is, both ways. */
async function compare(
  scene: SwapScene<IntegralState>,
  pool: Pool,
): Promise<{ served: number; estimated: number; fees: Set<bigint>; waysDiffer: boolean }> {
  const [token0, token1] = pool.tokens as readonly [Address, Address]
  let [served, estimated, waysDiffer] = [0, 0, false]
  const fees = new Set<bigint>()
  for (let power = 0; power < 22; power += 1) {
    for (const pair of [
      [token0, token1],
      [token1, token0],
    ] as const) {
      const amountIn = 10n ** BigInt(power) * 3n + BigInt(power)
      const swap = await swapOnChain(scene, pool, pair, amountIn)
      const [zeroForOne, oneForZero] = swap.before.feePips
      fees.add(zeroForOne)
      waysDiffer ||= zeroForOne !== oneForZero
      if (!swap.quote.exact) {
        estimated += 1
        continue
      }
      const label = `${amountIn} of ${pair[0]}`
      expect(swap.received, label).toBe(swap.quote.amountOut)
      if (swap.received === 0n) continue
      expect(moving(swap.found), label).toEqual(moving(swap.next))
      served += 1
    }
  }
  return { served, estimated, fees, waysDiffer }
}

test('the code of the pools is that whose hash the factories of the exchanges go by', () => {
  // cryptoalgebra/AlgebraV1 789384b (QuickSwap), and cryptoalgebra/Algebra 839ceaa, branch integral-v1.0 (SwapX)
  expect(keccak256(code('v1Pool'))).toBe(
    '0x6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4',
  )
  expect(keccak256(code('integral10Pool'))).toBe(
    '0xf96d2474815c32e070cd63233f06af5413efc5dcb430aee4ff18cc29007c562d',
  )
})

describe.each(versions)('pools of %s', (version) => {
  test.each([0, -12_345, 276_324])(
    'around tick %i: every size to the unit, both ways',
    async (tick) => {
      const { scene, pool } = await open(version, tick)
      const { served } = await compare(scene, pool)
      expect(served).toBeGreaterThan(10)
    },
  )

  test('the event of the factory tells the pool, and two words how deep it is', async () => {
    const scene = sceneOf(version)
    const tokens = [await context.token(18), await context.token(6)] as const
    const logs = await exchanges[version].makePool(tokens)
    const { scene: other, pool } = await open(version, 7)
    const [told] = poolsToldBy(logs, scene)
    expect(told?.tokens).toEqual([...tokens].sort())
    const { state } = await loadOne(other, pool)
    const [depth0 = 0n, depth1 = 0n] = (await depthOf(pool, other)) ?? []
    expect(depth0).toBe((state.liquidity << 96n) / state.sqrtPriceX96)
    expect(depth1).toBeGreaterThan(depth0)
    const reader = await context.reader()
    const { adapter, chain, venue } = scene
    const found = await adapter.swaps.discover({ reader, chain, venue, pairs: [tokens] })
    expect(found.pools).toEqual([told])
  })

  test('a pool that was never initialised gives nothing', async () => {
    const { scene, pool } = await open(version, null)
    const { state } = await loadOne(scene, pool)
    const [token0, token1] = pool.tokens as readonly [Address, Address]
    const quote = scene.adapter.swaps.swap(
      pool,
      state,
      { tokenIn: token0, tokenOut: token1 },
      10n ** 6n,
    )
    expect(quote.amountOut).toBe(0n)
  })
})

describe('fees of plugins', () => {
  test('those that the pool keeps, renewed in the first swap of a second', async () => {
    const { scene, pool } = await open('integral10', 7)
    await setPlugin(pool, 'SettingPlugin', beforeSwap | dynamicFee)
    const { served, fees } = await compare(scene, pool)
    expect(served).toBeGreaterThan(10)
    expect(fees.size).toBeGreaterThan(20)
  })

  test('those that the pool does not keep, another each way and second', async () => {
    const { scene, pool } = await open('integral12', 7)
    await setPlugin(pool, 'AddingPlugin', beforeSwap | dynamicFee)
    const { served, fees, waysDiffer } = await compare(scene, pool)
    expect(served).toBeGreaterThan(10)
    expect(fees.size).toBeGreaterThan(20)
    expect(waysDiffer).toBe(true)
  })

  test.each(['adaptivePlugins', 'slidingPlugins'])('%s of the package', async (plugins) => {
    const factory = await context.deploy(code(plugins), 'address', [
      exchanges.integral12.venue.factory,
    ])
    const { scene, pool } = await open('integral12', 7, factory)
    const { served, fees } = await compare(scene, pool)
    expect(served).toBeGreaterThan(10)
    expect(fees.size).toBeGreaterThan(1)
  })

  test('one that depends on the size is never said to be exact', async () => {
    const { scene, pool } = await open('integral12', 7)
    await setPlugin(pool, 'SizedPlugin', beforeSwap | dynamicFee)
    const { served, estimated } = await compare(scene, pool)
    expect([served, estimated]).toEqual([0, 44])
  })

  test('after a swap with a plugin the fee may be another', async () => {
    const { scene, pool } = await open('integral12', 7)
    await setPlugin(pool, 'AddingPlugin', beforeSwap | dynamicFee)
    const { state } = await loadOne(scene, pool)
    const [token0, token1] = pool.tokens as readonly [Address, Address]
    const { adapter } = scene
    expect(
      adapter.swaps.swap(pool, state, { tokenIn: token0, tokenOut: token1 }, 10n ** 9n).exact,
    ).toBe(true)
    const next = adapter.swaps
      .swap(pool, state, { tokenIn: token0, tokenOut: token1 }, 10n ** 9n)
      .after()
    expect(
      adapter.swaps.swap(pool, next, { tokenIn: token0, tokenOut: token1 }, 10n ** 9n).exact,
    ).toBe(false)
  })
})
