/** Aave's GSM by our own steps against contracts with its arithmetic: no package ships Aave's. */
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, maxUint256, zeroAddress } from '../../../src/domain/primitives.js'
import { aaveGsm } from '../../../src/protocols/aave-gsm/index.js'
import type { GsmState } from '../../../src/protocols/aave-gsm/math.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import { swapInSteps } from '../../support/protocols/swap-in-steps.js'
import type { SwapScene } from '../../support/protocols/swap-on-chain.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const abi = parseAbi([
  'function transfer(address, uint256)',
  'function approve(address, uint256)',
  'function deposit(uint256, address)',
  'function sellAsset(uint256, address)',
  'function setLimit(address, uint128)',
])
const setModule = parseAbi(['function set(address, uint256, bool)'])
const setVault = parseAbi(['function set(uint256, uint256)'])
const [dollar, ether, ray] = [10n ** 6n, 10n ** 18n, 10n ** 27n]
const nobody: Address = '0x00000000000000000000000000000000000beef4'
const contract = compileTestContracts('Gsm.sol')

let context: PoolContext

beforeAll(async () => {
  context = await PoolContext.start()
})
afterAll(() => context.close())

interface Module {
  readonly scene: SwapScene<GsmState>
  readonly pool: Pool
  readonly vault: Address
  readonly reserve: Address
  readonly gho: Address
  readonly asset: Address
  readonly fees: Address
}

const million = 1_000_000n

/**
 * Two million shares of stock, room for six million more, and a limit of ten million GHO.
 *
 * @param rate - of a share of the vault, in 1e27. @param fees - of buying and of selling shares, in 1/10,000; null: none.
 */
async function open(rate: bigint, fees: readonly [bigint, bigint] | null): Promise<Module> {
  const deploy = (name: string, types: string, values: readonly unknown[]) =>
    context.deploy(contract(name).bytecode, types, values)
  const [gho, asset] = [await context.token(18), await context.token(6)]
  const vault = await deploy('StataLike', 'address, uint8, uint256, uint256', [asset, 6, rate, 0n])
  const price = await deploy('PriceStrategyLike', 'address, uint256, uint256', [vault, ether, 6n])
  const reserve = await deploy('GhoReserveLike', 'address', [gho])
  const types = 'address, address, address, address'
  const module = await deploy('GsmLike', types, [gho, vault, price, reserve])
  const strategy = fees ? await deploy('FeeStrategyLike', 'uint256, uint256', fees) : zeroAddress
  await context.send(module, setModule, 'set', [strategy, 8n * million * dollar, true])
  await context.send(reserve, abi, 'setLimit', [module, 10n * million * ether])
  await context.send(gho, abi, 'transfer', [reserve, 20n * million * ether])
  await context.send(asset, abi, 'approve', [vault, maxUint256])
  await context.send(asset, abi, 'transfer', [vault, 10n * million * dollar])
  await context.send(vault, abi, 'deposit', [3n * million * dollar, context.trader])
  await context.send(vault, abi, 'approve', [module, maxUint256])
  await context.send(module, abi, 'sellAsset', [2n * million * dollar, nobody])
  const venue = { gho, reserve, modules: [`${module}:${vault}:${asset}`] }
  const scene = { context, adapter: aaveGsm, chain: ethereum, venue, helpers: {} }
  const reader = await context.reader()
  const pairs = [[asset, gho]] as const
  const found = await aaveGsm.swaps.discover({ reader, chain: ethereum, venue, pairs })
  expect(found).toMatchObject({ unreadable: [], pools: [{ tokens: [gho, asset] }] })
  const [pool] = found.pools as [Pool]
  return { scene, pool, vault, reserve, gho, asset, fees: strategy }
}

/** Swaps and compares everything. @returns what was received. */
async function compare({ scene, pool, gho, asset }: Module, isSale: boolean, amountIn: bigint) {
  const pair = isSale ? ([asset, gho] as const) : ([gho, asset] as const)
  const swap = await swapInSteps(scene, pool, pair, amountIn)
  const label = `${amountIn} of ${isSale ? 'the asset' : 'GHO'}`
  expect(swap.quote, label).toEqual({ amountOut: swap.received, exact: true })
  if (swap.received > 0n) {
    // The vault of the tests takes and redeems without a bound.
    const unbound = { depositable: 0n, redeemable: 0n }
    expect({ ...swap.found, ...unbound }, label).toEqual({ ...swap.next, ...unbound })
    // A unit of the asset and its fee, at most, buys nothing.
    expect(amountIn - swap.spent, label).toBeLessThanOrEqual(isSale ? 0n : 3n * 10n ** 12n)
  }
  return swap.received
}

describe.each([
  ['a rate of one, without a fee', ray, null],
  ['a grown rate, without a fee', (ray * 1_143n) / 1_000n + 12_345n, null],
  ['a grown rate, with fees', (ray * 1_143n) / 1_000n + 12_345n, [10n, 7n]],
  ['a grown rate, with a fee on buying alone', (ray * 1_071n) / 1_000n + 7n, [15n, 0n]],
] as const)('at %s', (_name, rate, fees) => {
  test('every size to the unit, both ways', async () => {
    const module = await open(rate, fees)
    let served = 0
    for (let power = 0; power < 13; power += 2) {
      const assets = 10n ** BigInt(power) * 3n + BigInt(power)
      if ((await compare(module, true, assets)) > 0n) served += 1
      const gho = assets * 10n ** 12n + BigInt(power) * 3n
      if ((await compare(module, false, gho)) > 0n) served += 1
    }
    expect(served).toBeGreaterThanOrEqual(11)
  })
})

const rate = (ray * 1_100n) / 1_000n

test('as many shares as it holds, and no more; what it sold may be sold to it again', async () => {
  const module = await open(rate, null)
  const all = (2n * million * ether * 11n) / 10n
  expect(await compare(module, false, all + 3n * 10n ** 12n)).toBe(0n)
  expect(await compare(module, false, all)).toBe((all * dollar) / ether)
  expect(await compare(module, false, ether)).toBe(0n)
  expect(await compare(module, true, dollar)).toBe(999_999n * 10n ** 12n)
})

test('as many shares as its cap leaves room for, and as much GHO as its limit', async () => {
  const module = await open(rate, null)
  const { scene, pool, reserve, fees } = module
  const room = (6n * million * dollar * 11n) / 10n
  expect(await compare(module, true, room + 2n)).toBe(0n)
  expect(await compare(module, true, room)).toBe((room * ether) / dollar)
  const { context: chain } = scene
  await chain.send(pool.address, setModule, 'set', [fees, 100n * million * dollar, true])
  const used = (8n * million * ether * 11n) / 10n
  await chain.send(reserve, abi, 'setLimit', [pool.address, used + 5n * ether])
  expect(await compare(module, true, 6n * dollar)).toBe(0n)
  // Shares are rounded down.
  expect(await compare(module, true, 5n * dollar)).toBe(4_999_999n * 10n ** 12n)
})

test('a limit that is gone ends sales, and what was used is restored', async () => {
  const module = await open(rate, null)
  await context.send(module.reserve, abi, 'setLimit', [module.pool.address, 0n])
  expect(await compare(module, true, 1_000n * dollar)).toBe(0n)
  expect(await compare(module, false, 1_000n * ether)).toBe(999_999_999n)
})

test('nothing while it is frozen, or while the vault takes and redeems nothing', async () => {
  const module = await open(rate, null)
  const { pool, fees, vault } = module
  await context.send(pool.address, setModule, 'set', [fees, 100n * million * dollar, false])
  expect(await compare(module, true, dollar)).toBe(0n)
  expect(await compare(module, false, ether)).toBe(0n)
  await context.send(pool.address, setModule, 'set', [fees, 100n * million * dollar, true])
  await context.send(vault, setVault, 'set', [5n * dollar, 7n * dollar])
  expect(await compare(module, true, 5n * dollar + 1n)).toBe(0n)
  expect(await compare(module, false, 9n * ether)).toBe(0n)
  await context.send(vault, setVault, 'set', [5n * dollar, 7n * dollar])
  expect(await compare(module, true, 5n * dollar)).toBe(4_999_999n * 10n ** 12n)
  expect(await compare(module, false, 7n * ether)).toBe(6_999_999n)
})

test('a stranger is no pool, and before the module is deployed there is none', async () => {
  const { scene, pool, asset, gho } = await open(rate, null)
  const { chain, venue } = scene
  const reader = await context.reader()
  const load = (one: Pool, parameters: typeof venue) =>
    aaveGsm.swaps.load({ reader, chain, venue: parameters, pools: [one] })
  expect(await load({ ...pool, address: asset }, venue)).toMatchObject([
    { message: 'It is not one of the pools of the chain.' },
  ])
  expect(await load(pool, { ...venue, reserve: nobody })).toMatchObject([
    { message: 'There is no module with this vault and reserve.' },
  ])
  const elsewhere = { ...venue, modules: [`${nobody}:${nobody}:${asset}`] }
  const pairs = [[asset, gho] as const]
  expect(await aaveGsm.swaps.discover({ reader, chain, venue: elsewhere, pairs })).toEqual({
    pools: [],
    unreadable: [],
  })
})
