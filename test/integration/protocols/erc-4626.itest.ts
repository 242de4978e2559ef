/** Vaults of OpenZeppelin and others on an Anvil: what the adapter quotes against what its own steps are given. */
import fc from 'fast-check'
import { maxUint256, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { erc4626 } from '../../../src/protocols/erc-4626/index.js'
import type { VaultState } from '../../../src/protocols/erc-4626/math.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { LoadedPool } from '../../../src/protocols/protocol.js'
import { erc20Abi, PoolContext } from '../../support/protocols/pool-context.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const vaultAbi = parseAbi([
  'function deposit(uint256, address)',
  'function setCap(uint256)',
  'function transfer(address, uint256)',
])
const recipient: Address = '0x00000000000000000000000000000000000000aa'

type Kind = 'OffsetVault' | 'AccruingVault' | 'FeeVault'

let context: PoolContext
let contract: ReturnType<typeof compileTestContracts>

beforeAll(async () => {
  contract = compileTestContracts('Vaults.sol')
  context = await PoolContext.start()
})
afterAll(() => context.close())

/** A vault of its own asset, with a first deposit and a gain on top of it, both in whole tokens. */
async function open(
  kind: Kind,
  { decimals = 18, offset = 0, deposited = 0n, donated = 0n } = {},
): Promise<Pool> {
  const asset = await context.token(decimals)
  const address = await context.deploy(
    contract(kind).bytecode,
    kind === 'OffsetVault' ? 'address, uint8' : 'address',
    kind === 'OffsetVault' ? [asset, offset] : [asset],
  )
  await context.send(asset, erc20Abi, 'approve', [address, maxUint256])
  const unit = 10n ** BigInt(decimals)
  if (deposited)
    await context.send(address, vaultAbi, 'deposit', [deposited * unit, context.trader])
  if (donated) await context.send(asset, vaultAbi, 'transfer', [address, donated * unit + 1n])
  const tokens = [asset, address]
  return { protocol: 'erc-4626', id: address, address, tokens, parameters: {} }
}

async function load(pool: Pool): Promise<LoadedPool<VaultState>> {
  const reader = await context.reader()
  const [loaded] = await erc4626.swaps.load({ reader, chain: ethereum, venue: {}, pools: [pool] })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return loaded
}

/** Carries out the adapter's own steps in the block after the one that was read; the trader stands for the Executor. */
async function execute(pool: Pool, isDeposit: boolean, amountIn: bigint) {
  const loaded = await load(pool)
  const [asset = recipient, share = recipient] = pool.tokens
  const [tokenIn, tokenOut] = isDeposit ? [asset, share] : [share, asset]
  // Whoever holds all shares can redeem what any quote is for.
  const receiver = isDeposit ? context.trader : recipient
  const quote = erc4626.swaps.swap(pool, loaded.state, { tokenIn, tokenOut }, amountIn)
  const steps = erc4626.swaps.encodeSwap({
    chain: ethereum,
    venue: {},
    pool,
    state: loaded.state,
    tokenIn,
    tokenOut,
    amountIn,
    executor: context.trader,
    helpers: {},
    recipient: receiver,
  })
  const call = steps.at(-1)
  if (call?.kind !== 'call') throw new Error('no call')
  const before = await context.balanceOf(tokenOut, receiver)
  await context.mineNextAfter(ethereum.blockTimeSeconds)
  await context.send(call.target, [call.abi], call.abi.name, call.args)
  const received = (await context.balanceOf(tokenOut, receiver)) - before
  const next = quote.after()
  return { quote, received, next }
}

const operations = fc.record({
  isDeposit: fc.boolean(),
  digits: fc.noBias(fc.integer({ min: 0, max: 26 })),
  factor: fc.noBias(fc.integer({ min: 1, max: 9_999 })),
})

describe('erc-4626 vaults against the deployed contracts', () => {
  test('property: any deposit or redemption of plain vaults gives the predicted amount and leaves the predicted state', async () => {
    const vaults = [
      await open('OffsetVault', { decimals: 6, deposited: 1_000_000n, donated: 123_456n }),
      await open('OffsetVault', { decimals: 6, offset: 12, deposited: 7n, donated: 3n }),
      await open('OffsetVault', { offset: 3 }),
      await open('OffsetVault', { donated: 5n }),
    ]
    let moved = 0
    for (const pool of vaults) {
      await fc.assert(
        fc.asyncProperty(operations, async ({ isDeposit, digits, factor }) => {
          const amountIn = (BigInt(factor) * 10n ** BigInt(digits)) / 1_000n + 1n
          const { quote, received, next } = await execute(pool, isDeposit, amountIn)
          expect(quote).toMatchObject({ amountOut: received, exact: true })
          if (received > 0n) {
            moved += 1
            expect((await load(pool)).state).toEqual(next)
          }
        }),
        { numRuns: 20 },
      )
    }
    expect(moved).toBeGreaterThan(30)
  })

  test('a vault that accrues by the second is read as of the simulated block', async () => {
    const pool = await open('AccruingVault', { deposited: 1_000_000n })
    await context.mineAfter(86_400)
    expect((await load(pool)).state).toMatchObject({ kind: 'plain', virtualShares: 0n })
    for (const [isDeposit, amountIn] of [
      [true, 12_345_678_901_234_567_890n],
      [false, 98_765_432_109_876_543_210n],
      [true, 1n],
    ] as const) {
      const { quote, received } = await execute(pool, isDeposit, amountIn)
      expect(quote).toMatchObject({ amountOut: received, exact: true })
    }
  })

  test('a vault that takes fees is quoted by its previews: an estimate, within two units', async () => {
    const pool = await open('FeeVault', { decimals: 6, deposited: 1_000_000n, donated: 50_000n })
    for (const isDeposit of [true, false]) {
      const { quote, received } = await execute(pool, isDeposit, 123_456_789n)
      expect(quote.exact).toBe(false)
      expect(received).toBeGreaterThan(110_000_000n)
      const difference = quote.amountOut - received
      expect(difference >= -2n && difference <= 2n, `${quote.amountOut} ${received}`).toBe(true)
    }
  })

  test('a deposit above the cap is worth nothing, as the vault refuses it; a cap of zero leaves redemptions', async () => {
    const pool = await open('OffsetVault', { decimals: 6, deposited: 100n })
    await context.send(pool.address, vaultAbi, 'setCap', [150_000_000n])
    const within = await execute(pool, true, 50_000_000n)
    expect(within).toMatchObject({ received: 50_000_000n, quote: { amountOut: 50_000_000n } })
    const above = await execute(pool, true, 1n)
    expect(above).toMatchObject({ received: 0n, quote: { amountOut: 0n, exact: true } })
    await context.send(pool.address, vaultAbi, 'setCap', [0n])
    const out = await execute(pool, false, 10_000_000n)
    expect(out).toMatchObject({ received: 10_000_000n, quote: { amountOut: 10_000_000n } })
  })

  test('a token without the interface is no vault, and an address without code neither', async () => {
    const [asset, share] = await context.sortedTokens([18, 18])
    const tokens = [asset?.address ?? recipient, share?.address ?? recipient]
    const reader = await context.reader()
    const pairs = [[tokens[0] ?? recipient, tokens[1] ?? recipient]] as const
    const found = await erc4626.swaps.discover({ reader, chain: ethereum, venue: {}, pairs })
    expect(found).toEqual({ pools: [], unreadable: [] })
    const vault = await open('OffsetVault')
    const [own = recipient] = vault.tokens
    const swapped = [[vault.address, own] as const, [recipient, own] as const]
    const args = { chain: ethereum, venue: {}, pairs: swapped }
    expect(await erc4626.swaps.discover({ reader: await context.reader(), ...args })).toEqual({
      pools: [vault],
      unreadable: [],
    })
  })
})
