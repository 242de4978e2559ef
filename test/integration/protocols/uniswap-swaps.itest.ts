/** Math of the Uniswap-style adapters against the deployed contracts of the sandbox, through our own transaction. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import type { LoadedPool, SwapAdapter } from '../../../src/protocols/protocol.js'
import { pancakeswapV2, sushiswapV2, uniswapV2 } from '../../../src/protocols/uniswap-v2/index.js'
import { pancakeswapV3, sushiswapV3, uniswapV3 } from '../../../src/protocols/uniswap-v3/index.js'
import { sandboxTokens } from '../../../src/sandbox/tokens.js'
import {
  randomCases,
  type SwapCase,
  SwapContext,
  venueOf,
} from '../../support/protocols/swap-context.js'

/** Tokens that deliver what they are told to; what the others do to a swap is no matter of the pool. */
const plainTokens = sandboxTokens.filter(
  ({ behaviour }) => !['fee-on-transfer', 'honeypot', 'frozen', 'rebasing'].includes(behaviour),
)
const bothWays = [
  [0, 1],
  [1, 0],
] as const

let context: SwapContext

beforeAll(async () => {
  context = await SwapContext.start()
})
afterAll(() => context.stop())

function discover(adapter: SwapAdapter, tokens: readonly Address[]) {
  const pairs = tokens.flatMap((a, index) => tokens.slice(index + 1).map((b) => [b, a] as const))
  const { reader } = context
  return adapter.swaps.discover({ reader, chain: ethereum, venue: venueOf(adapter), pairs })
}

async function loadAll(adapter: SwapAdapter): Promise<LoadedPool[]> {
  const tokens = plainTokens.map(({ address }) => address)
  return context.load(adapter, (await discover(adapter, tokens)).pools)
}

/** Both directions of each pool. */
function casesOf(loaded: readonly LoadedPool[], swaps: number): SwapCase[] {
  return randomCases(loaded, swaps, bothWays, (address) => {
    const token = plainTokens.find((each) => each.address === address)
    if (!token) throw new Error('a pool lacks a token')
    return token.decimals
  })
}

const adapters: readonly SwapAdapter[] = [
  uniswapV2,
  sushiswapV2,
  pancakeswapV2,
  uniswapV3,
  sushiswapV3,
  pancakeswapV3,
]

describe.each(adapters)('$slug on the sandbox', (adapter) => {
  test('discover finds every pool of the plan and nothing else', async () => {
    const tokens = sandboxTokens.map(({ address }) => address)
    const { pools, unreadable } = await discover(adapter, tokens)
    expect(unreadable).toEqual([])
    const expected = context.planned.filter(({ protocol }) => protocol === adapter.slug)
    const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id)
    expect(pools.sort(byId)).toEqual(expected.sort(byId))
  })

  test('amountOut equals the executed swap to the wei, from dust to more than the pool holds', async () => {
    const cases = casesOf(await loadAll(adapter), 1)
    const quoted = cases.map(({ loaded: { pool, state }, tokenIn, tokenOut, amounts }) => {
      const quote = adapter.swaps.swap(pool, state, { tokenIn, tokenOut }, amounts[0] ?? 0n)
      return quote.exact ? quote.amountOut : null
    })
    const served = await context.compare(adapter, cases, quoted)
    expect(served).toBeGreaterThan(cases.length / 2)
  })

  test('a swap gives the state in which the chain executes the next swap', async () => {
    const cases = casesOf(await loadAll(adapter), 2)
    const quoted = cases.map(({ loaded: { pool, state }, tokenIn, tokenOut, amounts }) => {
      const [first = 0n, second = 0n] = amounts
      const one = adapter.swaps.swap(pool, state, { tokenIn, tokenOut }, first)
      const after = one.after()
      const two = adapter.swaps.swap(pool, after, { tokenIn, tokenOut }, second)
      // A pool that refuses one of the swaps makes the whole transaction fail.
      const comparable = one.exact && two.exact && one.amountOut > 0n && two.amountOut > 0n
      return comparable ? one.amountOut + two.amountOut : null
    })
    const served = await context.compare(adapter, cases, quoted)
    expect(served).toBeGreaterThan(cases.length / 5)
  })
})
