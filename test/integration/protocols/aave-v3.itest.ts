/** The adapter against the sandbox's Aave V3, on a fork that years pass on: quotes, limits, positions. */
import { maxUint256, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { aaveV3 } from '../../../src/protocols/aave-v3/index.js'
import type { EdgeState } from '../../../src/protocols/aave-v3/math.js'
import type { Position, PositionState } from '../../../src/protocols/positions.js'
import type { LoadedPool } from '../../../src/protocols/protocol.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import { withSandbox } from '../../support/sandbox.js'

const abi = parseAbi([
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function withdraw(address asset, uint256 amount, address to)',
  'function approve(address spender, uint256 amount)',
])
const token = (symbol: string): Address => sandboxToken(symbol).address
const venue = ethereum.venues['aave-v3'] ?? {}
const pool = toAddress(String(venue.pool))
const aTokens: Readonly<Record<string, Address>> = {
  WETH: '0x4d5f47fa6a74757f35c14fd3a6ef8e3c9bc514e8',
  wstETH: '0x0b925ed163218f6662a35e0f0371ac234f9e9371',
  WBTC: '0x5ee5bf7ae06d1be5997a1a72006fe6c607ec6de8',
  USDC: '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c',
  DAI: '0x018008bfb33d285247a21d44e50697654f754e63',
  LINK: '0x5e8c8a7243651db1384c0ddfdbe39761e8e7e51a',
  AAVE: '0xa700b4eb416be35b2911fd5dee80678ff64ff6c9',
  UNI: '0xf6d2224916ddfbbab6e6bd0d1b7034f4ae0cab18',
  FRAX: '0xd4e245848d6e1220dbe62e155d89fa327e43cb06',
}
const aTokenOf = (symbol: string): Address => aTokens[symbol] ?? pool
/** Seconds: the index of USDC is then about 1.08. */
const twoYears = 63_072_000
const halfYear = 15_768_000

const sandbox = withSandbox()
let context: PoolContext
let accounts = 0

beforeAll(async () => {
  const flags = ['--fork-url', sandbox().sandbox.url, '--no-storage-caching', '--chain-id', '1']
  context = await PoolContext.start(flags)
  for (const symbol of ['USDC', 'WETH', 'DAI', 'LINK']) {
    await context.send(token(symbol), abi, 'approve', [pool, maxUint256])
  }
})
afterAll(() => context?.close())

async function common() {
  return { reader: await context.reader(), chain: ethereum, venue }
}

async function load(symbol: string): Promise<LoadedPool<EdgeState>> {
  const args = await common()
  const pair = [token(symbol), aTokenOf(symbol)] as const
  const { pools, unreadable } = await aaveV3.swaps.discover({ ...args, pairs: [pair] })
  expect(unreadable).toEqual([])
  const [loaded] = await aaveV3.swaps.load({ ...args, pools })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return loaded as LoadedPool<EdgeState>
}

function newAccount(): Address {
  accounts += 1
  return `0x${(0xacc0_0000 + accounts).toString(16).padStart(40, '0')}`
}

/** Deposits in the block after the one that was read, for an account without aTokens. */
async function deposit(symbol: string, amount: bigint) {
  const { pool: edge, state } = await load(symbol)
  const quote = aaveV3.swaps.swap(
    edge,
    state,
    { tokenIn: token(symbol), tokenOut: aTokenOf(symbol) },
    amount,
  )
  const next = quote.after() as EdgeState
  const owner = newAccount()
  await context.mineNextAfter(ethereum.blockTimeSeconds)
  const receipt = await context.send(pool, abi, 'supply', [token(symbol), amount, owner, 0])
  const received = await context.balanceOf(aTokenOf(symbol), owner)
  return { owner, quote, next, received, isDone: receipt !== null }
}

/** Withdraws all of the account's aTokens in the block after the one that was read. */
async function withdraw(symbol: string, owner: Address, held: bigint) {
  const { pool: edge, state } = await load(symbol)
  const quote = aaveV3.swaps.swap(
    edge,
    state,
    { tokenIn: aTokenOf(symbol), tokenOut: token(symbol) },
    held,
  )
  const next = quote.after() as EdgeState
  const to = newAccount()
  await context.setBalance(owner, 10n ** 18n)
  await context.mineNextAfter(ethereum.blockTimeSeconds)
  const args = [token(symbol), held, to]
  const receipt = await context.send(pool, abi, 'withdraw', args, { from: owner })
  return {
    quote,
    next,
    received: await context.balanceOf(token(symbol), to),
    isDone: receipt !== null,
  }
}

/** Amounts of many sizes whose last digits are not round. */
const amounts = Array.from({ length: 8 }, (_, k) => 10n ** BigInt(k) * 7n + BigInt(k) * 3n)

describe('aave-v3 on the sandbox chain', () => {
  test('the room below a cap is all but a trace of what the Pool takes', async () => {
    // The treasury has earned something that the reserve has not been told of yet.
    await context.mineAfter(halfYear)
    const { state } = await load('LINK')
    expect(state.room).toBeGreaterThan(0n)
    const margin = state.room / 100n
    const above = await deposit('LINK', state.room + margin)
    expect(above).toMatchObject({ isDone: false, quote: { amountOut: 0n } })
    const within = await deposit('LINK', (await load('LINK')).state.room)
    expect(within.isDone).toBe(true)
    expect(within.received).toBe(within.quote.amountOut)
  })

  test.each([
    ['after half a year', 0],
    ['two years later', twoYears],
  ])('%s, deposits and withdrawals give what is quoted, to the unit', async (_when, seconds) => {
    await context.mineAfter(seconds + 1)
    for (const amount of amounts) {
      const into = await deposit('USDC', amount)
      expect(into.received).toBe(into.quote.amountOut)
      expect(into.quote.exact).toBe(false)
      expect((await load('USDC')).state.liquidity).toBe(into.next.liquidity)
      const held = await context.balanceOf(aTokenOf('USDC'), into.owner)
      const out = await withdraw('USDC', into.owner, held)
      expect(out.quote).toMatchObject({ amountOut: out.received, exact: true })
      expect((await load('USDC')).state.liquidity).toBe(out.next.liquidity)
    }
  })

  test('all that lies there can be withdrawn, and not a unit more', async () => {
    const { state } = await load('DAI')
    const { owner } = await deposit('DAI', 10n ** 18n)
    expect((await load('DAI')).state.liquidity).toBe(state.liquidity + 10n ** 18n)
    const more = await withdraw('DAI', owner, state.liquidity + 2n * 10n ** 18n)
    expect(more).toMatchObject({ isDone: false, quote: { amountOut: 0n } })
  })

  test.each([
    ['paused: neither in nor out', 'AAVE', { room: 0n, liquidity: 0n }],
    ['frozen: nothing in', 'UNI', { room: 0n }],
    ['borrowed out: nothing out', 'FRAX', { room: maxUint256, liquidity: 0n }],
  ])('%s', async (_case, symbol, expected) => {
    expect((await load(symbol)).state).toMatchObject(expected)
  })

  test('debt tokens, tokens that name no underlying and other pairs are no edges', async () => {
    const debtToken: Address = '0xea51d7853eefb32b6ee06b1c12e6dcca88be0ffe'
    const args = await common()
    const found = await aaveV3.swaps.discover({
      ...args,
      pairs: [
        [token('WETH'), debtToken],
        [token('WETH'), aTokenOf('USDC')],
        [token('LINK'), token('UNI')],
        [aTokenOf('WETH'), aTokenOf('USDC')],
      ],
    })
    expect(found).toEqual({ pools: [], unreadable: [] })
    const edge = (await load('WETH')).pool
    const wrong = [
      { ...edge, tokens: [token('USDC'), aTokenOf('WETH')] },
      { ...edge, address: token('WETH') },
    ]
    const loaded = await aaveV3.swaps.load({ ...args, pools: wrong })
    expect(loaded.map((each) => 'message' in each)).toEqual([true, true])
    const tokens = [aTokenOf('DAI'), debtToken, token('LINK')]
    const underlying = await aaveV3.positions?.underlying?.({ ...args, tokens })
    expect([...(underlying ?? [])]).toEqual([[aTokenOf('DAI'), [token('DAI')]]])
  })
})

describe('positions of aave-v3', () => {
  let positions: Position[]
  let states: (PositionState | { readonly message: string })[]

  beforeAll(async () => {
    const adapter = aaveV3.positions
    const listed = await adapter?.list({ ...(await common()), pools: [] })
    expect(listed?.unreadable).toEqual([])
    positions = listed?.positions ?? []
    states = (await adapter?.read({ ...(await common()), positions })) ?? []
  })

  const stateOf = (symbol: string): PositionState => {
    const state = states[positions.findIndex(({ subtitle }) => subtitle === symbol)]
    if (!state || 'message' in state) throw new Error(`not read: ${state?.message}`)
    return state
  }

  test('are the aTokens of all reserves, at the addresses of mainnet', () => {
    expect(Object.fromEntries(positions.map(({ subtitle, key }) => [subtitle, key]))).toEqual(
      aTokens,
    )
    expect(positions.find(({ subtitle }) => subtitle === 'USDC')).toEqual({
      protocol: 'aave-v3',
      key: aTokenOf('USDC'),
      token: aTokenOf('USDC'),
      primaryAddress: pool,
      poolAddress: pool,
      name: 'Aave Ethereum USDC',
      subtitle: 'USDC',
      underlyingTokens: [token('USDC')],
      rewardTokens: [token('AAVE')],
      parameters: {
        variableDebtToken: '0x72e95b8931767c79ba4eee721354d6e99a61d004',
        rewardsController: '0x8164cc65827dcfe994ab23944cbc90e0aa80bfcb',
      },
    })
  })

  test('hold what all lenders own', async () => {
    for (const symbol of ['USDC', 'WETH', 'AAVE', 'FRAX']) {
      const supply = await context.call(aTokenOf(symbol), '0x18160ddd')
      expect(stateOf(symbol).holdings).toEqual([{ token: token(symbol), amount: BigInt(supply) }])
    }
  })

  test('earn the rate that the Pool states: nothing without loans, most where all is lent', () => {
    const rate = (symbol: string) => {
      const { base } = stateOf(symbol)
      return base?.kind === 'annual' ? base.rate : Number.NaN
    }
    expect(rate('AAVE')).toBe(0)
    expect(rate('FRAX')).toBeCloseTo(0.7245, 4)
    expect(rate('USDC')).toBeGreaterThan(0.03)
    expect(rate('USDC')).toBeLessThan(0.06)
  })

  test('are paid rewards until their emission ends', async () => {
    const perYear = 10n ** 16n * 31_536_000n
    expect(stateOf('USDC').rewards).toEqual([{ token: token('AAVE'), perYear }])
    expect(stateOf('WETH').rewards).toEqual([])
    const args = { ...(await common()), positions }
    const later = { ...args.reader.block, timestamp: 1_900_000_000n }
    const ended = await aaveV3.positions?.read({
      ...args,
      reader: { ...args.reader, block: later },
    })
    expect(ended?.map((state) => 'rewards' in state && state.rewards)).toEqual(
      positions.map(() => []),
    )
  })

  test('a key that is no aToken of the Pool is unreadable', async () => {
    const [first] = positions
    if (!first) throw new Error('there are no positions')
    const changed = [{ ...first, key: aTokenOf('DAI') }]
    const read = await aaveV3.positions?.read({ ...(await common()), positions: changed })
    expect(read).toMatchObject([{ protocol: 'aave-v3', subject: aTokenOf('DAI') }])
  })
})
