/** SparkLend runs the code of Aave V3: the same market of the sandbox by both adapters. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { aaveV3, sparkLend } from '../../../src/protocols/aave-v3/index.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { ActionFork, type ActionRun } from '../../support/actions.js'
import { withSandbox } from '../../support/sandbox.js'

const usdc = sandboxToken('USDC').address
const weth = sandboxToken('WETH').address
const aUsdc: Address = '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c'
const user: Address = '0x00000000000000000000000000000000beef0001'
const venue = ethereum.venues['aave-v3'] ?? {}
const primaryAddress = toAddress(String(venue.pool))

const context = withSandbox()
let fork: ActionFork
beforeAll(async () => {
  fork = await ActionFork.start(context().sandbox.url, sparkLend, undefined, venue)
})
afterAll(() => fork?.stop())

const run = (wanted: Pick<ActionRun, 'action' | 'args' | 'watch'>) =>
  fork.run({ from: user, strategy: 'delegate', ...wanted })

describe('spark-lend', () => {
  test('pools, quotes and positions are those of Aave V3 under its own slug', async () => {
    const common = { reader: await fork.reader(), chain: ethereum, venue }
    const pairs = [[aUsdc, usdc] as const]
    const [ours, theirs] = await Promise.all(
      [sparkLend, aaveV3].map(async (adapter) => {
        const { pools } = await adapter.swaps.discover({ ...common, pairs })
        const states = await adapter.swaps.load({ ...common, pools })
        const { positions = [] } = (await adapter.positions?.list({ ...common, pools: [] })) ?? {}
        const read = await adapter.positions?.read({ ...common, positions })
        return { states, positions, read }
      }),
    )
    expect(ours?.positions.length).toBeGreaterThan(5)
    const renamed = JSON.stringify(theirs, withText).replaceAll('"aave-v3"', '"spark-lend"')
    expect(JSON.stringify(ours, withText)).toBe(renamed)
  })

  test('supply, loan, repayment and withdrawal, in the Pool that the venue names', async () => {
    const amountIn = 5_000_000_000n
    await fork.deal(usdc, user, amountIn)
    const watch = [
      { token: usdc, owner: user },
      { token: aUsdc, owner: user },
      { token: weth, owner: user },
    ]
    const deposit = await run({
      action: 'deposit',
      watch,
      args: { primaryAddress, tokenIn: usdc, tokenOut: aUsdc, amountIn },
    })
    expect(deposit.status, deposit.reason).toBe('success')
    expect(deposit.deltas[0]).toBe(-amountIn)
    expect(deposit.deltas[1]).toBeGreaterThanOrEqual(amountIn - 1n)
    const amountOut = 10n ** 17n
    const borrow = await run({
      action: 'borrow',
      watch,
      args: { primaryAddress, collateral: usdc, tokenOut: weth, amountOut },
    })
    expect(borrow.status, borrow.reason).toBe('success')
    expect(borrow.deltas[2]).toBe(amountOut)
    const repay = await run({
      action: 'repay',
      watch,
      args: { primaryAddress, tokenIn: weth, amountIn: amountOut / 2n },
    })
    expect(repay.status, repay.reason).toBe('success')
    expect(repay.deltas[2]).toBe(-amountOut / 2n)
    const withdraw = await run({
      action: 'withdraw',
      watch,
      args: { primaryAddress, tokenIn: aUsdc, tokenOut: usdc, amountOut: 1_000_000_000n },
    })
    expect(withdraw.status, withdraw.reason).toBe('success')
    expect(withdraw.deltas[0]).toBe(1_000_000_000n)
  })

  test('where its Pool is not there are no positions, and no aToken of another market is one of its own', async () => {
    const own = ethereum.venues['spark-lend'] ?? {}
    const common = { reader: await fork.reader(), chain: ethereum, venue: own }
    expect(await sparkLend.positions?.list({ ...common, pools: [] })).toEqual({
      positions: [],
      unreadable: [],
    })
    const pairs = [[aUsdc, usdc] as const]
    expect(await sparkLend.swaps.discover({ ...common, pairs })).toEqual({
      pools: [],
      unreadable: [],
    })
  })
})

function withText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
