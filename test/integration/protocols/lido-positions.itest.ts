/** stETH and wstETH of the sandbox as positions, and every action carried out on a fork. */
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { RoutingStrategy } from '../../../src/domain/order.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { lido } from '../../../src/protocols/lido/index.js'
import type { PositionState } from '../../../src/protocols/positions.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { ActionFork, type ActionRun } from '../../support/actions.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { withSandbox } from '../../support/sandbox.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const abi = parseAbi([
  'function transfer(address, uint256)',
  'function totalSupply() view returns (uint256)',
  'function sharesOf(address) view returns (uint256)',
  'function getSharesByPooledEth(uint256) view returns (uint256)',
  'function getPooledEthByShares(uint256) view returns (uint256)',
])
const [stETH, wstETH] = [sandboxToken('stETH').address, sandboxToken('wstETH').address]
const user: Address = '0x00000000000000000000000000000000beef0006'
/** Holds stETH, which cannot be dealt: balances are shares of a pool. */
const alice = sandboxAccount('alice').address
const strategies: readonly RoutingStrategy[] = ['router', 'delegate', 'wallet-v2']
const watch = [
  { token: stETH, owner: user },
  { token: wstETH, owner: user },
]

const context = withSandbox()
let fork: ActionFork
beforeAll(async () => {
  fork = await ActionFork.start(context().sandbox.url, lido)
})
afterAll(() => fork?.stop())

async function states(of: ActionFork) {
  const common = { reader: await of.reader(), chain: ethereum, venue: of.venue }
  const { positions = [], unreadable } =
    (await lido.positions?.list({ ...common, pools: [] })) ?? {}
  expect(unreadable).toEqual([])
  const read = (await lido.positions?.read({ ...common, positions })) ?? []
  return { positions, read: read as PositionState[] }
}

function run(wanted: Omit<ActionRun, 'from' | 'watch' | 'strategy'> & Partial<ActionRun>) {
  return fork.run({ from: user, watch, strategy: 'router', ...wanted })
}

describe('lido positions', () => {
  test('stETH is ether, wstETH is what its shares stand for', async () => {
    const { positions, read } = await states(fork)
    expect(positions).toMatchObject([
      { key: stETH, token: stETH, primaryAddress: stETH, underlyingTokens: [nativeToken] },
      { key: wstETH, token: wstETH, primaryAddress: wstETH, underlyingTokens: [stETH] },
    ])
    const supply = await fork.read(wstETH, abi, 'totalSupply')
    const worth = await fork.read(stETH, abi, 'getPooledEthByShares', [supply])
    expect(read.map(({ holdings }) => holdings)).toEqual([
      [{ token: nativeToken, amount: await fork.read(stETH, abi, 'totalSupply') }],
      [{ token: stETH, amount: worth }],
    ])
  })

  test('a share earns what the rebases of the script bring: 3.1 % a year', async () => {
    const block = context().sandbox.blockNumber - 250n
    const earlier = await ActionFork.start(context().sandbox.url, lido, block)
    const [{ read: now }, { read: then }] = [await states(fork), await states(earlier)]
    await earlier.stop()
    for (const index of [0, 1]) {
      const [late, early] = [now[index]?.base, then[index]?.base]
      if (late?.kind !== 'sharePrice' || early?.kind !== 'sharePrice') throw new Error('no price')
      const gain = Number(late.price - early.price) / Number(early.price)
      expect((gain * 31_557_600) / (250 * 12)).toBeCloseTo(0.031, 3)
    }
  })

  test('where the tokens are not deployed there are no positions', async () => {
    const none = { stETH: user, wstETH: user }
    const common = { reader: await fork.reader(), chain: ethereum, venue: none }
    expect(await lido.positions?.list({ ...common, pools: [] })).toEqual({
      positions: [],
      unreadable: [],
    })
  })
})

describe('lido actions', () => {
  test.each(strategies)('wrap and unwrap by %s', async (strategy) => {
    const amountIn = 3_141_592_653_589_793_238n
    await fork.send(alice, stETH, abi, 'transfer', [user, amountIn])
    const held = await fork.balanceOf(stETH, user)
    const shares = await fork.read(stETH, abi, 'getSharesByPooledEth', [held])
    const wrap = await run({
      action: 'deposit',
      strategy,
      args: { primaryAddress: wstETH, tokenIn: stETH, tokenOut: wstETH, amountIn: held },
    })
    expect(wrap.status).toBe('success')
    expect(wrap.deltas[1]).toBe(shares)
    expect(await fork.balanceOf(wstETH, wrap.runner)).toBe(wrap.runner === user ? shares : 0n)

    const unwrap = await run({
      action: 'redeem',
      strategy,
      args: { primaryAddress: wstETH, amountIn: shares },
    })
    expect(unwrap.status).toBe('success')
    expect(unwrap.deltas[1]).toBe(-shares)
    // Each transfer of stETH may lose a wei or two to rounding.
    const [back = 0n] = unwrap.deltas
    expect(back <= held && back >= held - 6n, `${held} ${back}`).toBe(true)
    // Empty again for the next strategy.
    await fork.send(user, stETH, abi, 'transfer', [alice, back])
  })

  test('a receiver among the arguments is sent what was wrapped and unwrapped', async () => {
    const other: Address = '0x00000000000000000000000000000000beef0007'
    const watched = watch.map(({ token }) => ({ token, owner: other }))
    const amountIn = 10n ** 18n
    await fork.send(alice, stETH, abi, 'transfer', [user, amountIn + 2n])
    const shares = await fork.read(stETH, abi, 'getSharesByPooledEth', [amountIn])
    const wrap = await run({
      action: 'deposit',
      watch: watched,
      args: { tokenIn: stETH, amountIn, receiver: other },
    })
    expect(wrap).toMatchObject({ status: 'success', deltas: [0n, shares] })
    await fork.deal(wstETH, user, shares)
    const unwrap = await run({
      action: 'redeem',
      watch: watched,
      args: { amountIn: shares, receiver: other },
    })
    expect(unwrap.status).toBe('success')
    const [back = 0n] = unwrap.deltas
    expect(back <= amountIn && back >= amountIn - 6n, `${back}`).toBe(true)
  })

  test('what is no token of Lido, and ether back, are refused', async () => {
    for (const [action, args, argument] of [
      ['deposit', { tokenIn: wstETH, amountIn: 1n }, 'tokenIn'],
      ['deposit', { tokenIn: stETH, primaryAddress: stETH, amountIn: 1n }, 'primaryAddress'],
      ['redeem', { tokenOut: nativeToken, amountIn: 1n }, 'tokenOut'],
      ['redeem', { tokenIn: stETH, amountIn: 1n }, 'tokenIn'],
    ] as const) {
      await expect(run({ action, args })).rejects.toMatchObject({ argument })
    }
  })

  test('ether is staked, up to the limit of the contract, by contracts of the same arithmetic', async () => {
    const contract = compileTestContracts('Staking.sol')
    const node = await new NodeWriter(context().sandbox.url).start()
    const ether = 10n ** 18n
    const own = await node.deploy(
      contract('TestStakedEther').bytecode,
      'uint256, uint256, uint256, address',
      [9_412_345_678_901_234_567_890_123n, 7_700_000n * ether + 1n, 123_457n * ether, user],
    )
    await node.send(own, 'function setStakeLimit(uint256)', [5n * ether])
    await node.close()
    const venue = { stETH: own, wstETH }
    const staking = await ActionFork.start(context().sandbox.url, lido, undefined, venue)
    try {
      const amountIn = 2n * ether + 1n
      const args = { primaryAddress: own, tokenIn: nativeToken, amountIn }
      for (const strategy of strategies) {
        const watched = [{ token: own, owner: user }]
        const wanted = { action: 'deposit', args, from: user, watch: watched, strategy } as const
        const done = await staking.run(wanted)
        if (strategy === 'wallet-v2') {
          expect(done.status).toBe('reverted')
          expect(done.reason).toContain('STAKE_LIMIT')
          continue
        }
        expect(done.status).toBe('success')
        const [gained = 0n] = done.deltas
        expect(gained <= amountIn && gained >= amountIn - 4n, `${gained}`).toBe(true)
      }
    } finally {
      await staking.stop()
    }
  })
})
