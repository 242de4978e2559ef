/** Gauges of Balancer's own bytecode on the sandbox: found, quoted, listed, and every action carried out on a fork. */
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { RoutingStrategy } from '../../../src/domain/order.js'
import type { Address } from '../../../src/domain/primitives.js'
import { balancerGauge, curveGauge } from '../../../src/protocols/liquidity-gauge/index.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { ActionFork, type ActionRun } from '../../support/actions.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import {
  createGauge,
  createOldGauge,
  deployGauges,
  type GaugeSet,
  listGauge,
} from '../../support/protocols/place-gauges.js'
import { withSandbox } from '../../support/sandbox.js'

const abi = parseAbi([
  'function approve(address, uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function deposit(uint256)',
  'function withdraw(uint256)',
])
const user: Address = '0x00000000000000000000000000000000beef0011'
const other: Address = '0x00000000000000000000000000000000beef0012'
const pools = sandboxPools()
const share = (protocol: string) => {
  const pool = pools.find((one) => one.protocol === protocol)
  return (pool?.parameters.lpToken ?? pool?.id.slice(0, 42)) as Address
}
const [curveShare, balancerShare] = [share('curve'), share('balancer-v2')]
const [crv, uni] = ['CRV', 'UNI'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
]
const ether = 10n ** 18n

const context = withSandbox()
let curve: GaugeSet
let balancer: GaugeSet
let unlisted: Address
let old: Address
let second: Address
let fork: ActionFork
let balancerFork: ActionFork
beforeAll(async () => {
  const { url } = context().sandbox
  const node = await new NodeWriter(url).start()
  curve = await deployGauges(node, {
    at: 'curve-gauge',
    style: 'curve',
    reward: crv,
    staked: [curveShare],
  })
  old = await createOldGauge(node, curveShare)
  await listGauge(node, curve, old)
  second = await createOldGauge(node, curveShare, 2)
  unlisted = await createGauge(node, curve, curveShare)
  // What governance lists need be no gauge, and may be one of another chain.
  await listGauge(node, curve, other)
  balancer = await deployGauges(node, {
    at: 'balancer-gauge',
    style: 'balancer',
    reward: uni,
    staked: [balancerShare],
  })
  await node.close()
  fork = await ActionFork.start(url, curveGauge)
  balancerFork = await ActionFork.start(url, balancerGauge)
})
afterAll(async () => {
  await fork?.stop()
  await balancerFork?.stop()
})

const venueOf = (slug: string) => ethereum.venues[slug] ?? {}
const token = () => curve.gauges[0] as Address

async function found(adapter: typeof curveGauge, pair: readonly [Address, Address]) {
  const reader = await fork.reader()
  const common = { reader, chain: ethereum, venue: venueOf(adapter.slug) }
  const { pools: all, unreadable } = await adapter.swaps.discover({ ...common, pairs: [pair] })
  expect(unreadable).toEqual([])
  return all
}

async function loaded(pool: Pool, adapter = curveGauge) {
  const common = { reader: await fork.reader(), chain: ethereum, venue: venueOf(adapter.slug) }
  const [one] = await adapter.swaps.load({ ...common, pools: [pool] })
  return one
}

const poolOf = (gauge: Address, staked = curveShare): Pool => ({
  protocol: 'curve-gauge',
  id: gauge,
  address: gauge,
  tokens: [staked, gauge],
  parameters: {},
})

describe('gauges as pools', () => {
  test('each belongs to the family whose controller lists it, and to Curve’s where none does', async () => {
    const [bal = '0x' as Address] = balancer.gauges
    expect(await found(curveGauge, [curveShare, token()])).toEqual([poolOf(token())])
    expect(await found(balancerGauge, [curveShare, token()])).toEqual([])
    expect(await found(curveGauge, [bal, balancerShare])).toEqual([])
    expect(await found(balancerGauge, [bal, balancerShare])).toMatchObject([{ id: bal }])
    expect(await found(curveGauge, [unlisted, curveShare])).toEqual([poolOf(unlisted)])
    expect(await found(balancerGauge, [unlisted, curveShare])).toEqual([])
    expect(await found(curveGauge, [token(), balancerShare])).toEqual([])
    const args = { reader: await fork.reader(), chain: ethereum, venue: {} }
    const tokens = [token(), curveShare, bal]
    expect(await curveGauge.positions?.underlying?.({ ...args, tokens })).toEqual(
      new Map([[token(), [curveShare]]]),
    )
  })

  test('a listed one is exact and its own code, an unlisted one an estimate of somebody’s', async () => {
    const [listed, stranger] = [await loaded(poolOf(token())), await loaded(poolOf(unlisted))]
    expect([listed, stranger]).toMatchObject([{ partial: false }, { partial: true }])
    for (const [one, code] of [
      [listed, null],
      [stranger, unlisted],
    ] as const) {
      if (!one || !('state' in one)) throw new Error('not loaded')
      expect(curveGauge.trust?.foreignCode?.(one.pool, one.state, {})).toBe(code)
      const quote = curveGauge.swaps.swap(
        one.pool,
        one.state,
        { tokenIn: curveShare, tokenOut: one.pool.address },
        7n,
      )
      expect(quote).toMatchObject({ amountOut: 7n, exact: code === null })
    }
  })

  test.each([
    ['one whose stakes are no tokens', () => poolOf(old), 'Its stakes are no tokens.'],
    ['one of another share', () => poolOf(token(), balancerShare), 'A gauge has two tokens'],
    ['a token', () => poolOf(crv), 'A gauge has two tokens'],
  ])('%s cannot be swapped in', async (_what, pool, message) => {
    expect(await loaded(pool())).toMatchObject({ message: expect.stringContaining(message) })
  })

  test('stakes and shares go one to one, up to all that there are and no further', async () => {
    const gauge = token()
    await fork.deal(curveShare, user, 1_000n * ether)
    await fork.send(user, curveShare, abi, 'approve', [gauge, 1_000n * ether])
    for (const amount of [1n, 12_345n, 999n * ether]) {
      const before = await loaded(poolOf(gauge))
      await fork.send(user, gauge, abi, 'deposit', [amount])
      const after = await loaded(poolOf(gauge))
      if (!before || !('state' in before) || !after || !('state' in after)) throw new Error('none')
      const { pool, state } = before
      expect(
        curveGauge.swaps
          .swap(pool, state, { tokenIn: curveShare, tokenOut: gauge }, amount)
          .after(),
      ).toEqual(after.state)
    }
    expect(await fork.balanceOf(gauge, user)).toBe(1n + 12_345n + 999n * ether)
    const all = await fork.read(gauge, abi, 'totalSupply')
    const last = await loaded(poolOf(gauge))
    if (!last || !('state' in last)) throw new Error('none')
    const quote = (amount: bigint) =>
      curveGauge.swaps.swap(last.pool, last.state, { tokenIn: gauge, tokenOut: curveShare }, amount)
    expect(quote(all)).toMatchObject({ amountOut: all, exact: true })
    expect(quote(all + 1n)).toMatchObject({ amountOut: 0n, exact: true })
    await expect(fork.send(user, gauge, abi, 'withdraw', [all + 1n])).rejects.toThrow('withdraw')
    const held = await fork.balanceOf(curveShare, user)
    await fork.send(user, gauge, abi, 'withdraw', [all])
    expect((await fork.balanceOf(curveShare, user)) - held).toBe(all)
  })
})

describe('gauges as positions', () => {
  test('those of the controller that are gauges of this chain, whether their stakes are tokens or not', async () => {
    const args = { reader: await fork.reader(), chain: ethereum, pools: [] }
    const found = await curveGauge.positions?.list({ ...args, venue: venueOf('curve-gauge') })
    expect(found?.unreadable).toEqual([])
    expect(found?.positions.map(({ key, token: own }) => [key, own])).toEqual([
      [token(), token()],
      [old, null],
    ])
    expect(found?.positions[0]).toMatchObject({
      protocol: 'curve-gauge',
      poolAddress: curveShare,
      underlyingTokens: [curveShare],
      rewardTokens: [crv],
      subtitle: expect.stringContaining('-gauge'),
    })
    const others = await balancerGauge.positions?.list({
      ...args,
      venue: venueOf('balancer-gauge'),
    })
    expect(others?.positions).toMatchObject([{ rewardTokens: [uni], token: balancer.gauges[0] }])
    expect(await curveGauge.positions?.list({ ...args, venue: {} })).toEqual({
      positions: [],
      unreadable: [],
    })
  })
})

function run(wanted: Omit<ActionRun, 'from' | 'watch'> & Partial<ActionRun>, on = fork) {
  const watch = [curveShare, token(), crv].map((one) => ({ token: one, owner: user }))
  return on.run({ from: user, watch, ...wanted })
}

describe('actions of gauges', () => {
  const strategies: readonly RoutingStrategy[] = ['router', 'delegate', 'wallet-v2']
  const kinds = [
    ['of the fifth version', token],
    ['of the second version', () => second],
  ] as const
  test.each(kinds.flatMap(([kind, gauge]) => strategies.map((by) => [kind, by, gauge] as const)))(
    'stakes %s by %s: in for another, and out',
    async (_kind, strategy, gauge) => {
      const amountIn = 3n * ether
      await fork.deal(curveShare, user, amountIn)
      const primaryAddress = gauge()
      const watch = [
        { token: primaryAddress, owner: other },
        { token: primaryAddress, owner: user },
        { token: curveShare, owner: user },
      ]
      const deposit = { primaryAddress, tokenIn: curveShare, tokenOut: primaryAddress, amountIn }
      const half = { ...deposit, amountIn: amountIn / 2n }
      const given = await run({
        action: 'deposit',
        strategy,
        watch,
        args: { ...half, receiver: other },
      })
      expect(given, given.reason).toMatchObject({
        status: 'success',
        deltas: [amountIn / 2n, 0n, -amountIn / 2n],
      })
      const stake = await run({ action: 'deposit', strategy, watch, args: half, receiver: user })
      expect(stake, stake.reason).toMatchObject({ status: 'success' })
      const args = { primaryAddress, tokenIn: primaryAddress, amountOut: amountIn / 2n }
      const back = await run({ action: 'withdraw', strategy, watch, args, receiver: user })
      expect(back, back.reason).toMatchObject({
        status: 'success',
        deltas: [0n, -amountIn / 2n, amountIn / 2n],
      })
    },
  )

  test.each([
    ['the minter of Curve', () => ({ on: fork, gauge: token(), staked: curveShare, reward: crv })],
    [
      'Balancer’s own minter',
      () => ({
        on: balancerFork,
        gauge: balancer.gauges[0] as Address,
        staked: balancerShare,
        reward: uni,
      }),
    ],
    [
      'the minter, of the first version',
      () => ({ on: fork, gauge: old, staked: curveShare, reward: crv }),
    ],
  ])('what a stake earns comes by %s', async (_what, scene) => {
    const { on, gauge, staked, reward } = scene()
    const strategy = 'delegate'
    const amountIn = 5n * ether
    await on.deal(staked, user, amountIn)
    const args = { primaryAddress: gauge, tokenIn: staked, amountIn }
    const watch = [{ token: reward, owner: user }]
    const stake = await run({ action: 'deposit', strategy, args, watch }, on)
    expect(stake.status, stake.reason).toBe('success')
    await on.mineAfter(15 * 86_400)
    const done = await run(
      { action: 'harvest', strategy, args: { primaryAddress: gauge }, watch },
      on,
    )
    expect(done.status, done.reason).toBe('success')
    expect(done.deltas[0]).toBeGreaterThan(0n)
    const away = await run(
      {
        action: 'harvest',
        strategy,
        watch: [{ token: reward, owner: other }],
        args: { primaryAddress: gauge, token: reward, receiver: other },
      },
      on,
    )
    expect(away.deltas[0], away.reason).toBeGreaterThan(0n)
    const out = { primaryAddress: gauge, amountOut: amountIn }
    const back = await run(
      { action: 'withdraw', strategy, args: out, watch: [{ token: staked, owner: user }] },
      on,
    )
    expect(back, back.reason).toMatchObject({ status: 'success', deltas: [amountIn] })
  })

  test('the yearly rate is the gauge’s part of what is minted', async () => {
    const reader = await fork.reader()
    const common = { reader, chain: ethereum, venue: venueOf('curve-gauge') }
    const { positions = [] } = (await curveGauge.positions?.list({ ...common, pools: [] })) ?? {}
    const [first] = positions
    if (!first) throw new Error('no position')
    await fork.deal(curveShare, other, ether)
    await fork.send(other, curveShare, abi, 'approve', [token(), ether])
    await fork.send(other, token(), abi, 'deposit', [ether])
    const [state] =
      (await curveGauge.positions?.read({
        ...common,
        reader: await fork.reader(),
        positions: [first],
      })) ?? []
    // Three have equal weights, and two of them are gauges.
    const perYear = (curve.rate * (ether / 3n) * 31_557_600n) / ether
    expect(state).toMatchObject({ base: null, rewards: [{ token: crv, perYear }] })
  })

  test('what only the caller can have is refused where somebody else calls', async () => {
    for (const [action, primaryAddress, args] of [
      ['deposit', old, { tokenIn: curveShare, amountIn: 1n }],
      ['withdraw', old, { amountOut: 1n }],
      ['harvest', token(), {}],
    ] as const) {
      const wanted = { action, strategy: 'router', args: { primaryAddress, ...args } } as const
      await expect(run(wanted)).rejects.toMatchObject({ argument: 'routingStrategy' })
    }
  })

  test('wrong tokens and what is no gauge are refused', async () => {
    const primaryAddress = token()
    for (const [action, args, argument] of [
      ['deposit', { primaryAddress, tokenIn: crv, amountIn: 1n }, 'tokenIn'],
      ['deposit', { primaryAddress, tokenIn: curveShare, tokenOut: crv, amountIn: 1n }, 'tokenOut'],
      [
        'deposit',
        { primaryAddress: old, tokenIn: curveShare, amountIn: 1n, receiver: other },
        'receiver',
      ],
      ['withdraw', { primaryAddress, tokenOut: crv, amountOut: 1n }, 'tokenOut'],
      ['withdraw', { primaryAddress, tokenIn: crv, amountOut: 1n }, 'tokenIn'],
      ['harvest', { primaryAddress, token: curveShare }, 'token'],
      ['harvest', { primaryAddress: unlisted }, 'primaryAddress'],
      ['harvest', { primaryAddress: crv }, 'primaryAddress'],
    ] as const) {
      await expect(run({ action, strategy: 'delegate', args })).rejects.toMatchObject({ argument })
    }
  })
})
