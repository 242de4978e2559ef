/** Camelot V3's pools by our own steps against contracts with its storage and its swaps; the formula of the fee is another. */
import { parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import { camelotV3 } from '../../../src/protocols/camelot-v3/index.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { ConcentratedState } from '../../../src/protocols/shared/concentrated/swap.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import { compileAlgebraLike } from '../../support/protocols/algebra.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import {
  loadOne,
  placeHelpers,
  type SwapScene,
  swapOnChain,
} from '../../support/protocols/swap-on-chain.js'

const factoryAbi = parseAbi(['function createPool(address, address, uint160)'])
const poolAbi = parseAbi(['function seed(int24, int24, uint128)'])
const transferAbi = parseAbi(['function transfer(address, uint256)'])

let context: PoolContext
let scene: SwapScene<ConcentratedState>
let contract: Awaited<ReturnType<typeof compileAlgebraLike>>

beforeAll(async () => {
  context = await PoolContext.start()
  contract = await compileAlgebraLike()
  const factory = await context.deploy(contract('AlgebraLikeFactory').bytecode)
  const quoter = await context.deploy(contract('AlgebraLikeQuoter').bytecode, 'address', [factory])
  const venue = { factory, quoter }
  const helpers = await placeHelpers(context)
  scene = { context, adapter: camelotV3, chain: arbitrum, venue, helpers }
}, 120_000)
afterAll(() => context.close())

/** @param tick - of the price; null: never initialised. */
async function open(tick: number | null): Promise<Pool> {
  const { adapter, venue } = scene
  const tokens = [await context.token(18), await context.token(6)] as const
  const price = tick === null ? 0n : sqrtPriceAtTick(tick) + 12_345n
  await context.send(venue.factory as Address, factoryAbi, 'createPool', [...tokens, price])
  const reader = await context.reader()
  const pairs = [[tokens[1], tokens[0]]] as const
  const found = await adapter.swaps.discover({ reader, chain: arbitrum, venue, pairs })
  const [pool] = found.pools
  if (!pool) throw new Error('not found')
  for (const token of tokens) {
    await context.send(token, transferAbi, 'transfer', [pool.address, 10n ** 40n])
  }
  if (tick === null) return pool
  for (const [lower, upper, liquidity] of [
    [-887_270, 887_270, 10n ** 13n],
    [tick - 23, tick + 91, 10n ** 15n],
    [tick + 50, tick + 3_000, 3n * 10n ** 14n],
    [tick - 4_001, tick - 30, 7n * 10n ** 14n],
    [tick - 1_000, tick - 999, 10n ** 16n],
  ] as const) {
    const sent = await context.send(pool.address, poolAbi, 'seed', [lower, upper, liquidity])
    expect(sent).not.toBeNull()
  }
  return pool
}

const moving = ({ sqrtPriceX96, tick, liquidity }: ConcentratedState) => ({
  sqrtPriceX96,
  tick,
  liquidity,
})

test('the storage that is read is that of the compiled contracts', () => {
  const pool = contract('AlgebraLikePool').slots
  const names = ['globalState', 'liquidity', 'ticks', 'tickTable']
  expect(names.map((name) => pool[name])).toEqual([2n, 3n, 5n, 6n])
  expect(contract('AlgebraLikeFactory').slots.poolByPair).toBe(4n)
})

test.each([0, -12_345, 276_324])(
  'around tick %i: every size to the unit, both ways, at the fees of the second of the swap',
  async (tick) => {
    const pool = await open(tick)
    const [token0, token1] = pool.tokens as readonly [Address, Address]
    let served = 0
    const fees = new Set<bigint>()
    for (let power = 0; power < 22; power += 1) {
      for (const pair of [
        [token0, token1],
        [token1, token0],
      ] as const) {
        const amountIn = 10n ** BigInt(power) * 3n + BigInt(power)
        const swap = await swapOnChain(scene, pool, pair, amountIn)
        const [zeroForOne, oneForZero] = swap.before.feePips
        expect(zeroForOne).not.toBe(oneForZero)
        for (const fee of swap.before.feePips) fees.add(fee)
        if (!swap.quote.exact) continue
        const label = `${amountIn} of ${pair[0]}`
        expect(swap.received, label).toBe(swap.quote.amountOut)
        if (swap.received === 0n) continue
        expect(moving(swap.found), label).toEqual(moving(swap.next))
        served += 1
      }
    }
    expect(served).toBeGreaterThan(10)
    expect(fees.size).toBeGreaterThan(40)
  },
)

test('a pool that was never initialised gives nothing, and one of another factory is unreadable, and no other', async () => {
  const empty = await open(null)
  const [tokenIn = zeroAddress, tokenOut = zeroAddress] = empty.tokens
  const { state } = await loadOne(scene, empty)
  expect(camelotV3.swaps.swap(empty, state, { tokenIn, tokenOut }, 10n ** 6n)).toMatchObject({
    amountOut: 0n,
    exact: true,
  })
  const pool = await open(7)
  const stranger = { ...pool, tokens: [pool.address, pool.tokens[1] as Address] }
  const { adapter, venue } = scene
  const reader = await context.reader()
  const loads = await adapter.swaps.load({
    reader,
    chain: arbitrum,
    venue,
    pools: [stranger, pool],
  })
  expect(loads.map((load) => ('state' in load ? 'loaded' : load.message))).toEqual([
    'The quoter tells no fee of the pool.',
    'loaded',
  ])
})
