/** Volatile and stable pools against Aerodrome's own contracts, by the adapter's own steps, to the wei. */
import fc from 'fast-check'
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { aerodromeV1, velodromeV2 } from '../../../src/protocols/velodrome-v2/index.js'
import type { VelodromeState } from '../../../src/protocols/velodrome-v2/math.js'
import { compileAerodrome, compileVelodrome } from '../../support/protocols/aerodrome.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import {
  loadOne,
  placeHelpers,
  type SwapScene,
  swapOnChain,
} from '../../support/protocols/swap-on-chain.js'
import { depthOf, poolsToldBy } from '../../support/protocols/told-by-events.js'

const factoryAbi = parseAbi([
  'function createPool(address, address, bool)',
  'function setFee(bool, uint256)',
  'function setCustomFee(address, uint256)',
  'function setPauseState(bool)',
])
const poolAbi = parseAbi(['function mint(address)', 'function transfer(address, uint256)'])

const rows = [
  { adapter: aerodromeV1, compile: compileAerodrome },
  { adapter: velodromeV2, compile: compileVelodrome },
]
let context: PoolContext
const scenes = new Map<string, SwapScene<VelodromeState>>()

beforeAll(async () => {
  context = await PoolContext.start()
  const helpers = await placeHelpers(context, ['SolidlySwapper'])
  for (const { adapter, compile } of rows) {
    const contract = await compile()
    const pool = await context.deploy(contract('Pool').bytecode)
    const factory = await context.deploy(contract('PoolFactory').bytecode, 'address', [pool])
    scenes.set(adapter.slug, { context, adapter, chain: base, venue: { factory }, helpers })
  }
}, 120_000)
afterAll(() => context.close())

function sceneOf(slug = aerodromeV1.slug): SwapScene<VelodromeState> {
  const scene = scenes.get(slug)
  if (!scene) throw new Error(`no scene ${slug}`)
  return scene
}

interface Market {
  readonly decimals: readonly [number, number]
  readonly stable: boolean
  /** Raw units, in the order of the tokens. */
  readonly reserves: readonly [bigint, bigint]
  /** Rate that the factory is told for the pool; 0n: its usual one. */
  readonly fee: bigint
}

/** A stable pool begins with equal parts; what it is to hold more of is paid in before its reserves are synchronised. */
async function open(market: Market, scene = sceneOf()): Promise<Pool> {
  const factory = toAddress(String(scene.venue.factory))
  const [a, b] = market.decimals
  const [first, second] = [await context.token(a), await context.token(b)] as const
  const isOrdered = first < second
  const tokens = isOrdered ? ([first, second] as const) : ([second, first] as const)
  const reserves = isOrdered ? market.reserves : ([market.reserves[1], market.reserves[0]] as const)
  const created = await context.send(factory, factoryAbi, 'createPool', [
    first,
    second,
    market.stable,
  ])
  const reader = await context.reader()
  const { venue } = scene
  const found = await scene.adapter.swaps.discover({
    reader,
    chain: base,
    venue,
    pairs: [[second, first]],
  })
  const [pool] = found.pools
  if (!pool || found.pools.length > 1) throw new Error('not one pool')
  expect(pool.parameters).toEqual({ stable: market.stable })
  expect(poolsToldBy(created?.logs ?? [], scene)).toEqual([pool])
  const start = 10_000n
  for (const [index, token] of tokens.entries()) {
    const decimals = isOrdered ? market.decimals[index] : market.decimals[1 - index]
    const equal = market.stable ? start * 10n ** BigInt(decimals ?? 0) : (reserves[index] ?? 0n)
    await context.send(token, poolAbi, 'transfer', [pool.address, equal])
  }
  expect(await context.send(pool.address, poolAbi, 'mint', [context.trader])).not.toBeNull()
  if (market.stable) {
    for (const [index, token] of tokens.entries()) {
      const held = await context.balanceOf(token, pool.address)
      const missing = (reserves[index] ?? 0n) - held
      if (missing > 0n) await context.send(token, poolAbi, 'transfer', [pool.address, missing])
    }
    const sync = parseAbi(['function sync()'])
    await context.send(pool.address, sync, 'sync', [])
  }
  const held = await Promise.all(tokens.map((token) => context.balanceOf(token, pool.address)))
  expect(await depthOf(pool, scene)).toEqual(held)
  if (market.fee > 0n) {
    await context.send(factory, factoryAbi, 'setCustomFee', [pool.address, market.fee])
  }
  return pool
}

/** From one unit to more than the pool holds, both ways in turn, the chain moving on. @returns how many were served. */
async function compareSizes(pool: Pool, scene = sceneOf()): Promise<number> {
  const [token0, token1] = pool.tokens as readonly [Address, Address]
  let served = 0
  for (const [from, to] of [
    [token0, token1],
    [token1, token0],
  ] as const) {
    const { state } = await loadOne(scene, pool)
    const most = (from === token0 ? state.reserve0 : state.reserve1) * 4n
    const digits = most.toString().length
    const sizes = Array.from({ length: digits }, (_, k) => 10n ** BigInt(k) * 3n + BigInt(k) * 7n)
    for (const amountIn of [1n, 2n, ...sizes, most]) {
      const label = `${amountIn} of token${from === token0 ? 0 : 1}`
      const swap = await swapOnChain(scene, pool, [from, to], amountIn)
      expect(swap.quote, label).toMatchObject({ amountOut: swap.received, exact: true })
      expect(swap.found, label).toEqual(swap.next)
      if (swap.received > 0n) served += 1
      // Back, so that the next size meets nearly the same pool.
      if (swap.received > 1n) await swapOnChain(scene, pool, [to, from], swap.received)
    }
  }
  return served
}

const markets: readonly Market[] = [
  {
    decimals: [18, 6],
    stable: false,
    reserves: [1_234n * 10n ** 18n + 5n, 3_700_000n * 10n ** 6n],
    fee: 0n,
  },
  { decimals: [8, 18], stable: false, reserves: [77n * 10n ** 8n + 3n, 10n ** 21n], fee: 300n },
  { decimals: [18, 18], stable: false, reserves: [2_003n, 10n ** 30n], fee: 420n },
  { decimals: [18, 18], stable: true, reserves: [10n ** 24n, 10n ** 24n + 7n], fee: 0n },
  { decimals: [6, 18], stable: true, reserves: [5_000_000n * 10n ** 6n, 10n ** 24n], fee: 1n },
  {
    decimals: [6, 6],
    stable: true,
    reserves: [9_000_000n * 10n ** 6n, 31_007n * 10n ** 6n],
    fee: 420n,
  },
  {
    decimals: [8, 6],
    stable: true,
    reserves: [10_000n * 10n ** 8n, 90_000_000n * 10n ** 6n],
    fee: 30n,
  },
  { decimals: [18, 0], stable: true, reserves: [10n ** 22n, 10n ** 4n], fee: 0n },
]

describe('pools of Aerodrome', () => {
  test.each(markets)(
    '$decimals, stable $stable, fee $fee: every size to the unit, both ways',
    async (market) => {
      const pool = await open(market)
      expect(await compareSizes(pool)).toBeGreaterThan(10)
    },
  )

  test('property: any reserves, sizes and fees', async () => {
    const decimals = fc.constantFrom(6, 8, 18)
    const magnitude = fc.integer({ min: 0, max: 24 })
    const cases = fc.sample(
      fc.record({
        decimals: fc.tuple(decimals, decimals),
        stable: fc.boolean(),
        reserves: fc.tuple(fc.bigInt(10n ** 12n, 10n ** 25n), fc.bigInt(10n ** 12n, 10n ** 25n)),
        fee: fc.constantFrom(0n, 1n, 7n, 100n, 300n, 420n),
        swaps: fc.array(fc.tuple(fc.boolean(), magnitude, fc.integer({ min: 1, max: 9_999 })), {
          minLength: 5,
          maxLength: 5,
        }),
      }),
      { seed: 16, numRuns: 24 },
    )
    let served = 0
    for (const { swaps, ...market } of cases) {
      const pool = await open(market)
      const [token0, token1] = pool.tokens as readonly [Address, Address]
      for (const [zeroForOne, power, digits] of swaps) {
        const amountIn = (10n ** BigInt(power) * BigInt(digits)) / 97n + 1n
        const pair = zeroForOne ? ([token0, token1] as const) : ([token1, token0] as const)
        const swap = await swapOnChain(sceneOf(), pool, pair, amountIn)
        expect({ amountOut: swap.received, after: swap.found }).toEqual({
          amountOut: swap.quote.amountOut,
          after: swap.next,
        })
        if (swap.received > 0n) served += 1
      }
    }
    expect(served).toBeGreaterThan(50)
  })

  test('usual fees, a fee of the pool, none, and a pause are those of the block', async () => {
    const factory = toAddress(String(sceneOf().venue.factory))
    const reserves = [10n ** 24n, 10n ** 24n] as const
    for (const stable of [false, true]) {
      const pool = await open({ decimals: [18, 18], stable, reserves, fee: 0n })
      const pair = [pool.tokens[0], pool.tokens[1]] as readonly [Address, Address]
      const check = async (feeBps: bigint) => {
        const swap = await swapOnChain(sceneOf(), pool, pair, 10n ** 21n + 1n)
        expect(swap.before.feeBps).toBe(feeBps)
        expect(swap.received).toBe(swap.quote.amountOut)
        return swap.received
      }
      await check(stable ? 5n : 30n)
      await context.send(factory, factoryAbi, 'setFee', [stable, 17n])
      await check(17n)
      await context.send(factory, factoryAbi, 'setCustomFee', [pool.address, 299n])
      await check(299n)
      await context.send(factory, factoryAbi, 'setCustomFee', [pool.address, 420n])
      expect(await check(0n)).toBeGreaterThan(0n)
      await context.send(factory, factoryAbi, 'setPauseState', [true])
      expect(await check(0n)).toBe(0n)
      await context.send(factory, factoryAbi, 'setPauseState', [false])
    }
  })

  test('a contract that is not the pool of the record is unreadable, and no other', async () => {
    const reserves = [10n ** 24n, 10n ** 24n] as const
    const pool = await open({ decimals: [18, 18], stable: true, reserves, fee: 0n })
    const stranger = await open(
      { decimals: [18, 6], stable: false, reserves, fee: 0n },
      sceneOf('velodrome-v2'),
    )
    const { adapter, venue } = sceneOf()
    const reader = await context.reader()
    const wrongKind = { ...pool, parameters: { stable: false } }
    const swapped = { ...pool, tokens: pool.tokens.toReversed() }
    const pools = [wrongKind, pool, stranger, swapped]
    const loads = await adapter.swaps.load({ reader, chain: base, venue, pools })
    expect(loads.map((load) => ('state' in load ? 'loaded' : load.message))).toEqual([
      'The pool is stable.',
      'loaded',
      'The contract is no pool of the factory with these tokens.',
      'The contract is no pool of the factory with these tokens.',
    ])
  })
})

test('the storage that is read is that of the compiled contracts', async () => {
  for (const { compile } of rows) {
    const contract = await compile()
    const { slots } = contract('Pool')
    const names = [
      'stable',
      'token0',
      'token1',
      'factory',
      'decimals0',
      'decimals1',
      'reserve0',
      'reserve1',
    ]
    expect(names.map((name) => slots[name])).toEqual([12n, 13n, 14n, 16n, 18n, 19n, 20n, 21n])
  }
})

test('pools of Velodrome, whose factory keeps its lists elsewhere', async () => {
  const scene = sceneOf('velodrome-v2')
  for (const market of markets.slice(3, 5)) {
    expect(await compareSizes(await open(market, scene), scene)).toBeGreaterThan(10)
  }
})
