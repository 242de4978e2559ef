import fc from 'fast-check'
import { encodeFunctionData, getContractAddress, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { curve } from '../../../src/protocols/curve/index.js'
import type { CurveState } from '../../../src/protocols/curve/state.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { LoadedPool } from '../../../src/protocols/protocol.js'
import { loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import { erc20Abi, PoolContext } from '../../support/protocols/pool-context.js'

const poolAbi = parseAbi([
  'function add_liquidity(uint256[4], uint256)',
  'function exchange(int128, int128, uint256, uint256)',
  'function get_dy(int128, int128, uint256) view returns (uint256)',
  'function commit_new_parameters(uint256, uint256, uint256)',
  'function apply_new_parameters()',
])

/** What the bytecode has built in. */
const decimals = [18, 6, 6, 18]

let context: PoolContext
let pool: Pool

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
  for (const token of tokens)
    await context.send(token, erc20Abi, 'approve', [address, 2n ** 256n - 1n])
  const amounts = decimals.map((d, k) => BigInt(1_000_000 + 300_000 * k) * 10n ** BigInt(d))
  expect(await context.send(address, poolAbi, 'add_liquidity', [amounts, 0n])).not.toBeNull()
  pool = {
    protocol: 'curve',
    id: address,
    address,
    tokens,
    parameters: { kind: 'stable', decimals: decimals.map(String), legacy: true },
  }
})

afterAll(() => context.close())

async function load(as: Pool = pool): Promise<LoadedPool<CurveState>> {
  const reader = await context.reader()
  const [loaded] = await curve.swaps.load({ reader, chain: ethereum, venue: {}, pools: [as] })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return loaded
}

describe('curve stable pool against the deployed contract', () => {
  test('a pool whose quotes contradict the math is loaded as a sampled one', async () => {
    const wrong = { ...pool, parameters: { ...pool.parameters, decimals: ['18', '18', '6', '18'] } }
    const loaded = await load(wrong)
    expect(loaded.partial).toBe(true)
    const [tokenIn, tokenOut] = pool.tokens
    if (!tokenIn || !tokenOut) throw new Error('no tokens')
    const amountIn = 7_777n * 10n ** 18n
    const quote = curve.swaps.swap(wrong, loaded.state, { tokenIn, tokenOut }, amountIn)
    const real = await context.call(
      pool.address,
      encodeFunctionData({ abi: poolAbi, functionName: 'get_dy', args: [0n, 1n, amountIn] }),
    )
    expect(quote.exact).toBe(false)
    expect(Number(quote.amountOut) / Number(BigInt(real))).toBeCloseTo(1, 3)
  })

  test('property: any swap from dust to huge gives the predicted output and leaves the predicted state', async () => {
    const direction = fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 2, maxLength: 2 })
    const digits = fc.integer({ min: 0, max: 13 })
    await fc.assert(
      fc.asyncProperty(direction, digits, fc.integer({ min: 1, max: 9999 }), async (pair, e, m) => {
        const [i = 0, j = 0] = pair
        await swapAndCompare(
          i,
          j,
          1n + (BigInt(m) * 10n ** BigInt(e + (decimals[i] ?? 0))) / 10n ** 8n,
        )
      }),
      { numRuns: 60 },
    )
  })

  test('with an admin fee the predicted state still equals the pool after each swap', async () => {
    await context.send(pool.address, poolAbi, 'commit_new_parameters', [
      300n,
      30_000_000n,
      5_000_000_000n,
    ])
    await context.mineAfter(4 * 86_400)
    expect(await context.send(pool.address, poolAbi, 'apply_new_parameters', [])).not.toBeNull()
    for (const [i, j] of [
      [0, 1],
      [1, 3],
      [3, 2],
      [2, 0],
    ] as const) {
      await swapAndCompare(i, j, 123_456n * 10n ** BigInt(decimals[i] ?? 0) + 7n)
    }
  })
})

async function swapAndCompare(i: number, j: number, amountIn: bigint): Promise<void> {
  const { state } = await load()
  const tokenIn = pool.tokens[i] ?? '0x'
  const tokenOut = pool.tokens[j] ?? '0x'
  const quote = curve.swaps.swap(pool, state, { tokenIn, tokenOut }, amountIn)
  const before = await context.balanceOf(tokenOut, context.trader)
  const receipt = await context.send(pool.address, poolAbi, 'exchange', [
    BigInt(i),
    BigInt(j),
    amountIn,
    0n,
  ])
  const received = (await context.balanceOf(tokenOut, context.trader)) - before
  expect(quote).toMatchObject({ amountOut: received, exact: true })
  if (!receipt) return
  expect((await load()).state).toEqual(quote.after())
}
