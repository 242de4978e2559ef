import fc from 'fast-check'
import {
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  maxUint256,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type CallStep, isEncodedValues } from '../../../src/domain/plan.js'
import { type Address, type Hex, toAddress, zeroAddress } from '../../../src/domain/primitives.js'
import { balancerV2 } from '../../../src/protocols/balancer-v2/index.js'
import { liquidityPool } from '../../../src/protocols/balancer-v2/liquidity-pool.js'
import type { BalancerState } from '../../../src/protocols/balancer-v2/state.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { LoadedPool } from '../../../src/protocols/protocol.js'
import { loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { erc20Abi, PoolScene } from '../../support/protocols/pool-scene.js'

const weightedFactoryAbi = parseAbi([
  'function create(string, string, address[], uint256[], uint256, address)',
])
const stableFactoryAbi = parseAbi([
  'function create(string, string, address[], uint256, uint256, address)',
])
const composableFactoryAbi = parseAbi([
  'function create(string, string, address[], uint256, address[], uint256[], bool[], uint256, address)',
])
const poolAbi = parseAbi([
  'function getPoolId() view returns (bytes32)',
  'function getPoolTokens(bytes32) view returns (address[], uint256[], uint256)',
  'function startAmplificationParameterUpdate(uint256, uint256)',
])
const feesAbi = parseAbi([
  'function getProtocolFeesCollector() view returns (address)',
  'function setSwapFeePercentage(uint256)',
])
const vaultAbi = parseAbi([
  'function joinPool(bytes32, address, address, JoinRequest)',
  'struct JoinRequest { address[] assets; uint256[] maxAmountsIn; bytes userData; bool fromInternalBalance; }',
])

const e18 = 10n ** 18n

let scene: PoolScene
let vault: Address
let weighted: Pool[]
let stable: Pool[]
let composable: Pool[]
/** A composable pool that time passes for, and what tells the rates of its tokens. */
let aging: Pool
let providers: Address[]

beforeAll(async () => {
  scene = await PoolScene.start()
  const artifacts = await loadArtifacts('.cache/sandbox', () => {})
  const code = (name: string): Hex => artifacts[name] ?? '0x'
  vault = await scene.deploy(code('balancerVault'), 'address, address, uint256, uint256', [
    // Whoever asks may do anything.
    await scene.answering(1n),
    scene.trader,
    0n,
    0n,
  ])
  const weightedFactory = await scene.deploy(code('balancerWeightedFactory'), 'address', [vault])
  const stableFactory = await scene.deploy(code('balancerStableFactory'), 'address', [vault])

  async function create(
    kind: 'weighted' | 'stable',
    places: readonly number[],
    amounts: readonly bigint[],
    shape: readonly bigint[],
    swapFee: bigint,
  ): Promise<Pool> {
    const tokens = await scene.sortedTokens(places)
    const list = tokens.map(({ address }) => address)
    const receipt =
      kind === 'weighted'
        ? await scene.send(weightedFactory, weightedFactoryAbi, 'create', [
            'Pool',
            'BPT',
            list,
            shape,
            swapFee,
            scene.trader,
          ])
        : await scene.send(stableFactory, stableFactoryAbi, 'create', [
            'Pool',
            'BPT',
            list,
            shape[0],
            swapFee,
            scene.trader,
          ])
    const created = receipt?.logs.at(-1)?.topics[1]
    if (!created) throw new Error('no pool was created')
    const contract = toAddress(`0x${created.slice(26)}`)
    const id = await scene.call(
      contract,
      encodeFunctionData({ abi: poolAbi, functionName: 'getPoolId' }),
    )
    for (const token of list) await scene.send(token, erc20Abi, 'approve', [vault, maxUint256])
    const deposits = tokens.map(({ decimals }, k) => (amounts[k] ?? 0n) * 10n ** BigInt(decimals))
    const userData = encodeAbiParameters(parseAbiParameters('uint256, uint256[]'), [0n, deposits])
    const joined = await scene.send(vault, vaultAbi, 'joinPool', [
      id,
      scene.trader,
      scene.trader,
      { assets: list, maxAmountsIn: deposits, userData, fromInternalBalance: false },
    ])
    expect(joined).not.toBeNull()
    return {
      protocol: 'balancer-v2',
      id,
      address: vault,
      tokens: list,
      parameters: {
        kind,
        decimals: tokens.map(({ decimals }) => String(decimals)),
        ...(kind === 'weighted' && { weights: shape.map(String) }),
      },
    }
  }

  const feeProvider = await scene.deploy(code('balancerFeeProvider'), 'address, uint256, uint256', [
    vault,
    e18 / 2n,
    e18 / 2n,
  ])
  const composableFactory = await scene.deploy(
    code('balancerComposableFactory'),
    'address, address, string, string',
    [vault, feeProvider, '', ''],
  )
  composable = [
    await createComposable(composableFactory, [18, 6], [1_000_000n, 1_300_000n], [null, null]),
    await createComposable(
      composableFactory,
      [18, 6, 18, 8],
      [900_000n, 1_100_000n, 1_000_000n, 800_000n],
      [86_400, 86_400, null, null],
    ),
  ]
  aging = await createComposable(
    composableFactory,
    [18, 6],
    [900_000n, 1_100_000n],
    [86_400, 86_400],
  )

  const percent = e18 / 100n
  weighted = [
    await create(
      'weighted',
      [18, 6],
      [3_000n, 9_000_000n],
      [50n * percent, 50n * percent],
      e18 / 1000n,
    ),
    await create('weighted', [18, 18], [80_000n, 10n], [80n * percent, 20n * percent], e18 / 333n),
    await create(
      'weighted',
      [8, 18, 6],
      [100n, 3_000n, 9_000_000n],
      [33n * percent, 33n * percent, 34n * percent],
      25n * 10n ** 14n,
    ),
  ]
  stable = [
    await create('stable', [18, 6], [1_000_000n, 1_300_000n], [200n], 4n * 10n ** 14n),
    await create('stable', [6, 18, 6], [900_000n, 2_000_000n, 1_500_000n], [5000n], 10n ** 14n),
  ]
})

afterAll(() => scene.close())

/** Tokens with their pool share between them; `cacheSeconds` of a token: its rate comes from a provider. */
async function createComposable(
  factory: Address,
  places: readonly number[],
  amounts: readonly bigint[],
  cacheSeconds: readonly (number | null)[],
): Promise<Pool> {
  const tokens = await scene.sortedTokens(places)
  const list = tokens.map(({ address }) => address)
  const sources: Address[] = []
  for (const seconds of cacheSeconds) {
    sources.push(seconds === null ? zeroAddress : await scene.answering(10n ** 18n))
  }
  for (const [k, source] of sources.entries()) {
    if (source !== zeroAddress)
      await scene.setAnswer(source, e18 + BigInt(k + 1) * 77n * 10n ** 15n + 1n)
  }
  const durations = cacheSeconds.map((seconds) => BigInt(seconds ?? 0))
  const receipt = await scene.send(factory, composableFactoryAbi, 'create', [
    ...['Pool', 'BPT', list, 1000n, sources, durations, list.map(() => false)],
    ...[4n * 10n ** 14n, scene.trader],
  ])
  const created = receipt?.logs.at(-1)?.topics[1]
  if (!created) throw new Error('no pool was created')
  const contract = toAddress(`0x${created.slice(26)}`)
  const id = await scene.call(
    contract,
    encodeFunctionData({ abi: poolAbi, functionName: 'getPoolId' }),
  )
  const held = await scene.call(
    vault,
    encodeFunctionData({ abi: poolAbi, functionName: 'getPoolTokens', args: [id] }),
  )
  const [listed] = decodeFunctionResult({ abi: poolAbi, functionName: 'getPoolTokens', data: held })
  const all = listed.map(toAddress)
  const units = all.map((token) => list.indexOf(token))
  const deposits = units.map((k) =>
    k === -1 ? 0n : (amounts[k] ?? 0n) * 10n ** BigInt(tokens[k]?.decimals ?? 0),
  )
  for (const token of list) await scene.send(token, erc20Abi, 'approve', [vault, maxUint256])
  const userData = encodeAbiParameters(parseAbiParameters('uint256, uint256[]'), [0n, deposits])
  const joined = await scene.send(vault, vaultAbi, 'joinPool', [
    id,
    scene.trader,
    scene.trader,
    { assets: all, maxAmountsIn: all.map(() => maxUint256), userData, fromInternalBalance: false },
  ])
  expect(joined).not.toBeNull()
  providers = sources
  const decimals = units.map((k) => String(tokens[k]?.decimals ?? 18))
  return {
    protocol: 'balancer-v2',
    id,
    address: vault,
    tokens: all,
    parameters: { kind: 'stable', decimals },
  }
}

async function load(pool: Pool): Promise<LoadedPool<BalancerState>> {
  const reader = await scene.reader()
  const [loaded] = await balancerV2.load({
    reader,
    chain: ethereum,
    venue: { vault },
    pools: [pool],
  })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  const { state } = loaded
  if (state.kind === 'liquidity') throw new Error('the record of swaps was asked for')
  return { ...loaded, state }
}

/** Swaps by the adapter's own steps; the trader stands for the Executor. @returns what the recipient got. */
async function swap(
  pool: Pool,
  state: BalancerState,
  i: number,
  j: number,
  amountIn: bigint,
): Promise<bigint> {
  const tokenIn = pool.tokens[i] ?? '0x'
  const tokenOut = pool.tokens[j] ?? '0x'
  const steps = balancerV2.encodeSwap({
    chain: ethereum,
    venue: { vault },
    pool,
    state,
    tokenIn,
    tokenOut,
    amountIn,
    executor: scene.trader,
    helpers: {},
    recipient,
  })
  const call = steps.find((step): step is CallStep => step.kind === 'call')
  if (!call) throw new Error('no call')
  const before = await scene.balanceOf(tokenOut, recipient)
  await scene.send(call.target, [call.abi], 'swap', call.args)
  return (await scene.balanceOf(tokenOut, recipient)) - before
}

async function swapAndCompare(
  pool: Pool,
  i: number,
  j: number,
  amountIn: bigint,
  comparesState = true,
): Promise<void> {
  const { state } = await load(pool)
  const tokenIn = pool.tokens[i] ?? '0x'
  const tokenOut = pool.tokens[j] ?? '0x'
  const quote = balancerV2.amountOut(pool, state, tokenIn, tokenOut, amountIn)
  const received = await swap(pool, state, i, j, amountIn)
  expect(quote).toEqual({ amountOut: received, exact: true })
  if (received === 0n || !comparesState) return
  const next = balancerV2.applySwap(pool, state, tokenIn, tokenOut, amountIn)
  // How many shares of a composable pool are owed to the protocol changes with each swap.
  const shares = { supply: undefined }
  expect({ ...(await load(pool)).state, ...shares }).toEqual({ ...next, ...shares })
}

function unitOf(pool: Pool, index: number): bigint {
  const { decimals } = pool.parameters
  return 10n ** BigInt(Array.isArray(decimals) ? decimals[index] : 0)
}

const recipient: Address = '0x00000000000000000000000000000000000000aa'

const swaps = fc.record({
  pair: fc.uniqueArray(fc.nat({ max: 4 }), { minLength: 2, maxLength: 2 }),
  /** Power of ten of the amount, from 1e-8 tokens. */
  digits: fc.integer({ min: 0, max: 12 }),
  factor: fc.integer({ min: 1, max: 9999 }),
})

/** Joins or leaves by the adapter's own steps, as `swapAndCompare` does for swaps. @returns what the trader got. */
async function moveAndCompare(
  pool: Pool,
  tokenIn: Address,
  tokenOut: Address,
  amountIn: bigint,
  exact = true,
): Promise<bigint> {
  const read = async () => {
    const reader = await scene.reader()
    const args = { reader, chain: ethereum, venue: { vault }, pools: [pool] }
    const [loaded] = await balancerV2.load(args)
    if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
    return loaded.state
  }
  const state = await read()
  const quote = balancerV2.amountOut(pool, state, tokenIn, tokenOut, amountIn)
  const steps = balancerV2.encodeSwap({
    ...{ chain: ethereum, venue: { vault }, pool, state, tokenIn, tokenOut, amountIn, helpers: {} },
    ...{ executor: scene.trader, recipient: scene.trader },
  })
  const call = steps.find((step): step is CallStep => step.kind === 'call')
  if (!call) throw new Error('no call')
  const before = await scene.balanceOf(tokenOut, scene.trader)
  await scene.send(call.target, [call.abi], call.abi.name, call.args.map(encoded))
  const received = (await scene.balanceOf(tokenOut, scene.trader)) - before
  if (exact) {
    expect(quote, `${tokenIn} > ${tokenOut}: ${amountIn}`).toEqual({ amountOut: received, exact })
  } else {
    expect(quote.exact).toBe(false)
    expect(Number(quote.amountOut) / Number(received)).toBeCloseTo(1, 2)
  }
  if (exact && received > 0n) {
    expect(await read()).toEqual(balancerV2.applySwap(pool, state, tokenIn, tokenOut, amountIn))
  }
  return received
}

/** @param fee - part of swap fees, E18. */
async function setProtocolFee(fee: bigint): Promise<void> {
  const call = encodeFunctionData({ abi: feesAbi, functionName: 'getProtocolFeesCollector' })
  const collector = toAddress(`0x${(await scene.call(vault, call)).slice(26)}`)
  expect(await scene.send(collector, feesAbi, 'setSwapFeePercentage', [fee])).not.toBeNull()
}

/** What the Executor's encoding does with values inside bytes. */
function encoded(value: unknown): unknown {
  if (isEncodedValues(value)) return encodeAbiParameters(value.types, value.values)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, encoded(each)]))
}

const moves = fc.record({
  isJoin: fc.boolean(),
  place: fc.nat({ max: 2 }),
  digits: fc.noBias(fc.integer({ min: 0, max: 12 })),
  factor: fc.integer({ min: 1, max: 9999 }),
})

async function moveAtRandom(pool: Pool): Promise<number> {
  const record = liquidityPool(pool)
  const share = record.tokens.at(-1) ?? '0x'
  let moved = 0
  await fc.assert(
    fc.asyncProperty(moves, async ({ isJoin, place, digits, factor }) => {
      const k = place % pool.tokens.length
      const token = pool.tokens[k] ?? '0x'
      const unit = isJoin ? unitOf(pool, k) : 10n ** 18n
      const amountIn = 1n + (BigInt(factor) * 10n ** BigInt(digits) * unit) / 10n ** 8n
      const [tokenIn, tokenOut] = isJoin ? [token, share] : [share, token]
      if ((await moveAndCompare(record, tokenIn, tokenOut, amountIn)) > 0n) moved += 1
    }),
    { numRuns: 30 },
  )
  return moved
}

describe('balancer-v2 liquidity against the deployed contracts', () => {
  test('with a protocol fee, what swaps of a weighted pool have earned is taken before a join or exit', async () => {
    await setProtocolFee(e18 / 2n)
    for (const pool of weighted) {
      const record = liquidityPool(pool)
      const share = record.tokens.at(-1) ?? '0x'
      for (const k of pool.tokens.keys()) {
        const next = (k + 1) % pool.tokens.length
        const [token = '0x', other = '0x'] = [pool.tokens[k], pool.tokens[next]]
        await swapAndCompare(pool, k, next, unitOf(pool, k) * 3n + 7n)
        const joined = await moveAndCompare(record, token, share, unitOf(pool, k) + 3n)
        expect(joined).toBeGreaterThan(0n)
        await swapAndCompare(pool, k, next, unitOf(pool, k) * 2n + 5n)
        expect(await moveAndCompare(record, share, other, e18 / 10n + 1n)).toBeGreaterThan(0n)
      }
    }
    await setProtocolFee(0n)
  })

  test('with a protocol fee, a stable pool of 2021 is an estimate: it does not say what it compares with', async () => {
    await setProtocolFee(e18 / 2n)
    for (const pool of stable) {
      await swapAndCompare(pool, 0, 1, unitOf(pool, 0) * 30_000n + 7n)
      const record = liquidityPool(pool)
      const share = record.tokens.at(-1) ?? '0x'
      const [token = '0x'] = pool.tokens
      const received = await moveAndCompare(record, token, share, unitOf(pool, 0) * 100n, false)
      expect(received).toBeGreaterThan(0n)
    }
    await setProtocolFee(0n)
  })

  test('shares of composable pools are swapped: near to what they give, and called an estimate', async () => {
    for (const pool of composable) {
      const own = pool.id.slice(0, 42) as Address
      const i = pool.tokens.indexOf(own)
      const { balances, scalingFactors } = (await load(pool)).state
      const worth = balances.map((held, k) => (k === i ? 0n : held * (scalingFactors[k] ?? 0n)))
      // Swaps before may have left little of the others.
      const j = worth.reduce((best, each, k) => (each > (worth[best] ?? 0n) ? k : best), 0)
      const unit = unitOf(pool, j)
      for (const [from, to, amountIn] of [
        [j, i, 1_234n * unit + 1n],
        [i, j, 999n * e18 + 7n],
      ] as const) {
        const { state } = await load(pool)
        const [tokenIn = own, tokenOut = own] = [pool.tokens[from], pool.tokens[to]]
        const quote = balancerV2.amountOut(pool, state, tokenIn, tokenOut, amountIn)
        // The shares of the trader are on the way to the Vault.
        await scene.send(tokenIn, erc20Abi, 'approve', [vault, maxUint256])
        const received = await swap(pool, state, from, to, amountIn)
        expect(received).toBeGreaterThan(0n)
        expect(quote.exact).toBe(false)
        expect(Number(quote.amountOut) / Number(received)).toBeCloseTo(1, 6)
      }
    }
  })

  test('a share finds the pool by the Vault alone; what it finds is what an operator imports', async () => {
    const reader = await scene.reader()
    const common = { reader, chain: ethereum, venue: { vault } }
    for (const pool of [...weighted, ...stable]) {
      const share = pool.id.slice(0, 42) as Address
      const [token = share, other = share] = pool.tokens
      const pairs = [
        [token, share],
        [token, other],
      ] as const
      expect(await balancerV2.discover({ ...common, pairs })).toEqual({
        pools: [liquidityPool(pool)],
        unreadable: [],
      })
    }
    for (const pool of composable) {
      const share = pool.id.slice(0, 42) as Address
      const [token = share] = pool.tokens.filter((each) => each !== share)
      const { pools } = await balancerV2.discover({ ...common, pairs: [[token, share]] })
      expect(pools.map(({ id, tokens }) => ({ id, tokens }))).toEqual([
        { id: pool.id, tokens: pool.tokens },
      ])
    }
    const [pool] = weighted
    const pairs = [[pool?.tokens[0] ?? '0x', pool?.tokens[1] ?? '0x']] as const
    expect(await balancerV2.discover({ ...common, pairs })).toEqual({ pools: [], unreadable: [] })
  })

  for (const kind of ['weighted', 'stable'] as const) {
    test(`property: any join or exit of a ${kind} pool with one token gives the predicted amount and state`, async () => {
      let moved = 0
      for (const pool of { weighted, stable }[kind]) moved += await moveAtRandom(pool)
      expect(moved).toBeGreaterThan(15)
    })
  }
})

describe('balancer-v2 pools against the deployed contracts', () => {
  for (const kind of ['weighted', 'stable', 'composable'] as const) {
    test(`property: any swap in a ${kind} pool gives the predicted output and leaves the predicted state`, async () => {
      for (const pool of { weighted, stable, composable }[kind]) {
        const places = pool.parameters.decimals
        await fc.assert(
          fc.asyncProperty(swaps, async ({ pair, digits, factor }) => {
            const [i = 0, j = 0] = pair.map((k) => k % pool.tokens.length)
            // The pool's own share is joined and left for, not traded.
            const own = pool.tokens.indexOf(pool.id.slice(0, 42) as Address)
            if (i === j || i === own || j === own) return
            const decimals = Array.isArray(places) ? Number(places[i]) : 18
            const amountIn = 1n + (BigInt(factor) * 10n ** BigInt(digits + decimals)) / 10n ** 8n
            await swapAndCompare(pool, i, j, amountIn)
          }),
          { numRuns: 40 },
        )
      }
    })
  }

  test('a rate whose cache has run out is renewed by the swap: the quote takes the new one', async () => {
    const pool = aging
    const [first] = providers
    if (!first) throw new Error('no provider')
    await scene.mineAfter(2 * 86_400)
    await scene.setAnswer(first, 12n * 10n ** 17n + 7n)
    const places = [0, 1, 2].filter((k) => pool.tokens[k] !== pool.id.slice(0, 42))
    const [i = 0, j = 0] = places
    const { state, partial } = await load(pool)
    expect(partial).toBe(true)
    const amountIn = 1_234n * unitOf(pool, i) + 1n
    const quote = balancerV2.amountOut(
      pool,
      state,
      pool.tokens[i] ?? '0x',
      pool.tokens[j] ?? '0x',
      amountIn,
    )
    expect(quote).toEqual({ amountOut: await swap(pool, state, i, j, amountIn), exact: false })
    expect(quote.amountOut).toBeGreaterThan(0n)
    // From here on the cache holds what was quoted with.
    const renewed = await load(pool)
    expect(renewed.partial).toBe(false)
    expect(renewed.state.scalingFactors).toEqual(state.scalingFactors)
    await swapAndCompare(pool, j, i, 999n * unitOf(pool, j))
  })

  test('a ramp of the amplification is followed to the block of the swap', async () => {
    const pool = aging
    const contract = toAddress(pool.id.slice(0, 42))
    const end = (await scene.reader()).block.timestamp + 4n * 86_400n
    const started = await scene.send(contract, poolAbi, 'startAmplificationParameterUpdate', [
      1900n,
      end,
    ])
    expect(started).not.toBeNull()
    const places = [0, 1, 2].filter((k) => pool.tokens[k] !== contract)
    const [i = 0, j = 0] = places
    const before = (await load(pool)).state.amp
    await scene.mineAfter(36_000)
    await scene.mineNextAfter(ethereum.blockTimeSeconds)
    await swapAndCompare(pool, i, j, 123_456n * unitOf(pool, i), false)
    expect((await load(pool)).state.amp).toBeGreaterThan(before)
  })
})
