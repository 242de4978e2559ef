/** Camelot's pairs by our own steps against contracts with its arithmetic and its slots, written anew: no package has its own. */
import fc from 'fast-check'
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { camelotV2 } from '../../../src/protocols/camelot-v2/index.js'
import type { CamelotState } from '../../../src/protocols/camelot-v2/math.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import {
  loadOne,
  placeHelpers,
  type SwapScene,
  swapOnChain,
} from '../../support/protocols/swap-on-chain.js'
import { depthOf, poolsToldBy } from '../../support/protocols/told-by-events.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const factoryAbi = parseAbi([
  'function createPair(address, address)',
  'function setFees(address, uint256)',
])
const pairAbi = parseAbi(['function set(bool, uint16, uint16)', 'function sync()'])
const transferAbi = parseAbi(['function transfer(address, uint256)'])
const treasury: Address = '0x00000000000000000000000000000000feed0001'

let context: PoolContext
let scene: SwapScene<CamelotState>
let factory: Address

beforeAll(async () => {
  context = await PoolContext.start()
  factory = await context.deploy(compileTestContracts('Camelot.sol')('CamelotLikeFactory').bytecode)
  const helpers = await placeHelpers(context, ['SolidlySwapper'])
  scene = { context, adapter: camelotV2, chain: arbitrum, venue: { factory }, helpers }
})
afterAll(() => context.close())

interface Market {
  readonly decimals: readonly [number, number]
  readonly stable: boolean
  readonly reserves: readonly [bigint, bigint]
  readonly fees: readonly [number, number]
}

async function open({ decimals, stable, reserves, fees }: Market): Promise<Pool> {
  const tokens = [await context.token(decimals[0]), await context.token(decimals[1])] as const
  const created = await context.send(factory, factoryAbi, 'createPair', tokens)
  const { adapter, venue } = scene
  const found = await adapter.swaps.discover({
    reader: await context.reader(),
    chain: arbitrum,
    venue,
    pairs: [[tokens[1], tokens[0]]],
  })
  const [pool] = found.pools
  if (!pool) throw new Error('not found')
  expect(poolsToldBy(created?.logs ?? [], scene)).toEqual([pool])
  for (const [index, token] of tokens.entries()) {
    await context.send(token, transferAbi, 'transfer', [pool.address, reserves[index]])
  }
  await context.send(pool.address, pairAbi, 'set', [stable, ...fees])
  await context.send(pool.address, pairAbi, 'sync', [])
  expect(await depthOf(pool, scene)).toEqual(
    tokens[0] === pool.tokens[0] ? reserves : reserves.toReversed(),
  )
  return pool
}

async function compare(pool: Pool, pair: readonly [Address, Address], amountIn: bigint) {
  const swap = await swapOnChain(scene, pool, pair, amountIn)
  const label = `${amountIn} of ${pair[0]}`
  expect(swap.quote, label).toMatchObject({ amountOut: swap.received, exact: true })
  expect(swap.found, label).toEqual(swap.next)
  return swap.received
}

const dollars = 10n ** 6n
const markets: readonly Market[] = [
  {
    decimals: [18, 6],
    stable: false,
    reserves: [1_234n * 10n ** 18n, 3_700_000n * dollars],
    fees: [300, 300],
  },
  { decimals: [8, 18], stable: false, reserves: [77n * 10n ** 8n, 10n ** 21n], fees: [1, 2_000] },
  {
    decimals: [6, 6],
    stable: true,
    reserves: [5_000_000n * dollars, 4_900_000n * dollars],
    fees: [40, 50],
  },
  {
    decimals: [6, 18],
    stable: true,
    reserves: [31_007n * dollars, 9n * 10n ** 24n],
    fees: [500, 7],
  },
  { decimals: [18, 18], stable: true, reserves: [10n ** 24n, 10n ** 24n + 7n], fees: [2_000, 1] },
]

describe.each([0n, 50_000n, 33_333n])('with %s of 100,000 of the fee paid out', (share) => {
  test.each(markets)(
    '$decimals, stable $stable, fees $fees: every size to the unit, both ways',
    async (market) => {
      await context.send(factory, factoryAbi, 'setFees', [
        share > 0n ? treasury : `0x${'0'.repeat(40)}`,
        share,
      ])
      const pool = await open(market)
      const [token0, token1] = pool.tokens as readonly [Address, Address]
      let served = 0
      for (const pair of [
        [token0, token1],
        [token1, token0],
      ] as const) {
        const { state } = await loadOne(scene, pool)
        const most = (pair[0] === token0 ? state.reserve0 : state.reserve1) * 4n
        const sizes = Array.from({ length: `${most}`.length }, (_, k) => 10n ** BigInt(k) * 3n + 7n)
        for (const amountIn of [1n, 2n, ...sizes, most]) {
          const received = await compare(pool, pair, amountIn)
          if (received > 0n) served += 1
          if (received > 1n) await compare(pool, [pair[1], pair[0]], received)
        }
      }
      expect(served).toBeGreaterThan(8)
    },
  )
})

test('property: any reserves, sizes, fees and kinds', async () => {
  const decimals = fc.constantFrom(6, 8, 18)
  const reserve = fc.bigInt(10n ** 9n, 10n ** 25n)
  const fee = fc.integer({ min: 1, max: 2_000 })
  const cases = fc.sample(
    fc.record({
      decimals: fc.tuple(decimals, decimals),
      stable: fc.boolean(),
      reserves: fc.tuple(reserve, reserve),
      fees: fc.tuple(fee, fee),
      swaps: fc.array(
        fc.tuple(fc.boolean(), fc.bigInt(1n, 10n ** 24n), fc.integer({ min: 0, max: 20 })),
        {
          minLength: 4,
          maxLength: 4,
        },
      ),
    }),
    { seed: 16, numRuns: 20 },
  )
  let served = 0
  for (const { swaps, ...market } of cases) {
    const pool = await open(market)
    const [token0, token1] = pool.tokens as readonly [Address, Address]
    for (const [zeroForOne, size, shift] of swaps) {
      const pair = zeroForOne ? ([token0, token1] as const) : ([token1, token0] as const)
      if ((await compare(pool, pair, size / 10n ** BigInt(shift) + 1n)) > 0n) served += 1
    }
  }
  expect(served).toBeGreaterThan(30)
})

test('fees that change between blocks are those of the block, and a stranger is no pair', async () => {
  const pool = await open({
    decimals: [18, 18],
    stable: false,
    reserves: [10n ** 24n, 10n ** 24n],
    fees: [300, 300],
  })
  const pair = [pool.tokens[0], pool.tokens[1]] as readonly [Address, Address]
  const before = await compare(pool, pair, 10n ** 18n)
  await context.send(pool.address, pairAbi, 'set', [false, 2_000, 1])
  expect(await compare(pool, pair, 10n ** 18n)).toBeLessThan((before * 99n) / 100n)
  await context.send(pool.address, pairAbi, 'set', [true, 2_000, 1])
  await compare(pool, [pair[1], pair[0]], 10n ** 18n)
  const { adapter, venue } = scene
  const stranger = { ...pool, id: factory, address: factory }
  const [load] = await adapter.swaps.load({
    reader: await context.reader(),
    chain: arbitrum,
    venue,
    pools: [stranger],
  })
  expect(load).toMatchObject({
    message: 'The contract is no pair of the factory with these tokens.',
  })
})
