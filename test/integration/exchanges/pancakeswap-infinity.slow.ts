/** Pools of PancakeSwap's Infinity by our own steps through its router, against contracts of its source's arithmetic and slots. */
import fc from 'fast-check'
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bnb } from '../../../src/chains/bnb.js'
import { type Address, type Hex, zeroAddress } from '../../../src/domain/primitives.js'
import { infinityBin } from '../../../src/protocols/pancakeswap-infinity/bin.js'
import type { BinPoolState } from '../../../src/protocols/pancakeswap-infinity/bin-math.js'
import { infinityCl } from '../../../src/protocols/pancakeswap-infinity/cl.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { ConcentratedState } from '../../../src/protocols/shared/concentrated/swap.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import { toWord } from '../../../src/protocols/shared/storage-slots.js'
import {
  binAbi,
  clAbi,
  compileInfinity,
  type InfinityKey,
  idOf,
  vaultAbi,
} from '../../support/protocols/infinity/contracts.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import { loadOne, type SwapScene, swapOnChain } from '../../support/protocols/swap-on-chain.js'
import { depthOf, poolsToldBy } from '../../support/protocols/told-by-events.js'

const transferAbi = parseAbi(['function transfer(address, uint256)'])
const dynamicFee = 0x800000
const hooks: Address = `0x${'ab'.repeat(20)}`
/** Of hooks, which the key states: before and after a swap, and the right of either to change what it moves. */
const ofSwaps = [6, 7, 10, 11].map((bit) => 1 << bit)
const ofLiquidity = 0b11_0011_1111

let context: PoolContext
let vault: Address
let cl: SwapScene<ConcentratedState>
let bin: SwapScene<BinPoolState>

beforeAll(async () => {
  context = await PoolContext.start()
  const code = await compileInfinity()
  vault = await context.deploy(code('InfinityVaultLike'))
  const clManager = await context.deploy(code('ClManagerLike'), 'address', [vault])
  const binManager = await context.deploy(code('BinManagerLike'), 'address', [vault])
  const contracts = [vault, clManager, binManager]
  const router = await context.deploy(
    code('InfinityRouterLike'),
    'address, address, address',
    contracts,
  )
  for (const app of [clManager, binManager]) {
    await context.send(vault, vaultAbi, 'registerApp', [app])
  }
  const scene = { context, chain: bnb, helpers: {} }
  cl = { ...scene, adapter: infinityCl, venue: { poolManager: clManager, router } }
  bin = { ...scene, adapter: infinityBin, venue: { poolManager: binManager, router } }
}, 240_000)
afterAll(() => context.close())

interface Opening {
  readonly fee: number
  readonly hooks?: Address
  readonly permissions?: number
  /** 1/1_000_000 by direction: of the first token in, and of the second. */
  readonly protocolFees?: readonly [number, number]
  /** Absent: that of the key. */
  readonly lpFee?: number
}

async function keyOf(manager: unknown, { fee, ...rest }: Opening, spacing: number) {
  const [a, b] = await context.sortedTokens([18, 6])
  for (const token of [a, b]) {
    await context.send(token?.address ?? '0x', transferAbi, 'transfer', [vault, 10n ** 40n])
  }
  return {
    currency0: a?.address ?? '0x',
    currency1: b?.address ?? '0x',
    hooks: rest.hooks ?? zeroAddress,
    poolManager: manager as Address,
    fee,
    parameters: toWord((BigInt(spacing) << 16n) | BigInt(rest.permissions ?? 0)),
  } satisfies InfinityKey
}

async function setFees(manager: Address, id: Hex, opening: Opening) {
  const [first, second] = opening.protocolFees ?? [0, 0]
  const args = [id, (second << 12) | first, opening.lpFee ?? opening.fee]
  expect(await context.send(manager, clAbi, 'setFees', args)).not.toBeNull()
}

interface ClOpening extends Opening {
  readonly tickSpacing: number
  readonly tick: number
  readonly positions: readonly (readonly [lower: number, upper: number, liquidity: bigint])[]
}

/** What an event tells of the pool, which may be nothing. */
async function openCl(opening: ClOpening): Promise<Pool | undefined> {
  const { tickSpacing, tick, positions } = opening
  const key = await keyOf(cl.venue.poolManager, opening, tickSpacing)
  const price = sqrtPriceAtTick(tick) + 12_345n
  const made = await context.send(key.poolManager, clAbi, 'initialize', [key, price])
  for (const [lower, upper, liquidity] of positions) {
    const args = [key, lower, upper, liquidity]
    expect(await context.send(key.poolManager, clAbi, 'provide', args)).not.toBeNull()
  }
  await setFees(key.poolManager, idOf(key), opening)
  const [pool] = poolsToldBy(made?.logs ?? [], cl)
  if (pool) expect(pool.id).toBe(idOf(key))
  return pool
}

async function compareCl(pool: Pool, forY: boolean, amountIn: bigint): Promise<bigint | null> {
  const [x, y] = pool.tokens as readonly [Address, Address]
  const swap = await swapOnChain(cl, pool, forY ? [x, y] : [y, x], amountIn)
  const label = `${amountIn} ${forY ? 'of token0' : 'of token1'}`
  if (!swap.quote.exact) return null
  expect(swap.received, label).toBe(swap.quote.amountOut)
  if (swap.received === 0n) return 0n
  const { sqrtPriceX96, tick, liquidity } = swap.next
  expect(swap.found, label).toMatchObject({ sqrtPriceX96, tick, liquidity })
  return swap.received
}

const clPools: readonly ClOpening[] = [
  { fee: 100, tickSpacing: 1, tick: -276_330, positions: [[-276_400, -276_200, 10n ** 18n]] },
  {
    fee: 2_500,
    protocolFees: [1_000, 37],
    tickSpacing: 50,
    tick: 601,
    positions: [
      [-10_000, 10_000, 10n ** 20n],
      [550, 650, 10n ** 22n],
      [-3_000, 600, 10n ** 21n],
    ],
  },
  {
    fee: 670,
    protocolFees: [0, 4_000],
    tickSpacing: 7,
    tick: 69_000,
    positions: [[-887_271, 887_271, 10n ** 19n]],
  },
  {
    fee: dynamicFee,
    lpFee: 12_345,
    hooks,
    permissions: ofLiquidity,
    protocolFees: [321, 123],
    tickSpacing: 10,
    tick: -5,
    positions: [[-20_000, 20_000, 10n ** 21n]],
  },
]

describe.each(clPools)('a concentrated pool of fee $fee', (opening) => {
  test('is told by its event with how deep it is, and swaps every size both ways to the unit', async () => {
    const pool = await openCl(opening)
    if (!pool) throw new Error('no event told of the pool')
    const { fee, tickSpacing, permissions = 0 } = opening
    const stated = { fee, tickSpacing, hooks: opening.hooks ?? zeroAddress, permissions }
    expect(pool.parameters).toEqual(stated)
    const depth = await depthOf(pool, cl)
    expect(depth?.every((side) => side > 0n)).toBe(true)
    let served = 0
    for (let power = 0; power < 21; power += 1) {
      for (const forY of [true, false]) {
        const amountIn = 10n ** BigInt(power) * 3n + BigInt(power)
        if (((await compareCl(pool, forY, amountIn)) ?? 0n) > 0n) served += 1
      }
    }
    expect(served).toBeGreaterThan(10)
    const [x, y] = pool.tokens as readonly [Address, Address]
    // More than liquidity takes leaves a credit that nobody settles: the swap reverts.
    const { received } = await swapOnChain(cl, pool, [x, y], 10n ** 38n)
    expect(received > 0n).toBe(opening.tickSpacing === 7)
  })
})

test('usual tiers without hooks are found without events', async () => {
  const opening = clPools[1] as ClOpening
  const pool = (await openCl(opening)) as Pool
  const [a, b] = pool.tokens as readonly [Address, Address]
  const reader = await context.reader()
  const { venue } = cl
  const found = await infinityCl.swaps.discover({ reader, chain: bnb, venue, pairs: [[b, a]] })
  expect(found).toEqual({ pools: [pool], unreadable: [] })
})

interface BinOpening extends Opening {
  readonly binStep: number
  readonly activeId: number
  /** Distance from the active bin to amounts of the first and the second token. */
  readonly bins: readonly (readonly [offset: number, x: bigint, y: bigint])[]
}

async function openBin(opening: BinOpening): Promise<Pool | undefined> {
  const { binStep, activeId, bins } = opening
  const key = await keyOf(bin.venue.poolManager, opening, binStep)
  const made = await context.send(key.poolManager, binAbi, 'initialize', [key, activeId])
  const ids = bins.map(([offset]) => BigInt(activeId + offset))
  const words = bins.map(([, x, y]) => x | (y << 128n))
  for (let from = 0; from < ids.length; from += 100) {
    const parts = [idOf(key), ids.slice(from, from + 100), words.slice(from, from + 100)]
    expect(await context.send(key.poolManager, binAbi, 'seed', parts)).not.toBeNull()
  }
  await setFees(key.poolManager, idOf(key), opening)
  const [pool] = poolsToldBy(made?.logs ?? [], bin)
  if (pool) expect(pool.id).toBe(idOf(key))
  return pool
}

/** Bins on both sides of the active one, which holds both; some are missing. */
function around(count: number, x: bigint, y: bigint): BinOpening['bins'] {
  return Array.from({ length: 2 * count + 1 }, (_, k) => k - count)
    .filter((offset) => offset % 7 !== 3)
    .map((offset) => [
      offset,
      offset >= 0 ? x + BigInt(offset * 977) : 0n,
      offset <= 0 ? y + BigInt(-offset * 13) : 0n,
    ])
}

function heldBy({ ids, reservesX, reservesY }: BinPoolState) {
  return new Map(ids.map((id, index) => [id, `${reservesX[index]} ${reservesY[index]}`]))
}

async function compareBin(pool: Pool, forY: boolean, amountIn: bigint): Promise<bigint | null> {
  const [x, y] = pool.tokens as readonly [Address, Address]
  const swap = await swapOnChain(bin, pool, forY ? [x, y] : [y, x], amountIn)
  const label = `${amountIn} ${forY ? 'for Y' : 'for X'}`
  if (!swap.quote.exact) return null
  expect(swap.received, label).toBe(swap.quote.amountOut)
  expect(swap.found.activeId, label).toBe(swap.next.activeId)
  const [next, found] = [heldBy(swap.next), heldBy(swap.found)]
  for (const [id, held] of found) {
    if (next.has(id)) expect(held, `${label}, bin ${id}`).toBe(next.get(id))
  }
  return swap.received
}

const one = 2 ** 23
const binPools: readonly BinOpening[] = [
  { fee: 100, binStep: 1, activeId: one, bins: around(200, 10n ** 12n, 10n ** 12n) },
  {
    fee: 2_500,
    protocolFees: [1_000, 37],
    binStep: 25,
    activeId: one - 10_900,
    bins: around(60, 10n ** 18n, 3n * 10n ** 6n),
  },
  {
    fee: 0,
    protocolFees: [4_000, 4_000],
    binStep: 100,
    activeId: one + 900,
    bins: around(9, 10n ** 9n, 10n ** 12n),
  },
  {
    fee: dynamicFee,
    lpFee: 12_345,
    hooks,
    permissions: ofLiquidity,
    protocolFees: [0, 123],
    binStep: 10,
    activeId: one + 77,
    bins: around(40, 10n ** 15n, 10n ** 15n),
  },
]

describe.each(binPools)('a bin pool of fee $fee, step $binStep', (opening) => {
  test('is told by its event, and swaps every size both ways to the unit, with all bins after it', async () => {
    const pool = await openBin(opening)
    if (!pool) throw new Error('no event told of the pool')
    const { fee, binStep, permissions = 0 } = opening
    const stated = { fee, binStep, hooks: opening.hooks ?? zeroAddress, permissions }
    expect(pool.parameters).toEqual(stated)
    let served = 0
    for (let power = 0; power < 19; power += 1) {
      for (const forY of [true, false]) {
        const amountIn = 10n ** BigInt(power) * 3n + BigInt(power)
        if (((await compareBin(pool, forY, amountIn)) ?? 0n) > 0n) served += 1
      }
    }
    expect(served).toBeGreaterThan(10)
    const [x, y] = pool.tokens as readonly [Address, Address]
    for (const amountIn of [10n ** 36n, 2n ** 127n, 2n ** 128n]) {
      const most = await swapOnChain(bin, pool, [x, y], amountIn)
      expect([most.received, most.quote.amountOut > 0n && most.quote.exact]).toEqual([0n, false])
    }
  })
})

test('property: any fees, steps and sizes of bin pools', async () => {
  const integer = (min: number, max: number) => fc.integer({ min, max })
  const cases = fc.sample(
    fc.record({
      fee: integer(0, 100_000),
      protocolFees: fc.tuple(integer(0, 4_000), integer(0, 4_000)),
      binStep: fc.constantFrom(1, 5, 15, 25, 100),
      activeId: integer(one - 9_000, one + 9_000),
      depth: fc.tuple(fc.bigInt(10n ** 6n, 10n ** 24n), fc.bigInt(10n ** 6n, 10n ** 24n)),
      swaps: fc.array(fc.tuple(fc.boolean(), fc.bigInt(1n, 10n ** 25n), integer(0, 20)), {
        minLength: 5,
        maxLength: 5,
      }),
    }),
    { seed: 36, numRuns: 16 },
  )
  let served = 0
  for (const { depth, swaps, ...rest } of cases) {
    const pool = await openBin({ ...rest, bins: around(12, ...depth) })
    if (!pool) throw new Error('no event told of the pool')
    for (const [forY, size, shift] of swaps) {
      const received = await compareBin(pool, forY, size / 10n ** BigInt(shift) + 1n)
      if ((received ?? 0n) > 0n) served += 1
    }
  }
  expect(served).toBeGreaterThan(15)
})

test.each(ofSwaps)(
  'hooks with the permission %i, which take part in swaps: no event tells of the pool, and no import loads it',
  async (permission) => {
    const permissions = permission | ofLiquidity
    const [clOpening, binOpening] = [clPools[1] as ClOpening, binPools[1] as BinOpening]
    expect(await openCl({ ...clOpening, hooks, permissions })).toBeUndefined()
    expect(await openBin({ ...binOpening, hooks, permissions })).toBeUndefined()
    const plain = (await openCl({ ...clOpening, hooks, permissions: ofLiquidity })) as Pool
    const reader = await context.reader()
    const args = { reader, chain: bnb, venue: cl.venue }
    const hooked = await hookedPool(plain, permissions)
    const strange = { ...plain, parameters: { ...plain.parameters, fee: 1 } }
    const loads = await infinityCl.swaps.load({ ...args, pools: [hooked, plain, strange] })
    expect(loads.map((load) => ('state' in load ? 'loaded' : load.message))).toEqual([
      'Its hooks take part in swaps.',
      'loaded',
      'The id is not the hash of the key of the pool.',
    ])
  },
)

async function hookedPool(pool: Pool, permissions: number): Promise<Pool> {
  const [currency0, currency1] = pool.tokens as readonly [Address, Address]
  const spacing = BigInt(Number(pool.parameters.tickSpacing))
  const id = idOf({
    currency0,
    currency1,
    hooks,
    poolManager: pool.address,
    fee: Number(pool.parameters.fee),
    parameters: toWord((spacing << 16n) | BigInt(permissions)),
  })
  return { ...pool, id, parameters: { ...pool.parameters, permissions } }
}

test('a dynamic fee is that of slot0 until the hooks set another, is said as a caution, and names the hooks', async () => {
  const pool = (await openCl(clPools[3] as ClOpening)) as Pool
  const before = await compareCl(pool, true, 10n ** 15n)
  await setFees(pool.address, pool.id as Hex, { fee: dynamicFee, lpFee: 500_000 })
  const after = await compareCl(pool, true, 10n ** 15n)
  expect(before ?? 0n).toBeGreaterThan(((after ?? 0n) * 19n) / 10n)
  const { state } = await loadOne(cl, pool)
  expect(infinityCl.swaps.cautions?.(pool, state).map(({ kind }) => kind)).toEqual(['fee'])
  expect(infinityCl.trust?.foreignCode?.(pool, state, cl.venue)).toBe(hooks)
  expect(infinityCl.trust?.isNoPriceSource?.(pool)).toBe(true)
  const fixed = (await openCl(clPools[0] as ClOpening)) as Pool
  expect(infinityCl.swaps.cautions?.(fixed, state)).toEqual([])
  expect(infinityCl.trust?.foreignCode?.(fixed, state, cl.venue)).toBeNull()
})

test('while a manager is paused its pools are left out, and the other manager’s are not', async () => {
  const clPool = (await openCl(clPools[1] as ClOpening)) as Pool
  const binPool = (await openBin(binPools[1] as BinOpening)) as Pool
  for (const [paused, other] of [
    [cl, bin],
    [bin, cl],
  ] as const) {
    const manager = paused.venue.poolManager as Address
    await context.send(manager, clAbi, 'pause', [true])
    const reader = await context.reader()
    const load = (scene: typeof cl | typeof bin) =>
      scene.adapter.swaps.load({
        reader,
        chain: bnb,
        venue: scene.venue,
        pools: [scene === cl ? clPool : binPool],
      })
    expect(await load(paused)).toMatchObject([
      { message: 'its manager is paused', isLeftOut: true },
    ])
    expect((await load(other)).every((one) => 'state' in one)).toBe(true)
    await context.send(manager, clAbi, 'pause', [false])
  }
})
