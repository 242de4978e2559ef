import { decodeFunctionData, encodeAbiParameters, maxUint256, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { ReadCall, ReadResult, StateReader } from '../../domain/state.js'
import { toWord } from '../shared/storage-slots.js'
import { erc4626 } from './index.js'

const token = (digit: string) => `0x${digit.repeat(40)}` as Address
const [asset, vault, other, receiver] = [token('1'), token('2'), token('3'), token('7')]
const [connector = asset] = ethereum.connectorTokens
const common = { chain: ethereum, venue: {} }
const pool = {
  protocol: 'erc-4626',
  id: vault,
  address: vault,
  tokens: [asset, vault],
  parameters: {},
}
const abi = parseAbi([
  'function asset() view returns (address)',
  'function totalAssets() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function maxDeposit(address) view returns (uint256)',
  'function previewDeposit(uint256) view returns (uint256)',
  'function previewRedeem(uint256) view returns (uint256)',
  'function cooldownDuration() view returns (uint24)',
])
const reverted: ReadResult = { ok: false, reason: 'reverted', message: 'reverted' }
const refused: ReadResult = { ok: false, reason: 'unreadable', message: 'refused' }

/** @param answer - to a function of a contract; null: it reverts. */
function callReader(
  answer: (to: Address, name: string, argument: bigint) => bigint | Hex | ReadResult | null,
): StateReader & { readonly calls: readonly ReadCall[] } {
  const calls: ReadCall[] = []
  return {
    ...storageReader({}),
    calls,
    call: async (asked) =>
      asked.map((call) => {
        calls.push(call)
        const { functionName, args } = decodeFunctionData({ abi, data: call.data })
        const value = answer(call.to, functionName, BigInt(args?.[0] ?? 0))
        if (value === null) return reverted
        if (typeof value === 'object') return value
        return { ok: true, value: typeof value === 'bigint' ? toWord(value) : value }
      }),
  }
}

/** A vault of 2000 assets and 1000 shares that converts as OpenZeppelin's does, but for what is given. */
function vaultReader(given: Readonly<Record<string, bigint | ReadResult | null>> = {}) {
  return callReader((_to, name, amount) => {
    const value = given[name]
    if (value !== undefined) return value
    if (name === 'totalAssets') return 2_000n
    if (name === 'totalSupply') return 1_000n
    if (name === 'maxDeposit') return maxUint256
    if (name === 'cooldownDuration') return null
    return name === 'previewDeposit' ? (amount * 1_001n) / 2_001n : (amount * 2_001n) / 1_001n
  })
}

describe('erc4626.discover', () => {
  test('either token may be the vault; connector tokens are not asked', async () => {
    const reader = callReader((to) => (to === vault ? BigInt(connector) : null))
    const pairs = [[vault, connector] as const, [connector, other] as const]
    const found = await erc4626.swaps.discover({ ...common, reader, pairs })
    expect(found).toEqual({ pools: [{ ...pool, tokens: [connector, vault] }], unreadable: [] })
    expect(reader.calls.map(({ to }) => to)).toEqual([vault, other])
  })
  test('a connector token that the chain names as a vault is asked', async () => {
    const reader = callReader((to) => (to === connector ? BigInt(asset) : null))
    const venue = { vaults: [connector] }
    const found = await erc4626.swaps.discover({
      ...common,
      venue,
      reader,
      pairs: [[asset, connector]],
    })
    expect(found.pools.map(({ tokens }) => tokens)).toEqual([[asset, connector]])
  })
  test('a vault of another asset is none for the pair; neither is a token that answers nothing or too much', async () => {
    const answers: Record<Address, Hex> = {
      [vault]: toWord(BigInt(token('9'))),
      [other]: '0x',
      [asset]: encodeAbiParameters([{ type: 'uint256' }], [maxUint256]),
    }
    const reader = callReader((to) => answers[to] ?? null)
    const pairs = [[vault, asset] as const, [other, asset] as const]
    const found = await erc4626.swaps.discover({ ...common, reader, pairs })
    expect(found).toEqual({ pools: [], unreadable: [] })
  })
  test('a token that cannot be asked is named for each of its pairs', async () => {
    const reader = callReader((to) => (to === vault ? refused : null))
    const pairs = [[vault, connector] as const, [vault, asset] as const, [asset, other] as const]
    const found = await erc4626.swaps.discover({ ...common, reader, pairs })
    const fact = { protocol: 'erc-4626', subject: `asset ${vault}`, message: 'refused' }
    expect(found).toEqual({
      pools: [],
      unreadable: [
        { ...fact, pair: [vault, connector] },
        { ...fact, pair: [asset, vault] },
      ],
    })
  })

  test('a token that is its own asset is no vault', async () => {
    const reader = callReader((to) => BigInt(to))
    const found = await erc4626.swaps.discover({ ...common, reader, pairs: [[vault, connector]] })
    expect(found).toEqual({ pools: [], unreadable: [] })
    expect(await erc4626.positions?.underlying?.({ ...common, reader, tokens: [vault] })).toEqual(
      new Map(),
    )
  })
})

describe('erc4626.load', () => {
  async function load(given: Parameters<typeof vaultReader>[0], pools = [pool]) {
    const [loaded] = await erc4626.swaps.load({ ...common, reader: vaultReader(given), pools })
    return loaded
  }
  test('a contract that answers no preview is no vault, and says so', async () => {
    const loaded = await load({ previewDeposit: null, previewRedeem: null })
    expect(loaded).toMatchObject({ message: expect.stringContaining('answers no preview') })
  })
  test('shares in a cooldown are worth what the vault says, and are not redeemed', async () => {
    for (const [cooldownDuration, amountOut] of [
      [604_800n, 0n],
      [0n, 199n],
      [refused, 199n],
      [maxUint256, 199n],
    ] as const) {
      const loaded = await load({ cooldownDuration })
      if (!loaded || !('state' in loaded)) throw new Error('not loaded')
      const { state } = loaded
      const redeemed = erc4626.swaps.swap(pool, state, { tokenIn: vault, tokenOut: asset }, 100n)
      expect(redeemed).toMatchObject({ amountOut, exact: true })
      expect(
        erc4626.swaps.swap(pool, state, { tokenIn: asset, tokenOut: vault }, 1_000n).amountOut,
      ).toBe(500n)
      expect(erc4626.positions?.holdings?.(pool, state, vault)).toMatchObject({ shares: 1_001n })
    }
  })
  test('a vault whose previews follow its totals is quoted to the wei', async () => {
    expect(await load({})).toMatchObject({
      partial: false,
      state: { kind: 'plain', totalAssets: 2_000n, virtualShares: 1n, virtualAssets: 1n },
    })
  })
  test('one preview that differs makes it an estimate', async () => {
    expect(await load({ previewRedeem: 12n })).toMatchObject({
      partial: true,
      state: { kind: 'sampled', redeem: { amountOut: 12n } },
    })
  })
  test('everything is read at the time of the simulated block', async () => {
    const reader = vaultReader()
    await erc4626.swaps.load({ ...common, reader, pools: [pool] })
    const later = reader.block.timestamp + BigInt(ethereum.blockTimeSeconds)
    expect(new Set(reader.calls.map(({ timestamp }) => timestamp))).toEqual(new Set([later]))
  })
  test('a preview that reverts closes that direction; a limit that cannot be asked is none', async () => {
    const loaded = await load({ previewDeposit: null, maxDeposit: null })
    if (!loaded || !('state' in loaded)) throw new Error('not loaded')
    const quote = (tokenIn: Address, tokenOut: Address) =>
      erc4626.swaps.swap(pool, loaded.state, { tokenIn, tokenOut }, 500n)
    expect(quote(asset, vault)).toMatchObject({ amountOut: 0n, exact: false })
    expect(quote(vault, asset)).toMatchObject({ amountOut: 999n, exact: false })
  })
  test('state that the node refuses and a record that is no vault are named', async () => {
    expect(await load({ totalAssets: refused })).toMatchObject({ message: 'refused' })
    expect(await load({ totalSupply: null })).toMatchObject({ subject: vault })
    const wrong = { ...pool, tokens: [asset, other] }
    expect(await load({}, [wrong])).toMatchObject({
      message: expect.stringContaining('two tokens'),
    })
  })
})

describe('erc4626.encodeSwap', () => {
  const state = {
    kind: 'plain',
    totalAssets: 0n,
    totalSupply: 0n,
    maxDeposit: 0n,
    isLocked: false,
    virtualShares: 1n,
    virtualAssets: 1n,
  } as const
  const encode = (tokenIn: Address, tokenOut: Address) =>
    erc4626.swaps.encodeSwap({
      ...common,
      pool,
      state,
      tokenIn,
      tokenOut,
      amountIn: 5n,
      executor: other,
      helpers: {},
      recipient: receiver,
    })
  test('a deposit is approved and pays the receiver', () => {
    expect(encode(asset, vault)).toMatchObject([
      { kind: 'approve', token: asset, spender: vault, amount: 5n },
      { kind: 'call', target: vault, abi: { name: 'deposit' }, args: [5n, receiver] },
    ])
    expect(erc4626.swaps.action?.(pool, asset, vault)).toBe('deposit')
  })
  test('a redemption burns the shares of the Executor and pays the receiver', () => {
    expect(encode(vault, asset)).toMatchObject([
      { kind: 'call', target: vault, abi: { name: 'redeem' }, args: [5n, receiver, other] },
    ])
    expect(erc4626.swaps.action?.(pool, vault, asset)).toBe('redeem')
  })
})
