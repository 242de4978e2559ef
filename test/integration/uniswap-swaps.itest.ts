/** Maths of the Uniswap-style adapters against the deployed contracts of the sandbox, through our own transaction. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../src/chains/ethereum.js'
import type { Order, Step } from '../../src/domain/plan.js'
import { type Address, type BlockPin, zeroAddress } from '../../src/domain/primitives.js'
import {
  mergeOverrides,
  type SimulationRequest,
  type SimulationResult,
  type StateReader,
} from '../../src/domain/state.js'
import { buildTransaction } from '../../src/executor/compile.js'
import {
  contractAddress,
  deploymentOverrides,
  executorAddress,
  quoteSender,
} from '../../src/executor/deployments.js'
import { createFunding } from '../../src/forks/funding.js'
import { fundFromHolder } from '../../src/forks/holder-funding.js'
import { createReader } from '../../src/forks/reader.js'
import { simulate } from '../../src/forks/simulate.js'
import type { LoadedPool, Pool, ProtocolAdapter } from '../../src/protocols/protocol.js'
import { pancakeswapV2, sushiswapV2, uniswapV2 } from '../../src/protocols/uniswap-v2/index.js'
import { pancakeswapV3, sushiswapV3, uniswapV3 } from '../../src/protocols/uniswap-v3/index.js'
import { contractAddresses } from '../../src/sandbox/addresses.js'
import { sandboxPools } from '../../src/sandbox/catalog.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.js'
import { sandboxTokens } from '../../src/sandbox/tokens.js'
import { readPin } from '../support/pin.js'
import { placeForkVenues } from './fork-venues.js'

const receiver: Address = '0x00000000000000000000000000000000beef0003'
const executor = executorAddress(quoteSender)
const spender = contractAddress('Router')
const helpers = {
  UniswapV2Swapper: contractAddress('UniswapV2Swapper'),
}
/** Tokens that deliver what they are told to; what the others do to a swap is no matter of the pool. */
const plainTokens = sandboxTokens.filter(
  ({ behaviour }) => !['fee-on-transfer', 'honeypot', 'frozen', 'rebasing'].includes(behaviour),
)
const sizesPerDirection = 6

let sandbox: Sandbox
/** All pools of the chain. */
let planned: Pool[]
let pin: BlockPin
let reader: StateReader
const funding = createFunding()

beforeAll(async () => {
  sandbox = await startSandbox({})
  planned = [...sandboxPools(), ...(await placeForkVenues(sandbox.url))]
  pin = await readPin(sandbox.url)
  reader = createReader({ pin, archiveUrl: sandbox.url, forkUrls: [sandbox.url] })
})

afterAll(() => sandbox.stop())

/** One swap, or several in a row in one transaction. */
interface Case {
  readonly loaded: LoadedPool
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Raw units of tokenIn. */
  readonly amounts: readonly bigint[]
}

function venueOf(adapter: ProtocolAdapter) {
  const venue = ethereum.venues[adapter.slug]
  if (!venue) throw new Error(`no venue ${adapter.slug}`)
  return venue
}

function discover(adapter: ProtocolAdapter, tokens: readonly Address[]) {
  const pairs = tokens.flatMap((a, index) => tokens.slice(index + 1).map((b) => [b, a] as const))
  return adapter.discover({ reader, chain: ethereum, venue: venueOf(adapter), pairs })
}

async function loadAll(adapter: ProtocolAdapter): Promise<LoadedPool[]> {
  const tokens = plainTokens.map(({ address }) => address)
  const { pools } = await discover(adapter, tokens)
  const loads = await adapter.load({ reader, chain: ethereum, venue: venueOf(adapter), pools })
  const loaded = loads.filter((load): load is LoadedPool => 'state' in load)
  expect(loaded).toHaveLength(pools.length)
  expect(loaded.some(({ partial }) => partial)).toBe(false)
  return loaded
}

/** What the receiver gains on chain; 0n when the pool refuses the swap. */
async function execute(adapter: ProtocolAdapter, cases: readonly Case[]): Promise<bigint[]> {
  const requests = await Promise.all(cases.map((each) => toRequest(adapter, each)))
  const results = await simulate(
    { urls: [sandbox.url], pin, blockTimeSeconds: ethereum.blockTimeSeconds },
    requests,
    { warm: true },
  )
  return results.map(gained)
}

function gained(result: SimulationResult): bigint {
  if (result.status === 'unreadable') throw new Error(result.message)
  return result.status === 'success' ? (result.deltas[0] ?? 0n) : 0n
}

async function toRequest(adapter: ProtocolAdapter, each: Case): Promise<SimulationRequest> {
  const { loaded, tokenIn, tokenOut, amounts } = each
  const amount = amounts.reduce((sum, x) => sum + x, 0n)
  const swap = (amountIn: bigint | 'rest'): Step[] =>
    adapter.encodeSwap({
      chain: ethereum,
      venue: venueOf(adapter),
      pool: loaded.pool,
      state: loaded.state,
      tokenIn,
      tokenOut,
      amountIn: amountIn === 'rest' ? { ref: 'balance', token: tokenIn } : amountIn,
      executor,
      helpers,
      recipient: receiver,
    })
  const order: Order = {
    inputs: [{ token: tokenIn, amount }],
    feeAmounts: [],
    feeReceiver: zeroAddress,
    steps: [...amounts.slice(0, -1).flatMap(swap), ...swap('rest')],
    outputs: [{ token: tokenOut, minAmountOut: 0n }],
    receiver,
    refundReceiver: quoteSender,
    sweep: [],
    deadline: pin.timestamp + 1_000n,
    accountId: `0x${'0'.repeat(64)}`,
    referralCode: `0x${'0'.repeat(32)}`,
  }
  const tx = buildTransaction({ strategy: 'router', from: quoteSender, order })
  const allowance = { spender, amount }
  const wanted = { token: tokenIn, owner: quoteSender, amount, allowance }
  const fork = { urls: [sandbox.url], pin, blockTimeSeconds: ethereum.blockTimeSeconds }
  const funds = await funding.fund(fork, wanted)
  const holders = [contractAddresses.tradingDesk]
  const before = funds ? [] : await fundFromHolder(fork, { ...wanted, holders })
  if (!before) throw new Error(`cannot fund ${tokenIn}`)
  return {
    ...tx,
    before,
    overrides: mergeOverrides(deploymentOverrides(), funds ?? {}, {
      [quoteSender]: { balance: 10n ** 20n },
    }),
    measure: [{ token: tokenOut, owner: receiver }],
  }
}

/** Both directions of each pool with random sizes, evenly spread from one raw unit to many times what the pool holds. */
function randomCases(loaded: readonly LoadedPool[], swaps: number): Case[] {
  // Without its bias fast-check would draw little but the extremes.
  const size = fc.noBias(fc.integer({ min: 0, max: 1_000 }))
  const draws = fc.sample(size, { numRuns: loaded.length * 2 * sizesPerDirection, seed: 20_260 })
  return loaded.flatMap((pool, index) =>
    [0, 1].flatMap((direction) => {
      const [tokenIn, tokenOut] = [pool.pool.tokens[direction], pool.pool.tokens[1 - direction]]
      const token = plainTokens.find(({ address }) => address === tokenIn)
      if (!tokenIn || !tokenOut || !token) throw new Error('a pool lacks a token')
      return Array.from({ length: sizesPerDirection / swaps }, (_, draw) => {
        const first = (index * 2 + direction) * sizesPerDirection + draw * swaps
        // Up to 10^9 whole tokens.
        const amounts = draws
          .slice(first, first + swaps)
          .map((x) => BigInt(Math.ceil(10 ** ((x * (token.decimals + 9)) / 1_000))))
        return { loaded: pool, tokenIn, tokenOut, amounts }
      })
    }),
  )
}

const adapters: readonly ProtocolAdapter[] = [
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
    const expected = planned.filter(({ protocol }) => protocol === adapter.slug)
    const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id)
    expect(pools.sort(byId)).toEqual(expected.sort(byId))
  })

  test('amountOut equals the executed swap to the wei, from dust to more than the pool holds', async () => {
    const cases = randomCases(await loadAll(adapter), 1)
    const quoted = cases.map(({ loaded: { pool, state }, tokenIn, tokenOut, amounts }) => {
      const quote = adapter.amountOut(pool, state, tokenIn, tokenOut, amounts[0] ?? 0n)
      return quote.exact ? quote.amountOut : null
    })
    const served = await compare(adapter, cases, quoted)
    expect(served).toBeGreaterThan(cases.length / 2)
  })

  test('applySwap gives the state in which the chain executes the next swap', async () => {
    const cases = randomCases(await loadAll(adapter), 2)
    const quoted = cases.map(({ loaded: { pool, state }, tokenIn, tokenOut, amounts }) => {
      const [first = 0n, second = 0n] = amounts
      const one = adapter.amountOut(pool, state, tokenIn, tokenOut, first)
      const after = adapter.applySwap(pool, state, tokenIn, tokenOut, first)
      const two = adapter.amountOut(pool, after, tokenIn, tokenOut, second)
      // A pool that refuses one of the swaps makes the whole transaction fail.
      const comparable = one.exact && two.exact && one.amountOut > 0n && two.amountOut > 0n
      return comparable ? one.amountOut + two.amountOut : null
    })
    const served = await compare(adapter, cases, quoted)
    expect(served).toBeGreaterThan(cases.length / 5)
  })
})

/** Executes every case with a quote and expects its amount. @returns how many of them gave something. */
async function compare(
  adapter: ProtocolAdapter,
  cases: readonly Case[],
  quoted: readonly (bigint | null)[],
): Promise<number> {
  const exact = cases.filter((_each, index) => quoted[index] !== null)
  const expected = quoted.filter((amountOut) => amountOut !== null)
  const executed = await execute(adapter, exact)
  const row = (amountOut: bigint | undefined, index: number) => {
    const { loaded, tokenIn, amounts } = exact[index] ?? { loaded: null }
    return { pool: loaded?.pool.id, tokenIn, amounts, amountOut }
  }
  expect(executed.map(row)).toEqual(expected.map(row))
  return executed.filter((amountOut) => amountOut > 0n).length
}
