/** Pools of Fluid's DEX Lite by our own steps against a contract with the arithmetic of its swaps; no package ships Fluid's. */
import { numberToHex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { fluidDexLite } from '../../../src/protocols/fluid-dex-lite/index.js'
import type { FluidLiteState } from '../../../src/protocols/fluid-dex-lite/math.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { type LiteShape, liteVariables, packed } from '../../support/protocols/fluid-lite.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import {
  loadOne,
  placeHelpers,
  type SwapScene,
  swapOnChain,
} from '../../support/protocols/swap-on-chain.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const abi = parseAbi([
  'struct DexKey { address token0; address token1; bytes32 salt; }',
  'function add(DexKey)',
  'function set(DexKey, uint256, uint256, uint256, uint256)',
  'function setCenter(uint256, address)',
])
const centerAbi = parseAbi(['function set(uint256)'])
const swapAbi = parseAbi([
  'struct DexKey { address token0; address token1; bytes32 salt; }',
  'function swapSingle(DexKey, bool, int256, uint256, address, bool, bytes, bytes) payable',
])
const transferAbi = parseAbi(['function transfer(address, uint256)'])
const par = 10n ** 27n
/** Thousands of a token in its books. */
const thousand = 10n ** 12n

let context: PoolContext
let scene: SwapScene<FluidLiteState>
let center: Address
let salts = 0

beforeAll(async () => {
  context = await PoolContext.start()
  const contract = compileTestContracts('FluidLite.sol')
  const dex = await context.deploy(contract('FluidLiteLike').bytecode)
  const resolver = await context.deploy(contract('FluidLiteLikeResolver').bytecode, 'address', [
    dex,
  ])
  center = await context.deploy(contract('CenterLike').bytecode)
  await context.send(dex, abi, 'setCenter', [9n, center])
  const helpers = await placeHelpers(context)
  scene = { context, adapter: fluidDexLite, chain: base, venue: { dex, resolver }, helpers }
}, 60_000)
afterAll(() => context.close())

const dexOf = () => scene.venue.dex as Address

interface Shifts {
  readonly center?: bigint
  readonly range?: bigint
}

/** @param isEther - whether token1 is ether. */
async function open(shape: LiteShape, shifts: Shifts = {}, isEther = false): Promise<Pool> {
  const { venue, adapter, chain } = scene
  const [a, b] = [
    await context.token(shape.decimals[0]),
    isEther ? nativeToken : await context.token(shape.decimals[1]),
  ]
  salts += 1
  const key = { token0: a, token1: b, salt: numberToHex(salts, { size: 32 }) }
  await context.send(dexOf(), abi, 'add', [key])
  await setShape(key, shape, shifts)
  for (const token of [a, b]) {
    if (token !== nativeToken) {
      await context.send(token, transferAbi, 'transfer', [dexOf(), 10n ** 40n])
    }
  }
  const reader = await context.reader()
  const asked = isEther ? chain.wrappedNative : b
  const found = await adapter.swaps.discover({ reader, chain, venue, pairs: [[asked, a]] })
  expect(found).toMatchObject({ pools: [{ tokens: [a, b] }], unreadable: [] })
  return found.pools[0] as Pool
}

async function setShape(key: object, shape: LiteShape, { center = 0n, range = 0n }: Shifts) {
  const sent = await context.send(dexOf(), abi, 'set', [
    ...[key, liteVariables(shape), center, range, 0n],
  ])
  expect(sent).not.toBeNull()
}

const keyOf = ({ tokens: [token0, token1], parameters: { salt } }: Pool) => ({
  token0,
  token1,
  salt,
})
const shown = ({ real, imaginary }: FluidLiteState) => ({ real, imaginary })

/** Both ways from dust to more than there is. */
async function everySize(pool: Pool, isSteady: boolean) {
  const [token0, token1] = pool.tokens as readonly [Address, Address]
  const counts = { served: 0, refused: 0 }
  for (let power = 0; power < 27; power += 1) {
    for (const pair of [
      [token0, token1],
      [token1, token0],
    ] as const) {
      const amountIn = 10n ** BigInt(power) * 3n + BigInt(power)
      const swap = await swapOnChain(scene, pool, pair, amountIn)
      const label = `${amountIn} of ${pair[0]}`
      expect(swap.quote.exact, label).toBe(true)
      expect(swap.received, label).toBe(swap.quote.amountOut)
      if (swap.received === 0n) counts.refused += 1
      else {
        counts.served += 1
        expect(swap.next.exact).toBe(isSteady)
        expect(swap.next.real, label).toEqual(swap.found.real)
        if (isSteady) expect(shown(swap.next), label).toEqual(shown(swap.found))
      }
    }
  }
  return counts
}

describe('every size to the unit, both ways', () => {
  test.each([
    [
      'a narrow range at par',
      { decimals: [6, 6], centerPrice: par, real: [900n * thousand, 700n * thousand] },
    ],
    [
      'a wide one of 18 and 6 digits at a high price, all of the fee leaving',
      {
        decimals: [18, 6],
        centerPrice: 2_500n * par,
        range: [4_000n, 3_000n],
        real: [300n * 10n ** 9n, 500n * thousand],
        feePips: 3_000n,
        revenueCut: 100n,
      },
    ],
    [
      'one of 8 and 18 digits below par, without a fee',
      {
        decimals: [8, 18],
        centerPrice: par / 3n,
        range: [100n, 1_900n],
        real: [44n * thousand, 9n * thousand],
        feePips: 0n,
      },
    ],
    [
      'one side alone',
      { decimals: [9, 9], centerPrice: par, range: [500n, 500n], real: [80n * thousand, 0n] },
    ],
  ] as const)('%s', async (_name, shape: LiteShape) => {
    const { served, refused } = await everySize(await open(shape), true)
    expect(served).toBeGreaterThan(5)
    expect(refused).toBeGreaterThan(4)
  })

  test('a middle that another contract tells', async () => {
    await context.send(center, centerAbi, 'set', [(par * 1_234n) / 1_000n])
    const shape = {
      decimals: [18, 18],
      centerPrice: par,
      real: [5n * thousand, 5n * thousand],
    } as const
    const { served } = await everySize(await open({ ...shape, centerNumber: 9n }), false)
    expect(served).toBeGreaterThan(10)
  })
})

test('a middle that shifts, a range that shifts and one that follows the price are those of the simulated second', async () => {
  const now = (await context.reader()).block.timestamp
  await context.send(center, centerAbi, 'set', [(par * 11n) / 10n])
  const shape = {
    decimals: [18, 6],
    centerPrice: par,
    range: [200n, 300n],
    real: [5n * thousand, 4n * thousand],
  } as const satisfies LiteShape
  // A hundredth of the middle in 1,000 seconds.
  const toCenter = (10_000n << 113n) | (1_000n << 133n) | ((now - 100n) << 153n)
  // Towards an end in 5,000 seconds, within a tenth of par.
  const limits = (packed((par * 11n) / 10n, 20n) << 57n) | (packed((par * 9n) / 10n, 20n) << 85n)
  const following = (now - 200n) | (5_000n << 33n) | limits
  const fromRange = 400n | (100n << 14n) | (9_000n << 28n) | ((now - 300n) << 48n)
  const cases: readonly (readonly [LiteShape, Shifts])[] = [
    [{ ...shape, centerNumber: 9n, isShifting: true }, { center: toCenter }],
    [{ ...shape, rebalancing: 2n }, { center: following }],
    [{ ...shape, rebalancing: 3n }, { center: following }],
    [{ ...shape, isRangeShifting: true }, { range: fromRange }],
    [{ ...shape, rebalancing: 1n }, { center: following }],
  ]
  for (const [k, [moving, shifts]] of cases.entries()) {
    const pool = await open(moving, shifts)
    const [token0, token1] = pool.tokens as readonly [Address, Address]
    const { state } = await loadOne(scene, pool)
    const steady = await loadOne(scene, await open(shape))
    const isOther = state.imaginary.join() !== steady.state.imaginary.join()
    expect(isOther, String(k)).toBe(k < 4)
    for (const pair of [
      [token0, token1],
      [token1, token0],
    ] as const) {
      const amountIn = pair[0] === token0 ? 10n ** 20n : 10n ** 8n
      const swap = await swapOnChain(scene, pool, pair, amountIn)
      expect(swap.quote.exact, String(k)).toBe(true)
      expect(swap.received, String(k)).toBe(swap.quote.amountOut)
      expect(swap.received).toBeGreaterThan(0n)
    }
  }
})

test('ether goes in and out as itself', async () => {
  const shape = {
    decimals: [18, 18],
    centerPrice: par,
    real: [9n * thousand, 8n * thousand],
  } as const
  const pool = await open(shape, {}, true)
  await context.setBalance(dexOf(), 10n ** 24n)
  const { adapter, chain, venue, helpers } = scene
  const other = pool.tokens.find((token) => token !== nativeToken) as Address
  const recipient: Address = numberToHex(0xabcd_ef02n, { size: 20 })
  const args = { chain, venue, pool, helpers, recipient, executor: context.trader }
  const amountIn = 3n * 10n ** 18n + 1n
  for (const [tokenIn, tokenOut] of [
    [nativeToken, other],
    [other, nativeToken],
  ] as const) {
    const { state } = await loadOne(scene, pool)
    for (const step of adapter.swaps.encodeSwap({ ...args, state, tokenIn, tokenOut, amountIn })) {
      if (step.kind === 'approve') {
        const approveAbi = parseAbi(['function approve(address, uint256)'])
        await context.send(step.token, approveAbi, 'approve', [step.spender, amountIn])
      } else if (step.kind === 'call') {
        const value = step.value === undefined ? {} : { value: amountIn }
        const sent = await context.send(step.target, swapAbi, 'swapSingle', step.args, value)
        expect(sent).not.toBeNull()
      }
    }
    const received =
      tokenOut === nativeToken
        ? await context.etherOf(recipient)
        : await context.balanceOf(tokenOut, recipient)
    const { amountOut } = adapter.swaps.swap(pool, state, { tokenIn, tokenOut }, amountIn)
    expect(received).toBe(amountOut)
    expect(received).toBeGreaterThan(0n)
  }
})

test('records of no pool, pools without variables and answers of another form are unreadable, and no other', async () => {
  const shape = { decimals: [6, 6], centerPrice: par, real: [thousand, thousand] } as const
  const pool = await open(shape)
  const emptied = await open(shape)
  await context.send(dexOf(), abi, 'set', [keyOf(emptied), 0n, 0n, 0n, 0n])
  const { adapter, chain, venue } = scene
  const reader = await context.reader()
  const messagesOf = async (pools: readonly Pool[], own = venue) => {
    const loads = await adapter.swaps.load({ reader, chain, venue: own, pools })
    return loads.map((load) => ('state' in load ? 'loaded' : load.message))
  }
  const stranger = 'The record is of no pool of the contract.'
  expect(
    await messagesOf([
      { ...pool, parameters: { salt: numberToHex(1_000, { size: 32 }) } },
      { ...pool, parameters: {} },
      { ...pool, address: center },
      emptied,
      pool,
    ]),
  ).toEqual([stranger, stranger, stranger, 'The contract has no such pool.', 'loaded'])
  // Whoever answers in place of the resolver proves nothing.
  const silent = { ...venue, resolver: '0x00000000000000000000000000000000000a19eb' }
  expect(await messagesOf([pool], silent)).toEqual(['The resolver answers in another form.'])
  const nobody = '0x00000000000000000000000000000000000a19eb'
  const pairs = [pool.tokens as readonly [Address, Address]]
  const elsewhere = { dex: nobody, resolver: nobody }
  expect(await adapter.swaps.discover({ reader, chain, venue: elsewhere, pairs })).toEqual({
    pools: [],
    unreadable: [],
  })
})
