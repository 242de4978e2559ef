/** Pairs of Liquidity Book by our own steps against contracts with its arithmetic and its words, written anew: no package has its own. */
import fc from 'fast-check'
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import type { Address, Hex } from '../../../src/domain/primitives.js'
import { liquidityBook } from '../../../src/protocols/liquidity-book/index.js'
import type { BookState } from '../../../src/protocols/liquidity-book/math.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import { loadOne, type SwapScene, swapOnChain } from '../../support/protocols/swap-on-chain.js'
import { poolsToldBy } from '../../support/protocols/told-by-events.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const factoryAbi = parseAbi(['function add(address, address, uint16, address)'])
const pairAbi = parseAbi([
  'function set(uint256)',
  'function seed(uint256[], uint256[])',
  'function setHooks(bytes32)',
])
const transferAbi = parseAbi(['function transfer(address, uint256)'])
const contract = compileTestContracts('LiquidityBook.sol')

let context: PoolContext
let scene: SwapScene<BookState>

beforeAll(async () => {
  context = await PoolContext.start()
  const { bytecode } = contract('BookLikeFactory')
  const venue = {
    factory21: await context.deploy(bytecode),
    factory22: await context.deploy(bytecode),
  }
  scene = { context, adapter: liquidityBook, chain: arbitrum, venue, helpers: {} }
})
afterAll(() => context.close())

interface Rules {
  readonly baseFactor: number
  readonly filterPeriod: number
  readonly decayPeriod: number
  readonly reductionFactor: number
  readonly variableFeeControl: number
  readonly protocolShare: number
  readonly maxVolatility: number
}
const usual: Rules = {
  baseFactor: 8_000,
  filterPeriod: 30,
  decayPeriod: 600,
  reductionFactor: 5_000,
  variableFeeControl: 40_000,
  protocolShare: 1_000,
  maxVolatility: 350_000,
}

interface Book {
  readonly version: '21' | '22'
  readonly binStep: number
  readonly activeId: number
  readonly rules: Rules
  /** Distance from the active bin to amounts of the first and the second token. */
  readonly bins: readonly (readonly [offset: number, x: bigint, y: bigint])[]
}

async function open({ version, binStep, activeId, rules, bins }: Book): Promise<Pool> {
  // The first token may have the higher address.
  const [x, y] = [await context.token(18), await context.token(6)]
  const code = contract(`BookLike${version}`).bytecode
  const pair = await context.deploy(code, 'address, address, uint256', [x, y, BigInt(binStep)])
  const factory = scene.venue[`factory${version}`] as Address
  const added = await context.send(factory, factoryAbi, 'add', [x, y, binStep, pair])
  const total = (at: 1 | 2) => bins.reduce((sum, bin) => sum + bin[at], 0n)
  await context.send(x, transferAbi, 'transfer', [pair, total(1)])
  await context.send(y, transferAbi, 'transfer', [pair, total(2)])
  const fields = [
    ...[rules.baseFactor, rules.filterPeriod, rules.decayPeriod, rules.reductionFactor],
    ...[rules.variableFeeControl, rules.protocolShare, rules.maxVolatility],
  ].map(BigInt)
  const offsets = [0n, 16n, 28n, 40n, 54n, 78n, 92n]
  const word = fields.reduce((sum, field, index) => sum | (field << (offsets[index] ?? 0n)), 0n)
  await context.send(pair, pairAbi, 'set', [word | (BigInt(activeId) << 232n)])
  const ids = bins.map(([offset]) => BigInt(activeId + offset))
  const words = bins.map(([, inX, inY]) => inX | (inY << 128n))
  for (let from = 0; from < ids.length; from += 100) {
    const parts = [ids.slice(from, from + 100), words.slice(from, from + 100)]
    expect(await context.send(pair, pairAbi, 'seed', parts)).not.toBeNull()
  }
  const { adapter, venue } = scene
  const reader = await context.reader()
  const found = await adapter.swaps.discover({ reader, chain: arbitrum, venue, pairs: [[y, x]] })
  expect(found).toEqual({
    pools: [
      {
        protocol: 'liquidity-book',
        id: pair,
        address: pair,
        tokens: [x, y],
        parameters: { version: `factory${version}`, binStep },
      },
    ],
    unreadable: [],
  })
  expect(poolsToldBy(added?.logs ?? [], scene)).toEqual(found.pools)
  return found.pools[0] as Pool
}

/** Bins on both sides of the active one, which holds both; some are missing. */
function around(count: number, x: bigint, y: bigint): Book['bins'] {
  return Array.from({ length: 2 * count + 1 }, (_, k) => k - count)
    .filter((offset) => offset % 7 !== 3)
    .map((offset) => [
      offset,
      offset >= 0 ? x + BigInt(offset * 977) : 0n,
      offset <= 0 ? y + BigInt(-offset * 13) : 0n,
    ])
}

/** What a swap moves, of the bins that both states know. */
function held({ ids, reservesX, reservesY, parameters }: BookState) {
  const bins = ids.map((id, index) => [id, `${reservesX[index]} ${reservesY[index]}`] as const)
  return { activeId: parameters.activeId, bins: new Map(bins) }
}

async function compare(pool: Pool, forY: boolean, amountIn: bigint): Promise<bigint | null> {
  const [x, y] = pool.tokens as readonly [Address, Address]
  const swap = await swapOnChain(scene, pool, forY ? [x, y] : [y, x], amountIn)
  const label = `${amountIn} ${forY ? 'for Y' : 'for X'}`
  if (!swap.quote.exact) return null
  expect(swap.received, label).toBe(swap.quote.amountOut)
  const [next, found] = [held(swap.next), held(swap.found)]
  expect(found.activeId, label).toBe(next.activeId)
  for (const [id, bin] of found.bins) {
    if (next.bins.has(id)) expect(bin, `${label}, bin ${id}`).toBe(next.bins.get(id))
  }
  return swap.received
}

const one = 2 ** 23
const books: readonly Book[] = [
  {
    version: '21',
    binStep: 20,
    activeId: one + 5,
    rules: usual,
    bins: around(40, 10n ** 15n, 10n ** 15n),
  },
  {
    version: '22',
    binStep: 10,
    activeId: one - 27_000,
    rules: usual,
    bins: around(60, 10n ** 18n, 3n * 10n ** 6n),
  },
  {
    version: '22',
    binStep: 100,
    activeId: one + 900,
    rules: { ...usual, protocolShare: 0 },
    bins: around(9, 10n ** 9n, 10n ** 12n),
  },
  {
    version: '21',
    binStep: 1,
    activeId: one,
    rules: { ...usual, variableFeeControl: 0 },
    bins: around(200, 10n ** 12n, 10n ** 12n),
  },
]

describe.each(books)('version $version, step $binStep', (book) => {
  test('every size to the unit, both ways, at rest, soon after a swap, and long after', async () => {
    const pool = await open(book)
    let served = 0
    for (let power = 0; power < 19; power += 1) {
      for (const forY of [true, false]) {
        const amountIn = 10n ** BigInt(power) * 3n + BigInt(power)
        if (((await compare(pool, forY, amountIn)) ?? 0n) > 0n) served += 1
      }
      await context.mineAfter([1, 45, 700][power % 3] ?? 1)
    }
    expect(served).toBeGreaterThan(10)
    // More than all the bins hold is refused.
    const { state } = await loadOne(scene, pool)
    const [x, y] = pool.tokens as readonly [Address, Address]
    const most = await swapOnChain(scene, pool, [x, y], 10n ** 36n)
    expect(most.received).toBe(0n)
    expect(state.ids.length).toBeGreaterThan(10)
  })
})

test('the fee grows with the bins that are crossed and decays: another amount right after than later', async () => {
  const pool = await open({ ...books[0], activeId: one } as Book)
  const amountIn = 4n * 10n ** 15n
  await compare(pool, true, amountIn)
  await compare(pool, false, amountIn)
  const soon = await compare(pool, true, amountIn / 3n)
  await context.mineAfter(5_000)
  await compare(pool, false, amountIn / 3n)
  await context.mineAfter(5_000)
  const later = await compare(pool, true, amountIn / 3n)
  expect(later ?? 0n).not.toBe(soon)
})

test('property: any rules, steps and sizes', async () => {
  const integer = (min: number, max: number) => fc.integer({ min, max })
  const cases = fc.sample(
    fc.record({
      version: fc.constantFrom('21' as const, '22' as const),
      binStep: fc.constantFrom(1, 5, 15, 25, 100),
      activeId: integer(one - 9_000, one + 9_000),
      rules: fc.record({
        baseFactor: integer(1, 10_000),
        filterPeriod: integer(1, 60),
        decayPeriod: integer(61, 4_000),
        reductionFactor: integer(0, 10_000),
        variableFeeControl: integer(0, 100_000),
        protocolShare: integer(0, 2_500),
        maxVolatility: integer(0, 500_000),
      }),
      depth: fc.tuple(fc.bigInt(10n ** 6n, 10n ** 24n), fc.bigInt(10n ** 6n, 10n ** 24n)),
      swaps: fc.array(
        fc.tuple(fc.boolean(), fc.bigInt(1n, 10n ** 25n), integer(0, 20), integer(1, 900)),
        {
          minLength: 5,
          maxLength: 5,
        },
      ),
    }),
    { seed: 16, numRuns: 16 },
  )
  let served = 0
  for (const { depth, swaps, ...rest } of cases) {
    const pool = await open({ ...rest, bins: around(12, ...depth) })
    for (const [forY, size, shift, wait] of swaps) {
      if (((await compare(pool, forY, size / 10n ** BigInt(shift) + 1n)) ?? 0n) > 0n) served += 1
      await context.mineAfter(wait)
    }
  }
  expect(served).toBeGreaterThan(15)
})

test('code of others in swaps makes amounts estimates and is named; other hooks do not count', async () => {
  const pool = await open(books[1] as Book)
  const flags = (bits: bigint): Hex =>
    `0x${((bits << 160n) | BigInt(pool.tokens[0] ?? 0)).toString(16).padStart(64, '0')}`
  const [x, y] = pool.tokens as readonly [Address, Address]
  for (const [bits, exact] of [
    [0n, true],
    [1n << 5n, true],
    [1n, false],
    [2n, false],
  ] as const) {
    await context.send(pool.address, pairAbi, 'setHooks', [flags(bits)])
    const { state } = await loadOne(scene, pool)
    expect(
      liquidityBook.swaps.swap(pool, state, { tokenIn: x, tokenOut: y }, 10n ** 12n).exact,
    ).toBe(exact)
    expect(liquidityBook.trust?.foreignCode?.(pool, state, scene.venue)).toBe(exact ? null : x)
  }
})

test('a pair without a version of the chain or a step is unreadable, and no other', async () => {
  const pool = await open(books[2] as Book)
  const { adapter, venue } = scene
  const strange = { ...pool, parameters: { ...pool.parameters, version: 'factory20' } }
  const bare = { ...pool, parameters: { version: 'factory22' } }
  const reader = await context.reader()
  const loads = await adapter.swaps.load({
    reader,
    chain: arbitrum,
    venue,
    pools: [strange, pool, bare],
  })
  expect(loads.map((load) => ('state' in load ? 'loaded' : load.message))).toEqual([
    'The parameter version of the pair is no version on the chain.',
    'loaded',
    'The pair lacks the parameter binStep.',
  ])
})
