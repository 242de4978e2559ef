/** Fluid's pools by our own steps against contracts with the arithmetic of their swaps; no package ships Fluid's. */
import { numberToHex, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { fluidDex } from '../../../src/protocols/fluid-dex/index.js'
import type { FluidState } from '../../../src/protocols/fluid-dex/math.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import {
  loadOne,
  placeHelpers,
  type SwapScene,
  swapOnChain,
} from '../../support/protocols/swap-on-chain.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const factoryAbi = parseAbi(['function make(address, address)'])
const poolAbi = parseAbi([
  'struct Reserves { uint256[2] real; uint256[2] imaginary; }',
  'function set(uint256, Reserves, Reserves, uint256, uint256, uint256[2], uint256[2])',
])
const swapAbi = parseAbi(['function swapIn(bool, uint256, uint256, address) payable'])
const transferAbi = parseAbi(['function transfer(address, uint256)'])

let context: PoolContext
let scene: SwapScene<FluidState>

beforeAll(async () => {
  context = await PoolContext.start()
  const contract = compileTestContracts('FluidLike.sol')
  const factory = await context.deploy(contract('FluidLikeFactory').bytecode)
  const resolver = await context.deploy(contract('FluidLikeResolver').bytecode, 'address', [
    factory,
  ])
  const helpers = await placeHelpers(context)
  scene = { context, adapter: fluidDex, chain: base, venue: { factory, resolver }, helpers }
}, 60_000)
afterAll(() => context.close())

/** Thousands of a token in units of 1e-12. */
const thousand = 10n ** 15n
const price1 = 10n ** 27n

interface Shape {
  /** Token1 for one token0, in thousandths. */
  readonly price: bigint
  /** Thousands of token0, real; the range makes the imaginary twenty times as much. */
  readonly collateral?: bigint
  readonly debt?: bigint
  readonly feePips?: bigint
  readonly revenueCut?: bigint
  /** Raw units of either token. */
  readonly limit?: bigint
  readonly isPaused?: boolean
}

/** @param decimals - of the tokens, null for ether. */
async function open(decimals: readonly [number | null, number], shape: Shape): Promise<Pool> {
  const { venue, adapter, chain } = scene
  const [a, b] = [
    decimals[0] === null ? nativeToken : await context.token(decimals[0]),
    await context.token(decimals[1]),
  ]
  await context.send(venue.factory as Address, factoryAbi, 'make', [a, b])
  const reader = await context.reader()
  const asked = a === nativeToken ? chain.wrappedNative : a
  const found = await adapter.swaps.discover({ reader, chain, venue, pairs: [[b, asked]] })
  const [pool] = found.pools
  if (!pool) throw new Error('not found')
  const { price, feePips = 50n, revenueCut = 10n, limit = 10n ** 40n } = shape
  const reserves = (size: bigint) => {
    const real = [size * thousand + 17n, (size * thousand * price) / 1_000n + 5n]
    return { real, imaginary: real.map((one) => one * 20n + 3n) }
  }
  const [col, debt] = [shape.collateral ?? 0n, shape.debt ?? 0n]
  const configuration =
    (col > 0n ? 1n : 0n) |
    (debt > 0n ? 2n : 0n) |
    (feePips << 2n) |
    (revenueCut << 19n) |
    (shape.isPaused ? 1n << 255n : 0n)
  const center = (price1 * price) / 1_000n
  const set = [configuration, reserves(col), reserves(debt), center, center]
  const sent = await context.send(pool.address, poolAbi, 'set', [
    ...set,
    [limit, limit],
    [limit, limit],
  ])
  expect(sent).not.toBeNull()
  for (const token of pool.tokens) {
    if (token !== nativeToken) {
      await context.send(token, transferAbi, 'transfer', [pool.address, 10n ** 40n])
    }
  }
  return pool
}

const reservesOf = ({ collateral, debt }: FluidState) => ({ collateral, debt })

test.each([
  ['collateral alone', [18, 6], { price: 1_000n, collateral: 900n }],
  ['debt alone', [18, 6], { price: 2_500_000n, debt: 700n }],
  ['both, of which one is larger', [6, 6], { price: 1_001n, collateral: 4_000n, debt: 300n }],
  [
    'both alike, at a fee of 1%',
    [8, 18],
    { price: 27n, collateral: 50n, debt: 51n, feePips: 10_000n },
  ],
  [
    'all of the fee leaving the pool',
    [18, 18],
    { price: 1_180n, collateral: 5n, debt: 9n, revenueCut: 100n },
  ],
] as const)('%s: every size to the unit, both ways', async (_name, decimals, shape) => {
  const pool = await open(decimals, shape)
  const [token0, token1] = pool.tokens as readonly [Address, Address]
  let served = 0
  let refused = 0
  for (let power = 0; power < 27; power += 1) {
    for (const pair of [
      [token0, token1],
      [token1, token0],
    ] as const) {
      const amountIn = 10n ** BigInt(power) * 3n + BigInt(power)
      const swap = await swapOnChain(scene, pool, pair, amountIn)
      expect(swap.quote.exact).toBe(true)
      const label = `${amountIn} of ${pair[0]}`
      expect(swap.received, label).toBe(swap.quote.amountOut)
      if (swap.received === 0n) {
        refused += 1
        continue
      }
      expect(reservesOf(swap.found), label).toEqual(reservesOf(swap.next))
      expect(swap.next.exact).toBe(false)
      served += 1
    }
  }
  expect(served).toBeGreaterThan(10)
  expect(refused).toBeGreaterThan(4)
})

test('ether goes in and out as itself', async () => {
  const pool = await open([null, 18], { price: 1_210n, collateral: 40n, debt: 30n })
  expect(pool.tokens).toContain(nativeToken)
  await context.setBalance(pool.address, 10n ** 24n)
  const { adapter, chain, venue, helpers } = scene
  const other = pool.tokens.find((token) => token !== nativeToken) as Address
  const recipient: Address = numberToHex(0xabcd_ef01n, { size: 20 })
  const args = { chain, venue, pool, helpers, recipient, executor: context.trader }
  const amountIn = 3n * 10n ** 18n
  for (const [tokenIn, tokenOut] of [
    [nativeToken, other],
    [other, nativeToken],
  ] as const) {
    const { state } = await loadOne(scene, pool)
    const steps = adapter.swaps.encodeSwap({ ...args, state, tokenIn, tokenOut, amountIn })
    for (const step of steps) {
      if (step.kind === 'approve') {
        const approveAbi = parseAbi(['function approve(address, uint256)'])
        await context.send(step.token, approveAbi, 'approve', [step.spender, amountIn])
      } else if (step.kind === 'call') {
        const value = step.value === undefined ? {} : { value: amountIn }
        const sent = await context.send(step.target, swapAbi, 'swapIn', step.args, value)
        expect(sent).not.toBeNull()
      }
    }
    const received =
      tokenOut === nativeToken
        ? await context.etherOf(recipient)
        : await context.balanceOf(tokenOut, recipient)
    expect(received).toBe(
      adapter.swaps.swap(pool, state, { tokenIn, tokenOut }, amountIn).amountOut,
    )
    expect(received).toBeGreaterThan(0n)
  }
})

test('near what the liquidity layer pays at once a quote is an estimate, and beyond it nothing', async () => {
  const limit = 10n ** 9n
  const pool = await open([6, 6], { price: 1_000n, collateral: 4_000n, feePips: 0n, limit })
  const [token0, token1] = pool.tokens as readonly [Address, Address]
  const { state } = await loadOne(scene, pool)
  const quote = (amountIn: bigint) =>
    fluidDex.swaps.swap(pool, state, { tokenIn: token0, tokenOut: token1 }, amountIn)
  expect(quote(limit / 2n).exact).toBe(true)
  expect(quote((limit * 995n) / 1_000n)).toMatchObject({ exact: false })
  expect(quote(limit * 2n).amountOut).toBe(0n)
})

test('a paused pool gives nothing, and neither does one that its answers do not prove say that it is exact', async () => {
  const pool = await open([6, 6], { price: 1_000n, collateral: 4_000n, isPaused: true })
  const [token0, token1] = pool.tokens as readonly [Address, Address]
  const { state } = await loadOne(scene, pool)
  expect(
    fluidDex.swaps.swap(pool, state, { tokenIn: token0, tokenOut: token1 }, 10n ** 9n),
  ).toMatchObject({
    amountOut: 0n,
    exact: false,
  })
})

test('a pool that is not the one of its number is unreadable, and no other; a chain without the factory has none', async () => {
  const pool = await open([18, 18], { price: 1_000n, debt: 4n })
  const stranger = { ...pool, parameters: { dexId: 1_000 } }
  const { adapter, chain, venue } = scene
  const reader = await context.reader()
  const loads = await adapter.swaps.load({ reader, chain, venue, pools: [stranger, pool] })
  expect(loads.map((load) => ('state' in load ? 'loaded' : load.message))).toEqual([
    'The pool is not the one of its number at the factory.',
    'loaded',
  ])
  const nobody = '0x00000000000000000000000000000000000a19eb'
  const elsewhere = { factory: nobody, resolver: nobody }
  const pairs = [pool.tokens as readonly [Address, Address]]
  expect(await adapter.swaps.discover({ reader, chain, venue: elsewhere, pairs })).toEqual({
    pools: [],
    unreadable: [],
  })
})
