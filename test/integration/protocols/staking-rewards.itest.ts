/** Uniswap's staking contracts on the sandbox: positions, and every action carried out on a fork. */
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { RoutingStrategy } from '../../../src/domain/order.js'
import type { Address } from '../../../src/domain/primitives.js'
import { runnerAddress } from '../../../src/executor/compile.js'
import { stakingRewards } from '../../../src/protocols/staking-rewards/index.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { gaugeSpecs, stakedToken } from '../../../src/sandbox/venues/staking-rewards.js'
import { ActionFork, type ActionRun } from '../../support/actions.js'
import { withSandbox } from '../../support/sandbox.js'

const abi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function earned(address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function rewardRate() view returns (uint256)',
])
const user: Address = '0x00000000000000000000000000000000beef0005'
const [plan] = gaugeSpecs
if (!plan) throw new Error('no plan')
const { gauge } = plan
const lpToken = stakedToken(plan)
const uni = sandboxToken('UNI').address
const venue = ethereum.venues['staking-rewards'] ?? {}
const amountIn = 10n ** 15n

const context = withSandbox()
let fork: ActionFork
beforeAll(async () => {
  fork = await ActionFork.start(context().sandbox.url, stakingRewards)
})
afterAll(() => fork?.stop())

function run(wanted: Omit<ActionRun, 'from' | 'watch'> & Partial<ActionRun>) {
  const watch = [
    { token: lpToken, owner: user },
    { token: uni, owner: user },
  ]
  return fork.run({ from: user, watch, ...wanted })
}

describe('staking-rewards positions', () => {
  test('the contracts of the chain that are there are listed, as positions without a token', async () => {
    const common = { reader: await fork.reader(), chain: ethereum, venue }
    const { positions = [], unreadable } =
      (await stakingRewards.positions?.list({ ...common, pools: [] })) ?? {}
    expect(unreadable).toEqual([])
    expect(positions.map(({ key }) => key)).toEqual(gaugeSpecs.map((each) => each.gauge))
    expect(positions[0]).toEqual({
      protocol: 'staking-rewards',
      key: gauge,
      token: null,
      primaryAddress: gauge,
      poolAddress: lpToken,
      name: 'Staked Uniswap V2',
      subtitle: 'UNI-V2 for UNI',
      underlyingTokens: [lpToken],
      rewardTokens: [uni],
      parameters: {},
    })
    const [state] = (await stakingRewards.positions?.read({ ...common, positions })) ?? []
    const amount = await fork.read(gauge, abi, 'totalSupply')
    const perYear = (await fork.read(gauge, abi, 'rewardRate')) * 31_557_600n
    expect(perYear).toBeGreaterThan(0n)
    expect(state).toEqual({
      holdings: [{ token: lpToken, amount }],
      base: null,
      rewards: [{ token: uni, perYear }],
    })
  })

  test('nothing is earned after the period, and an address that is no such contract cannot be read', async () => {
    const later = await ActionFork.start(context().sandbox.url, stakingRewards)
    await later.mineAfter(61 * 86_400)
    const common = { reader: await later.reader(), chain: ethereum, venue }
    const { positions = [] } =
      (await stakingRewards.positions?.list({ ...common, pools: [] })) ?? {}
    const [first] = positions
    if (!first) throw new Error('no position')
    const wrong = { ...first, key: uni }
    const states = await stakingRewards.positions?.read({ ...common, positions: [first, wrong] })
    await later.stop()
    expect(states).toMatchObject([{ rewards: [] }, { subject: uni, message: expect.any(String) }])
  })

  test('is entered by the arguments of its deposit', async () => {
    const common = { reader: await fork.reader(), chain: ethereum, venue }
    const { positions = [] } =
      (await stakingRewards.positions?.list({ ...common, pools: [] })) ?? {}
    const [first] = positions
    if (!first) throw new Error('no position')
    const amount = { ref: 'output', step: 3 } as const
    const args = stakingRewards.positions?.enter?.(first, [{ token: lpToken, amount }])
    expect(args).toEqual({ primaryAddress: gauge, tokenIn: lpToken, amountIn: amount })
  })
})

describe('staking-rewards actions', () => {
  const owners: readonly RoutingStrategy[] = ['delegate', 'wallet-v2']
  test.each(owners)('stake, harvest and unstake by %s', async (strategy) => {
    const owner = runnerAddress(strategy, user)
    await fork.deal(lpToken, user, amountIn)
    const stake = await run({
      action: 'deposit',
      strategy,
      args: { primaryAddress: gauge, tokenIn: lpToken, amountIn },
    })
    expect(stake).toMatchObject({ status: 'success', deltas: [-amountIn, 0n] })
    expect(await fork.read(gauge, abi, 'balanceOf', [owner])).toBe(amountIn)

    await fork.mineAfter(3_600)
    const harvest = await run({
      action: 'harvest',
      strategy,
      args: { primaryAddress: gauge, token: uni },
    })
    expect(harvest.status).toBe('success')
    const [, earned = 0n] = harvest.deltas
    // An hour and some blocks of the part that it is of the whole stake.
    const perHour =
      ((await fork.read(gauge, abi, 'rewardRate')) * 3_600n * amountIn) /
      (await fork.read(gauge, abi, 'totalSupply'))
    expect(earned).toBeGreaterThanOrEqual(perHour)
    expect(earned).toBeLessThan((perHour * 105n) / 100n)
    expect(await fork.read(gauge, abi, 'earned', [owner])).toBe(0n)

    const unstake = await run({
      action: 'withdraw',
      strategy,
      args: { primaryAddress: gauge, tokenOut: lpToken, amountOut: amountIn },
    })
    expect(unstake).toMatchObject({ status: 'success', deltas: [amountIn, 0n] })
    expect(await fork.read(gauge, abi, 'balanceOf', [owner])).toBe(0n)
  })

  test('by the Router no stake can be owned: the strategies that can are named', async () => {
    for (const [action, args] of [
      ['deposit', { tokenIn: lpToken, amountIn }],
      ['withdraw', { amountOut: amountIn }],
      ['harvest', {}],
    ] as const) {
      const wanted = {
        action,
        strategy: 'router',
        args: { primaryAddress: gauge, ...args },
      } as const
      await expect(run(wanted)).rejects.toMatchObject({
        argument: 'routingStrategy',
        expected: expect.stringContaining('delegate or svcwallet-v2'),
      })
    }
  })

  test('nobody but the account can own the stake; what it yields may go to anybody', async () => {
    const other: Address = '0x00000000000000000000000000000000beef0008'
    const common = { strategy: 'delegate' } as const
    const args = { primaryAddress: gauge, tokenIn: lpToken, amountIn }
    await fork.deal(lpToken, user, amountIn)
    await expect(
      run({ ...common, action: 'deposit', args: { ...args, receiver: other } }),
    ).rejects.toMatchObject({ argument: 'receiver', expected: expect.stringContaining(user) })
    const stake = await run({ ...common, action: 'deposit', args: { ...args, receiver: user } })
    expect(stake.status).toBe('success')
    await fork.mineAfter(60)
    const watch = [lpToken, uni].map((token) => ({ token, owner: other }))
    const paid = { primaryAddress: gauge, receiver: other }
    const harvest = await run({ ...common, action: 'harvest', args: paid, watch })
    expect(harvest.status).toBe('success')
    expect(harvest.deltas[1]).toBeGreaterThan(0n)
    const out = { ...paid, amountOut: amountIn }
    const unstake = await run({ ...common, action: 'withdraw', args: out, watch })
    expect(unstake).toMatchObject({ status: 'success', deltas: [amountIn, 0n] })
  })

  test('a token that does not fit, and an address that is no such contract, are refused', async () => {
    for (const [action, args, argument] of [
      ['deposit', { primaryAddress: gauge, tokenIn: uni, amountIn }, 'tokenIn'],
      ['withdraw', { primaryAddress: gauge, tokenOut: uni, amountOut: amountIn }, 'tokenOut'],
      ['harvest', { primaryAddress: gauge, token: lpToken }, 'token'],
      ['harvest', { primaryAddress: uni }, 'primaryAddress'],
    ] as const) {
      await expect(run({ action, strategy: 'delegate', args })).rejects.toMatchObject({ argument })
    }
  })

  test('what the contract says itself reaches the caller', async () => {
    const args = { primaryAddress: gauge, amountOut: 0n }
    const done = await run({ action: 'withdraw', strategy: 'delegate', args })
    expect(done.status).toBe('reverted')
    expect(done.reason).toContain('Cannot withdraw 0')
  })
})
