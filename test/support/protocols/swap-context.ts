/** Steps of adapters against the deployed contracts of the sandbox, each case in a transaction of our own. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { ExecutorStep, Order } from '../../../src/domain/order.js'
import { type Address, type BlockPin, zeroAddress } from '../../../src/domain/primitives.js'
import {
  mergeOverrides,
  type SimulationRequest,
  type SimulationResult,
  type StateReader,
} from '../../../src/domain/state.js'
import { buildTransaction } from '../../../src/executor/compile.js'
import {
  contractAddress,
  deploymentOverrides,
  executorAddress,
  quoteSender,
} from '../../../src/executor/deployments.js'
import { ForkReader } from '../../../src/forks/reader.js'
import { simulate } from '../../../src/forks/simulate.js'
import { createFunding } from '../../../src/forks/tokens/funding.js'
import { fundFromHolder } from '../../../src/forks/tokens/holder-funding.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { LoadedPool, SwapAdapter } from '../../../src/protocols/protocol.js'
import { contractAddresses } from '../../../src/sandbox/addresses.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { readPin } from '../pin.js'
import { placeForkVenues } from './fork-venues.js'

const receiver: Address = '0x00000000000000000000000000000000beef0003'
const executor = executorAddress(quoteSender)
const spender = contractAddress('Router')
const helpers = {
  UniswapV2Swapper: contractAddress('UniswapV2Swapper'),
  UniswapV2Zapper: contractAddress('UniswapV2Zapper'),
}
const sizesPerDirection = 6

/** One swap, or several in a row in one transaction. */
export interface SwapCase {
  readonly loaded: LoadedPool
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Raw units of tokenIn. */
  readonly amounts: readonly bigint[]
}

export function venueOf(adapter: SwapAdapter) {
  const venue = ethereum.venues[adapter.slug]
  if (!venue) throw new Error(`no venue ${adapter.slug}`)
  return venue
}

/** Sizes evenly spread over the orders of magnitude: from one raw unit to 10^9 whole tokens. */
export function randomSizes(count: number): (decimals: number, index: number) => bigint {
  // Without its bias fast-check would draw little but the extremes.
  const size = fc.noBias(fc.integer({ min: 0, max: 1_000 }))
  const draws = fc.sample(size, { numRuns: count, seed: 20_260 })
  return (decimals, index) =>
    BigInt(Math.ceil(10 ** (((draws[index] ?? 0) * (decimals + 9)) / 1_000)))
}

/** The given directions of each pool, with random sizes. */
export function randomCases(
  loaded: readonly LoadedPool[],
  swaps: number,
  directions: readonly (readonly [number, number])[],
  decimalsOf: (token: Address) => number,
): SwapCase[] {
  const sizeOf = randomSizes(loaded.length * directions.length * sizesPerDirection)
  return loaded.flatMap((pool, index) =>
    directions.flatMap(([from, to], direction) => {
      const [tokenIn, tokenOut] = [pool.pool.tokens[from], pool.pool.tokens[to]]
      if (!tokenIn || !tokenOut) throw new Error('a pool lacks a token')
      return Array.from({ length: sizesPerDirection / swaps }, (_, draw) => {
        const first = (index * directions.length + direction) * sizesPerDirection + draw * swaps
        const amounts = Array.from({ length: swaps }, (_each, swap) =>
          sizeOf(decimalsOf(tokenIn), first + swap),
        )
        return { loaded: pool, tokenIn, tokenOut, amounts }
      })
    }),
  )
}

export class SwapContext {
  readonly #funding = createFunding()

  private constructor(
    readonly sandbox: Sandbox,
    /** All pools of the chain. */
    readonly planned: readonly Pool[],
    readonly pin: BlockPin,
    readonly reader: StateReader,
  ) {}

  /** @param prepare - changes the chain before it is read. */
  static async start(prepare?: (url: string) => Promise<void>): Promise<SwapContext> {
    const sandbox = await startSandbox({})
    const planned = [...sandboxPools(), ...(await placeForkVenues(sandbox.url))]
    await prepare?.(sandbox.url)
    const pin = await readPin(sandbox.url)
    const reader = new ForkReader({ pin, archiveUrl: sandbox.url, forkUrls: [sandbox.url] })
    return new SwapContext(sandbox, planned, pin, reader)
  }

  stop(): Promise<void> {
    return this.sandbox.stop()
  }

  async load(adapter: SwapAdapter, pools: readonly Pool[]): Promise<LoadedPool[]> {
    const { reader } = this
    const loads = await adapter.swaps.load({
      reader,
      chain: ethereum,
      venue: venueOf(adapter),
      pools,
    })
    const loaded = loads.filter((load): load is LoadedPool => 'state' in load)
    expect(loaded).toHaveLength(pools.length)
    expect(loaded.some(({ partial }) => partial)).toBe(false)
    return loaded
  }

  /** Executes every case with a quote and expects its amount. @returns how many of them gave something. */
  async compare(
    adapter: SwapAdapter,
    cases: readonly SwapCase[],
    quoted: readonly (bigint | null)[],
  ): Promise<number> {
    const exact = cases.filter((_each, index) => quoted[index] !== null)
    const expected = quoted.filter((amountOut) => amountOut !== null)
    const executed = await this.#execute(adapter, exact)
    const row = (amountOut: bigint | undefined, index: number) => {
      const { loaded, tokenIn, amounts } = exact[index] ?? { loaded: null }
      return { pool: loaded?.pool.id, tokenIn, amounts, amountOut }
    }
    expect(executed.map(row)).toEqual(expected.map(row))
    return executed.filter((amountOut) => amountOut > 0n).length
  }

  /** What the receiver gains on chain; 0n when the pool refuses the swap. */
  async #execute(adapter: SwapAdapter, cases: readonly SwapCase[]): Promise<bigint[]> {
    const requests = await Promise.all(cases.map((each) => this.#toRequest(adapter, each)))
    const results = await simulate(
      { urls: [this.sandbox.url], pin: this.pin, chain: ethereum },
      requests,
      { warm: true },
    )
    return results.map(gained)
  }

  async #toRequest(adapter: SwapAdapter, each: SwapCase): Promise<SimulationRequest> {
    const { pin, sandbox } = this
    const { loaded, tokenIn, tokenOut, amounts } = each
    const amount = amounts.reduce((sum, x) => sum + x, 0n)
    const swap = (amountIn: bigint | 'rest'): ExecutorStep[] =>
      adapter.swaps.encodeSwap({
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
      feeReceiver: zeroAddress,
      steps: [
        ...amounts.slice(0, -1).flatMap(swap),
        ...swap(amounts.length > 1 ? (amounts.at(-1) ?? 0n) : 'rest'),
      ],
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
    const fork = { urls: [sandbox.url], pin, chain: ethereum }
    const funds = await this.#funding.fund(fork, wanted)
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
}

function gained(result: SimulationResult): bigint {
  if (result.status === 'unreadable') throw new Error(result.message)
  return result.status === 'success' ? (result.deltas[0]?.amount ?? 0n) : 0n
}
