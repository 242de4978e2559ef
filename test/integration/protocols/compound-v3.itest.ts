/** A market of Compound III on the sandbox: quotes against it, and every action on a fork of its own. */
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import { compoundV3 } from '../../../src/protocols/compound-v3/index.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { TestAnvil } from '../../support/anvil.js'
import { nodeReader } from '../../support/nodes/node-reader.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type ActionCall, accountOf, runActions } from '../../support/run-actions.js'
import { withSandbox } from '../../support/sandbox.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const comet: Address = '0xc3d688b66703497daa19211eedff47f25384cdc3'
const venue = ethereum.venues['compound-v3'] ?? {}
const alice = sandboxAccount('alice').address
const bob = sandboxAccount('bob').address
const carol = sandboxAccount('carol').address
const usdc = 10n ** 6n
const ether = 10n ** 18n
const pool: Pool = {
  protocol: 'compound-v3',
  id: comet,
  address: comet,
  tokens: [token('USDC'), comet],
  parameters: {},
}

const context = withSandbox()
let node: NodeWriter

beforeAll(async () => {
  node = await new NodeWriter(context().sandbox.url).start()
  for (const account of [bob, carol]) await node.rpc('anvil_impersonateAccount', [account])
  const approve = 'function approve(address, uint256)'
  const supply = 'function supply(address, uint256)'
  // Bob owes dollars against ether since some blocks; Carol lends some.
  await node.send(token('WETH'), approve, [comet, 100n * ether], bob)
  await node.send(comet, supply, [token('WETH'), 100n * ether], bob)
  await node.send(
    comet,
    'function withdraw(address, uint256)',
    [token('USDC'), 20_000n * usdc],
    bob,
  )
  await node.send(token('USDC'), approve, [comet, 10n ** 12n], carol)
  await node.send(comet, supply, [token('USDC'), 10_000n * usdc], carol)
  for (let block = 0; block < 5; block++) await node.rpc('evm_mine', [])
})
afterAll(() => node.close())

async function load() {
  const reader = await nodeReader(context().sandbox.url)
  const [loaded] = await compoundV3.swaps.load({ reader, chain: ethereum, venue, pools: [pool] })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return { ...loaded, time: reader.block.timestamp + BigInt(ethereum.blockTimeSeconds) }
}

async function amountOf(
  anvil: Pick<TestAnvil, 'rpc'>,
  selector: Hex,
  ...accounts: readonly Address[]
): Promise<bigint> {
  const words = accounts.map((account) => account.slice(2).padStart(64, '0'))
  const data = `${selector}${words.join('')}`
  return BigInt(await anvil.rpc<Hex>('eth_call', [{ to: comet, data }, 'latest']))
}
const balanceOf = (anvil: Pick<TestAnvil, 'rpc'>, owner: Address) =>
  amountOf(anvil, '0x70a08231', owner)
const debtOf = (anvil: Pick<TestAnvil, 'rpc'>, owner: Address) =>
  amountOf(anvil, '0x374c49b4', owner)
const collateralOf = (anvil: Pick<TestAnvil, 'rpc'>, owner: Address) =>
  amountOf(anvil, '0x5c2549ee', owner, token('WETH'))

function run(calls: readonly ActionCall[], more: Partial<Parameters<typeof runActions>[0]> = {}) {
  const nodeUrl = context().sandbox.url
  return runActions({ nodeUrl, protocol: compoundV3, from: alice, calls, ...more })
}

describe('markets', () => {
  test('are found for their own base token alone; those without code are no fault', async () => {
    const reader = await nodeReader(context().sandbox.url)
    const [, withoutCode = zeroAddress] = (venue.comets as Address[]) ?? []
    const found = await compoundV3.swaps.discover({
      reader,
      chain: ethereum,
      venue,
      pairs: [
        [comet, token('USDC')],
        [comet, token('WETH')],
        [withoutCode, token('WETH')],
      ],
    })
    expect(found).toEqual({ pools: [pool], unreadable: [] })
    const tokens = [comet, withoutCode, token('USDC')]
    const made = await compoundV3.positions?.underlying?.({
      reader,
      chain: ethereum,
      venue,
      tokens,
    })
    expect([...(made ?? [])]).toEqual([[comet, [token('USDC')]]])
  })

  test('a new account gets the quoted balance, and whoever redeems all of it the quoted dollars', async () => {
    for (const [index, amount] of [1n, 1_234_567_891n, 77_777_777_777n, 3n].entries()) {
      const { state, time } = await load()
      const quote = compoundV3.swaps.swap(
        pool,
        state,
        { tokenIn: token('USDC'), tokenOut: comet },
        amount,
      )
      const owner: Address = `0x00000000000000000000000000000000000e000${index}`
      await node.rpc('evm_setNextBlockTimestamp', [Number(time)])
      const supply = 'function supplyTo(address, address, uint256)'
      await node.send(comet, supply, [owner, token('USDC'), amount], carol)
      // Read at the very block of the supply: later ones have earned more.
      const balance = await balanceAt(owner, time)
      expect(quote).toMatchObject({ amountOut: balance, exact: false })
    }
  })

  test('more dollars than lie in the market are not redeemed', async () => {
    const { state } = await load()
    const out = (amount: bigint) =>
      compoundV3.swaps.swap(pool, state, { tokenIn: comet, tokenOut: token('USDC') }, amount)
        .amountOut
    expect(out(state.cash * 2n)).toBe(0n)
    expect(out(state.cash / 2n)).toBeGreaterThan(0n)
  })
})

async function balanceAt(owner: Address, time: bigint): Promise<bigint> {
  const data = `0x70a08231${owner.slice(2).padStart(64, '0')}`
  const params = [{ to: comet, data }, 'latest', {}, { time: `0x${time.toString(16)}` }]
  return BigInt(await node.rpc<Hex>('eth_call', params))
}

describe('positions', () => {
  test('what is lent is a token, what backs loans is none', async () => {
    const reader = await nodeReader(context().sandbox.url)
    const args = { reader, chain: ethereum, venue }
    const listed = await compoundV3.positions?.list({ ...args, pools: [] })
    const positions = listed?.positions ?? []
    expect(listed?.unreadable).toEqual([])
    expect(positions.map(({ key, token: own, subtitle }) => [key, own, subtitle])).toEqual([
      [comet, comet, 'USDC'],
      [`${comet}-${token('WETH')}`, null, 'WETH collateral'],
    ])
    const states = await compoundV3.positions?.read({ ...args, positions })
    const [lent, backing] = states ?? []
    if (!lent || !('holdings' in lent) || lent.base?.kind !== 'annual') throw new Error('not read')
    expect(lent.base.rate).toBeGreaterThan(0.01)
    expect(lent.base.rate).toBeLessThan(0.2)
    expect(lent.holdings?.[0]?.amount).toBeGreaterThan(80_000_000n * usdc)
    expect(backing).toEqual({
      holdings: [{ token: token('WETH'), amount: 40_100n * ether }],
      base: { kind: 'annual', rate: 0 },
      rewards: [],
    })
  })

  test('collateral is entered by the arguments of its own deposit', async () => {
    const reader = await nodeReader(context().sandbox.url)
    const args = { reader, chain: ethereum, venue, pools: [] }
    const position = (await compoundV3.positions?.list(args))?.positions[1]
    if (!position) throw new Error('no position')
    const amounts = [{ token: token('WETH'), amount: 2n * ether }]
    const deposit = compoundV3.positions?.enter?.(position, amounts) ?? {}
    const found: bigint[] = []
    const done = await run([{ action: 'deposit', args: deposit }], {
      receiver: carol,
      inspect: async (anvil) => {
        found.push(await collateralOf(anvil, carol))
      },
    })
    expect(done.status).toBe('success')
    expect(found).toEqual([2n * ether])
  })
})

describe('lending', () => {
  const lend = { primaryAddress: comet, tokenIn: token('USDC'), amountIn: 5_000n * usdc }

  test('what is lent is the token of the market, and goes to the receiver', async () => {
    const done = await run([{ action: 'deposit', args: lend }], {
      receiver: sandboxAccount('dave').address,
      watch: [{ token: comet, owner: sandboxAccount('dave').address }],
    })
    expect(done.status).toBe('success')
    // Rounded at the market and once more on the way.
    expect(5_000n * usdc - (done.deltas[0] ?? 0n)).toBeLessThanOrEqual(4n)
    expect(done.deltas[0]).toBeLessThanOrEqual(5_000n * usdc)
  })

  test('is redeemed in the same transaction', async () => {
    const amountIn = { ref: 'balance', token: comet }
    const done = await run(
      [
        { action: 'deposit', args: lend },
        { action: 'redeem', args: { primaryAddress: comet, amountIn } },
      ],
      { watch: [{ token: token('USDC'), owner: alice }] },
    )
    expect(done.status).toBe('success')
    expect(done.deltas[0]).toBeLessThanOrEqual(0n)
    expect(done.deltas[0]).toBeGreaterThanOrEqual(-2n)
  })

  test.each(['router', 'delegate'] as const)(
    'an exact amount is withdrawn: %s',
    async (strategy) => {
      const args = { primaryAddress: comet, tokenOut: token('USDC'), amountOut: 4_000n * usdc }
      const done = await run([{ action: 'withdraw', args }], {
        from: carol,
        strategy,
        watch: [{ token: token('USDC'), owner: carol }],
      })
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([4_000n * usdc])
      const allowances = done.results.flatMap(({ prerequisites = [] }) => prerequisites)
      expect(allowances).toHaveLength(strategy === 'router' ? 1 : 0)
    },
  )

  test('more than the account lends is not withdrawn as a loan', async () => {
    const collateral = { primaryAddress: comet, tokenIn: token('WETH'), amountIn: 100n * ether }
    const args = { primaryAddress: comet, tokenOut: token('USDC'), amountOut: 90_000n * usdc }
    const done = await run(
      [
        { action: 'deposit', args: collateral },
        { action: 'withdraw', args },
      ],
      { from: carol, strategy: 'delegate' },
    )
    expect(done.status).toBe('reverted')
    expect(done.reason).toContain('BelowMinimum')
  })
})

describe('collateral and loans', () => {
  const back = { primaryAddress: comet, tokenIn: token('WETH'), amountIn: 10n * ether }
  const loan = { primaryAddress: comet, tokenOut: token('USDC'), collateral: token('WETH') }

  test.each(['router', 'delegate', 'wallet-v2'] as const)(
    'collateral is added and borrowed against in one transaction: %s',
    async (strategy) => {
      const account = accountOf(strategy, alice)
      const found: bigint[] = []
      const done = await run(
        [
          { action: 'deposit', args: back },
          { action: 'borrow', args: { ...loan, amountOut: 9_000n * usdc } },
        ],
        {
          strategy,
          watch: [{ token: token('USDC'), owner: account }],
          inspect: async (anvil) => {
            found.push(await collateralOf(anvil, account), await debtOf(anvil, account))
          },
        },
      )
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([9_000n * usdc])
      expect(found[0]).toBe(10n * ether)
      // Debts are rounded up.
      expect((found[1] ?? 0n) - 9_000n * usdc).toBeLessThan(100n)
      expect(found[1]).toBeGreaterThanOrEqual(9_000n * usdc)
    },
  )

  test('through the Router nothing is borrowed without permission', async () => {
    const calls: ActionCall[] = [
      { action: 'deposit', args: back },
      { action: 'borrow', args: { ...loan, amountOut: 1_000n * usdc } },
    ]
    const done = await run(calls, { withoutPrerequisites: true })
    expect(done.status).toBe('reverted')
  })

  test.each([
    ['beyond the limit', 90_000n * usdc, 'NotCollateralized()'],
    ['too small', usdc, 'BorrowTooSmall()'],
  ])('a loan %s fails with the reason of the market', async (_what, amountOut, reason) => {
    const done = await run(
      [
        { action: 'deposit', args: back },
        { action: 'borrow', args: { ...loan, amountOut } },
      ],
      { strategy: 'delegate' },
    )
    expect(done.status).toBe('reverted')
    expect(done.reason).toContain(reason)
  })

  test.each([
    ['a part of the debt', 5_000n * usdc],
    ['more than the debt', 25_000n * usdc],
  ])('%s is repaid through the Router, and the rest comes back', async (_what, amountIn) => {
    const found: bigint[] = []
    const done = await run([{ action: 'repay', args: { primaryAddress: comet, amountIn } }], {
      from: bob,
      watch: [{ token: token('USDC'), owner: bob }],
      inspect: async (anvil) => {
        found.push(await debtOf(anvil, bob), await balanceOf(anvil, bob))
      },
    })
    expect(done.status).toBe('success')
    const paid = -(done.deltas[0] ?? 0n)
    if (amountIn < 20_000n * usdc) {
      expect(paid).toBe(amountIn)
      expect(found[0]).toBeGreaterThan(15_000n * usdc)
    } else {
      expect(found).toEqual([0n, 0n])
      expect(paid).toBeGreaterThan(20_000n * usdc)
      expect(paid).toBeLessThan(20_010n * usdc)
    }
  })

  test('collateral is taken out as far as loans do not need it', async () => {
    const out = (amountOut: bigint) =>
      run(
        [
          {
            action: 'withdraw',
            args: { primaryAddress: comet, tokenOut: token('WETH'), amountOut },
          },
        ],
        { from: bob, strategy: 'delegate', watch: [{ token: token('WETH'), owner: bob }] },
      )
    const some = await out(50n * ether)
    expect(some.status).toBe('success')
    expect(some.deltas).toEqual([50n * ether])
    const tooMuch = await out(99n * ether)
    expect(tooMuch.reason).toContain('NotCollateralized()')
  })

  test('an address that is no market and a token that it does not take are refused', async () => {
    const deposit = (args: object) => run([{ action: 'deposit', args: { ...back, ...args } }])
    await expect(deposit({ primaryAddress: bob })).rejects.toThrow(/primaryAddress/)
    await expect(deposit({ tokenIn: token('DAI') })).rejects.toThrow(/tokenIn/)
  })
})
