/** What bundles do with shares of V2 pairs: each action in a transaction of its own on an Anvil of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { RoutingStrategy } from '../../../src/domain/order.js'
import type { Address } from '../../../src/domain/primitives.js'
import type { StateReader } from '../../../src/domain/state.js'
import { runnerAddress } from '../../../src/executor/compile.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { ForkReader } from '../../../src/forks/reader.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { Position } from '../../../src/protocols/positions.js'
import { uniswapV2 } from '../../../src/protocols/uniswap-v2/index.js'
import {
  burnt,
  type LiquidityState,
  zapIn,
  zapOut,
} from '../../../src/protocols/uniswap-v2/liquidity.js'
import { sharesPool } from '../../../src/protocols/uniswap-v2/pairs.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { readPin } from '../../support/pin.js'
import {
  type ActionArgs,
  buildAction,
  executeAction,
} from '../../support/protocols/build-action.js'

const from = sandboxAccount('alice').address
const receiver: Address = '0x00000000000000000000000000000000beef0004'
const [usdc, weth] = [sandboxToken('USDC').address, sandboxToken('WETH').address]
const zapper = contractAddress('UniswapV2Zapper')
const rules = { feeBps: 30n, protocolFee: { numerator: 1n, root: 5n, rootLast: 1n } }
const venue = ethereum.venues['uniswap-v2'] ?? {}
const adapter = uniswapV2
const strategies: readonly RoutingStrategy[] = ['router', 'delegate', 'wallet-v2']

let sandbox: Sandbox
let reader: StateReader
let pool: Pool
let state: LiquidityState
let position: Position

beforeAll(async () => {
  sandbox = await startSandbox()
  const pin = await readPin(sandbox.url)
  reader = new ForkReader({ pin, archiveUrl: sandbox.url, forkUrls: [sandbox.url] })
  const found = sandboxPools().find(
    ({ protocol, tokens }) =>
      protocol === 'uniswap-v2' && tokens.includes(usdc) && tokens.includes(weth),
  )
  if (!found) throw new Error('no pair')
  pool = found
  const [loaded] = await adapter.swaps.load({
    reader,
    chain: ethereum,
    venue,
    pools: [sharesPool(pool)],
  })
  if (!loaded || !('state' in loaded) || !('totalSupply' in loaded.state)) throw new Error('none')
  state = loaded.state
})
afterAll(() => sandbox.stop())

const common = () => ({ adapter: adapter as ActionArgs['adapter'], reader, from, receiver })

/** Executes the action, and expects that nothing stays in the helper or, where it is not the sender, in the runner. */
async function run(
  action: ActionArgs['action'],
  args: ActionArgs['args'],
  strategy: RoutingStrategy = 'router',
) {
  const tokens = [usdc, weth, pool.address]
  const watched = [receiver, zapper, from, runnerAddress(strategy, from)]
  const done = await executeAction({
    ...common(),
    action,
    args,
    strategy,
    nodeUrl: sandbox.url,
    watch: watched.flatMap((owner) => tokens.map((token) => ({ token, owner }))),
  })
  expect(done.status).toBe('success')
  const of = (owner: number) => done.deltas.slice(owner * 3, owner * 3 + 3)
  expect(of(1)).toEqual([0n, 0n, 0n])
  if (strategy !== 'delegate') expect(of(3)).toEqual([0n, 0n, 0n])
  return { built: done.built, gained: of(0), sender: of(2) }
}

describe('deposit', () => {
  test.each(strategies)(
    'one token becomes shares to the wei, dust comes back: %s',
    async (strategy) => {
      const amountIn = 12_345_678_901n
      const zap = zapIn(state, pool.tokens[0] === usdc, amountIn, rules)
      const args = { tokenIn: [usdc], amountIn: [amountIn], tokenOut: pool.address }
      const { gained, sender } = await run('deposit', args, strategy)
      expect(gained).toEqual([0n, 0n, zap?.liquidity])
      expect(sender).toEqual([-((zap?.sold ?? 0n) + (zap?.added ?? 0n)), 0n, 0n])
    },
  )
  test('both tokens are added in the ratio of the pair; what is too much of one comes back', async () => {
    const [amountUsdc, amountWeth] = [10_000_000_000n, 10n ** 18n]
    const isFirst = pool.tokens[0] === usdc
    const [reserveUsdc, reserveWeth] = isFirst
      ? [state.reserve0, state.reserve1]
      : [state.reserve1, state.reserve0]
    const byWeth = (amountWeth * state.totalSupply) / reserveWeth
    const needed = (amountWeth * reserveUsdc + reserveWeth - 1n) / reserveWeth
    expect(needed).toBeLessThan(amountUsdc)
    const args = {
      tokenIn: [weth, usdc],
      amountIn: [amountWeth, amountUsdc],
      tokenOut: pool.address,
      primaryAddress: pool.address,
    }
    const { gained, sender, built } = await run('deposit', args)
    expect(gained).toEqual([0n, 0n, byWeth])
    expect(sender).toEqual([-needed, -amountWeth, 0n])
    expect(built.result.leftovers).toEqual([weth, usdc])
  })
})

describe('redeem and withdraw', () => {
  const shares = 123_456_789_012n
  test.each(strategies)('shares become both tokens to the wei: %s', async (strategy) => {
    const { amount0, amount1 } = burnt(state, shares, rules)
    const [outUsdc, outWeth] = pool.tokens[0] === usdc ? [amount0, amount1] : [amount1, amount0]
    const args = { tokenIn: pool.address, amountIn: shares }
    const { gained, sender, built } = await run('redeem', args, strategy)
    expect(gained).toEqual([outUsdc, outWeth, 0n])
    expect(sender).toEqual([0n, 0n, -shares])
    expect(built.result.outputs.map(({ token }) => token)).toEqual(pool.tokens)
  })
  test.each([
    ['USDC', usdc, 0],
    ['WETH', weth, 1],
  ] as const)('shares become %s alone to the wei', async (_symbol, token, place) => {
    const expected = zapOut(state, pool.tokens[0] === token, shares, rules)?.amountOut
    const args = { tokenIn: pool.address, amountIn: shares, tokenOut: [token] }
    const { gained } = await run('withdraw', args)
    expect(gained[place]).toBe(expected)
    expect(gained.filter((amount) => amount !== 0n)).toHaveLength(1)
  })
  test('the outputs come in the order asked', async () => {
    const tokenOut = pool.tokens.toReversed()
    const args = { tokenIn: pool.address, amountIn: shares, tokenOut }
    const { result } = await buildAction({ ...common(), action: 'redeem', args })
    expect(result.outputs.map(({ token }) => token)).toEqual(tokenOut)
  })
})

describe('what is refused', () => {
  const refused = (action: ActionArgs['action'], args: ActionArgs['args']) =>
    expect(buildAction({ ...common(), action, args })).rejects
  test('a token that is no pair, a token that is not of the pair, and amounts that do not match', async () => {
    const deposit = { tokenIn: [usdc], amountIn: [1n], tokenOut: pool.address }
    await refused('deposit', { ...deposit, tokenOut: weth }).toThrow(/tokenOut: a pair that/)
    const uni = sandboxToken('UNI').address
    await refused('deposit', { ...deposit, tokenIn: [uni] }).toThrow(/tokenIn: one or both/)
    await refused('deposit', { ...deposit, amountIn: [1n, 2n] }).toThrow(/amountIn: 1 amounts/)
    await refused('deposit', { ...deposit, primaryAddress: uni }).toThrow(
      /primaryAddress: the pair/,
    )
    const redeem = { tokenIn: pool.address, amountIn: 1n }
    await refused('redeem', { ...redeem, tokenOut: [usdc, usdc] }).toThrow(/tokenOut: one or both/)
    await refused('redeem', { ...redeem, tokenIn: usdc }).toThrow(/tokenIn: a pair that/)
  })
})

describe('positions', () => {
  test('every pair that is known is one, named by its tokens', async () => {
    const pools = sandboxPools().filter(({ protocol }) => protocol === 'uniswap-v2')
    const listed = await adapter.positions?.list({ reader, chain: ethereum, venue, pools })
    expect(listed?.unreadable).toEqual([])
    expect(listed?.positions.map(({ key }) => key)).toEqual(pools.map(({ id }) => id))
    position = listed?.positions.find(({ key }) => key === pool.id) as Position
    expect(position).toMatchObject({
      token: pool.address,
      primaryAddress: pool.address,
      underlyingTokens: pool.tokens,
      parameters: { feeBps: 30 },
    })
    expect(position.name).toMatch(/^Uniswap V2 (USDC\/WETH|WETH\/USDC)$/)
  })
  test('holders own the reserves, and a share is worth the root of their product', async () => {
    const [read] =
      (await adapter.positions?.read({
        reader,
        chain: ethereum,
        venue,
        positions: [position],
      })) ?? []
    if (!read || !('holdings' in read)) throw new Error('not read')
    expect(read.holdings?.map(({ amount }) => amount)).toEqual([state.reserve0, state.reserve1])
    if (read.base?.kind !== 'sharePrice') throw new Error('no price')
    // Fees of the trades since the pair was opened, when a share was worth one.
    expect(read.base.price).toBeGreaterThan(10n ** 18n)
    expect(read.base.price).toBeLessThan(2n * 10n ** 18n)
  })
})
