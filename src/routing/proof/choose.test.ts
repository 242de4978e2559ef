import fc from 'fast-check'
import { encodeAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import { noDeadline } from '../../domain/deadline.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { tokenAmounts } from '../../domain/lists.js'
import type { Order } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import type { SimulationRequest, SimulationResult } from '../../domain/state.js'
import { buildTransaction } from '../../executor/compile.js'
import { swapSelector } from '../../executor/swap-order.js'
import type { TaskRun } from '../context/task-context.js'
import type { MarketPool } from '../market/market.js'
import type { PricedToken } from '../market/valuation.js'
import type { Doubt } from '../market/verified.js'
import type { Built } from './built.js'
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

/** A candidate of so many swaps from tokenIn to the outputs, known by its key. @param doubt - about its one pool. */
function built(
  key: string,
  {
    outputs = [out],
    steps = 1,
    doubt,
  }: { readonly outputs?: Address[]; readonly steps?: number; readonly doubt?: Doubt } = {},
): Built {
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
      edges: [
        {
          hop: doubt
            ? { kind: 'swap', tokenIn, tokenOut: out, market: { doubt } as MarketPool }
            : { kind: 'wrap', tokenIn, tokenOut: out },
          spends: 10_000,
        },
      ],
      amountOut: 1n,
      exact: true,
      gas: 0n,
      isSplit: false,
      key,
    },
    plan: { steps: Array.from({ length: steps }) } as unknown as Built['plan'],
    order,
    legs: null,
    entryPoint: 'execute',
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

  describe('routes through pools that are not verified', () => {
    const hooks = token('d')
    const verified = success(built('verified'), [100_000n])
    const doubted = (amount: bigint, doubt: Doubt = 'imported') =>
      success(built(`doubted ${amount}`, { doubt }), [amount])

    test('come last unless they are worth more than 5 bps more than the best other one', () => {
      const worse = success(built('worse'), [10n])
      for (const doubt of ['imported', hooks] as const) {
        const list = [doubted(100_050n, doubt), verified, worse, doubted(5n, doubt)]
        expect(keysOf(rank(run, list, noPrices))).toEqual([
          'verified',
          'worse',
          'doubted 100050',
          'doubted 5',
        ])
        expect(keysOf(rank(run, [worse, verified, doubted(100_051n, doubt)], noPrices))).toEqual([
          'doubted 100051',
          'verified',
          'worse',
        ])
      }
    })

    test('are compared after gas', () => {
      const price = { decimals: 18, priceUsd: 1 }
      const priced = new Map([
        [ethereum.wrappedNative, price],
        [out, price],
      ])
      // 2 wei per gas: what 51 units more in output cost 2 units more in gas is 49 units better.
      const dear = success(built('dear', { doubt: hooks }), [100_051n], 1n)
      expect(keysOf(rank(run, [dear, verified], priced))).toEqual(['verified', 'dear'])
      const cheap = success(built('cheap', { doubt: hooks }), [100_051n], 0n)
      expect(keysOf(rank(run, [cheap, verified], priced))).toEqual(['cheap', 'verified'])
    })

    test('lose ties, and are ranked by value alone where there is no other', () => {
      const equal = success(built('a', { doubt: hooks }), [100_000n])
      expect(keysOf(rank(run, [equal, verified], noPrices))).toEqual(['verified', 'a'])
      const list = [doubted(1n), doubted(3n), doubted(2n)]
      expect(keysOf(rank(run, list, noPrices))).toEqual(['doubted 3', 'doubted 2', 'doubted 1'])
    })

    test('a pool that is the contract of a wanted or given token needs no trust', () => {
      const own = success(built('own', { doubt: out }), [100_001n])
      expect(keysOf(rank(run, [verified, own], noPrices))).toEqual(['own', 'verified'])
    })

    test('the margin of a loss is a part of its size', () => {
      const price = { decimals: 18, priceUsd: 1 }
      const priced = new Map([
        [ethereum.wrappedNative, price],
        [out, price],
      ])
      // Both lose 99,990 units and more after gas; 5 bps of it are 49.
      const loss = success(built('loss'), [10n], 50_000n)
      const near = success(built('near', { doubt: hooks }), [59n], 50_000n)
      const better = success(built('better', { doubt: hooks }), [60n], 50_000n)
      expect(keysOf(rank(run, [near, loss], priced))).toEqual(['loss', 'near'])
      expect(keysOf(rank(run, [loss, better], priced))).toEqual(['better', 'loss'])
    })
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
  return { run: { simulate } as unknown as TaskRun, asked }
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

  describe('of two entry points', () => {
    const weth: Address = '0x00000000000000000000000000000000000000f1'
    const pool: Address = '0x00000000000000000000000000000000000000f2'
    const hop = { family: 'v3', pool, zeroForOne: true, tokenIn: weth, tokenOut: out } as const
    const legs = { wraps: false, unwraps: false, legs: [{ share: null, hops: [hop] }] }
    const one: Proven = { ...proven('one', [1_000n]), legs, entryPoint: 'swap' }
    const giving = (...results: (SimulationResult | undefined)[]) =>
      ({ simulate: async () => results }) as unknown as TaskRun
    const gas = (gasUsed: bigint, amount = 1_000n) => ({ ...filled(amount), gasUsed })

    test.each([
      ['the one with less gas', [gas(100n), gas(124n)], 'swap', 100n],
      ['the other one, if that needs less', [gas(124n), gas(100n)], 'execute', 100n],
      ['more output before less gas', [gas(100n, 999n), gas(124n)], 'execute', 124n],
      ['the only one that succeeds', [reverted('K'), gas(124n)], 'execute', 124n],
    ] as const)('%s', async (_name, results, entryPoint, gasUsed) => {
      const answer = await finalise(giving(...results), { request }, [one])
      expect(answer).toMatchObject({ entryPoint, gasUsed })
      expect(answer.tx.data.startsWith(swapSelector)).toBe(entryPoint === 'swap')
    })
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
