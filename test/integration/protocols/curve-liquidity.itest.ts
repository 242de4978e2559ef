/**
 * Deposits into and withdrawals from the deployed four-coin pool and the deposit contract beside it: what the adapter
 * quotes against what its own steps are given.
 */
import fc from 'fast-check'
import { getContractAddress, maxUint256, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { curve } from '../../../src/protocols/curve/index.js'
import { liquidityPool } from '../../../src/protocols/curve/liquidity-pool.js'
import type { CurveState } from '../../../src/protocols/curve/state.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { LoadedPool } from '../../../src/protocols/protocol.js'
import { loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import { erc20Abi, PoolContext } from '../../support/protocols/pool-context.js'

const poolAbi = parseAbi([
  'function add_liquidity(uint256[4], uint256)',
  'function commit_new_parameters(uint256, uint256, uint256)',
  'function apply_new_parameters()',
])
/** What the bytecode has built in. */
const decimals = [18, 6, 6, 18]
const share = decimals.length

let context: PoolContext
let swaps: Pool
let pool: Pool
let withoutZap: Pool
let venue: { readonly zaps: readonly string[] }

beforeAll(async () => {
  context = await PoolContext.start()
  const artifacts = await loadArtifacts('.cache/sandbox', () => {})
  const tokens: Address[] = []
  for (const d of decimals) tokens.push(await context.token(d))
  // The pool names its shares and the shares name their minter: the next address is known in advance.
  const next = getContractAddress({ from: context.trader, nonce: BigInt(tokens.length + 1) })
  const shares = await context.deploy(sandboxBytecode.PoolShares, 'string, string, address', [
    'Shares',
    'LP',
    next,
  ])
  const address = await context.deploy(
    artifacts.curvePool ?? '0x',
    'address[4], address[4], address, uint256, uint256',
    [tokens, tokens, shares, 256n, 4_000_000n],
  )
  const zap = await context.deploy(
    artifacts.curveZap ?? '0x',
    'address[4], address[4], address, address',
    [tokens, tokens, address, shares],
  )
  for (const token of tokens) await context.send(token, erc20Abi, 'approve', [address, maxUint256])
  await context.send(shares, erc20Abi, 'approve', [zap, maxUint256])
  const amounts = decimals.map((d, k) => BigInt(1_000_000 + 300_000 * k) * 10n ** BigInt(d))
  expect(await context.send(address, poolAbi, 'add_liquidity', [amounts, 0n])).not.toBeNull()
  const parameters = { kind: 'stable', decimals: decimals.map(String), legacy: true }
  swaps = { protocol: 'curve', id: address, address, tokens, parameters }
  pool = liquidityPool(swaps, shares, zap)
  withoutZap = liquidityPool(swaps, shares, null)
  venue = { zaps: [`${address}:${zap}`] }
})

afterAll(() => context.close())

async function load(as: Pool = pool): Promise<LoadedPool<CurveState>> {
  const reader = await context.reader()
  const [loaded] = await curve.swaps.load({ reader, chain: ethereum, venue, pools: [as] })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return loaded
}

/** Carries out the adapter's own steps; the trader, who has approved everything, stands for the Executor. */
async function moveAndCompare(i: number, j: number, amountIn: bigint): Promise<bigint> {
  const { state } = await load()
  const [tokenIn, tokenOut] = [tokenAt(i), tokenAt(j)]
  const quote = curve.swaps.swap(pool, state, { tokenIn, tokenOut }, amountIn)
  const steps = curve.swaps.encodeSwap({
    chain: ethereum,
    venue,
    pool,
    state,
    tokenIn,
    tokenOut,
    amountIn,
    helpers: {},
    executor: context.trader,
    recipient: context.trader,
  })
  const call = steps.at(-1)
  if (call?.kind !== 'call') throw new Error('no call')
  const before = await context.balanceOf(tokenOut, context.trader)
  const receipt = await context.send(call.target, [call.abi], call.abi.name, call.args)
  const received = (await context.balanceOf(tokenOut, context.trader)) - before
  expect(quote, `${i} > ${j}: ${amountIn}`).toMatchObject({ amountOut: received, exact: true })
  if (!receipt) return 0n
  // What the pool held when it was read is not predicted.
  const held = expect.anything()
  const after = { ...quote.after(), held }
  expect((await load()).state).toEqual(after)
  return received
}

function tokenAt(k: number): Address {
  return pool.tokens[k] ?? '0x'
}

describe('curve liquidity against the deployed contracts', () => {
  test('property: any deposit or withdrawal of one coin, from dust to a fortieth of the pool, gives the predicted amount and state', async () => {
    // Up to a fortieth of the pool: one that is nearly empty of a coin gives it to nobody, and says so.
    const digits = fc.noBias(fc.integer({ min: 0, max: 10 }))
    const factor = fc.integer({ min: 1, max: 9999 })
    let moved = 0
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.nat({ max: 3 }), digits, factor, async (isIn, k, e, m) => {
        const places = isIn ? (decimals[k] ?? 0) : 18
        const amountIn = 1n + (BigInt(m) * 10n ** BigInt(e + places)) / 10n ** 8n
        const received = isIn
          ? await moveAndCompare(k, share, amountIn)
          : await moveAndCompare(share, k, amountIn)
        if (received > 0n) moved += 1
      }),
      { numRuns: 80 },
    )
    expect(moved).toBeGreaterThan(25)
  })

  test('with an admin fee the predicted state still equals the pool', async () => {
    await context.send(swaps.address, poolAbi, 'commit_new_parameters', [
      300n,
      30_000_000n,
      5_000_000_000n,
    ])
    await context.mineAfter(4 * 86_400)
    expect(await context.send(swaps.address, poolAbi, 'apply_new_parameters', [])).not.toBeNull()
    for (const k of [0, 1, 2, 3]) {
      const amount = 123_456n * 10n ** BigInt(decimals[k] ?? 0) + 7n
      expect(await moveAndCompare(k, share, amount)).toBeGreaterThan(0n)
      // Little enough for a pool that the property test has left with hardly any of a coin.
      expect(await moveAndCompare(share, (k + 1) % 4, 765n * 10n ** 18n + 3n)).toBeGreaterThan(0n)
    }
  })

  test('more shares than there are, and more than a coin has, give nothing', async () => {
    expect(await moveAndCompare(share, 1, 10n ** 32n)).toBe(0n)
  })

  test('without a deposit contract the pool withdraws no single coin, and deposits are quoted all the same', async () => {
    const { state } = await load(withoutZap)
    const shareToken = tokenAt(share)
    const out = curve.swaps.swap(
      withoutZap,
      state,
      { tokenIn: shareToken, tokenOut: tokenAt(0) },
      10n ** 20n,
    )
    expect(out.amountOut).toBe(0n)
    const into = curve.swaps.swap(
      withoutZap,
      state,
      { tokenIn: tokenAt(0), tokenOut: shareToken },
      10n ** 20n,
    )
    expect(into.exact).toBe(true)
    expect(into.amountOut).toBeGreaterThan(9n * 10n ** 19n)
  })

  test('shares and coins find the record of the liquidity; the coins alone do not', async () => {
    const reader = await context.reader()
    const [coin, other, shareToken] = [tokenAt(0), tokenAt(1), tokenAt(share)]
    const found = await curve.swaps.discover({
      reader,
      chain: ethereum,
      venue,
      pairs: [
        [coin, shareToken],
        [coin, other],
      ],
    })
    expect(found).toEqual({
      pools: [{ ...pool, parameters: { ...pool.parameters, ...found.pools[0]?.parameters } }],
      unreadable: [],
    })
    expect((await load(found.pools[0])).partial).toBe(false)
    const none = await curve.swaps.discover({
      reader,
      chain: ethereum,
      venue,
      pairs: [[coin, other]],
    })
    expect(none).toEqual({ pools: [], unreadable: [] })
  })

  test('of tokens the shares are named with what they stand for', async () => {
    const reader = await context.reader()
    const args = { reader, chain: ethereum, venue, tokens: pool.tokens }
    const named = await curve.positions?.underlying?.(args)
    expect([...(named ?? [])]).toEqual([[tokenAt(share), pool.tokens.slice(0, -1)]])
  })
})
