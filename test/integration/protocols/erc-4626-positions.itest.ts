/** Vaults of the sandbox as positions: listed, valued, and every action carried out on a fork. */
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { RoutingStrategy } from '../../../src/domain/order.js'
import type { Address } from '../../../src/domain/primitives.js'
import { erc4626 } from '../../../src/protocols/erc-4626/index.js'
import type { Position, PositionState } from '../../../src/protocols/positions.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { erc4626Venue, sandboxVault, vaultSpecs } from '../../../src/sandbox/venues/erc-4626.js'
import { ActionFork, type ActionRun } from '../../support/actions.js'
import { withSandbox } from '../../support/sandbox.js'

const abi = parseAbi([
  'function convertToAssets(uint256) view returns (uint256)',
  'function convertToShares(uint256) view returns (uint256)',
  'function previewWithdraw(uint256) view returns (uint256)',
  'function totalAssets() view returns (uint256)',
])
const usdc = sandboxToken('USDC').address
const user: Address = '0x00000000000000000000000000000000beef0001'
const other: Address = '0x00000000000000000000000000000000beef0002'
const strategies: readonly RoutingStrategy[] = ['router', 'delegate', 'wallet-v2']
const venue = ethereum.venues['erc-4626'] ?? {}
const pools = erc4626Venue.pools ?? []

const context = withSandbox()
let fork: ActionFork
beforeAll(async () => {
  fork = await ActionFork.start(context().sandbox.url, erc4626)
})
afterAll(() => fork?.stop())

function run(wanted: Omit<ActionRun, 'from' | 'strategy'> & Partial<ActionRun>) {
  return fork.run({ from: user, strategy: 'router', ...wanted })
}

async function listed(from: ActionFork): Promise<{ positions: Position[]; states: unknown[] }> {
  const common = { reader: await from.reader(), chain: ethereum, venue }
  const { positions, unreadable } = (await erc4626.positions?.list({ ...common, pools })) ?? {}
  if (!positions) throw new Error('no positions')
  expect(unreadable).toEqual([])
  const states = (await erc4626.positions?.read({ ...common, positions })) ?? []
  return { positions, states }
}

describe('erc-4626 positions', () => {
  test('every vault of the sandbox is listed by its own name; those of the chain file that are not there are not', async () => {
    const { positions } = await listed(fork)
    expect(positions.map(({ key }) => key)).toEqual(vaultSpecs.map(({ address }) => address))
    expect(positions[0]).toEqual({
      protocol: 'erc-4626',
      key: sandboxVault('USDC'),
      token: sandboxVault('USDC'),
      primaryAddress: sandboxVault('USDC'),
      poolAddress: sandboxVault('USDC'),
      name: 'Sandbox USDC vault',
      subtitle: 'svUSDC',
      underlyingTokens: [usdc],
      rewardTokens: [],
      parameters: {},
    })
    expect(venue.vaults).not.toEqual([])
  })

  test('holdings are totalAssets; the share price has risen over 250 blocks, by what the script pays', async () => {
    const earlier = await ActionFork.start(
      context().sandbox.url,
      erc4626,
      context().sandbox.blockNumber - 250n,
    )
    try {
      const [now, then] = [await listed(fork), await listed(earlier)]
      for (const [index, plan] of vaultSpecs.entries()) {
        const [state, past] = [now.states[index], then.states[index]] as PositionState[]
        const asset = sandboxToken(plan.symbol).address
        const amount = await fork.read(plan.address, abi, 'totalAssets')
        expect(state?.holdings).toEqual([{ token: asset, amount }])
        if (state?.base?.kind !== 'sharePrice' || past?.base?.kind !== 'sharePrice') {
          throw new Error('no share price')
        }
        const yearly =
          (Number(state.base.price - past.base.price) / Number(past.base.price)) *
          (31_557_600 / (250 * 12))
        expect(yearly, plan.symbol).toBeCloseTo(Number(plan.yieldBps) / 10_000, 3)
      }
    } finally {
      await earlier.stop()
    }
  })

  test('underlying tells the asset of those tokens that are vaults; connectors are not asked', async () => {
    const tokens = [sandboxVault('CRV'), usdc, sandboxToken('LINK').address, user]
    const reader = await fork.reader()
    const found = await erc4626.positions?.underlying?.({ reader, chain: ethereum, venue, tokens })
    expect(found).toEqual(new Map([[sandboxVault('CRV'), [sandboxToken('CRV').address]]]))
  })
})

describe('erc-4626 actions', () => {
  test.each(strategies)('deposit, redeem and withdraw by %s', async (strategy) => {
    for (const symbol of ['USDC', 'WETH', 'CRV']) {
      const [asset, vault] = [sandboxToken(symbol).address, sandboxVault(symbol)]
      const amountIn = 12_345n * 10n ** BigInt(sandboxToken(symbol).decimals - 3)
      await fork.deal(asset, user, amountIn)
      const watch = [
        { token: asset, owner: user },
        { token: vault, owner: user },
      ]
      const shares = await fork.read(vault, abi, 'convertToShares', [amountIn])
      const deposit = await run({
        action: 'deposit',
        strategy,
        watch,
        args: { primaryAddress: vault, tokenIn: asset, tokenOut: vault, amountIn },
      })
      expect(deposit).toMatchObject({ status: 'success', deltas: [-amountIn, shares] })
      expect(deposit.result.positionsOut).toEqual([vault])

      const half = shares / 2n
      const worth = await fork.read(vault, abi, 'convertToAssets', [half])
      const redeem = await run({
        action: 'redeem',
        strategy,
        watch,
        args: { primaryAddress: vault, amountIn: half },
      })
      expect(redeem).toMatchObject({ status: 'success', deltas: [worth, -half] })

      const amountOut = worth / 3n
      const burnt = await fork.read(vault, abi, 'previewWithdraw', [amountOut])
      const withdraw = await run({
        action: 'withdraw',
        strategy,
        watch,
        args: { primaryAddress: vault, amountOut },
      })
      expect(withdraw).toMatchObject({ status: 'success', deltas: [amountOut, -burnt] })
      for (const { runner } of [deposit, redeem, withdraw]) {
        if (runner === user) continue
        expect(await fork.balanceOf(asset, runner)).toBe(0n)
        expect(await fork.balanceOf(vault, runner)).toBe(0n)
      }
    }
  })

  test('withdraw spends at most amountIn, and what the vault leaves of it comes back', async () => {
    const vault = sandboxVault('USDC')
    const amountOut = 5_000_001n
    const burnt = await fork.read(vault, abi, 'previewWithdraw', [amountOut])
    await fork.deal(vault, user, burnt * 2n)
    const watch = [
      { token: usdc, owner: user },
      { token: vault, owner: user },
    ]
    const args = { primaryAddress: vault, tokenOut: usdc, amountOut, amountIn: burnt * 2n }
    const done = await run({ action: 'withdraw', args, watch })
    expect(done).toMatchObject({ status: 'success', deltas: [amountOut, -burnt] })
  })

  test('another receiver gets the shares', async () => {
    const [vault, amountIn] = [sandboxVault('USDC'), 1_000_000n]
    await fork.deal(usdc, user, amountIn)
    const shares = await fork.read(vault, abi, 'convertToShares', [amountIn])
    const args = { primaryAddress: vault, tokenIn: usdc, amountIn }
    const watch = [{ token: vault, owner: other }]
    const done = await run({ action: 'deposit', args, receiver: other, watch })
    expect(done).toMatchObject({ status: 'success', deltas: [shares] })
  })

  test('a receiver among the arguments is paid by the vault itself', async () => {
    const [vault, amountIn] = [sandboxVault('WETH'), 10n ** 18n]
    const asset = sandboxToken('WETH').address
    await fork.deal(asset, user, amountIn)
    const shares = await fork.read(vault, abi, 'convertToShares', [amountIn])
    const watch = [
      { token: vault, owner: other },
      { token: asset, owner: other },
    ]
    const args = { primaryAddress: vault, receiver: other }
    const deposit = await run({
      action: 'deposit',
      watch,
      args: { ...args, tokenIn: asset, amountIn },
    })
    expect(deposit).toMatchObject({ status: 'success', deltas: [shares, 0n] })
    expect(deposit.result.outputs).toMatchObject([{ token: vault, isPaid: true }])
    await fork.deal(vault, user, shares)
    const half = shares / 2n
    const worth = await fork.read(vault, abi, 'convertToAssets', [half])
    const redeem = await run({ action: 'redeem', watch, args: { ...args, amountIn: half } })
    expect(redeem).toMatchObject({ status: 'success', deltas: [0n, worth] })
    const withdraw = await run({ action: 'withdraw', watch, args: { ...args, amountOut: 777n } })
    expect(withdraw).toMatchObject({ status: 'success', deltas: [0n, 777n] })
  })

  test('a paused vault, a full one and one without liquidity say so themselves', async () => {
    for (const [symbol, whole, reason] of [
      ['USDT', 1n, 'EnforcedPause()'],
      ['DAI', 20_000n, 'ERC4626ExceededMaxDeposit('],
    ] as const) {
      const { address: asset, decimals } = sandboxToken(symbol)
      const amountIn = whole * 10n ** BigInt(decimals)
      await fork.deal(asset, user, amountIn)
      const args = { primaryAddress: sandboxVault(symbol), tokenIn: asset, amountIn }
      const done = await run({ action: 'deposit', args, watch: [{ token: asset, owner: user }] })
      expect(done).toMatchObject({ status: 'reverted', deltas: [0n] })
      expect(done.reason).toContain(reason)
    }
    const vault = sandboxVault('LINK')
    const available = await fork.balanceOf(sandboxToken('LINK').address, vault)
    const shares = await fork.read(vault, abi, 'convertToShares', [available * 2n])
    await fork.deal(vault, user, shares)
    for (const [action, args] of [
      ['redeem', { amountIn: shares }],
      ['withdraw', { amountOut: available + 1n }],
    ] as const) {
      const done = await run({ action, args: { primaryAddress: vault, ...args }, watch: [] })
      expect(done.status).toBe('reverted')
      expect(done.reason).toContain('ScriptedVault: not enough liquidity')
    }
    const args = { primaryAddress: vault, amountOut: available }
    expect((await run({ action: 'withdraw', args, watch: [] })).status).toBe('success')
  })

  test('an asset that taxes transfers: what arrived can be deposited, what was sent cannot', async () => {
    const { address: asset } = sandboxToken('PAXG')
    const [vault, amountIn] = [sandboxVault('PAXG'), 10n ** 18n]
    await fork.deal(asset, user, amountIn)
    const args = { primaryAddress: vault, tokenIn: asset }
    const sent = await run({ action: 'deposit', args: { ...args, amountIn }, watch: [] })
    expect(sent.status).toBe('reverted')
    const arrived = await run({
      action: 'deposit',
      args: { ...args, amountIn: { ref: 'balance', token: asset } },
      inputs: [{ token: asset, amount: amountIn }],
      watch: [
        { token: asset, owner: user },
        { token: vault, owner: user },
      ],
    })
    expect(arrived.status).toBe('success')
    expect(arrived.deltas[0]).toBe(-amountIn)
    expect(arrived.deltas[1]).toBeGreaterThan(0n)
  })

  test('an address without the interface, and a token that is not the asset, are refused with what was expected', async () => {
    const args = { primaryAddress: sandboxVault('CRV'), tokenIn: usdc, amountIn: 1n }
    const refused = run({ action: 'deposit', args, watch: [] })
    await expect(refused).rejects.toMatchObject({
      argument: 'tokenIn',
      expected: `the vault's asset, ${sandboxToken('CRV').address}`,
    })
    const none = run({ action: 'redeem', args: { primaryAddress: usdc, amountIn: 1n }, watch: [] })
    await expect(none).rejects.toMatchObject({ argument: 'primaryAddress' })
    const wrong = { primaryAddress: sandboxVault('CRV'), tokenIn: usdc, amountIn: 1n }
    await expect(run({ action: 'redeem', args: wrong, watch: [] })).rejects.toMatchObject({
      argument: 'tokenIn',
    })
  })

  test('the steps call the vault and approve it alone, for exactly what goes in', async () => {
    const [vault, amountIn] = [sandboxVault('USDC'), 7_000_000n]
    await fork.deal(usdc, user, amountIn)
    const args = { primaryAddress: vault, tokenIn: usdc, amountIn }
    const { steps } = await run({ action: 'deposit', args, watch: [] })
    expect(steps).toMatchObject([
      { kind: 'approve', token: usdc, spender: vault, amount: amountIn },
      { kind: 'call', target: vault },
    ])
  })
})
