import { decodeFunctionData, encodeFunctionResult, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Address } from '../../domain/primitives.js'
import type { ReadCall, ReadResult, StateReader } from '../../domain/state.js'
import { type ConcentratedState, concentratedSwap } from '../shared/concentrated/swap.js'
import { sqrtPriceAtTick } from '../shared/concentrated/tick-math.js'
import { runV4Hooks } from './hooks.js'
import { uniswapV4 } from './index.js'
import { poolIdOf } from './pool-key.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, manager, swapper, other] = [token('1'), token('2'), token('9'), token('5'), token('6')]
const hooks: Address = '0x00000000000000000000000000000000000000c0'
const venue = {
  poolManager: manager,
  quoterCode: '0x60',
  quoterSwappers: [swapper, other],
  quoterSenders: [token('7'), token('8')],
}
const codeHash = `0x${'ab'.repeat(32)}` as const
const key = { fee: 3_000, tickSpacing: 60, hooks }
const pool = {
  protocol: 'uniswap-v4',
  id: poolIdOf({ currency0: a, currency1: b, ...key }),
  address: manager,
  tokens: [a, b],
  parameters: key,
}
const liquidity = 10n ** 24n
const state: ConcentratedState = {
  sqrtPriceX96: sqrtPriceAtTick(0),
  tick: 0,
  liquidity,
  feePips: [3_000n, 3_000n],
  tickSpacing: 60,
  ticks: [-887_220, 887_220],
  liquidityNets: [liquidity, -liquidity],
  lowerTick: -887_220,
  upperTick: 887_220,
}
const abi = parseAbi([
  'struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Wanted { bool zeroForOne; uint256 amountIn; }',
  'struct Result { uint256 spent; uint256 amountOut; uint256 gasUsed; }',
  'function quote(address manager, Key key, Wanted[][] rows, uint256 gasOfSwap) returns (Result[][] results)',
  'function holdings(address manager, Key key) view returns (bytes32 codeHash, uint256 held0, uint256 held1)',
])

/** What hooks make of what the pool alone gives; null: the swap fails. */
type Hooks = (
  amountOut: bigint,
  seen: { readonly call: ReadCall; readonly before: number; readonly amountIn: bigint },
) => bigint | null

function readerOf(act: Hooks): StateReader & { readonly calls: readonly ReadCall[] } {
  const calls: ReadCall[] = []
  const answer = (call: ReadCall): ReadResult => {
    calls.push(call)
    const { functionName, args } = decodeFunctionData({ abi, data: call.data })
    if (functionName === 'holdings') {
      const result = [codeHash, 0n, 0n] as const
      return { ok: true, value: encodeFunctionResult({ abi, functionName, result }) }
    }
    const result = args[2].map((swaps) => {
      let at = state
      const results = swaps.map(({ zeroForOne, amountIn }, before) => {
        const swap = concentratedSwap(at, zeroForOne, amountIn)
        at = swap.after()
        const amountOut = act(swap.amountOut, { call, before, amountIn })
        return amountOut === null ? null : { spent: amountIn, amountOut, gasUsed: 90_000n }
      })
      return results.flatMap((one) => one ?? []).length === swaps.length
        ? results.flatMap((one) => one ?? [])
        : []
    })
    return { ok: true, value: encodeFunctionResult({ abi, functionName: 'quote', result }) }
  }
  return { ...storageReader({}), calls, call: async (asked) => asked.map(answer) }
}

async function run(act: Hooks) {
  const reader = readerOf(act)
  const args = { reader, chain: ethereum, venue }
  const [item] = await runV4Hooks(args, [{ pool, state, partial: false }])
  return { item, calls: reader.calls }
}

describe('runV4Hooks', () => {
  test('hooks that change nothing leave the pool its own math, by three calls', async () => {
    const { item, calls } = await run((amountOut) => amountOut)
    expect(item).toMatchObject({
      finding: { class: 'exact', reason: null, codeHash },
      partial: false,
    })
    if (!item || !('state' in item)) throw new Error('left out')
    expect(item.state.run).toEqual({ gas: 90_000n, sampled: null })
    expect(calls.map(({ to, from }) => [to, from])).toEqual([
      [swapper, token('7')],
      [swapper, token('7')],
      [other, token('8')],
    ])
    expect(calls[2]?.timestamp).toBe((calls[1]?.timestamp ?? 0n) + 3_600n)
    const swap = uniswapV4.swaps.swap(pool, item.state, { tokenIn: a, tokenOut: b }, 10n ** 20n)
    const math = concentratedSwap(state, true, 10n ** 20n)
    expect([swap.amountOut, swap.exact]).toEqual([math.amountOut, false])
    expect(uniswapV4.swaps.gasEstimate(pool, swap.after())).toBe(90_000n)
  })

  test('hooks that take 1% are sampled', async () => {
    const { item } = await run((amountOut) => (amountOut * 99n) / 100n)
    expect(item).toMatchObject({ finding: { class: 'steady', reason: null }, partial: true })
    if (!item || !('state' in item)) throw new Error('left out')
    for (const amountIn of [10n ** 18n, 7n * 10n ** 21n, 10n ** 23n]) {
      const direction = { tokenIn: b, tokenOut: a }
      const swap = uniswapV4.swaps.swap(pool, item.state, direction, amountIn)
      const math = (concentratedSwap(state, false, amountIn).amountOut * 99n) / 100n
      expect(Math.abs(Number(swap.amountOut - math)) / Number(math)).toBeLessThan(1e-6)
      const estimate = uniswapV4.swaps.estimator?.(pool, item.state, direction)
      const ratio = (estimate?.(Number(amountIn)) ?? 0) / Number(swap.amountOut)
      expect(Math.abs(ratio - 1)).toBeLessThan(1e-9)
      const next = uniswapV4.swaps.swap(pool, swap.after(), direction, amountIn)
      expect(next.amountOut).toBeLessThan(swap.amountOut)
    }
  })

  test('a fee that grows with the amount is steady', async () => {
    const { item } = await run((out, { amountIn }) => out - (out * amountIn) / (10n * liquidity))
    expect(item).toMatchObject({ finding: { class: 'steady' } })
  })

  test.each<[string, string, Hooks]>([
    [
      'the sender',
      'what its hooks give changes with the sender',
      (out, { call }) => (call.from === token('7') ? out : out / 2n),
    ],
    [
      'the time',
      'what its hooks give changes with the time',
      (out, { call }) => (((call.timestamp ?? 0n) / 3_600n) % 2n === 0n ? out : out / 2n),
    ],
    [
      'what was swapped before',
      'what its hooks give changes with the order of swaps in a block',
      (out, { before }) => (before === 0 ? out : (out * 999n) / 1_000n),
    ],
    ['nobody at all', 'no swap with its hooks succeeds with 1000000 gas', () => null],
  ])('hooks that look at %s are left out with the reason', async (_name, reason, act) => {
    const { item } = await run(act)
    expect(item).toMatchObject({ subject: pool.id, message: reason, isLeftOut: true })
  })

  test('a pool whose state the node lacks could not be read, and is not left out', async () => {
    const reader: StateReader = {
      ...storageReader({}),
      call: async (asked) =>
        asked.map(() => ({ ok: false, reason: 'unreadable', message: 'pruned' })),
    }
    const args = { reader, chain: ethereum, venue }
    const [item] = await runV4Hooks(args, [{ pool, state, partial: false }])
    expect(item).toEqual({ protocol: 'uniswap-v4', subject: pool.id, message: 'pruned' })
  })
})

describe('uniswapV4', () => {
  test('hooks that no list names are foreign code, whatever they are asked', () => {
    const { foreignCode } = uniswapV4.trust ?? {}
    const quiet: Address = '0x0000000000000000000000000000000000000020'
    const asleep = { ...pool, parameters: { ...key, hooks: quiet } }
    const listed = { ...venue, hooksAllowlist: [quiet, hooks] }
    const of = (one: typeof pool, by: typeof venue) => foreignCode?.(one, state, by)
    expect([of(pool, venue), of(asleep, venue)]).toEqual([hooks, quiet])
    expect([of(pool, listed), of(asleep, listed)]).toEqual([hooks, null])
  })
})
