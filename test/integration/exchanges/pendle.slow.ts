/** Markets, redemptions and SYs against Pendle's own contracts, by the adapter's own steps, to the unit. */
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { pendle } from '../../../src/protocols/pendle/index.js'
import { yieldPool } from '../../../src/protocols/pendle/pools.js'
import type { PendleState } from '../../../src/protocols/pendle/state.js'
import type { Pool } from '../../../src/protocols/pool.js'
import {
  type MarketWish,
  openMarket,
  type PlacedMarket,
  type PlacedPendle,
  placePendle,
  placeVaultYield,
  type Site,
} from '../../support/protocols/pendle/place-pendle.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import { loadOne, type SwapScene, swapOnChain } from '../../support/protocols/swap-on-chain.js'
import { poolsToldBy } from '../../support/protocols/told-by-events.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const one = 10n ** 18n
const day = 86_400n
const nobody: Address = '0x00000000000000000000000000000000000beef3'

let context: PoolContext
let site: Site
let placed: PlacedPendle
let scene: SwapScene<PendleState>
let asset: Address
let vault: Address
let sy: Address
/** Of all transactions of the site. */
const logs: Parameters<typeof poolsToldBy>[0][number][] = []

function siteOf(chain: PoolContext): Site {
  const one = (signature: string) => parseAbi([signature] as readonly string[] as never) as never
  const nameOf = (signature: string) => /function (\w+)/.exec(signature)?.[1] ?? ''
  return {
    owner: chain.trader,
    deploy: (code, types, values) => chain.deploy(code, types, values),
    async send(to, signature, args = []) {
      const sent = await chain.send(to, one(signature), nameOf(signature), args)
      if (!sent) throw new Error(`${signature} failed`)
      logs.push(...sent.logs)
    },
    read(to, signature, args = []) {
      const data = encodeFunctionData({ abi: one(signature), args } as never)
      return chain.call(to, data, undefined, chain.trader)
    },
  }
}

beforeAll(async () => {
  context = await PoolContext.start()
  site = siteOf(context)
  placed = await placePendle(site)
  const { router, factory, yieldFactory } = placed
  const venue = { router, factories: [factory], yieldFactories: [yieldFactory] }
  scene = { context, adapter: pendle, chain: ethereum, venue, helpers: {} }
  asset = await context.token(18)
  const { bytecode } = compileTestContracts('Vaults.sol')('AccruingVault')
  vault = await context.deploy(bytecode, 'address', [asset])
  sy = await placeVaultYield(site, vault)
  const amount = 100_000_000n * one
  await site.send(asset, 'function approve(address, uint256)', [sy, amount])
  const deposit = 'function deposit(address, address, uint256, uint256)'
  await site.send(sy, deposit, [site.owner, asset, amount, 0n])
  // The vault earns, so that an SY is worth more than its asset.
  await context.mineAfter(40 * 86_400)
}, 240_000)
afterAll(() => context?.close())

const usual = {
  scalarRoot: 60n * one,
  initialAnchor: (109n * one) / 100n,
  lnFeeRateRoot: 4_987_541_511_038_968n,
  split: 200_000n * one,
  beside: 80_000n * one,
}
let expiries = 0n

/** A market that expires in these days, each market on a day of its own. */
async function open(days: bigint, wish: Partial<MarketWish> = {}): Promise<PlacedMarket> {
  const { timestamp } = (await context.reader()).block
  expiries += 1n
  const expiry = (timestamp / day + days + expiries) * day
  return openMarket(site, placed, { sy, expiry, ...usual, ...wish })
}

const named = ({ market, pt }: PlacedMarket): Pool => ({
  protocol: 'pendle',
  id: market,
  address: market,
  tokens: [pt, placed.factory, market],
  parameters: { factory: placed.factory },
})

async function poolOf(placedMarket: PlacedMarket): Promise<Pool> {
  const found = await pendle.index?.complete?.({
    reader: await context.reader(),
    chain: ethereum,
    venue: scene.venue,
    pools: [named(placedMarket)],
  })
  expect(found?.unreadable).toEqual([])
  const [pool] = found?.pools ?? []
  if (!pool) throw new Error('no market')
  return pool
}

/** @returns what came out, which is what was quoted. */
async function compare(pool: Pool, pair: readonly [Address, Address], amountIn: bigint) {
  const swap = await swapOnChain(scene, pool, pair, amountIn)
  const label = `${amountIn} of ${pair[0]} in ${pool.id}`
  expect(swap.quote, label).toEqual({ amountOut: swap.received, exact: true })
  if (swap.received > 0n && swap.next.kind === 'market' && swap.found.kind === 'market') {
    const { totalPt, totalSy, totalLp, lastLnImpliedRate } = swap.next
    expect(swap.found, label).toMatchObject({ totalPt, totalSy, totalLp, lastLnImpliedRate })
  }
  return swap.received
}

describe.each([
  ['half a year before the expiry', 180n, {}],
  ['days before the expiry', 2n, {}],
  ['years before the expiry, with a curve that bends early', 900n, { scalarRoot: 8n * one }],
  ['without a fee to speak of', 180n, { lnFeeRateRoot: 10n ** 12n }],
  [
    'with much SY and little PT',
    90n,
    { split: 8_000_000n * one, beside: 4_000_000n * one, pt: 200_000n * one },
  ],
  ['at a yield of almost nothing', 180n, { initialAnchor: one + 10n ** 15n }],
] as const)('a market %s', (_name, days, wish) => {
  test.each(['pt', 'yt', 'market'] as const)(
    'gives what is quoted from one unit to more than it has, %s both ways',
    async (part) => {
      const placedMarket = await open(days, wish)
      const pool = await poolOf(placedMarket)
      const token = placedMarket[part]
      let [served, refused] = [0, 0]
      for (let power = 0; power <= 24; power += 2) {
        for (const pair of [
          [token, sy],
          [sy, token],
        ] as const) {
          const amountIn = 10n ** BigInt(power) * 3n + BigInt(power)
          if ((await compare(pool, pair, amountIn)) > 0n) served += 1
          else refused += 1
        }
      }
      expect(served).toBeGreaterThan(8)
      expect(refused).toBeGreaterThan(2)
    },
  )

  test('serves parts of what it has in turn, and moves as foreseen', async () => {
    const placedMarket = await open(days, wish)
    const pool = await poolOf(placedMarket)
    const { pt, yt, market } = placedMarket
    let served = 0
    for (const part of [1_000n, 200n, 30n, 9n, 5n, 3n]) {
      for (const pair of [
        [sy, pt],
        [sy, yt],
        [sy, market],
        [pt, sy],
        [yt, sy],
        [market, sy],
      ] as const) {
        const { state } = await loadOne(scene, pool)
        if (state.kind !== 'market') throw new Error('no market')
        const held = pair[0] === sy ? state.totalSy : state.totalPt
        if ((await compare(pool, pair, held / part + part)) > 0n) served += 1
        await context.mineAfter(97)
      }
    }
    expect(served).toBeGreaterThan(12)
  })
})

test('the router may pay another fee than others, and the quote is of the router', async () => {
  const placedMarket = await open(180n)
  const pool = await poolOf(placedMarket)
  const before = await loadOne(scene, pool)
  const set = 'function setOverriddenFee(address, address, uint80)'
  await site.send(placed.factory, set, [placed.router, pool.address, 10n ** 14n])
  const after = await loadOne(scene, pool)
  const swap = ({ state }: typeof before) =>
    pendle.swaps.swap(pool, state, { tokenIn: placedMarket.pt, tokenOut: sy }, 1_000n * one)
  expect(swap(after).amountOut).toBeGreaterThan(swap(before).amountOut)
  expect(await compare(pool, [placedMarket.pt, sy], 1_000n * one)).toBeGreaterThan(0n)
  expect(await compare(pool, [sy, placedMarket.pt], 1_000n * one)).toBeGreaterThan(0n)
})

test('an expired market trades no more, and its PT is redeemed for SY at the rate of the day', async () => {
  const placedMarket = await open(3n)
  const pool = await poolOf(placedMarket)
  const { pt, yt, market } = placedMarket
  const pairs = [[pt, sy] as const]
  const look = async () => {
    const reader = await context.reader()
    return pendle.swaps.discover({ reader, chain: ethereum, venue: scene.venue, pairs })
  }
  expect(await look()).toEqual({ pools: [], unreadable: [] })
  expect(await compare(pool, [pt, sy], one)).toBeGreaterThan(0n)
  await context.mineAfter(40 * 86_400)
  expect(await compare(pool, [pt, sy], one)).toBe(0n)
  for (const token of [pt, yt, market]) {
    expect(await compare(pool, [sy, token], one)).toBe(0n)
  }
  expect(await compare(pool, [yt, sy], one)).toBe(0n)
  // Shares give their part of both, and the PT of it is redeemed.
  expect(await compare(pool, [market, sy], 77n * one + 7n)).toBeGreaterThan(77n * one)
  const { pools } = await look()
  expect(pools).toEqual([
    {
      protocol: 'pendle',
      id: yt,
      address: yt,
      tokens: [pt, sy],
      parameters: { kind: 'redemption' },
    },
  ])
  const [redemption] = pools
  if (!redemption) throw new Error('no redemption')
  const paid: bigint[] = []
  const amount = 12_345n * one + 678n
  for (const amountIn of [1n, amount, amount]) {
    paid.push(await compare(redemption, [pt, sy], amountIn))
    await context.mineAfter(10 * 86_400)
  }
  const [first = 0n, second = 0n, third = 0n] = paid
  expect(first).toBe(0n)
  expect(second).toBeLessThan(amount)
  // Each SY is worth more by then.
  expect(third).toBeLessThan(second)
  expect(third).toBeGreaterThan(0n)
  // Nobody makes PT of an expired one.
  expect((await swapQuote(redemption, [sy, pt], one)).amountOut).toBe(0n)
  expect((await swapQuote(redemption, [pt, sy], 10n ** 40n)).amountOut).toBe(0n)
})

async function swapQuote(pool: Pool, [tokenIn, tokenOut]: readonly [Address, Address], x: bigint) {
  const { state } = await loadOne(scene, pool)
  return pendle.swaps.swap(pool, state, { tokenIn, tokenOut }, x)
}

describe('an SY', () => {
  async function pools(): Promise<readonly Pool[]> {
    const reader = await context.reader()
    const pairs = [
      [asset, sy],
      [sy, vault],
      [asset, vault],
    ] as const
    const found = await pendle.swaps.discover({
      reader,
      chain: ethereum,
      venue: scene.venue,
      pairs,
    })
    expect(found.unreadable).toEqual([])
    return found.pools
  }

  test('is found by the tokens that it takes and pays, and leads to them', async () => {
    const found = await pools()
    expect(found.map(({ tokens }) => tokens)).toEqual([
      [asset, sy],
      [vault, sy],
    ])
    const { pt, yt } = await open(50n)
    const parts = await pendle.positions?.underlying?.({
      reader: await context.reader(),
      chain: ethereum,
      venue: scene.venue,
      tokens: [pt, yt, sy, asset, nobody],
    })
    expect(parts).toEqual(
      new Map([
        [pt, [sy]],
        [yt, [sy]],
        [sy, [asset, vault]],
      ]),
    )
  })

  test('takes and pays the token of its yield one for one, to the unit', async () => {
    const [, pool] = (await pools()) as readonly [Pool, Pool]
    await site.send(asset, 'function approve(address, uint256)', [vault, 1_000n * one])
    await site.send(vault, 'function deposit(uint256, address)', [1_000n * one, site.owner])
    for (const amountIn of [1n, 77n * one]) {
      expect(await compare(pool, [vault, sy], amountIn)).toBe(amountIn)
      expect(await compare(pool, [sy, vault], amountIn)).toBe(amountIn)
    }
  })

  test('takes and pays its asset at a rate that previews tell', async () => {
    const [pool] = (await pools()) as readonly [Pool]
    for (const pair of [
      [asset, sy],
      [sy, asset],
    ] as const) {
      const { quote, received } = await swapOnChain(scene, pool, pair, 1_234n * one)
      const difference = quote.amountOut - received
      expect(difference * difference).toBeLessThan(10n ** 8n)
      expect(received).toBeGreaterThan(0n)
      expect(quote.exact).toBe(false)
    }
  })
})

test('a factory tells of a market by its PT, and the market tells the rest', async () => {
  const { timestamp } = (await context.reader()).block
  expiries += 1n
  const wish = { sy, expiry: (timestamp / day + 200n + expiries) * day, ...usual }
  const made = await openMarket(site, placed, wish)
  const told = poolsToldBy(logs, scene).slice(-2)
  const link = { kind: 'link' }
  expect(told).toEqual([
    {
      protocol: 'pendle',
      id: made.yt,
      address: made.yt,
      tokens: [made.yt, made.pt],
      parameters: link,
    },
    named(made),
  ])
  expect(pendle.index?.standIns?.(scene.venue)).toEqual([placed.factory])
  const complete = await pendle.index?.complete?.({
    reader: await context.reader(),
    chain: ethereum,
    venue: scene.venue,
    pools: told,
  })
  const { market, pt, yt } = made
  expect(complete).toEqual({
    pools: [
      {
        protocol: 'pendle',
        id: market,
        address: market,
        tokens: [pt, sy, yt, market],
        parameters: { kind: 'market', factory: placed.factory },
      },
      // The tokens by which its shares are entered and left.
      ...[asset, vault].map((token) => yieldPool(sy, token)),
    ],
    unreadable: [],
  })
})

test('a stranger is no pool, and neither is one of a factory that the chain file does not name', async () => {
  const placedMarket = await open(60n)
  const pool = await poolOf(placedMarket)
  const reader = await context.reader()
  const { venue } = scene
  const messageOf = async (one: Pool) => {
    const [load] = await pendle.swaps.load({ reader, chain: ethereum, venue, pools: [one] })
    return load && 'message' in load ? load.message : null
  }
  const redemption = { kind: 'redemption' }
  const { yt } = placedMarket
  expect(await messageOf(pool)).toBeNull()
  expect(
    await Promise.all(
      [
        { ...pool, id: vault, address: vault, tokens: [...pool.tokens.slice(0, 3), vault] },
        { ...pool, tokens: [asset, sy, yt, pool.address] },
        { ...pool, tokens: pool.tokens.slice(0, 2) },
        { ...pool, parameters: { ...pool.parameters, factory: nobody } },
        { ...pool, parameters: {} },
        { ...pool, id: yt, address: yt, tokens: [asset, sy], parameters: redemption },
        {
          ...pool,
          id: `${vault}-${asset}`,
          address: vault,
          tokens: [asset, vault],
          parameters: { kind: 'yield' },
        },
        { ...pool, id: vault, parameters: { kind: 'yield' } },
      ].map(messageOf),
    ),
  ).toEqual([
    'It is not a market of the factory.',
    'It does not trade these tokens.',
    'It is not a pool of Pendle.',
    'It is not a pool of Pendle.',
    'It is not a pool of Pendle.',
    'It does not redeem this PT for this SY.',
    'It is not an SY.',
    'It is not a pool of Pendle.',
  ])
})

test('PT, YT and shares are positions, and a PT yields what its market implies', async () => {
  const placedMarket = await open(200n)
  const pool = await poolOf(placedMarket)
  const args = { reader: await context.reader(), chain: ethereum, venue: scene.venue }
  const listed = await pendle.positions?.list({ ...args, pools: [pool] })
  const { market, pt, yt } = placedMarket
  const positions = listed?.positions ?? []
  expect(positions.map(({ token, underlyingTokens }) => [token, underlyingTokens])).toEqual([
    [pt, [sy]],
    [yt, [sy]],
    [market, [pt, sy]],
  ])
  expect(positions.map(({ name }) => name.slice(0, 8))).toEqual([
    'PT Vault',
    'YT Vault',
    'PLP Vaul',
  ])
  const states = (await pendle.positions?.read({ ...args, positions })) ?? []
  const { state } = await loadOne(scene, pool)
  if (state.kind !== 'market') throw new Error('no market')
  const implied = Math.expm1(Number(state.lastLnImpliedRate) / 1e18)
  expect(implied).toBeGreaterThan(0.01)
  expect(states).toMatchObject([
    { holdings: null, base: { kind: 'annual' } },
    { holdings: [{ token: sy }], base: null },
    {
      holdings: [
        { token: pt, amount: state.totalPt },
        { token: sy, amount: state.totalSy },
      ],
      base: null,
    },
  ])
  const [first] = states
  const rate = first && 'base' in first && first.base?.kind === 'annual' ? first.base.rate : 0
  expect(rate).toBeCloseTo(implied, 12)
  // All YT is the trader's, who claims all yield: less the fee of 3 % it is what the position holds.
  await context.mineAfter(30 * 86_400)
  const later = await context.reader()
  const [, held] = (await pendle.positions?.read({ ...args, reader: later, positions })) ?? []
  const owed = held && 'holdings' in held ? (held.holdings?.[0]?.amount ?? 0n) : 0n
  expect(owed).toBeGreaterThan(one)
  const claim = 'function redeemDueInterestAndRewards(address, bool, bool) returns (uint256)'
  const claimed = BigInt((await site.read(yt, claim, [site.owner, true, true])).slice(0, 66))
  expect(Number(claimed) / Number((owed * 97n) / 100n)).toBeCloseTo(1, 6)
})
