/** Spark's PSM3 by our own steps against contracts with its arithmetic: no package ships Spark's. */
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import type { Address } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sparkPsm3 } from '../../../src/protocols/spark-psm3/index.js'
import type { Psm3State } from '../../../src/protocols/spark-psm3/math.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import { type SwapScene, swapOnChain } from '../../support/protocols/swap-on-chain.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const abi = parseAbi([
  'function transfer(address, uint256)',
  'function allow(address, address, uint256)',
  'function setPocket(address, uint256)',
])
const million = 10n ** 12n
const nobody: Address = '0x00000000000000000000000000000000000beef3'
const contract = compileTestContracts('Psm3.sol')

let context: PoolContext

beforeAll(async () => {
  context = await PoolContext.start()
})
afterAll(() => context.close())

interface Module {
  readonly scene: SwapScene<Psm3State>
  readonly psm: Address
  readonly tokens: readonly [usdc: Address, usds: Address, susds: Address]
  readonly pools: readonly Pool[]
}

/** @param rate - what a share is worth, in 1e27, and what is added to it in a second. */
async function open(rate: readonly [bigint, bigint], digits = [6, 18, 18]): Promise<Module> {
  const tokens: [Address, Address, Address] = [nobody, nobody, nobody]
  for (const [index, own] of digits.entries()) tokens[index] = await context.token(own)
  const [usdc, usds, susds] = tokens
  const provider = await context.deploy(contract('RateLike').bytecode, 'uint256, uint256', rate)
  const psm = await context.deploy(
    contract('Psm3Like').bytecode,
    'address, address, address, address',
    [...tokens, provider],
  )
  await context.send(usdc, abi, 'transfer', [psm, 900n * million])
  await context.send(usds, abi, 'transfer', [psm, 500n * 10n ** 24n])
  await context.send(susds, abi, 'transfer', [psm, 300n * 10n ** 24n])
  const venue = { psm, usdc, usds, susds }
  const scene = { context, adapter: sparkPsm3, chain: base, venue, helpers: {} }
  const found = await sparkPsm3.swaps.discover({
    reader: await context.reader(),
    chain: base,
    venue,
    pairs: [
      [usds, usdc],
      [usdc, susds],
      [susds, usds],
    ],
  })
  expect(found.unreadable).toEqual([])
  expect(found.pools.map((pool) => pool.tokens)).toEqual([
    [usdc, usds],
    [usdc, susds],
    [usds, susds],
  ])
  return { scene, psm, tokens, pools: found.pools }
}

async function compare({ scene }: Module, pool: Pool, isForward: boolean, amountIn: bigint) {
  const [first = nobody, second = nobody] = pool.tokens
  const pair = isForward ? ([first, second] as const) : ([second, first] as const)
  const swap = await swapOnChain(scene, pool, pair, amountIn)
  const label = `${amountIn} of ${pair[0]}`
  expect(swap.quote, label).toEqual({ amountOut: swap.received, exact: true })
  if (swap.received > 0n) expect(swap.found.assets, label).toEqual(swap.next.assets)
  return swap.received
}

const ray = 10n ** 27n

describe.each([
  ['a rate of one', [ray, 0n], [6, 18, 18]],
  [
    'a rate that grows by the second',
    [(ray * 1_053n) / 1_000n + 7n, 1_243_680_656_318n],
    [6, 18, 18],
  ],
  ['a rate below one', [(ray * 731n) / 1_000n + 1n, 0n], [6, 18, 18]],
  ['tokens of other digits', [ray + 123_456_789n, 10n ** 18n], [8, 18, 12]],
] as const)('at %s', (_name, rate, digits) => {
  test('every size to the unit, between any two of the tokens', async () => {
    const module = await open(rate, [...digits])
    let served = 0
    let refused = 0
    for (const pool of module.pools) {
      for (let power = 0; power < 28; power += 4) {
        for (const isForward of [true, false]) {
          const amountIn = 10n ** BigInt(power) * 7n + BigInt(power)
          if ((await compare(module, pool, isForward, amountIn)) > 0n) served += 1
          else refused += 1
        }
      }
    }
    expect(served).toBeGreaterThan(15)
    expect(refused).toBeGreaterThan(3)
  })
})

test('what it holds is paid to the last unit, and not one more', async () => {
  const module = await open([ray, 0n])
  const [pool] = module.pools as readonly [Pool]
  const all = 900n * million * 10n ** 12n
  expect(await compare(module, pool, false, all + 10n ** 12n)).toBe(0n)
  expect(await compare(module, pool, false, all)).toBe(900n * million)
  expect(await compare(module, pool, false, 10n ** 12n)).toBe(0n)
})

test('a pocket of somebody else pays as much as it holds and allows', async () => {
  const module = await open([ray, 0n])
  const { psm, tokens, pools } = module
  const [pool] = pools as readonly [Pool]
  const pocket = await context.deploy(contract('PocketLike').bytecode)
  await context.send(psm, abi, 'setPocket', [pocket, 900n * million])
  const dollars = (count: bigint) => count * 10n ** 18n
  expect(await compare(module, pool, false, dollars(1n))).toBe(0n)
  await context.send(pocket, abi, 'allow', [tokens[0], psm, 5n * 10n ** 6n])
  expect(await compare(module, pool, false, dollars(6n))).toBe(0n)
  // What comes in goes to the pocket, and its allowance is used up by what goes out.
  expect(await compare(module, pool, true, 10n ** 6n)).toBe(dollars(1n))
  await context.send(pocket, abi, 'allow', [tokens[0], psm, 10n ** 30n])
  expect(await compare(module, pool, false, dollars(6n))).toBe(6n * 10n ** 6n)
})

test('its pools are one state, and those with the share say that its worth moves', async () => {
  const { scene, pools } = await open([ray, 0n])
  const reader = await context.reader()
  const { chain, venue } = scene
  const loads = await sparkPsm3.swaps.load({ reader, chain, venue, pools })
  const kinds = loads.map((load) => {
    if (!('state' in load)) throw new Error(load.message)
    return sparkPsm3.swaps.cautions?.(load.pool, load.state).map(({ kind }) => kind)
  })
  expect(kinds).toEqual([[], ['rate'], ['rate']])
  expect(new Set(pools.map((pool) => sparkPsm3.swaps.sharedState?.(pool))).size).toBe(1)
})

test('a stranger is no pool, and before the module is deployed there is none', async () => {
  const { scene, pools, tokens } = await open([ray, 0n])
  const { chain, venue } = scene
  const reader = await context.reader()
  const [pool] = pools as readonly [Pool]
  const [usdc, usds] = tokens
  const loads = [
    ...(await sparkPsm3.swaps.load({ reader, chain, venue, pools: [{ ...pool, address: usdc }] })),
    ...(await sparkPsm3.swaps.load({
      reader,
      chain,
      venue: { ...venue, susds: nobody },
      pools: [pool],
    })),
  ]
  expect(loads).toMatchObject([
    { message: 'It is not one of the pools of the chain.' },
    { message: 'There is no PSM3 with these tokens.' },
  ])
  const elsewhere = { ...venue, psm: nobody }
  const pairs = [[usdc, usds] as const]
  expect(await sparkPsm3.swaps.discover({ reader, chain, venue: elsewhere, pairs })).toEqual({
    pools: [],
    unreadable: [],
  })
})
