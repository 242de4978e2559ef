/** Weighted and stable pools of Balancer V3's own Vault, by the adapter's own steps and our helper, to the wei. */
import fc from 'fast-check'
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import { readers } from '../../../src/executor/generated/contracts.js'
import { balancerV3 } from '../../../src/protocols/balancer-v3/index.js'
import type { BalancerV3State } from '../../../src/protocols/balancer-v3/math.js'
import type { Pool } from '../../../src/protocols/pool.js'
import {
  type BalancerV3,
  type Made,
  placeBalancerV3,
  type Side,
  vaultAbi,
  type Wanted,
} from '../../support/protocols/balancer-v3.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import {
  loadOne,
  placeHelpers,
  type SwapScene,
  swapOnChain,
} from '../../support/protocols/swap-on-chain.js'
import { poolsToldBy } from '../../support/protocols/told-by-events.js'

const rampAbi = parseAbi(['function startAmplificationParameterUpdate(uint256, uint256)'])
const e18 = 10n ** 18n
const e15 = 10n ** 15n
const day = 86_400n

let context: PoolContext
let balancer: BalancerV3
let scene: SwapScene<BalancerV3State>

beforeAll(async () => {
  context = await PoolContext.start()
  balancer = await placeBalancerV3(context)
  const { vault, factories } = balancer
  const helpers = await placeHelpers(context, ['BalancerV3Swapper'])
  scene = { context, adapter: balancerV3, chain: base, venue: { vault, factories }, helpers }
}, 600_000)
afterAll(() => context?.close())

type Opened = Made & { readonly pool: Pool }

async function open(wanted: Wanted): Promise<Opened> {
  const made = await balancer.create(wanted)
  const [pool] = poolsToldBy(made.logs, scene)
  if (!pool) throw new Error('no event tells of the pool')
  expect(pool).toMatchObject({
    id: made.contract,
    address: balancer.vault,
    tokens: made.tokens,
    parameters: { isRated: made.providers.some((provider) => provider !== null) },
  })
  return { ...made, pool }
}

/** @returns what the swap gave. */
async function check(pool: Pool, i: number, j: number, amountIn: bigint): Promise<bigint> {
  const [tokenIn, tokenOut] = [pool.tokens[i], pool.tokens[j]]
  if (!tokenIn || !tokenOut) throw new Error('no such tokens')
  const swap = await swapOnChain(scene, pool, [tokenIn, tokenOut], amountIn)
  const label = `${amountIn} of token ${i} into token ${j}`
  expect(swap.quote, label).toMatchObject({ amountOut: swap.received, exact: true })
  // A swap may succeed and give nothing, where a unit of the output is worth more.
  expect(swap.found, label).toEqual(swap.next)
  return swap.received
}

/** From one unit to more than the pool holds, both ways in turn, the pool moving on. @returns how many were served. */
async function compareSizes({ pool }: Opened): Promise<number> {
  let served = 0
  const last = pool.tokens.length - 1
  for (const [i, j] of [
    [0, last],
    [last, 0],
  ] as const) {
    const { state } = await loadOne(scene, pool)
    const most = (state.balances[i] ?? 0n) * 4n
    const sizes = Array.from(
      { length: most.toString().length },
      (_, k) => 10n ** BigInt(k) * 3n + BigInt(k) * 7n,
    )
    for (const amountIn of [1n, ...sizes, most]) {
      const received = await check(pool, i, j, amountIn)
      if (received === 0n) continue
      served += 1
      // Back, so that the next size meets nearly the same pool.
      await check(pool, j, i, received)
    }
  }
  return served
}

const side = (decimals: number, amount: bigint, more: Partial<Side> = {}): Side => ({
  decimals,
  amount,
  ...more,
})

const markets: readonly (Wanted & { readonly name: string })[] = [
  {
    name: 'weighted 50/50 of 18 and 6 decimals',
    kind: 'weighted',
    sides: [side(18, 1_234n, { weight: 50n }), side(6, 3_700_000n, { weight: 50n })],
    swapFee: 3n * e15,
  },
  {
    name: 'weighted 80/20 of 8 and 18 decimals with the least fee',
    kind: 'weighted',
    sides: [side(8, 77n, { weight: 80n }), side(18, 900_000n, { weight: 20n })],
    swapFee: 10n ** 13n,
  },
  {
    name: 'weighted of four tokens, one with a rate, with the largest fee',
    kind: 'weighted',
    sides: [
      side(18, 10_000n, { weight: 33n }),
      side(18, 9_000n, { weight: 33n, rate: 1_234_567_890_123_456_789n }),
      side(6, 55_000_000n, { weight: 24n }),
      side(8, 400n, { weight: 10n }),
    ],
    swapFee: 100n * e15,
  },
  {
    name: 'weighted of an earlier version',
    kind: 'weighted',
    isEarlier: true,
    sides: [side(18, 1_234n, { weight: 60n }), side(6, 3_700_000n, { weight: 40n })],
    swapFee: 3n * e15,
  },
  {
    name: 'stable of 18 and 18 decimals with the least fee',
    kind: 'stable',
    sides: [side(18, 1_000_000n), side(18, 1_400_000n)],
    swapFee: 10n ** 12n,
    amp: 200n,
  },
  {
    name: 'stable of 6 and 18 decimals with rates',
    kind: 'stable',
    sides: [
      side(6, 5_000_000n, { rate: e18 }),
      side(18, 4_000_000n, { rate: 1_087_654_321_012_345_679n }),
    ],
    swapFee: 4n * 10n ** 14n,
    amp: 5_000n,
  },
  {
    name: 'stable of 6, 8 and 18 decimals with the largest amplification',
    kind: 'stable',
    sides: [
      side(6, 9_000_000n),
      side(8, 31_007n),
      side(18, 5_000_000n, { rate: 970_000_000_000_000_003n }),
    ],
    swapFee: 10n ** 14n,
    amp: 50_000n,
  },
  {
    name: 'stable of an earlier version',
    kind: 'stable',
    isEarlier: true,
    sides: [side(18, 1_000_000n, { rate: 1_150_000_000_000_000_001n }), side(6, 900_000n)],
    swapFee: 10n ** 14n,
    amp: 1n,
  },
]

describe('pools of Balancer V3', () => {
  test.each(markets)('$name: every size to the unit, both ways', async ({ name, ...wanted }) => {
    expect(await compareSizes(await open(wanted))).toBeGreaterThan(10)
  })

  test('property: any balances, weights, rates, fees and sizes', async () => {
    const rate = fc.option(fc.bigInt(e18 / 2n, 3n * e18), { nil: undefined })
    const sides = fc.array(
      fc.record({ decimals: fc.constantFrom(6, 8, 18), amount: fc.bigInt(1n, 10n ** 9n), rate }),
      { minLength: 2, maxLength: 4 },
    )
    const cases = fc.sample(
      fc.record({
        kind: fc.constantFrom('weighted' as const, 'stable' as const),
        isEarlier: fc.boolean(),
        sides,
        first: fc.bigInt(1n, 90n),
        swapFee: fc.bigInt(10n ** 2n, 10n ** 6n).map((steps) => steps * 10n ** 11n),
        amp: fc.bigInt(1n, 50_000n),
        swaps: fc.array(
          fc.tuple(
            fc.nat({ max: 3 }),
            fc.nat({ max: 3 }),
            fc.integer({ min: -6, max: 9 }),
            fc.nat({ max: 9_999 }),
          ),
          { minLength: 6, maxLength: 6 },
        ),
      }),
      { seed: 16, numRuns: 24 },
    )
    let served = 0
    for (const { swaps, first, sides, ...wanted } of cases) {
      const even = (100n - first) / BigInt(sides.length - 1)
      const lasting = 100n - even * BigInt(sides.length - 1)
      const { pool } = await open({
        ...wanted,
        sides: sides.map(({ rate, ...each }, k) => ({
          ...each,
          ...(rate !== undefined && { rate }),
          // A stable pool far out of balance takes no first liquidity.
          ...(wanted.kind === 'stable' && { amount: 1_000_000n + (each.amount % 9_000_000n) }),
          weight: k === 0 ? lasting : even,
        })),
      })
      for (const [i, j, power, digits] of swaps) {
        const [from, to] = [i % sides.length, j % sides.length]
        if (from === to) continue
        const { state } = await loadOne(scene, pool)
        const unit = e18 / (state.scalingFactors[from] ?? 1n)
        const amountIn = (unit * 10n ** BigInt(power + 6) * BigInt(digits)) / 10n ** 9n + 1n
        if ((await check(pool, from, to, amountIn)) > 0n) served += 1
      }
    }
    expect(served).toBeGreaterThan(40)
  })

  test('the yield of a rate that has grown is shared by the next swap, and that of one that fell is not', async () => {
    for (const kind of ['weighted', 'stable'] as const) {
      const { pool, providers } = await open({
        kind,
        sides: [
          side(18, 1_000n, { weight: 50n, rate: 1_100_000_000_000_000_000n }),
          side(6, 1_000n, { weight: 50n, rate: e18 }),
        ],
        swapFee: 10n ** 15n,
        amp: 300n,
      })
      const [first, second] = providers
      if (!first || !second) throw new Error('no rates')
      const unit = async (k: number) =>
        e18 / ((await loadOne(scene, pool)).state.scalingFactors[k] ?? 1n)
      for (const rates of [
        [1_234_567_891_234_567_891n, 1_000_000_000_000_000_001n],
        [1_222_222_222_222_222_222n, 1_345_678_901_234_567_890n],
        [2n * e18, 999_999_999_999_999_999n],
      ] as const) {
        await context.setAnswer(first, rates[0])
        await context.setAnswer(second, rates[1])
        expect(await check(pool, 0, 1, 3n * (await unit(0)) + 1n)).toBeGreaterThan(0n)
        expect(await check(pool, 1, 0, 2n * (await unit(1)) + 1n)).toBeGreaterThan(0n)
      }
    }
  })

  test('the least that may be traded: one part below it nothing is given, on either side', async () => {
    const { pool } = await open({
      kind: 'weighted',
      sides: [side(18, 1_000n, { weight: 50n }), side(18, 1_000n, { weight: 50n })],
      swapFee: 10n ** 15n,
    })
    const sizes = [999_999n, 1_000_000n, 1_001_001n, 1_001_002n, 1_010_000n, 1_100_000n, 10n ** 12n]
    const received: bigint[] = []
    for (const size of sizes) received.push(await check(pool, 0, 1, size))
    expect(received[0]).toBe(0n)
    expect(received.at(-1)).toBeGreaterThan(1_000_000n)
    for (const amount of received) expect(amount === 0n || amount >= 1_000_000n).toBe(true)
  })

  test('a pool that is paused, has recovery mode, other fees, or no liquidity is as it is at the block', async () => {
    const wanted: Wanted = {
      kind: 'stable',
      sides: [side(18, 1_000n, { rate: 1_100_000_000_000_000_000n }), side(6, 1_000n)],
      swapFee: 10n ** 15n,
      amp: 300n,
    }
    const { pool, contract, providers } = await open(wanted)
    const tell = async (name: string, args: readonly unknown[]) =>
      expect(await context.send(balancer.vault, vaultAbi, name, args), name).not.toBeNull()
    const { scalingFactors } = (await loadOne(scene, pool)).state
    const served = () => check(pool, 0, 1, (7n * e18) / (scalingFactors[0] ?? 1n) + 1n)
    expect(await served()).toBeGreaterThan(0n)
    await tell('setStaticSwapFeePercentage', [contract, 100n * e15])
    expect(await served()).toBeGreaterThan(0n)
    await tell('pausePool', [contract])
    expect(await served()).toBe(0n)
    await tell('unpausePool', [contract])
    await tell('pauseVault', [])
    expect(await served()).toBe(0n)
    await tell('unpauseVault', [])
    expect(await served()).toBeGreaterThan(0n)
    await tell('enableRecoveryMode', [contract])
    for (const provider of providers) {
      if (provider) await context.setAnswer(provider, 1_300_000_000_000_000_001n)
    }
    expect(await served()).toBeGreaterThan(0n)
    const { state } = await loadOne(scene, pool)
    expect(state.aggregateFee).toBe(0n)
    const empty = await open({ ...wanted, isInitialized: false })
    expect(await check(empty.pool, 0, 1, 10n ** 12n)).toBe(0n)
  })

  test('an amplification on its ramp is that of the block of the swap', async () => {
    const { pool, contract } = await open({
      kind: 'stable',
      sides: [side(18, 2_000n), side(18, 1_000n)],
      swapFee: 10n ** 15n,
      amp: 100n,
    })
    const { timestamp } = (await context.reader()).block
    const sent = await context.send(contract, rampAbi, 'startAmplificationParameterUpdate', [
      190n,
      timestamp + 2n * day,
    ])
    expect(sent).not.toBeNull()
    const seen: bigint[] = []
    for (const hours of [1, 20, 50]) {
      await context.mineAfter(hours * 3_600)
      const [tokenIn, tokenOut] = pool.tokens as [Address, Address]
      const swap = await swapOnChain(scene, pool, [tokenIn, tokenOut], 100n * e18 + 1n)
      expect(swap.quote).toMatchObject({ amountOut: swap.received, exact: true })
      expect(swap.received).toBeGreaterThan(0n)
      seen.push(swap.before.amp)
    }
    expect(seen[0]).toBeGreaterThan(100_000n)
    expect(seen[1]).toBeGreaterThan(seen[0] ?? 0n)
    expect(seen[2]).toBe(190_000n)
  })

  describe('hooks', () => {
    const sides = [side(18, 1_000n, { weight: 50n }), side(6, 1_000n, { weight: 50n })]
    const common = { kind: 'weighted', sides, swapFee: 10n ** 15n } as const
    const [sender, otherSender, swapper] = ['7', '8', '9'].map((digit) => `0x${digit.repeat(40)}`)
    const running = () => {
      const { code, ...placed } = {
        code: readers.BalancerV3Quoter.runtimeCode,
        quoterSwappers: [String(scene.helpers.BalancerV3Swapper), String(swapper)],
        quoterSenders: [String(sender), String(otherSender)],
      }
      return { ...scene, venue: { ...scene.venue, ...placed, quoterCode: code } }
    }
    const hooked = async (name: string, type: string, value: unknown) => {
      const hooks = await context.deploy(balancer.code(name), type, type ? [value] : [])
      const opened = await open({ ...common, hooks })
      return { ...opened, hooks }
    }
    const loadRun = async (pool: Pool, { chain, venue } = running()) => {
      const reader = await context.reader()
      const [item] = await balancerV3.swaps.load({ reader, chain, venue, pools: [pool] })
      return item
    }
    /** One token of the side with 18 decimals. */
    const trade = async (pool: Pool) => {
      const { state } = await loadOne(running(), pool)
      const first = (state.scalingFactors[0] ?? 1n) === 1n ? 0 : 1
      const [tokenIn, tokenOut] = [pool.tokens[first], pool.tokens[1 - first]]
      if (!tokenIn || !tokenOut) throw new Error('no such tokens')
      return swapOnChain(running(), pool, [tokenIn, tokenOut], e18)
    }

    test('that no swap calls leave the pool exact, and are told as such', async () => {
      const { pool, hooks } = await hooked('IdleHooks', 'bool', false)
      const finding = { class: 'exact', reason: null, contract: hooks, codeHash: null }
      expect(await loadRun(pool)).toMatchObject({ finding })
      const { scalingFactors } = (await loadOne(scene, pool)).state
      expect(await check(pool, 0, 1, e18 / (scalingFactors[0] ?? 1n))).toBeGreaterThan(0n)
    })

    test('that swaps call are refused unless they are run; a record has to name them', async () => {
      const { pool, hooks } = await hooked('IdleHooks', 'bool', true)
      expect(pool.parameters).toMatchObject({ hooks })
      expect(await messagesOf([pool])).toEqual(['Its hooks take part in swaps.'])
      const nameless = { ...pool, parameters: { isRated: false } }
      const message = 'The record does not name the hooks of the pool.'
      expect(await loadRun(nameless)).toMatchObject({ message })
    })

    test('that do nothing are exact to the unit, though no promise', async () => {
      const { pool, hooks } = await hooked('IdleHooks', 'bool', true)
      expect(await loadRun(pool)).toMatchObject({ finding: { class: 'exact', contract: hooks } })
      const { quote, received } = await trade(pool)
      expect(quote).toMatchObject({ amountOut: received, exact: false })
      expect(received).toBeGreaterThan(0n)
    })

    test('of more than four tokens are run for the pairs that are asked for, and left out without that', async () => {
      const weights = [20n, 20n, 20n, 20n, 10n, 10n]
      const wide = weights.map((weight) => side(18, 1_000n, { weight }))
      const hooks = await context.deploy(balancer.code('IdleHooks'), 'bool', [true])
      const { pool } = await open({ ...common, sides: wide, hooks })
      const message = 'hooks of pools of so many tokens are not run'
      expect(await loadRun(pool)).toMatchObject({ message, isLeftOut: true })
      const { venue, ...rest } = running()
      const some = { ...rest, venue: { ...venue, quoterPairs: 10 } }
      expect(await loadRun(pool, some)).toMatchObject({ finding: { class: 'exact' } })
      const trade = (...places: [number, number]) => {
        const [tokenIn, tokenOut] = places.map((place) => pool.tokens[place]) as [Address, Address]
        return swapOnChain(some, pool, [tokenIn, tokenOut], e18)
      }
      const { quote, received } = await trade(2, 1)
      expect(received).toBeGreaterThan(0n)
      expect(quote.amountOut).toBe(received)
      // The Vault would swap it, and nobody has seen what for.
      const untried = await trade(4, 5)
      expect(untried.received).toBeGreaterThan(0n)
      expect(untried.quote.amountOut).toBe(0n)
    })

    test('that set a fee are steady, and quoted to a hundredth of a basis point', async () => {
      const { pool } = await hooked('FeeHooks', 'address', zeroAddress)
      expect(await loadRun(pool)).toMatchObject({ finding: { class: 'steady', reason: null } })
      const { quote, received } = await trade(pool)
      expect(received).toBeGreaterThan(0n)
      const apart = Number(quote.amountOut - received) / Number(received)
      expect(Math.abs(apart)).toBeLessThan(1e-6)
    })

    test.each([
      ['FeeHooks', 'address', 'changing', 'what its hooks give changes with the sender'],
      ['ForgingHooks', '', 'closed', 'no swap with its hooks succeeds with 1000000 gas'],
    ] as const)('%s (%s) are %s and left out', async (name, type, className, reason) => {
      const { pool, hooks } = await hooked(name, type, sender)
      const finding = { class: className, reason, contract: hooks, codeHash: null }
      expect(await loadRun(pool)).toMatchObject({ message: reason, isLeftOut: true, finding })
    })
  })

  test('a record that is not of the pool is unreadable, and no other; a record of little finds its factory', async () => {
    const { pool } = await open({
      kind: 'stable',
      sides: [side(18, 1_000n, { rate: e18 }), side(18, 1_000n)],
      swapFee: 10n ** 15n,
      amp: 300n,
    })
    const { parameters } = pool
    const stranger = balancer.controller
    const other: Address = '0x00000000000000000000000000000000000000aa'
    expect(
      await messagesOf([
        { ...pool, parameters: { ...parameters, factory: other } },
        pool,
        { ...pool, tokens: pool.tokens.toReversed() },
        { ...pool, parameters: { ...parameters, isRated: false } },
        { ...pool, address: other },
        { ...pool, parameters: {} },
      ]),
    ).toEqual([
      'No factory of the venue made the pool.',
      'loaded',
      'The Vault lists other tokens for the pool.',
      'The pool has rates.',
      'The pool is of another Vault.',
      'loaded',
    ])
    const [message] = await messagesOf([{ ...pool, id: stranger }, pool])
    expect(message).not.toBe('loaded')
    const outside = { ...scene, venue: { vault: balancer.vault, factories: [] } }
    const loads = await balancerV3.swaps.load({
      ...outside,
      reader: await context.reader(),
      pools: [pool],
    })
    expect(loads).toMatchObject([{ message: 'No factory of the venue made the pool.' }])
  })
})

async function messagesOf(pools: readonly Pool[]): Promise<string[]> {
  const { chain, venue } = scene
  const loads = await balancerV3.swaps.load({ reader: await context.reader(), chain, venue, pools })
  return loads.map((load) => ('state' in load ? 'loaded' : load.message))
}
