/** Slipstream's pools by our own steps against its own contracts: staked liquidity, and fees that its modules tell. */
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import { type Address, type Hex, toAddress } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { ConcentratedState } from '../../../src/protocols/shared/concentrated/swap.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import { aerodromeSlipstream } from '../../../src/protocols/slipstream/index.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import { compileSlipstream } from '../../support/protocols/slipstream.js'
import {
  loadOne,
  placeHelpers,
  type SwapScene,
  swapOnChain,
} from '../../support/protocols/swap-on-chain.js'
import { depthOf, poolsToldBy } from '../../support/protocols/told-by-events.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const factoryAbi = parseAbi([
  'function createPool(address, address, int24, uint160)',
  'function enableTickSpacing(int24, uint24)',
  'function setSwapFeeModule(address)',
])
const moduleAbi = parseAbi([
  'function setCustomFee(address, uint24)',
  'function setSecondsAgo(uint32)',
  'function registerDiscounted(address, uint24)',
])
const surroundingsAbi = parseAbi([
  'function seed(address, int24, int24, uint128)',
  'function seedAndStake(address, int24, int24, uint128)',
])
const poolAbi = parseAbi(['function increaseObservationCardinalityNext(uint16)'])
const newerAbi = parseAbi([
  'struct DynamicFeeConfig { uint24 baseFee; uint24 feeCap; uint64 scalingFactor; bool initialFeeEnabled; uint24 initialFee; }',
  'function set(address, DynamicFeeConfig)',
])
const payAbi = parseAbi(['function callAndPay(address pool, address payToken, bytes data)'])
const transferAbi = parseAbi(['function transfer(address, uint256)'])

let context: PoolContext
let scene: SwapScene<ConcentratedState>
let surroundings: Address
let contract: Awaited<ReturnType<typeof compileSlipstream>>
let factories: Address[]

beforeAll(async () => {
  context = await PoolContext.start()
  contract = await compileSlipstream()
  const around = compileTestContracts('Slipstream.sol')('Surroundings')
  surroundings = await context.deploy(around.bytecode)
  const pool = await context.deploy(contract('CLPool').bytecode)
  const args = [surroundings, surroundings, pool]
  const { bytecode } = contract('CLFactory')
  factories = [
    await context.deploy(bytecode, 'address, address, address', args),
    await context.deploy(bytecode, 'address, address, address', args),
  ]
  const helpers = await placeHelpers(context)
  scene = { context, adapter: aerodromeSlipstream, chain: base, venue: { factories }, helpers }
}, 120_000)
afterAll(() => context.close())

/** Positions around a price that is no tick's own: everywhere, near it (staked), above it. */
async function open(factory: Address, tickSpacing: number, decimals: readonly [number, number]) {
  const [a, b] = await context.sortedTokens(decimals)
  if (!a || !b) throw new Error('no tokens')
  const tokens = [a.address, b.address] as const
  const tick = 3 * tickSpacing + 1
  const price = sqrtPriceAtTick(tick) + 12_345n
  const created = await context.send(factory, factoryAbi, 'createPool', [
    ...tokens,
    tickSpacing,
    price,
  ])
  expect(created).not.toBeNull()
  const pool = (await discover([[tokens[1], tokens[0]]])).find(
    ({ parameters }) => parameters.factory === factory && parameters.tickSpacing === tickSpacing,
  )
  if (!pool) throw new Error('the pool is not found')
  expect(poolsToldBy(created?.logs ?? [], scene)).toEqual([pool])
  expect(await depthOf(pool, scene)).toEqual([0n, 0n])
  for (const token of tokens) {
    await context.send(token, transferAbi, 'transfer', [surroundings, 10n ** 40n])
  }
  const edge = Math.floor(887_272 / tickSpacing) * tickSpacing
  for (const [name, lower, upper, liquidity] of [
    ['seed', -edge, edge, 10n ** 13n],
    ['seedAndStake', -2 * tickSpacing, 9 * tickSpacing, 10n ** 15n],
    ['seed', 5 * tickSpacing, 300 * tickSpacing, 3n * 10n ** 14n],
    ['seedAndStake', -400 * tickSpacing, -3 * tickSpacing, 7n * 10n ** 14n],
  ] as const) {
    const bounds = [Math.max(lower, -edge), Math.min(upper, edge)]
    const sent = await context.send(surroundings, surroundingsAbi, name, [
      pool.address,
      ...bounds,
      liquidity,
    ])
    expect(sent).not.toBeNull()
  }
  // Two of the four positions are at the price: so much of the second token would be in a pair.
  const [, depth = 0n] = (await depthOf(pool, scene)) ?? []
  const active = 10n ** 13n + 10n ** 15n
  expect(depth).toBe((active * price) >> 96n)
  return pool
}

/** Paid out of what the payer holds. */
async function swapOf(pool: Pool, tokenIn: Address, amountIn: bigint): Promise<void> {
  const { adapter, helpers, venue } = scene
  const [tokenOut = '0x'] = pool.tokens.filter((token) => token !== tokenIn)
  const { state } = await loadOne(scene, pool)
  const { trader } = context
  const swap = { chain: base, venue, pool, state, tokenIn, tokenOut, amountIn, helpers }
  const [step] = adapter.swaps.encodeSwap({ ...swap, executor: trader, recipient: trader })
  if (step?.kind !== 'call') throw new Error('no call')
  const { target, abi, args, payToken } = step
  const data = encodeFunctionData({ abi: [abi], functionName: abi.name, args })
  const payer = helpers.CallbackPayer ?? '0x'
  expect(await context.send(payer, payAbi, 'callAndPay', [target, payToken, data])).not.toBeNull()
}

async function discover(pairs: readonly (readonly [Address, Address])[]): Promise<Pool[]> {
  const { adapter, venue } = scene
  const found = await adapter.swaps.discover({
    reader: await context.reader(),
    chain: base,
    venue,
    pairs,
  })
  expect(found.unreadable).toEqual([])
  return found.pools
}

const moving = ({ sqrtPriceX96, tick, liquidity }: ConcentratedState) => ({
  sqrtPriceX96,
  tick,
  liquidity,
})

/** Sizes from one unit to more than there is, both ways in turn. @returns how many the pool served whole, exactly quoted. */
async function compareSizes(pool: Pool): Promise<number> {
  const [token0, token1] = pool.tokens as readonly [Address, Address]
  let served = 0
  for (let power = 0; power < 22; power += 1) {
    for (const pair of [
      [token0, token1],
      [token1, token0],
    ] as const) {
      const amountIn = 10n ** BigInt(power) * 3n + BigInt(power)
      const swap = await swapOnChain(scene, pool, pair, amountIn)
      const label = `${amountIn} of ${pair[0]}`
      if (!swap.quote.exact) continue
      expect(swap.received, label).toBe(swap.quote.amountOut)
      if (swap.received === 0n) continue
      expect(moving(swap.found), label).toEqual(moving(swap.next))
      served += 1
    }
  }
  return served
}

test('the storage that is read is that of the compiled contracts', () => {
  const pool = contract('CLPool').slots
  const names = ['slot0', 'liquidity', 'ticks', 'tickBitmap', 'observations']
  expect(names.map((name) => pool[name])).toEqual([6n, 16n, 17n, 18n, 20n])
  const factory = contract('CLFactory').slots
  expect([factory.getPool, factory._tickSpacings]).toEqual([6n, 9n])
})

describe('pools of Slipstream', () => {
  test.each([1, 50, 200, 2_000])(
    'spacing %i without a fee module: every size to the unit, both ways',
    async (spacing) => {
      const pool = await open(factories[0] ?? '0x', spacing, [18, 6])
      const { state } = await loadOne(scene, pool)
      const fee = { 1: 100n, 50: 500n, 200: 3_000n, 2000: 10_000n }[spacing]
      expect(state.feePips).toEqual([fee, fee])
      expect(await compareSizes(pool)).toBeGreaterThan(25)
    },
  )

  test('a spacing that was enabled later, beside the same pair of another factory', async () => {
    const [first, second] = factories as [Address, Address]
    for (let spacing = 3; spacing < 12; spacing += 1) {
      await context.send(first, factoryAbi, 'enableTickSpacing', [spacing, 77])
    }
    const pool = await open(first, 11, [8, 18])
    const [token0, token1] = pool.tokens as readonly [Address, Address]
    const price = sqrtPriceAtTick(0)
    await context.send(second, factoryAbi, 'createPool', [token0, token1, 100, price])
    const found = await discover([[token1, token0]])
    expect(found.map(({ parameters }) => parameters)).toEqual([
      { factory: first, tickSpacing: 11 },
      { factory: second, tickSpacing: 100 },
    ])
    expect(await compareSizes(pool)).toBeGreaterThan(25)
    const empty = found[1] as Pool
    const none = await swapOnChain(scene, empty, [token0, token1], 10n ** 6n)
    expect([none.quote.amountOut, none.received]).toEqual([0n, 0n])
  })

  test('a fee of the pool, none at all, and one below the usual', async () => {
    const [, factory = '0x'] = factories
    const module = await context.deploy(contract('CustomSwapFeeModule').bytecode, 'address', [
      factory,
    ])
    await context.send(factory, factoryAbi, 'setSwapFeeModule', [module])
    const pool = await open(factory, 50, [18, 18])
    for (const [fee, found] of [
      [30_000, 30_000n],
      [420, 0n],
      [7, 7n],
      [0, 500n],
    ] as const) {
      await context.send(module, moduleAbi, 'setCustomFee', [pool.address, fee])
      const pair = [pool.tokens[0], pool.tokens[1]] as readonly [Address, Address]
      const swap = await swapOnChain(scene, pool, pair, 10n ** 12n + 7n)
      expect(swap.before.feePips).toEqual([found, found])
      expect(swap.quote).toMatchObject({ amountOut: swap.received, exact: true })
    }
  })

  test('a fee that follows the price and the time is that of the block of the swap; after a swap amounts are estimates', async () => {
    const [, factory = '0x'] = factories
    const args = [factory, 10_000_000n, 30_000n, [], []]
    const types = 'address, uint256, uint256, address[], uint24[]'
    const module = await context.deploy(contract('DynamicSwapFeeModule').bytecode, types, args)
    await context.send(module, moduleAbi, 'setSecondsAgo', [60])
    await context.send(factory, factoryAbi, 'setSwapFeeModule', [module])
    const pool = await open(factory, 200, [18, 18])
    const [token0, token1] = pool.tokens as readonly [Address, Address]
    await context.send(pool.address, poolAbi, 'increaseObservationCardinalityNext', [100])
    const fees = new Set<bigint>()
    for (let k = 0; k < 24; k += 1) {
      // The price runs away in one direction, then rests.
      const amountIn = 10n ** 12n * BigInt(k % 6 === 5 ? 1 : 40)
      const swap = await swapOnChain(
        scene,
        pool,
        k < 12 ? [token0, token1] : [token1, token0],
        amountIn,
      )
      expect(swap.quote, `swap ${k}`).toMatchObject({ amountOut: swap.received, exact: true })
      expect(moving(swap.found)).toEqual(moving(swap.next))
      const { adapter } = scene
      expect(
        adapter.swaps.swap(pool, swap.next, { tokenIn: token0, tokenOut: token1 }, amountIn).exact,
      ).toBe(false)
      fees.add(swap.before.feePips[0])
      if (k % 4 === 0) await context.mineAfter(7 * k + 1)
    }
    expect(fees.size).toBeGreaterThan(8)
  })

  test('a fee that is lower for the first swap of a block: the dearer counts, with what a swap ahead writes', async () => {
    const [, factory = '0x'] = factories
    const newer = compileTestContracts('Slipstream.sol')('InitialFeeModule')
    const module = await context.deploy(newer.bytecode)
    await context.send(factory, factoryAbi, 'setSwapFeeModule', [module])
    const pool = await open(factory, 100, [18, 18])
    const [token0, token1] = pool.tokens as readonly [Address, Address]
    const ordered = { ...scene, venue: { ...scene.venue, feesByOrder: 1 } }
    const configure = (initialFeeEnabled: boolean) =>
      context.send(module, newerAbi, 'set', [
        pool.address,
        {
          baseFee: 300,
          feeCap: 50_000,
          scalingFactor: 20_000_000n,
          initialFeeEnabled,
          initialFee: 200,
        },
      ])
    await context.send(pool.address, poolAbi, 'increaseObservationCardinalityNext', [2])
    await configure(false)
    const fees = new Set<bigint>()
    const entries = new Set<bigint>()
    const sizes = new Set<bigint>()
    for (const room of [3, 4, 5, 5, 5, 5, 5, 8]) {
      await swapOnChain(scene, pool, [token0, token1], 10n ** 13n)
      await context.mineAfter(40)
      await swapOnChain(scene, pool, [token0, token1], 10n ** 13n)
      await configure(false)
      expect((await loadOne(ordered, pool)).ahead).toBeUndefined()
      await configure(true)
      await context.send(pool.address, poolAbi, 'increaseObservationCardinalityNext', [room])
      await context.send(token0, transferAbi, 'transfer', [scene.helpers.CallbackPayer, 10n ** 13n])
      const { state, ahead } = await loadOne(ordered, pool)
      expect(ahead?.firstState.feePips).toEqual([200n, 200n])
      expect(state.feePips[0]).toBeGreaterThanOrEqual(300n)
      fees.add(state.feePips[0])
      expect((await loadOne(scene, pool)).state.feePips).toEqual([200n, 200n])
      await context.mineNextAfter(base.blockTimeSeconds)
      await swapOf(pool, token0, 10n ** 13n)
      const stateDiff = ahead?.overrides[pool.address]?.stateDiff ?? {}
      const written = Object.entries(stateDiff) as [Hex, Hex][]
      const found = await (await context.reader()).storage(
        written.map(([slot]) => ({ address: pool.address, slot })),
      )
      const words = found.map((read) => (read.ok ? BigInt(read.value) : 0n))
      const [slot0 = 0n, observation = 0n] = written.map(([, word]) => BigInt(word))
      // Price and tick are what that swap has moved.
      const oracleOf = (word = 0n) => word >> 184n
      expect(words.map((word, k) => (k === 0 ? oracleOf(word) : word))).toEqual([
        oracleOf(slot0),
        observation,
      ])
      entries.add(BigInt.asUintN(16, slot0 >> 184n))
      sizes.add(BigInt.asUintN(16, slot0 >> 200n))
    }
    // The list of observations was begun anew, and has grown.
    expect(entries).toContain(0n)
    expect(sizes.size).toBeGreaterThan(1)
    // While it is too short for an average, the fee does not follow the price.
    expect(fees).toContain(300n)
    expect(fees.size).toBeGreaterThan(3)
  })
})

test('a pool of another factory, or without a spacing, is unreadable, and no other', async () => {
  const pool = await open(factories[0] ?? '0x', 100, [6, 6])
  const strange = { ...pool, parameters: { ...pool.parameters, factory: surroundings } }
  const bare = { ...pool, parameters: { factory: toAddress(factories[0] ?? '0x') } }
  const { adapter, venue } = scene
  const reader = await context.reader()
  const loads = await adapter.swaps.load({
    reader,
    chain: base,
    venue,
    pools: [strange, pool, bare],
  })
  expect(loads.map((load) => ('state' in load ? 'loaded' : load.message))).toEqual([
    'The parameter factory of the pool is no factory of the exchange.',
    'loaded',
    'The pool lacks the parameter tickSpacing.',
  ])
})
