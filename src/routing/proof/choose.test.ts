import fc from 'fast-check'
import { encodeAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { tokenAmounts } from '../../domain/lists.js'
import type { Order } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import type { SimulationRequest, SimulationResult } from '../../domain/state.js'
import { buildTransaction } from '../../executor/compile.js'
import type { TaskRun } from '../context/task-context.js'
import type { PricedToken } from '../market/valuation.js'
import { type Built, noDeadline } from './built.js'
import { finalise, type Proven, rank } from './choose.js'
import type { Attempt } from './prove.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [tokenIn, out, second, sender, receiver] = ['a', 'b', 'c', '1', '2'].map(token) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const amountIn = 1_000n

/** A candidate of so many swaps from tokenIn to the outputs, known by its key. */
function built(key: string, { outputs = [out], steps = 1 } = {}): Built {
  const order: Order = {
    inputs: [{ token: tokenIn, amount: amountIn }],
    feeReceiver: sender,
    steps: [],
    outputs: outputs.map((each) => ({ token: each, minAmountOut: 0n })),
    receiver,
    refundReceiver: receiver,
    sweep: [],
    deadline: noDeadline,
    accountId: `0x${'0'.repeat(64)}`,
    referralCode: `0x${'0'.repeat(32)}`,
  }
  return {
    simulationState: { before: [], overrides: {} },
    candidate: {
      edges: [{ hop: { kind: 'wrap', tokenIn, tokenOut: out }, spends: 10_000 }],
      amountOut: 1n,
      exact: true,
      gas: 0n,
      isSplit: false,
      key,
    },
    plan: { steps: Array.from({ length: steps }) } as unknown as Built['plan'],
    order,
    tx: buildTransaction({ strategy: 'router', from: sender, order }),
  }
}

/** A candidate whose simulation gave these amounts. */
function success(one: Built, amounts: readonly bigint[], gasUsed = 0n): Attempt {
  const returnData = encodeAbiParameters([{ type: 'uint256[]' }], [amounts])
  return { built: one, result: { status: 'success', gasUsed, returnData, logs: [], deltas: [] } }
}

const reverted = (reason: string): SimulationResult => ({
  status: 'reverted',
  gasUsed: 1n,
  returnData: '0x',
  reason,
})

const noPrices = new Map<Address, PricedToken>()
const run = { block: { chain: ethereum }, gasPrice: 2n } as unknown as TaskRun
const keysOf = (list: readonly Proven[]) => list.map(({ candidate }) => candidate.key)

describe('rank', () => {
  test('the larger output is first, whatever the order of the candidates', () => {
    const attempts = [5n, 9n, 7n].map((amount) => success(built(`gives ${amount}`), [amount]))
    for (const list of [attempts, attempts.toReversed()]) {
      expect(keysOf(rank(run, list, noPrices))).toEqual(['gives 9', 'gives 7', 'gives 5'])
    }
  })

  test('amounts and gas are those of the simulation', () => {
    const one = built('one')
    expect(rank(run, [success(one, [5n], 60_000n)], noPrices)).toEqual([
      { ...one, outputs: [{ token: out, amount: 5n }], gasUsed: 60_000n },
    ])
  })

  test('what reverted, was not simulated or gives nothing of an output is left out', () => {
    const outputs = [out, second]
    const attempts: Attempt[] = [
      { built: built('reverted'), result: reverted('Error(K)') },
      { built: built('unreadable'), result: { status: 'unreadable', message: 'no state' } },
      { built: built('late'), result: null },
      success(built('first is none', { outputs }), [0n, 9n]),
      success(built('second is none', { outputs }), [9n, 0n]),
      success(built('both', { outputs }), [1n, 1n]),
    ]
    expect(keysOf(rank(run, attempts, noPrices))).toEqual(['both'])
    expect(rank(run, [], noPrices)).toEqual([])
  })

  test('gas counts in the token of the first output where prices are known', () => {
    // 2 wei per gas at equal prices: 100 gas cost 200 units.
    const price = { decimals: 18, priceUsd: 1 }
    const priced = new Map([
      [ethereum.wrappedNative, price],
      [out, price],
    ])
    const [cheap, dear] = [
      success(built('cheap'), [1_000n], 100n),
      success(built('dear'), [1_199n], 200n),
    ]
    expect(keysOf(rank(run, [dear, cheap], priced))).toEqual(['cheap', 'dear'])
    expect(keysOf(rank(run, [dear, cheap], noPrices))).toEqual(['dear', 'cheap'])
    const better = success(built('better'), [1_201n], 200n)
    expect(keysOf(rank(run, [cheap, better], priced))).toEqual(['better', 'cheap'])
  })

  test('several outputs count by what they are worth together', () => {
    const outputs = [out, second]
    const priced = new Map([
      [out, { decimals: 0, priceUsd: 1 }],
      [second, { decimals: 0, priceUsd: 10 }],
    ])
    const attempts = [
      success(built('110', { outputs }), [100n, 1n]),
      success(built('120', { outputs }), [20n, 10n]),
    ]
    expect(keysOf(rank(run, attempts, priced))).toEqual(['120', '110'])
    expect(keysOf(rank(run, attempts, noPrices))).toEqual(['110', '120'])
  })

  test('of equal outputs the one with fewer steps is first, then the one whose key is', () => {
    const long = success(built('a', { steps: 3 }), [5n])
    const short = success(built('z', { steps: 2 }), [5n])
    const other = success(built('y', { steps: 2 }), [5n])
    for (const list of [
      [long, short, other],
      [other, short, long],
      [short, long, other],
    ]) {
      expect(keysOf(rank(run, list, noPrices))).toEqual(['y', 'z', 'a'])
    }
  })

  test('property: no order of the candidates changes the answer', () => {
    const candidate = fc.record({
      amount: fc.bigInt(1n, 4n),
      steps: fc.integer({ min: 1, max: 3 }),
    })
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 8 }), (specs) => {
        const attempts = specs.map(({ amount, steps }, index) =>
          success(built(`k${index}`, { steps }), [amount]),
        )
        const ranked = keysOf(rank(run, attempts, noPrices))
        expect(keysOf(rank(run, attempts.toReversed(), noPrices))).toEqual(ranked)
        const most = Math.max(0, ...specs.map(({ amount }) => Number(amount)))
        const [first] = rank(run, attempts, noPrices)
        expect(Number(first?.outputs[0]?.amount ?? 0n)).toBe(most)
      }),
    )
  })
})

const request: RouteRequest = {
  chainId: 1,
  fromAddress: sender,
  strategy: 'router',
  executionMode: 'user',
  inputs: [{ token: tokenIn, amount: amountIn }],
  tokensOut: [out],
  receiver,
  limit: { kind: 'slippage', centiBps: 5_000n },
  ignoreAggregators: [],
  ignoreStandards: [],
  includeTransactionCost: false,
  includePriceImpact: false,
}
/** Amounts of the first output, and of the second where there are two. */
const ofOutputs = (amounts: readonly bigint[]) =>
  tokenAmounts([out, second].slice(0, amounts.length), amounts)
const minimum = (...minimums: bigint[]): RouteRequest => ({
  ...request,
  tokensOut: ofOutputs(minimums).map(({ token: each }) => each),
  limit: { kind: 'minimum', minimums: ofOutputs(minimums) },
})

/** A run that answers simulations with these results in turn and keeps what it was asked. */
function runThatGives(...results: readonly (SimulationResult | undefined)[]) {
  const asked: SimulationRequest[][] = []
  const simulate = async (requests: SimulationRequest[]) => {
    asked.push(requests)
    return [results[asked.length - 1]]
  }
  const pin = { hash: `0x${'ab'.repeat(32)}` }
  return { run: { simulate, pin } as unknown as TaskRun, asked }
}

const filled = (...deltas: bigint[]): SimulationResult => ({
  status: 'success',
  gasUsed: 77n,
  returnData: '0x',
  logs: [],
  deltas: ofOutputs(deltas).map((gain) => ({ ...gain, owner: receiver })),
})
const proven = (key: string, amounts: readonly bigint[]): Proven => ({
  ...built(key, { outputs: [out, second].slice(0, amounts.length) }),
  outputs: ofOutputs(amounts),
  gasUsed: 1n,
})

describe('finalise', () => {
  test('slippage of 50 bps leaves 0.995 of the output, rounded down, and is in the transaction', async () => {
    const { run: task, asked } = runThatGives(filled(1_998n))
    const one = proven('one', [1_999n])
    const answer = await finalise(task, { request }, [one])
    // 1999 * 0.995 = 1989.005
    const outputs = [{ token: out, amountOut: 1_998n, minAmountOut: 1_989n }]
    const order = { ...one.order, outputs: [{ token: out, minAmountOut: 1_989n }] }
    const tx = buildTransaction({ strategy: 'router', from: sender, order })
    expect(answer).toEqual({ ...one, order, tx, outputs, gasUsed: 77n })
    expect(asked).toEqual([
      [
        {
          from: sender,
          to: tx.to,
          data: tx.data,
          value: 0n,
          before: [],
          overrides: {},
          measure: [{ token: out, owner: receiver }],
          // As a wallet would set it for gas of one.
          gasLimit: 1n,
        },
      ],
    ])
    expect(tx.data).not.toBe(one.tx.data)
  })

  test.each([
    [0n, 1_999n],
    [1n, 1_998n],
    [10_000n, 1_979n],
    [1_000_000n, 0n],
  ])('slippage of %i hundredths of a basis point on 1999 leaves %i', async (centiBps, least) => {
    const { run: task } = runThatGives(filled(1n))
    const limit = { kind: 'slippage', centiBps } as const
    const found = await finalise(task, { request: { ...request, limit } }, [proven('x', [1_999n])])
    expect(found.outputs.map(({ minAmountOut }) => minAmountOut)).toEqual([least])
  })

  test('minimums of the caller are taken as they are, one per output', async () => {
    const { run: task, asked } = runThatGives(filled(9n, 8n))
    const found = await finalise(task, { request: minimum(5n, 6n) }, [proven('one', [9n, 8n])])
    expect(found.outputs.map(({ minAmountOut }) => minAmountOut)).toEqual([5n, 6n])
    expect(found.order.outputs).toEqual([
      { token: out, minAmountOut: 5n },
      { token: second, minAmountOut: 6n },
    ])
    expect(asked[0]?.[0]?.measure?.map(({ token: each }) => each)).toEqual([out, second])
  })

  test('the best that gives all minimums is taken before one that is worth more', async () => {
    const list = [
      proven('short of one', [99n, 5n]),
      proven('just', [6n, 6n]),
      proven('more', [7n, 7n]),
    ]
    const { run: task, asked } = runThatGives(filled(6n, 6n))
    const answer = await finalise(task, { request: minimum(6n, 6n) }, list)
    expect(answer.candidate.key).toBe('just')
    expect(asked).toHaveLength(1)
  })

  test('where none gives them the best is tried all the same, and with slippage always', async () => {
    const list = [proven('best', [5n]), proven('next', [4n])]
    const short = await finalise(runThatGives(filled(6n)).run, { request: minimum(6n) }, list)
    expect(short.candidate.key).toBe('best')
    const slipping = await finalise(runThatGives(filled(5n)).run, { request }, list)
    expect(slipping.candidate.key).toBe('best')
  })

  test('the next is tried where the final transaction fails', async () => {
    const list = [proven('one', [9n]), proven('two', [8n]), proven('three', [7n])]
    const { run: task, asked } = runThatGives(
      reverted('Error(K)'),
      { status: 'unreadable', message: 'no state' },
      filled(7n),
    )
    const answer = await finalise(task, { request }, list)
    expect(answer.candidate.key).toBe('three')
    expect(asked).toHaveLength(3)
  })

  test('three that fail are an error that says why of each; no fourth is tried', async () => {
    const list = ['one', 'two', 'three', 'four'].map((key) => proven(key, [9n]))
    const { run: task, asked } = runThatGives(reverted('Error(K)'), undefined, {
      status: 'unreadable',
      message: 'no state',
    })
    const error = await finalise(task, { request }, list).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ForkrouteError)
    const unreadable = { path: ['wrap'], reason: 'state that the node does not give' }
    expect(error).toMatchObject({
      code: 'SIMULATION_REVERTED',
      message: 'The best route found fails as the final transaction: Error(K).',
      details: { candidates: [{ path: ['wrap'], reason: 'Error(K)' }, unreadable, unreadable] },
    })
    expect(asked).toHaveLength(3)
  })

  test('nothing proven is that error, too', async () => {
    const { run: task, asked } = runThatGives()
    const refused = finalise(task, { request: minimum(6n) }, [])
    await expect(refused).rejects.toMatchObject({ code: 'SIMULATION_REVERTED' })
    expect(asked).toEqual([])
  })
})
