/** Morpho Blue on the sandbox: positions against the contract, and every action on a fork of its own. */
import { type Hex, slice } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { morphoBlue } from '../../../src/protocols/morpho-blue/index.js'
import type { Position } from '../../../src/protocols/positions.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { TestAnvil } from '../../support/anvil.js'
import { nodeReader } from '../../support/nodes/node-reader.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type ActionCall, accountOf, runActions } from '../../support/run-actions.js'
import { withSandbox } from '../../support/sandbox.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const venue = ethereum.venues['morpho-blue'] ?? {}
const morpho = String(venue.morpho) as Address
const stakedDollars: Hex = '0xb323495f7e4148be5643a4ea4a8221eef163e4bccfdedc2a6f4696baacbc86cc'
const alice = sandboxAccount('alice').address
const bob = sandboxAccount('bob').address
const usdc = 10n ** 6n
const ether = 10n ** 18n
const market = { primaryAddress: morpho, marketId: stakedDollars }

const context = withSandbox()
let node: NodeWriter

const tuple = '(address, address, address, address, uint256)'
async function parameters(): Promise<readonly (Hex | bigint)[]> {
  const words = await node.read(morpho, 'function idToMarketParams(bytes32) view', [stakedDollars])
  const word = (index: number) => slice(words, index * 32, (index + 1) * 32)
  return [0, 1, 2, 3].map((index): Hex | bigint => slice(word(index), 12)).concat(BigInt(word(4)))
}

beforeAll(async () => {
  node = await new NodeWriter(context().sandbox.url).start()
  await node.rpc('anvil_impersonateAccount', [bob])
  // Bob lends dollars, and owes some against staked ether, since some blocks.
  const approve = 'function approve(address, uint256)'
  const market = await parameters()
  await node.send(token('USDC'), approve, [morpho, 10n ** 12n], bob)
  await node.send(token('wstETH'), approve, [morpho, 10n ** 24n], bob)
  const lend = `function supply(${tuple}, uint256, uint256, address, bytes)`
  await node.send(morpho, lend, [market, 10_000n * usdc, 0n, bob, '0x'], bob)
  const back = `function supplyCollateral(${tuple}, uint256, address, bytes)`
  await node.send(morpho, back, [market, 20n * ether, bob, '0x'], bob)
  const owe = `function borrow(${tuple}, uint256, uint256, address, address)`
  await node.send(morpho, owe, [market, 20_000n * usdc, 0n, bob, bob], bob)
  for (let block = 0; block < 5; block++) await node.rpc('evm_mine', [])
})
afterAll(() => node.close())

function run(calls: readonly ActionCall[], more: Partial<Parameters<typeof runActions>[0]> = {}) {
  const nodeUrl = context().sandbox.url
  return runActions({ nodeUrl, protocol: morphoBlue, from: alice, calls, ...more })
}

/** Supply shares, borrow shares, collateral; read on the fork after the transaction would be too late to know. */
async function positionOf(anvil: Pick<TestAnvil, 'rpc'>, owner: Address): Promise<bigint[]> {
  // position(bytes32,address)
  const data = `0x93c52062${stakedDollars.slice(2)}${owner.slice(2).padStart(64, '0')}`
  const words = await anvil.rpc<Hex>('eth_call', [{ to: morpho, data }, 'latest'])
  return [0, 1, 2].map((index) => BigInt(slice(words, index * 32, (index + 1) * 32)))
}

async function list(): Promise<readonly Position[]> {
  const reader = await nodeReader(context().sandbox.url)
  const args = { reader, chain: ethereum, venue, pools: [] }
  const found = await morphoBlue.positions?.list(args)
  expect(found?.unreadable).toEqual([])
  return found?.positions ?? []
}

describe('positions', () => {
  test('the named markets have two each, and one that does not exist none', async () => {
    const positions = await list()
    expect(positions.map(({ name, subtitle }) => `${name}: ${subtitle}`)).toEqual([
      'Morpho wstETH/USDC 86%: USDC supply',
      'Morpho wstETH/USDC 86%: wstETH collateral',
      'Morpho WBTC/USDC 86%: USDC supply',
      'Morpho WBTC/USDC 86%: WBTC collateral',
      'Morpho wstETH/WETH 94.5%: WETH supply',
      'Morpho wstETH/WETH 94.5%: wstETH collateral',
    ])
    const reader = await nodeReader(context().sandbox.url)
    const other = { ...venue, markets: [`0x${'12'.repeat(32)}`] }
    const args = { reader, chain: ethereum, venue: other, pools: [] }
    expect(await morphoBlue.positions?.list(args)).toEqual({ positions: [], unreadable: [] })
  })

  test('what is lent and what it earns: the same as the contract counts itself', async () => {
    const reader = await nodeReader(context().sandbox.url)
    const positions = await list()
    const states = await morphoBlue.positions?.read({ reader, chain: ethereum, venue, positions })
    const [supply, collateral] = states ?? []
    if (!supply || !('holdings' in supply) || supply.base?.kind !== 'annual') {
      throw new Error('not read')
    }
    expect(supply.base.rate).toBeGreaterThan(0.01)
    expect(supply.base.rate).toBeLessThan(0.2)
    expect(collateral).toEqual({ holdings: null, base: { kind: 'annual', rate: 0 }, rewards: [] })

    const accrue = `function accrueInterest(${tuple})`
    const time = reader.block.timestamp + 1n
    await node.rpc('evm_setNextBlockTimestamp', [Number(time)])
    await node.send(morpho, accrue, [await parameters()])
    const words = await node.read(morpho, 'function market(bytes32) view', [stakedDollars])
    const counted = BigInt(slice(words, 0, 32))
    const held = supply.holdings?.[0]?.amount ?? 0n
    // One more second of interest.
    expect(held).toBeLessThanOrEqual(counted)
    expect(counted - held).toBeLessThan(usdc)
    expect(held).toBeGreaterThan(50_000_000n * usdc)
  })

  test('is entered by the arguments of its own deposit', async () => {
    const [position] = await list()
    if (!position) throw new Error('no position')
    const amounts = [{ token: token('USDC'), amount: 1_000n * usdc }]
    const args = morphoBlue.positions?.enter?.(position, amounts) ?? {}
    const shares: bigint[] = []
    const done = await run([{ action: 'deposit', args }], {
      receiver: bob,
      watch: [{ token: token('USDC'), owner: morpho }],
      inspect: async (anvil) => {
        shares.push(...(await positionOf(anvil, bob)))
      },
    })
    expect(done.status).toBe('success')
    expect(done.deltas).toEqual([1_000n * usdc])
    const [before = 0n] = await positionOf(node, bob)
    expect(shares[0]).toBeGreaterThan(before)
  })
})

describe('collateral and loans', () => {
  const back = { ...market, tokenIn: token('wstETH'), amountIn: 5n * ether }
  const loan = { ...market, tokenOut: token('USDC'), collateral: token('wstETH') }

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
            found.push(...(await positionOf(anvil, account)))
          },
        },
      )
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([9_000n * usdc])
      expect(found[1]).toBeGreaterThan(0n)
      expect(found[2]).toBe(5n * ether)
      const authorisations = done.results.flatMap(({ prerequisites = [] }) => prerequisites)
      expect(authorisations).toHaveLength(strategy === 'router' ? 1 : 0)
    },
  )

  test('through the Router nothing is borrowed without authorisation', async () => {
    const calls: ActionCall[] = [
      { action: 'deposit', args: back },
      { action: 'borrow', args: { ...loan, amountOut: usdc } },
    ]
    const done = await run(calls, { withoutPrerequisites: true })
    expect(done.status).toBe('reverted')
  })

  test('a loan beyond the limit fails with the reason of the contract', async () => {
    const done = await run(
      [
        { action: 'deposit', args: back },
        { action: 'borrow', args: { ...loan, amountOut: 90_000n * usdc } },
      ],
      { strategy: 'delegate' },
    )
    expect(done.status).toBe('reverted')
    expect(done.reason).toContain('insufficient collateral')
  })

  test.each([
    ['a part of the debt', 5_000n * usdc],
    ['more than the debt', 25_000n * usdc],
  ])('%s is repaid through the Router, and the rest comes back', async (_what, amountIn) => {
    const left: bigint[] = []
    const done = await runActions({
      nodeUrl: context().sandbox.url,
      protocol: morphoBlue,
      from: bob,
      calls: [{ action: 'repay', args: { ...market, tokenIn: token('USDC'), amountIn } }],
      watch: [{ token: token('USDC'), owner: bob }],
      inspect: async (anvil) => {
        left.push(...(await positionOf(anvil, bob)))
      },
    })
    expect(done.status).toBe('success')
    const paid = -(done.deltas[0] ?? 0n)
    if (amountIn < 20_000n * usdc) {
      expect(amountIn - paid).toBeLessThanOrEqual(1n)
      expect(left[1]).toBeGreaterThan(0n)
    } else {
      expect(left[1]).toBe(0n)
      expect(paid).toBeGreaterThan(20_000n * usdc)
      expect(paid).toBeLessThan(20_010n * usdc)
    }
  })

  test('a loan of the same transaction is repaid, and its collateral taken out again', async () => {
    const done = await run(
      [
        { action: 'deposit', args: back },
        { action: 'borrow', args: { ...loan, amountOut: 1_000n * usdc } },
        { action: 'repay', args: { ...market, amountIn: 2_000n * usdc } },
        {
          action: 'withdraw',
          args: { ...market, tokenOut: token('wstETH'), amountOut: 5n * ether },
        },
      ],
      {
        strategy: 'delegate',
        watch: [
          { token: token('wstETH'), owner: alice },
          { token: token('USDC'), owner: alice },
        ],
      },
    )
    expect(done.status).toBe('success')
    expect(done.deltas[0]).toBe(0n)
    // A unit may be rounded away.
    expect([0n, -1n]).toContain(done.deltas[1])
  })
})

describe('withdraw and redeem', () => {
  const of = (calls: readonly ActionCall[], strategy: 'router' | 'delegate' = 'router') =>
    runActions({
      nodeUrl: context().sandbox.url,
      protocol: morphoBlue,
      from: bob,
      strategy,
      calls,
      watch: [{ token: token('USDC'), owner: bob }],
    })

  test.each(['router', 'delegate'] as const)(
    'an exact amount is withdrawn: %s',
    async (strategy) => {
      const args = { ...market, tokenOut: token('USDC'), amountOut: 4_000n * usdc }
      const done = await of([{ action: 'withdraw', args }], strategy)
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([4_000n * usdc])
    },
  )

  test('more shares than there are: everything that was lent comes back', async () => {
    const done = await of([{ action: 'redeem', args: { ...market, amountIn: 10n ** 30n } }])
    expect(done.status).toBe('success')
    expect(done.deltas[0]).toBeGreaterThan(10_000n * usdc)
    expect(done.deltas[0]).toBeLessThan(10_010n * usdc)
  })

  test('collateral that loans need stays', async () => {
    const args = { ...market, tokenOut: token('wstETH'), amountOut: 19n * ether }
    const done = await of([{ action: 'withdraw', args }], 'delegate')
    expect(done.status).toBe('reverted')
    expect(done.reason).toContain('insufficient collateral')
  })

  test('another contract, an unknown market and a foreign token are refused', async () => {
    const deposit = (args: object) =>
      run([
        { action: 'deposit', args: { ...market, tokenIn: token('USDC'), amountIn: 1n, ...args } },
      ])
    await expect(deposit({ primaryAddress: bob })).rejects.toThrow(/primaryAddress/)
    await expect(deposit({ marketId: `0x${'12'.repeat(32)}` })).rejects.toThrow(/marketId/)
    await expect(deposit({ tokenIn: token('DAI') })).rejects.toThrow(/tokenIn/)
  })
})
