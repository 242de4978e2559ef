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
  test('a static token of a factory of Aave is quoted to the wei by the rate that its previews tell', async () => {
    const [ray, rate] = [10n ** 27n, 1_234_567_890_123_456_789_012_345_678n]
    const factory = token('8')
    const venue = { stataFactories: [factory] }
    const made = { ...pool, parameters: { factory } }
    const totals = { totalAssets: (1_000n * rate) / ray, totalSupply: 1_000n, maxDeposit: 900n }
    const readerOf = (given: Readonly<Record<string, bigint | null>> = {}) =>
      callReader((_to, name, amount) => {
        const value = { ...totals, ...given }[name]
        if (value !== undefined) return value
        if (name === 'previewDeposit') return (amount * ray) / rate
        return name === 'previewRedeem' ? (amount * rate) / ray : null
      })
    const stateOf = async (one: typeof made | typeof pool, given = {}) => {
      const args = { chain: ethereum, venue, reader: readerOf(given), pools: [one] }
      const [loaded] = await erc4626.swaps.load(args)
      if (!loaded || !('state' in loaded)) throw new Error('not loaded')
      return loaded.state
    }
    const state = await stateOf(made)
    expect(state).toMatchObject({ kind: 'rated', rate })
    const quote = (tokenIn: Address, tokenOut: Address, amount: bigint) =>
      erc4626.swaps.swap(made, state, { tokenIn, tokenOut }, amount)
    expect(quote(asset, vault, 899n)).toMatchObject({
      amountOut: (899n * ray) / rate,
      exact: true,
    })
    expect(quote(asset, vault, 901n).amountOut).toBe(0n)
    expect(quote(vault, asset, 999n)).toMatchObject({
      amountOut: (999n * rate) / ray,
      exact: true,
    })
    expect(quote(vault, asset, 1_001n).amountOut).toBe(0n)
    expect(erc4626.positions?.holdings?.(made, state, vault)).toEqual({
      shares: ray,
      amounts: [{ token: asset, amount: rate }],
    })
    expect(erc4626.trust?.foreignCode?.(made, state, venue)).toBeNull()
    // What no factory made, what another one made, and a preview that lies are estimates as before.
    for (const [one, given] of [
      [pool, {}],
      [{ ...pool, parameters: { factory: other } }, {}],
      [made, { previewRedeem: 12n }],
      [made, { previewRedeem: null }],
    ] as const) {
      expect(await stateOf(one, given)).toMatchObject({ kind: 'sampled' })
    }
    expect(erc4626.trust?.foreignCode?.(pool, state, venue)).toBe(vault)
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

describe('erc4626.index', () => {
  test('an event of a factory of Aave names the static token and what it wraps, and routes use it', () => {
    const [factory, metaMorpho] = [token('8'), token('9')]
    const venue = { stataFactories: [factory], factories: [metaMorpho] }
    const [listed, created] = erc4626.index?.sources(venue) ?? []
    expect([listed?.address, listed?.onlyListed]).toEqual([metaMorpho, true])
    expect([created?.address, created?.onlyListed]).toEqual([factory, undefined])
    const told = (topics: readonly Hex[]) =>
      erc4626.index?.toPool({ address: factory, topics, data: '0x' }, venue)
    const topic = created?.topic ?? '0x'
    const word = (address: Address) => toWord(BigInt(address))
    expect(told([topic, word(vault), word(asset)])).toEqual({ ...pool, parameters: { factory } })
    expect(told([topic, word(vault), word(vault)])).toBeNull()
    expect(told([topic, toWord(maxUint256), word(asset)])).toBeNull()
    expect(told([topic, word(vault)])).toBeNull()
    expect(erc4626.index?.wrappers?.(venue)).toEqual([factory])
    expect(erc4626.index?.wrappers?.({})).toEqual([])
  })
})
