/** Compound V2 on the sandbox: quotes against the markets themselves, and every action on a fork of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { compoundV2 } from '../../../src/protocols/compound-v2/index.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { TestAnvil } from '../../support/anvil.js'
import { nodeReader } from '../../support/nodes/node-reader.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type ActionCall, accountOf, runActions } from '../../support/run-actions.js'
import { withSandbox } from '../../support/sandbox.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const cETH: Address = '0x4ddc2d193948926d02f9b1fe9e1daa0718270ed5'
const cUSDC: Address = '0x39aa39c021dfbae8fac545936693ac917d5e7563'
const cDAI: Address = '0x5d3a536e4d6dbd6114cc1ead35777bab948e3643'
const cUSDT: Address = '0xf650c3d88d12db855b8bf7d11be6c55a4e07dcc9'
const comptroller = String(ethereum.venues['compound-v2']?.comptroller) as Address
const venue = ethereum.venues['compound-v2'] ?? {}
const alice = sandboxAccount('alice').address
const bob = sandboxAccount('bob').address
const usdc = 10n ** 6n
const ether = 10n ** 18n

const context = withSandbox()
let node: NodeWriter

beforeAll(async () => {
  node = await new NodeWriter(context().sandbox.url).start()
  for (const account of [alice, bob]) await node.rpc('anvil_impersonateAccount', [account])
  // Bob owes DAI against USDC since some blocks, and let what he lends be taken.
  await node.send(token('USDC'), 'function approve(address, uint256)', [cUSDC, 10n ** 12n], bob)
  await node.send(cUSDC, 'function mint(uint256)', [100_000n * usdc], bob)
  await node.send(comptroller, 'function enterMarkets(address[])', [[cUSDC]], bob)
  await node.send(cDAI, 'function borrow(uint256)', [20_000n * ether], bob)
  await node.send(cETH, 'function borrow(uint256)', [2n * ether], bob)
  for (let block = 0; block < 5; block++) await node.rpc('evm_mine', [])
})
afterAll(() => node.close())

const market = (underlying: Address, address: Address): Pool => {
  const tokens = [underlying, address]
  return { protocol: 'compound-v2', id: address, address, tokens, parameters: {} }
}

async function load(pool: Pool) {
  const reader = await nodeReader(context().sandbox.url)
  const [loaded] = await compoundV2.swaps.load({ reader, chain: ethereum, venue, pools: [pool] })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return loaded
}

const balance = async (of: Address, owner: Address): Promise<bigint> =>
  BigInt(await node.read(of, 'function balanceOf(address) view', [owner]))

async function debtOf(anvil: Pick<TestAnvil, 'rpc'>, of: Address, owner: Address): Promise<bigint> {
  // borrowBalanceStored(address)
  const data = `0x95dd9193${owner.slice(2).padStart(64, '0')}`
  return BigInt(await anvil.rpc<string>('eth_call', [{ to: of, data }, 'latest']))
}

function run(calls: readonly ActionCall[], more: Partial<Parameters<typeof runActions>[0]> = {}) {
  const nodeUrl = context().sandbox.url
  return runActions({ nodeUrl, protocol: compoundV2, from: alice, calls, ...more })
}

describe('markets', () => {
  test('are found for the pair of their own underlying alone', async () => {
    const reader = await nodeReader(context().sandbox.url)
    const args = { reader, chain: ethereum, venue }
    const { pools, unreadable } = await compoundV2.swaps.discover({
      ...args,
      pairs: [
        [token('USDC'), cUSDC],
        [cETH, ethereum.wrappedNative],
        [token('USDC'), cDAI],
        [token('USDC'), token('DAI')],
      ],
    })
    expect(unreadable).toEqual([])
    expect(pools).toHaveLength(2)
    expect(pools).toEqual(
      expect.arrayContaining([market(token('USDC'), cUSDC), market(nativeToken, cETH)]),
    )
    const found = await compoundV2.positions?.underlying?.({
      ...args,
      tokens: [cUSDC, cETH, token('DAI')],
    })
    expect([...(found ?? [])]).toEqual(
      expect.arrayContaining([
        [cUSDC, [token('USDC')]],
        [cETH, [nativeToken]],
      ]),
    )
  })

  test('interest of any number of blocks: the quote is what the market mints and pays, to the unit', async () => {
    const pool = market(token('USDC'), cUSDC)
    for (const [blocks, amount] of [
      [1, 1_234_567_891n],
      [7, 1n],
      [40, 77_777_777_777n],
    ] as const) {
      for (let block = 0; block < blocks; block++) await node.rpc('evm_mine', [])
      const { state } = await load(pool)
      const shares = compoundV2.swaps.swap(
        pool,
        state,
        { tokenIn: token('USDC'), tokenOut: cUSDC },
        amount,
      )
      const before = await balance(cUSDC, bob)
      await node.send(cUSDC, 'function mint(uint256)', [amount], bob)
      const minted = (await balance(cUSDC, bob)) - before
      expect(shares).toMatchObject({ amountOut: minted, exact: true })

      const again = (await load(pool)).state
      const assets = compoundV2.swaps.swap(
        pool,
        again,
        { tokenIn: cUSDC, tokenOut: token('USDC') },
        minted,
      )
      const held = await balance(token('USDC'), bob)
      await node.send(cUSDC, 'function redeem(uint256)', [minted], bob)
      const paid = (await balance(token('USDC'), bob)) - held
      expect(assets).toMatchObject({ amountOut: paid, exact: true })
    }
  })

  test('a redemption above the cash of the market is worth nothing', async () => {
    const pool = market(token('DAI'), cDAI)
    const { state } = await load(pool)
    const out = (amount: bigint) =>
      compoundV2.swaps.swap(pool, state, { tokenIn: cDAI, tokenOut: token('DAI') }, amount)
        .amountOut
    expect(out(state.supply)).toBe(0n)
    expect(out(state.supply / 1_000n)).toBeGreaterThan(0n)
  })
})

describe('positions', () => {
  test('every market is listed, with what it holds and earns', async () => {
    const reader = await nodeReader(context().sandbox.url)
    const args = { reader, chain: ethereum, venue }
    const listed = await compoundV2.positions?.list({ ...args, pools: [] })
    const positions = listed?.positions ?? []
    expect(positions.map(({ key }) => key)).toEqual([cETH, cUSDC, cDAI, cUSDT])
    expect(positions.map(({ subtitle }) => subtitle)).toEqual(['ETH', 'USDC', 'DAI', 'USDT'])
    const states = (await compoundV2.positions?.read({ ...args, positions })) ?? []
    for (const state of states) {
      if (!('holdings' in state) || state.base?.kind !== 'annual') throw new Error('not read')
      expect(state.base.rate).toBeGreaterThan(0.001)
      expect(state.base.rate).toBeLessThan(0.2)
    }
    const [, dollars] = states
    if (!dollars || !('holdings' in dollars)) throw new Error('not read')
    const [held] = dollars.holdings ?? []
    expect(held?.token).toBe(token('USDC'))
    expect(held?.amount).toBeGreaterThan(60_000_000n * usdc)
  })
})

describe('deposit, redeem and withdraw', () => {
  test.each([
    ['USDC', cUSDC, 5_000n * usdc],
    ['USDT', cUSDT, 5_000n * usdc],
    ['ETH', cETH, 3n * ether],
  ] as const)(
    '%s is supplied, and the token goes to the receiver',
    async (symbol, address, amount) => {
      const tokenIn = symbol === 'ETH' ? nativeToken : token(symbol)
      const args = { primaryAddress: address, tokenIn, amountIn: amount }
      const { state } = await load(market(tokenIn, address))
      const quote = compoundV2.swaps.swap(
        market(tokenIn, address),
        state,
        { tokenIn, tokenOut: address },
        amount,
      )
      const done = await run([{ action: 'deposit', args }], {
        receiver: bob,
        watch: [{ token: address, owner: bob }],
      })
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([quote.amountOut])
    },
  )

  test('ether that was supplied is redeemed for its token, in one transaction', async () => {
    const supply = { primaryAddress: cETH, tokenIn: nativeToken, amountIn: 2n * ether }
    const amountIn = { ref: 'balance', token: cETH }
    const done = await run(
      [
        { action: 'deposit', args: supply },
        { action: 'redeem', args: { primaryAddress: cETH, amountIn } },
      ],
      { watch: [{ token: nativeToken, owner: alice }], strategy: 'router' },
    )
    expect(done.status).toBe('success')
    // What the rate rounds away.
    expect(done.deltas[0]).toBeLessThanOrEqual(0n)
    expect(done.deltas[0]).toBeGreaterThan(-(10n ** 12n))
  })

  test('an exact amount is withdrawn, and the tokens that it does not need come back', async () => {
    const args = { primaryAddress: cUSDC, tokenOut: token('USDC'), amountOut: 1_000n * usdc }
    const done = await runActions({
      nodeUrl: context().sandbox.url,
      protocol: compoundV2,
      from: bob,
      strategy: 'delegate',
      calls: [{ action: 'withdraw', args }],
      isReady: true,
      watch: [
        { token: token('USDC'), owner: bob },
        { token: cUSDC, owner: bob },
      ],
    })
    expect(done.status).toBe('success')
    expect(done.deltas[0]).toBe(1_000n * usdc)
    // Some 50 tokens of 8 decimals for each dollar at the beginning.
    expect(done.deltas[1]).toBeLessThan(-49_000n * 10n ** 8n)
    expect(done.deltas[1]).toBeGreaterThan(-50_000n * 10n ** 8n)
  })
})

describe('borrow and repay', () => {
  const supply = { primaryAddress: cETH, tokenIn: nativeToken, amountIn: 10n * ether }
  const loan = { primaryAddress: cDAI, tokenOut: token('DAI'), collateral: cETH }

  test.each(['delegate', 'wallet-v2'] as const)(
    'collateral is supplied, entered and borrowed against in one transaction: %s',
    async (strategy) => {
      const account = accountOf(strategy, alice)
      const done = await run(
        [
          { action: 'deposit', args: supply },
          { action: 'borrow', args: { ...loan, amountOut: 9_000n * ether } },
        ],
        {
          strategy,
          watch: [
            { token: token('DAI'), owner: account },
            { token: cETH, owner: account },
          ],
        },
      )
      expect(done.status).toBe('success')
      expect(done.deltas[0]).toBe(9_000n * ether)
      expect(done.deltas[1]).toBeGreaterThan(0n)
    },
  )

  test('through the Router a loan is refused, with the strategies that give one', async () => {
    const args = { ...loan, amountOut: ether }
    await expect(run([{ action: 'borrow', args }])).rejects.toThrow(/delegate or svcwallet-v2/)
  })

  test('a loan beyond the limit fails with the code of the market', async () => {
    const done = await run(
      [
        { action: 'deposit', args: supply },
        { action: 'borrow', args: { ...loan, amountOut: 900_000n * ether } },
      ],
      { strategy: 'delegate' },
    )
    expect(done.status).toBe('reverted')
    expect(done.reason).toContain('BelowMinimum(0, 3)')
    expect(compoundV2.actions?.explain?.(done.reason ?? '')).toContain('COMPTROLLER_REJECTION')
  })

  test.each([
    ['a part of the debt', cDAI, 'DAI', 5_000n * ether],
    ['more than the debt', cDAI, 'DAI', 25_000n * ether],
    ['more ether than the debt', cETH, 'ETH', 3n * ether],
  ] as const)('%s is repaid through the Router', async (_what, address, symbol, amountIn) => {
    const tokenIn = symbol === 'ETH' ? nativeToken : token(symbol)
    const debts: bigint[] = []
    const done = await runActions({
      nodeUrl: context().sandbox.url,
      protocol: compoundV2,
      from: bob,
      calls: [{ action: 'repay', args: { primaryAddress: address, tokenIn, amountIn } }],
      watch: [{ token: tokenIn, owner: bob }],
      prepare: async (anvil) => {
        debts.push(await debtOf(anvil, address, bob))
      },
    })
    expect(done.status).toBe('success')
    const [debt = 0n] = debts
    const paid = -(done.deltas[0] ?? 0n)
    if (amountIn < debt) expect(paid).toBe(amountIn)
    else {
      // The stored debt, and what it earned since.
      expect(paid).toBeGreaterThanOrEqual(debt)
      expect(paid).toBeLessThan((debt * 10_001n) / 10_000n)
    }
  })

  test('an address that is no market, and a token that it does not lend, are refused', async () => {
    const primaryAddress = token('DAI')
    const args = { primaryAddress, amountIn: 1n }
    await expect(run([{ action: 'deposit', args }])).rejects.toThrow(/primaryAddress/)
    const other = { primaryAddress: cDAI, tokenIn: token('USDC'), amountIn: 1n }
    await expect(run([{ action: 'deposit', args: other }])).rejects.toThrow(/tokenIn/)
  })
})
