/** Shares of the sandbox's Curve pools as positions: listed, valued, and every action carried out on a fork. */
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { RoutingStrategy } from '../../../src/domain/order.js'
import type { Address } from '../../../src/domain/primitives.js'
import { curve } from '../../../src/protocols/curve/index.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { Position, PositionState } from '../../../src/protocols/positions.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { ActionFork, type ActionRun } from '../../support/actions.js'
import { withSandbox } from '../../support/sandbox.js'

const abi = parseAbi([
  'function balances(int128) view returns (uint256)',
  'function get_virtual_price() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])
const user: Address = '0x00000000000000000000000000000000beef0001'
const other: Address = '0x00000000000000000000000000000000beef0002'
const strategies: readonly RoutingStrategy[] = ['router', 'delegate', 'wallet-v2']
const venue = ethereum.venues.curve ?? {}
const pools = sandboxPools().filter(({ protocol }) => protocol === 'curve')
const [pool, invented] = pools as [Pool, Pool]
const share = String(pool.parameters.lpToken) as Address
const inventedShare = String(invented.parameters.lpToken) as Address
const symbols = ['DAI', 'USDC', 'USDT', 'sUSD']
const coins = symbols.map((symbol) => sandboxToken(symbol).address)
const [dai, usdc, usdt] = coins as [Address, Address, Address]

const context = withSandbox()
let fork: ActionFork
beforeAll(async () => {
  fork = await ActionFork.start(context().sandbox.url, curve)
})
afterAll(() => fork?.stop())

function run(wanted: Omit<ActionRun, 'from' | 'strategy'> & Partial<ActionRun>) {
  return fork.run({ from: user, strategy: 'router', ...wanted })
}

function held(owner: Address, tokens: readonly Address[]) {
  return tokens.map((token) => ({ token, owner }))
}

/** Raw units of a coin. */
function units(symbol: string, whole: bigint): bigint {
  return whole * 10n ** BigInt(sandboxToken(symbol).decimals)
}

/** What the adapter quotes in the newest block. */
async function quote(tokenIn: Address, tokenOut: Address, amountIn: bigint) {
  const common = { reader: await fork.reader(), chain: ethereum, venue }
  const { pools: found } = await curve.swaps.discover({ ...common, pairs: [[tokenIn, tokenOut]] })
  const [loaded] = await curve.swaps.load({ ...common, pools: found })
  if (!loaded || !('state' in loaded)) throw new Error('not loaded')
  return curve.swaps.swap(loaded.pool, loaded.state, { tokenIn, tokenOut }, amountIn)
}

async function give(symbol: string, whole: bigint): Promise<bigint> {
  const amount = units(symbol, whole)
  await fork.deal(sandboxToken(symbol).address, user, amount)
  return amount
}

/** A deposit of one coin, for the shares that a test spends. */
async function enter(whole: bigint, strategy: RoutingStrategy = 'router'): Promise<bigint> {
  const amountIn = await give('DAI', whole)
  const args = {
    primaryAddress: pool.address,
    tokenIn: [dai],
    amountIn: [amountIn],
    tokenOut: share,
  }
  const done = await run({ action: 'deposit', args, strategy, watch: held(user, [share]) })
  expect(done.status, done.reason).toBe('success')
  return done.deltas[0] ?? 0n
}

describe('curve positions', () => {
  test('both pools of the sandbox are listed by the names of their shares, with their coins', async () => {
    const common = { reader: await fork.reader(), chain: ethereum, venue }
    const listed = await curve.positions?.list({ ...common, pools })
    expect(listed?.unreadable).toEqual([])
    expect(listed?.positions.map(({ key }) => key)).toEqual([share, inventedShare])
    expect(listed?.positions[0]).toEqual({
      protocol: 'curve',
      key: share,
      token: share,
      primaryAddress: pool.address,
      poolAddress: pool.address,
      name: 'Curve.fi DAI/USDC/USDT/sUSD',
      subtitle: 'DAI / USDC / USDT / sUSD',
      underlyingTokens: coins,
      rewardTokens: [],
      parameters: { kind: 'stable', getterIndexType: 'int128' },
    } satisfies Position)
  })

  test('holdings are the balances of the pool, and a share is worth its virtual price', async () => {
    const common = { reader: await fork.reader(), chain: ethereum, venue }
    const { positions = [] } = (await curve.positions?.list({ ...common, pools })) ?? {}
    const [state] = (await curve.positions?.read({ ...common, positions })) ?? []
    const amounts = await Promise.all(
      coins.map((_coin, k) => fork.read(pool.address, abi, 'balances', [BigInt(k)])),
    )
    const price = await fork.read(pool.address, abi, 'get_virtual_price')
    expect(price).toBeGreaterThan(10n ** 18n)
    expect(state).toEqual({
      holdings: coins.map((token, k) => ({ token, amount: amounts[k] ?? 0n })),
      base: { kind: 'sharePrice', price },
      rewards: [],
    } satisfies PositionState)
  })

  test('a pool that is not there at the block is no position', async () => {
    const common = { reader: await fork.reader(), chain: ethereum, venue }
    const { lpToken: _lpToken, ...parameters } = pool.parameters
    const absent = { ...pool, id: other, address: other, parameters }
    const listed = await curve.positions?.list({ ...common, pools: [absent] })
    expect(listed).toEqual({ positions: [], unreadable: [] })
  })
})

describe('curve actions', () => {
  test.each(strategies)('one coin in, one coin out, as quoted to the wei: %s', async (strategy) => {
    const amountIn = await give('USDT', 12_345n)
    const expected = await quote(usdt, share, amountIn)
    const entered = await run({
      action: 'deposit',
      args: {
        primaryAddress: pool.address,
        tokenIn: [usdt],
        amountIn: [amountIn],
        tokenOut: share,
      },
      strategy,
      watch: held(user, [usdt, share]),
    })
    expect(entered.status, entered.reason).toBe('success')
    expect(entered.deltas[1]).toBe(expected.amountOut)
    expect(expected.exact).toBe(true)
    const shares = entered.deltas[1] ?? 0n
    const back = await quote(share, usdc, shares)
    const left = await run({
      action: 'redeem',
      args: { primaryAddress: pool.address, tokenIn: share, amountIn: shares, tokenOut: [usdc] },
      strategy,
      watch: held(user, [usdc, share]),
    })
    expect(left.status, left.reason).toBe('success')
    expect(left.deltas[0]).toBe(back.amountOut)
    // The deposit contract takes an amount a little below what the shares are worth: the rest of them comes back.
    const kept = shares + (left.deltas[1] ?? 0n)
    expect(kept).toBeGreaterThanOrEqual(0n)
    expect(kept).toBeLessThan(shares / 10_000n)
    if (left.runner === user) return
    for (const token of [...coins, share]) expect(await fork.balanceOf(token, left.runner)).toBe(0n)
  })

  test('several coins in at once', async () => {
    const amountIn = [await give('sUSD', 1_000n), await give('USDC', 5_000n)]
    const tokenIn = [sandboxToken('sUSD').address, usdc]
    const done = await run({
      action: 'deposit',
      args: { primaryAddress: pool.address, tokenIn, amountIn, tokenOut: share },
      watch: held(user, [...tokenIn, share]),
    })
    expect(done.status, done.reason).toBe('success')
    const [sUsd = 0n, dollars = 0n, shares = 0n] = done.deltas
    expect([-sUsd, -dollars]).toEqual(amountIn)
    expect(shares).toBeGreaterThan(5_000n * 10n ** 18n)
  })

  test.each(strategies)(
    'all coins out in the order asked, each as an output: %s',
    async (strategy) => {
      const shares = await enter(50_000n, strategy)
      const tokenOut = [...coins].reverse()
      const supply = await fork.read(share, abi, 'totalSupply')
      const before = await Promise.all(
        coins.map((_coin, k) => fork.read(pool.address, abi, 'balances', [BigInt(k)])),
      )
      const done = await run({
        action: 'redeem',
        args: { primaryAddress: pool.address, tokenIn: share, amountIn: shares, tokenOut },
        strategy,
        watch: held(user, [...tokenOut, share]),
      })
      expect(done.status, done.reason).toBe('success')
      const parts = before.map((amount) => (amount * shares) / supply).reverse()
      expect(done.deltas).toEqual([...parts, -shares])
      expect(done.result.outputs.map(({ token }) => token)).toEqual(tokenOut)
    },
  )

  test('later steps may refer to each of several outputs', async () => {
    const shares = await enter(10_000n)
    const tokenOut = [usdc, dai, usdt, sandboxToken('sUSD').address]
    const args = { primaryAddress: pool.address, tokenIn: share, amountIn: shares, tokenOut }
    // Tokens that the Executor held already are none of the action's.
    await fork.deal(
      dai,
      (await run({ action: 'redeem', args: { ...args, amountIn: 1n }, watch: [] })).runner,
      777n,
    )
    const done = await run({ action: 'redeem', args, watch: held(user, [dai]) })
    expect(done.status, done.reason).toBe('success')
    expect(done.result.outputs.every(({ amount }) => typeof amount === 'object')).toBe(true)
    expect(done.deltas[0]).toBeGreaterThan(0n)
  })

  test('exact amounts out; shares that are not needed come back', async () => {
    const shares = await enter(50_000n)
    const amountOut = [units('USDC', 1_234n) + 1n, units('DAI', 999n) + 3n]
    const tokenOut = [usdc, dai]
    const done = await run({
      action: 'withdraw',
      args: { primaryAddress: pool.address, tokenIn: share, tokenOut, amountOut },
      watch: held(user, [...tokenOut, share]),
    })
    expect(done.status, done.reason).toBe('success')
    expect(done.deltas.slice(0, 2)).toEqual(amountOut)
    const burned = -(done.deltas[2] ?? 0n)
    expect(burned).toBeGreaterThan(2_000n * 10n ** 18n)
    expect(burned).toBeLessThan(shares)
    expect(await fork.balanceOf(share, done.runner)).toBe(0n)
  })

  test('a pool without a deposit contract gives all coins, and says so when asked for one', async () => {
    const amountIn = await give('USDC', 10_000n)
    const primaryAddress = invented.address
    const entered = await run({
      action: 'deposit',
      args: { primaryAddress, tokenIn: [usdc], amountIn: [amountIn], tokenOut: inventedShare },
      watch: held(user, [inventedShare]),
    })
    expect(entered.status, entered.reason).toBe('success')
    const args = { primaryAddress, tokenIn: inventedShare, amountIn: entered.deltas[0] ?? 0n }
    const one = run({ action: 'redeem', args: { ...args, tokenOut: [usdc] }, watch: [] })
    await expect(one).rejects.toThrow('tokenOut: expected all coins of the pool')
    const tokenOut = [...invented.tokens]
    const all = await run({
      action: 'redeem',
      args: { ...args, tokenOut },
      watch: held(user, tokenOut),
    })
    expect(all.status, all.reason).toBe('success')
    expect(all.deltas.every((amount) => amount > 0n)).toBe(true)
  })

  test.each([
    ['deposit', { tokenOut: dai }, 'tokenOut: expected the share of a Curve pool'],
    ['deposit', { primaryAddress: invented.address }, 'primaryAddress: expected the pool of'],
    ['deposit', { tokenIn: [share] }, 'tokenIn: expected coins of the pool, each once'],
    ['deposit', { tokenIn: [dai, dai], amountIn: [1n, 1n] }, 'tokenIn: expected coins'],
    ['deposit', { amountIn: [1n, 2n] }, 'amountIn: expected one amount for each token, 1'],
    ['redeem', { tokenOut: [dai, usdc] }, 'tokenOut: expected one coin of the pool, or all'],
    ['withdraw', { amountOut: [10n ** 30n] }, 'amountOut: expected no more than the pool can pay'],
  ] as const)('%s refuses %o', async (action, wrong, message) => {
    const primaryAddress = pool.address
    const args = {
      deposit: { primaryAddress, tokenIn: [dai], amountIn: [1n], tokenOut: share },
      redeem: { primaryAddress, tokenIn: share, amountIn: 1n, tokenOut: [dai] },
      withdraw: { primaryAddress, tokenIn: share, tokenOut: [dai], amountOut: [1n] },
    }[action]
    await expect(run({ action, args: { ...args, ...wrong }, watch: [] })).rejects.toThrow(message)
  })
})
