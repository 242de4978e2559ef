/** Shares of the sandbox's Balancer pools as positions: listed, valued, and every action carried out on a fork. */
import { parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { RoutingStrategy } from '../../../src/domain/order.js'
import type { Address } from '../../../src/domain/primitives.js'
import { balancerV2 } from '../../../src/protocols/balancer-v2/index.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { ActionFork, type ActionRun } from '../../support/actions.js'
import { withSandbox } from '../../support/sandbox.js'

const abi = parseAbi(['function getRate() view returns (uint256)'])
const user: Address = '0x00000000000000000000000000000000beef0001'
const strategies: readonly RoutingStrategy[] = ['router', 'delegate', 'wallet-v2']
const venue = ethereum.venues['balancer-v2'] ?? {}
const pools = sandboxPools().filter(({ protocol }) => protocol === 'balancer-v2')
const shareOf = ({ id }: { readonly id: string }) => id.slice(0, 42) as Address

const context = withSandbox()
let fork: ActionFork
beforeAll(async () => {
  fork = await ActionFork.start(context().sandbox.url, balancerV2)
})
afterAll(() => fork?.stop())

function run(wanted: Omit<ActionRun, 'from' | 'strategy'> & Partial<ActionRun>) {
  return fork.run({ from: user, strategy: 'router', ...wanted })
}

async function common() {
  return { reader: await fork.reader(), chain: ethereum, venue }
}

async function states() {
  const args = await common()
  const { positions = [] } = (await balancerV2.positions?.list({ ...args, pools })) ?? {}
  return { positions, read: (await balancerV2.positions?.read({ ...args, positions })) ?? [] }
}

/** What the adapter quotes in the newest block. */
async function quote(tokenIn: Address, tokenOut: Address, amountIn: bigint) {
  const args = await common()
  const { pools: found } = await balancerV2.swaps.discover({
    ...args,
    pairs: [[tokenIn, tokenOut]],
  })
  const [loaded] = await balancerV2.swaps.load({ ...args, pools: found })
  if (!loaded || !('state' in loaded)) throw new Error('not loaded')
  return balancerV2.swaps.swap(loaded.pool, loaded.state, { tokenIn, tokenOut }, amountIn)
}

/** A hundredth of what the Vault holds of a pool's token, given to the user. */
async function give(token: Address, held: bigint): Promise<bigint> {
  await fork.deal(token, user, held / 100n)
  return held / 100n
}

describe('balancer-v2 positions', () => {
  test('every pool of the sandbox is listed with its tokens', async () => {
    const { positions } = await states()
    expect(positions.map(({ key }) => key)).toEqual(pools.map(shareOf))
    expect(positions.map(({ underlyingTokens }) => underlyingTokens)).toEqual(
      pools.map(({ tokens }) => tokens),
    )
    expect(positions[0]).toMatchObject({
      primaryAddress: positions[0]?.token,
      subtitle: 'WBTC / WETH',
      parameters: { poolId: pools[0]?.id },
    })
  })

  test('a share is worth the rate that its pool states', async () => {
    const { positions, read } = await states()
    expect(positions).toHaveLength(pools.length)
    for (const [k, { key }] of positions.entries()) {
      const state = read[k]
      if (!state || !('base' in state)) throw new Error('not read')
      expect(state.holdings?.every(({ amount }) => amount > 0n)).toBe(true)
      const share = key as Address
      const price = await fork.read(share, abi, 'getRate')
      expect(state.base).toEqual({ kind: 'sharePrice', price })
    }
  })

  test('underlying tells the tokens of those that are shares', async () => {
    const tokens = [...pools.map(shareOf), user, pools[0]?.tokens[0] ?? user]
    const found = await balancerV2.positions?.underlying?.({ ...(await common()), tokens })
    expect(found).toEqual(new Map(pools.map((pool) => [shareOf(pool), pool.tokens])))
  })
})

describe('balancer-v2 actions', () => {
  test.each(strategies)(
    'one token in, one token out, as quoted to the wei: %s',
    async (strategy) => {
      const { read } = await states()
      for (const [k, pool] of pools.entries()) {
        const state = read[k]
        if (!state || !('holdings' in state)) throw new Error('not read')
        const share = shareOf(pool)
        const [first = share, second = share] = pool.tokens
        const amountIn = await give(first, state.holdings?.[0]?.amount ?? 0n)
        const expected = await quote(first, share, amountIn)
        const entered = await run({
          action: 'deposit',
          args: { primaryAddress: share, tokenIn: [first], amountIn: [amountIn], tokenOut: share },
          strategy,
          watch: [{ token: share, owner: user }],
        })
        expect(entered.status, entered.reason).toBe('success')
        expect(expected).toMatchObject({ amountOut: entered.deltas[0], exact: true })
        const shares = entered.deltas[0] ?? 0n
        const back = await quote(share, second, shares)
        const left = await run({
          action: 'redeem',
          args: { primaryAddress: share, amountIn: shares, tokenOut: [second] },
          strategy,
          watch: [
            { token: second, owner: user },
            { token: share, owner: user },
          ],
        })
        expect(left.status, left.reason).toBe('success')
        expect(left.deltas).toEqual([back.amountOut, -shares])
        expect(back.exact).toBe(true)
      }
    },
  )

  test.each(strategies)(
    'all tokens in at once and out again, each as an output: %s',
    async (strategy) => {
      const { read } = await states()
      for (const [k, pool] of pools.entries()) {
        const state = read[k]
        if (!state || !('holdings' in state)) throw new Error('not read')
        const share = shareOf(pool)
        const tokens = [...pool.tokens].reverse()
        const amountIn: bigint[] = []
        for (const { token, amount } of (state.holdings ?? []).toReversed()) {
          amountIn.push(await give(token, amount))
        }
        const entered = await run({
          action: 'deposit',
          args: { primaryAddress: share, tokenIn: tokens, amountIn },
          strategy,
          watch: [...tokens, share].map((token) => ({ token, owner: user })),
        })
        expect(entered.status, entered.reason).toBe('success')
        const shares = entered.deltas.at(-1) ?? 0n
        expect(entered.deltas.slice(0, -1)).toEqual(amountIn.map((amount) => -amount))
        const left = await run({
          action: 'redeem',
          args: { primaryAddress: share, tokenIn: share, amountIn: shares, tokenOut: tokens },
          strategy,
          watch: [...tokens, share].map((token) => ({ token, owner: user })),
        })
        expect(left.status, left.reason).toBe('success')
        expect(left.deltas.at(-1)).toBe(-shares)
        expect(left.result.outputs.map(({ token }) => token)).toEqual(tokens)
        for (const [n, amount] of amountIn.entries()) {
          // A join in proportion costs no fee.
          expect(Number(left.deltas[n]) / Number(amount)).toBeCloseTo(1, 4)
        }
      }
    },
  )

  const [pool] = pools
  const share = shareOf(pool ?? { id: user })
  const [token = user, second = user] = pool?.tokens ?? []
  test.each([
    ['deposit', { primaryAddress: token }, 'primaryAddress: expected a weighted or stable pool'],
    ['deposit', { tokenOut: token }, 'tokenOut: expected the pool itself'],
    ['deposit', { tokenIn: [share] }, 'tokenIn: expected tokens of the pool, each once'],
    ['deposit', { amountIn: [1n, 2n] }, 'amountIn: expected one amount for each token, 1'],
    ['redeem', { tokenOut: [user] }, 'tokenOut: expected one token of the pool, or all'],
    ['redeem', { tokenIn: second }, 'tokenIn: expected the pool itself'],
  ] as const)('%s refuses %o', async (action, wrong, message) => {
    const args = {
      deposit: { primaryAddress: share, tokenIn: [token], amountIn: [1n] },
      redeem: { primaryAddress: share, amountIn: 1n, tokenOut: [token] },
    }[action]
    await expect(run({ action, args: { ...args, ...wrong }, watch: [] })).rejects.toThrow(message)
  })
})
