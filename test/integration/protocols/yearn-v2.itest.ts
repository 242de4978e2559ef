/** Yearn's own vault of version 0.3.4 on the sandbox: quotes, positions and actions against what the contract does. */
import { parseAbi } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { RoutingStrategy } from '../../../src/domain/order.js'
import type { Address } from '../../../src/domain/primitives.js'
import type { PositionState } from '../../../src/protocols/positions.js'
import type { LoadedPool } from '../../../src/protocols/protocol.js'
import { yearnV2 } from '../../../src/protocols/yearn-v2/index.js'
import type { YearnState } from '../../../src/protocols/yearn-v2/math.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { yearnVaultSpecs } from '../../../src/sandbox/venues/yearn-v2.js'
import { ActionFork, type ActionRun } from '../../support/actions.js'
import { withSandbox } from '../../support/sandbox.js'

const abi = parseAbi([
  'function approve(address, uint256)',
  'function transfer(address, uint256)',
  'function harvest(uint256)',
  'function lose(uint256)',
  'function setEmergencyShutdown(bool)',
  'function setDepositLimit(uint256)',
  'function totalAssets() view returns (uint256)',
])
const user: Address = '0x00000000000000000000000000000000beef0003'
const deployer = sandboxAccount('deployer').address
const strategies: readonly RoutingStrategy[] = ['router', 'delegate', 'wallet-v2']
const venue = ethereum.venues['yearn-v2'] ?? {}
const [plan] = yearnVaultSpecs
if (!plan) throw new Error('no plan')
const { vault, strategy: strategyContract } = plan
const dai = sandboxToken('DAI').address
const ether = 10n ** 18n
const watch = [
  { token: dai, owner: user },
  { token: vault, owner: user },
]

const context = withSandbox()
let fork: ActionFork
beforeAll(async () => {
  fork = await ActionFork.start(context().sandbox.url, yearnV2)
})
beforeEach(() => fork.deal(dai, user, 10_000_000n * ether))
afterAll(() => fork?.stop())

function run(wanted: Omit<ActionRun, 'from' | 'strategy'> & Partial<ActionRun>) {
  return fork.run({ from: user, strategy: 'router', ...wanted })
}

async function load(): Promise<LoadedPool<YearnState>> {
  const reader = await fork.reader()
  const common = { reader, chain: ethereum, venue }
  const { pools } = await yearnV2.swaps.discover({ ...common, pairs: [[vault, dai]] })
  const [loaded] = await yearnV2.swaps.load({ ...common, pools })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return loaded as LoadedPool<YearnState>
}

/** The adapter's own steps in the block after the one that was read; the user stands for the Executor. */
async function swap(isDeposit: boolean, amountIn: bigint) {
  const { pool, state } = await load()
  const [tokenIn, tokenOut] = isDeposit ? [dai, vault] : [vault, dai]
  const quote = yearnV2.swaps.swap(pool, state, { tokenIn, tokenOut }, amountIn)
  const steps = yearnV2.swaps.encodeSwap({
    chain: ethereum,
    venue,
    pool,
    state,
    tokenIn,
    tokenOut,
    amountIn,
    executor: user,
    helpers: {},
    recipient: user,
  })
  const call = steps.at(-1)
  if (call?.kind !== 'call') throw new Error('no call')
  const before = await fork.balanceOf(tokenOut, user)
  await fork.send(user, call.target, [call.abi], call.abi.name, call.args)
  const received = (await fork.balanceOf(tokenOut, user)) - before
  return { quote, received, next: quote.after() }
}

describe('yearn-v2 quotes', () => {
  test('deposits and withdrawals give the quoted amount to the wei, while a gain is unlocked by the second', async () => {
    await fork.send(user, dai, abi, 'approve', [vault, 2n ** 255n])
    await fork.send(deployer, dai, abi, 'transfer', [strategyContract, 12_345n * ether + 7n])
    await fork.send(deployer, strategyContract, abi, 'harvest', [12_345n * ether + 7n])
    for (const digits of [0, 3, 9, 15, 18, 20, 22]) {
      const amountIn = 10n ** BigInt(digits) * 7n + 3n
      const deposit = await swap(true, amountIn)
      expect(deposit.quote).toMatchObject({ amountOut: deposit.received, exact: true })
      const { state } = await load()
      expect({ ...state, freeFunds: 0n }).toEqual({ ...deposit.next, freeFunds: 0n })
      await fork.mineAfter(digits * 700)
      const shares = deposit.received - deposit.received / 3n
      const redeem = await swap(false, shares)
      expect(redeem.quote).toMatchObject({ amountOut: redeem.received, exact: true })
    }
  })

  test('a withdrawal that a strategy pays is an estimate, and here without a loss', async () => {
    await fork.send(user, dai, abi, 'approve', [vault, 2n ** 255n])
    await swap(true, 3_000_000n * ether)
    await fork.send(deployer, strategyContract, abi, 'harvest', [0n])
    const { state } = await load()
    const shares = await fork.balanceOf(vault, user)
    const { quote, received } = await swap(false, shares)
    expect(received).toBeGreaterThan(state.idle)
    expect(quote).toMatchObject({ amountOut: received, exact: false })
  })

  test('no deposit above the limit, none into a vault that is shut down, and it says so', async () => {
    const deposit = { action: 'deposit', watch } as const
    const args = { primaryAddress: vault, tokenIn: dai, amountIn: 10n * ether }
    const total = await fork.read(vault, abi, 'totalAssets')
    await fork.send(deployer, vault, abi, 'setDepositLimit', [total + 10n * ether - 1n])
    const { pool, state } = await load()
    expect(
      yearnV2.swaps.swap(pool, state, { tokenIn: dai, tokenOut: vault }, 10n * ether).amountOut,
    ).toBe(0n)
    const full = await run({ ...deposit, args })
    expect(full).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
    await fork.send(deployer, vault, abi, 'setDepositLimit', [2n ** 128n])
    await fork.send(deployer, vault, abi, 'setEmergencyShutdown', [true])
    const { state: shut } = await load()
    expect(
      yearnV2.swaps.swap(pool, shut, { tokenIn: dai, tokenOut: vault }, 10n * ether).amountOut,
    ).toBe(0n)
    const refused = await run({ ...deposit, args })
    await fork.send(deployer, vault, abi, 'setEmergencyShutdown', [false])
    expect(refused.reason.toLowerCase()).toBe(`stepfailed(1, ${vault}, 0x)`)
    expect(yearnV2.actions?.explain?.('0x')).toContain('shut down')
  })
})

describe('yearn-v2 positions', () => {
  test('the vaults of the registry are listed, with what they hold and what a share is worth', async () => {
    const common = { reader: await fork.reader(), chain: ethereum, venue }
    const { positions = [], unreadable } =
      (await yearnV2.positions?.list({ ...common, pools: [] })) ?? {}
    expect(unreadable).toEqual([])
    expect(positions).toMatchObject(
      yearnVaultSpecs.map((each) => ({
        key: each.vault,
        token: each.vault,
        primaryAddress: each.vault,
        name: `${each.symbol} yVault`,
        subtitle: `yv${each.symbol}`,
        underlyingTokens: [sandboxToken(each.symbol).address],
      })),
    )
    const [state] = (await yearnV2.positions?.read({ ...common, positions })) ?? []
    const amount = await fork.read(vault, abi, 'totalAssets')
    expect(state).toMatchObject({ holdings: [{ token: dai, amount }], rewards: [] })
  })

  test('the share price rises over the blocks of the script', async () => {
    const head = context().sandbox.blockNumber
    const prices: bigint[] = []
    for (const block of [head - 200n, head - 100n, head - 1n]) {
      const earlier = await ActionFork.start(context().sandbox.url, yearnV2, block)
      const common = { reader: await earlier.reader(), chain: ethereum, venue }
      const { positions = [] } = (await yearnV2.positions?.list({ ...common, pools: [] })) ?? {}
      const [state] = (await yearnV2.positions?.read({ ...common, positions })) ?? []
      await earlier.stop()
      const { base } = (state ?? {}) as PositionState
      if (base?.kind !== 'sharePrice') throw new Error('no share price')
      prices.push(base.price)
    }
    const [first = 0n, second = 0n, third = 0n] = prices
    expect(first < second && second < third, prices.join()).toBe(true)
  })

  test('underlying tells the token of a vault, and nothing of other tokens', async () => {
    const reader = await fork.reader()
    const tokens = [vault, dai, sandboxToken('CRV').address, user]
    const found = await yearnV2.positions?.underlying?.({ reader, chain: ethereum, venue, tokens })
    expect(found).toEqual(new Map([[vault, [dai]]]))
  })
})

describe('yearn-v2 actions', () => {
  test.each(strategies)('deposit and redeem by %s', async (strategy) => {
    const amountIn = 1_234_567_890_123_456_789n
    const args = { primaryAddress: vault, tokenIn: dai, tokenOut: vault, amountIn }
    const deposit = await run({ action: 'deposit', strategy, args, watch })
    expect(deposit.status).toBe('success')
    const [spent, shares = 0n] = deposit.deltas
    expect(spent).toBe(-amountIn)
    expect(shares > 0n && shares < amountIn).toBe(true)
    const redeem = await run({
      action: 'redeem',
      strategy,
      watch,
      args: { primaryAddress: vault, tokenIn: vault, tokenOut: dai, amountIn: shares },
    })
    expect(redeem.status).toBe('success')
    expect(redeem.deltas[1]).toBe(-shares)
    // The gain of the last report is still locked in part: a little less comes back.
    expect(redeem.deltas[0]).toBeGreaterThan((amountIn * 99n) / 100n)
    for (const { runner } of [deposit, redeem]) {
      if (runner !== user) expect(await fork.balanceOf(vault, runner)).toBe(0n)
    }
  })

  test('a receiver among the arguments is paid by the vault itself', async () => {
    const other: Address = '0x00000000000000000000000000000000beef0004'
    const watched = [
      { token: vault, owner: other },
      { token: dai, owner: other },
    ]
    const deposit = await run({
      action: 'deposit',
      watch: watched,
      args: { primaryAddress: vault, tokenIn: dai, amountIn: ether, receiver: other },
    })
    expect(deposit.status).toBe('success')
    const [shares = 0n] = deposit.deltas
    expect(shares > 0n && shares < ether).toBe(true)
    await fork.deal(vault, user, shares)
    const redeem = await run({
      action: 'redeem',
      watch: watched,
      args: { primaryAddress: vault, amountIn: shares, receiver: other },
    })
    expect(redeem.status).toBe('success')
    expect(redeem.deltas[1]).toBeGreaterThan((ether * 9n) / 10n)
    expect(redeem.result.outputs).toMatchObject([{ token: dai, isPaid: true }])
  })

  test('a loss of strategies is taken only as far as maxLoss says', async () => {
    const args = { primaryAddress: vault, tokenIn: dai, amountIn: 5_000_000n * ether }
    expect((await run({ action: 'deposit', args, watch })).status).toBe('success')
    await fork.send(deployer, strategyContract, abi, 'harvest', [0n])
    const held = await fork.balanceOf(dai, strategyContract)
    await fork.send(deployer, strategyContract, abi, 'lose', [held - held / 100n])
    const amountIn = await fork.balanceOf(vault, user)
    const redeem = { action: 'redeem', watch } as const
    const refused = await run({ ...redeem, args: { primaryAddress: vault, amountIn } })
    expect(refused).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
    const taken = await run({
      ...redeem,
      args: { primaryAddress: vault, amountIn, maxLoss: 10_000n },
    })
    expect(taken.status).toBe('success')
    expect(taken.deltas[0]).toBeGreaterThan(0n)
    expect(taken.deltas[0]).toBeLessThan(5_000_000n * ether)
  })

  test('what is no vault of Yearn, and a token that does not fit, are refused', async () => {
    const args = { primaryAddress: dai, tokenIn: dai, amountIn: 1n }
    await expect(run({ action: 'deposit', args, watch })).rejects.toMatchObject({
      argument: 'primaryAddress',
    })
    const other = { primaryAddress: vault, tokenIn: sandboxToken('USDC').address, amountIn: 1n }
    await expect(run({ action: 'deposit', args: other, watch })).rejects.toMatchObject({
      argument: 'tokenIn',
      expected: `the vault's asset, ${dai}`,
    })
  })
})
