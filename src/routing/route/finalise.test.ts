import { describe, expect, test } from 'vitest'
import { pinOf } from '../../../test/support/pin.js'
import {
  built,
  out,
  receiver,
  request,
  reverted,
  second,
  sender,
  success,
} from '../../../test/support/routing/candidates.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { tokenAmounts } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { SimulationRequest, SimulationResult, SimulationSuccess } from '../../domain/state.js'
import { buildTransaction } from '../../executor/compile.js'
import { swapSelector } from '../../executor/swap-order.js'
import { walletGas } from '../../forks/block-environment.js'
import type { Attempt } from './built.js'
import { type FinalSimulation, finalise } from './choose.js'

/** Amounts of the first output, and of the second where there are two. */
const ofOutputs = (amounts: readonly bigint[]) =>
  tokenAmounts([out, second].slice(0, amounts.length), amounts)
const minimum = (...minimums: bigint[]): RouteRequest => ({
  ...request,
  tokensOut: ofOutputs(minimums).map(({ token: each }) => each),
  limit: { kind: 'minimum', minimums: ofOutputs(minimums) },
})

const pin = pinOf(1, 100)

/** A task that answers simulations with these results in turn and keeps what it was asked. */
function taskThatGives(...results: readonly (SimulationResult | undefined)[]) {
  const asked: (readonly SimulationRequest[])[] = []
  const simulate = async (requests: readonly SimulationRequest[]) => {
    asked.push(requests)
    const answer = results[asked.length - 1]
    return answer ? [answer] : []
  }
  const task: FinalSimulation = { simulator: { simulate }, pin, gasPrice: 2n }
  return { task, asked }
}

const filled = (...deltas: bigint[]): SimulationSuccess => ({
  status: 'success',
  gasUsed: 77n,
  returnData: '0x',
  logs: [],
  deltas: ofOutputs(deltas).map((gain) => ({ ...gain, owner: receiver })),
})
const proven = (key: string, amounts: readonly bigint[]): Attempt<SimulationSuccess> =>
  success(built(key, { outputs: [out, second].slice(0, amounts.length) }), amounts, 1n)

describe('finalise', () => {
  test('slippage of 50 bps leaves 0.995 of the output, rounded down, and is in the transaction', async () => {
    const { task, asked } = taskThatGives(filled(1_998n))
    const one = proven('one', [1_999n])
    const answer = await finalise(task, { request }, [one])
    // 1999 * 0.995 = 1989.005
    const order = { ...one.built.order, outputs: [{ token: out, minAmountOut: 1_989n }] }
    const tx = buildTransaction({ strategy: 'router', from: sender, order })
    expect(answer).toEqual({
      built: { ...one.built, order, tx },
      result: filled(1_998n),
      outputs: [{ token: out, amount: 1_998n }],
      simulation: asked[0]?.[0],
    })
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
          // A wallet would set this limit for gas of one.
          gasLimit: 1n,
          logsNative: true,
        },
      ],
    ])
    expect(tx.data).not.toBe(one.built.tx.data)
  })

  test.each([
    [0n, 1_999n],
    [1n, 1_998n],
    [10_000n, 1_979n],
    [1_000_000n, 0n],
  ])('slippage of %i hundredths of a basis point on 1999 leaves %i', async (centiBps, least) => {
    const { task } = taskThatGives(filled(1n))
    const limit = { kind: 'slippage', centiBps } as const
    const found = await finalise(task, { request: { ...request, limit } }, [proven('x', [1_999n])])
    expect(found.built.order.outputs.map(({ minAmountOut }) => minAmountOut)).toEqual([least])
  })

  describe('of two entry points', () => {
    const weth: Address = '0x00000000000000000000000000000000000000f1'
    const pool: Address = '0x00000000000000000000000000000000000000f2'
    const hop = { family: 'v3', pool, zeroForOne: true, tokenIn: weth, tokenOut: out } as const
    const legs = { wraps: false, unwraps: false, legs: [{ share: null, hops: [hop] }] }
    const other = proven('one', [1_000n])
    const one: Attempt<SimulationSuccess> = {
      ...other,
      built: { ...other.built, legs, entryPoint: 'swap' },
    }
    const giving = (...results: SimulationResult[]): FinalSimulation => ({
      simulator: { simulate: async () => results },
      pin,
      gasPrice: 2n,
    })
    const gas = (gasUsed: bigint, amount = 1_000n) => ({ ...filled(amount), gasUsed })

    test('the other one has gas for its detour', async () => {
      const limits: (bigint | undefined)[] = []
      const simulate = async (requests: readonly SimulationRequest[]) => {
        limits.push(...requests.map(({ gasLimit }) => gasLimit))
        return [gas(100n), gas(124n)]
      }
      const used = { ...one, result: { ...one.result, gasUsed: 1_000_000n } }
      await finalise({ simulator: { simulate }, pin, gasPrice: 2n }, { request }, [used])
      expect(limits).toEqual([walletGas(pin, 1_000_000n), walletGas(pin, 1_200_000n)])
    })

    test.each([
      ['the one with less gas', [gas(100n), gas(124n)], 'swap', 100n],
      ['the other one, if that needs less', [gas(124n), gas(100n)], 'execute', 100n],
      ['more output before less gas', [gas(100n, 999n), gas(124n)], 'execute', 124n],
      ['more output before less gas, of either', [gas(124n), gas(100n, 999n)], 'swap', 124n],
      ['the only one that succeeds', [reverted('K'), gas(124n)], 'execute', 124n],
    ] as const)('%s', async (_name, results, entryPoint, gasUsed) => {
      const answer = await finalise(giving(...results), { request }, [one])
      expect(answer).toMatchObject({ built: { entryPoint }, result: { gasUsed } })
      expect(answer.built.tx.data.startsWith(swapSelector)).toBe(entryPoint === 'swap')
    })

    test('on a rollup the packed one, though it needs more gas, where its bytes save more than that', async () => {
      const model = { kind: 'bedrock', overhead: 0n, scalar: 1_000_000n } as const
      const at = (l1BaseFee: bigint) => {
        const terms = { model: { ...model, l1BaseFee }, chainId: 1, gasPrice: 2n, tip: 1n }
        return { ...one, built: { ...one.built, dataFee: { terms, wei: 0n } } }
      }
      const results = giving(gas(124n), gas(100n))
      const [free, charged] = [
        await finalise(results, { request }, [at(0n)]),
        await finalise(results, { request }, [at(1n)]),
      ]
      expect([free.built.entryPoint, free.built.dataFee.wei]).toEqual(['execute', 0n])
      expect(charged.built.entryPoint).toBe('swap')
      // Some 150 bytes and the signature, at sixteen wei each.
      expect(charged.built.dataFee.wei).toBeGreaterThan(2_000n)
      expect(charged.built.dataFee.wei).toBeLessThan(5_000n)
    })
  })

  test('more than was proven is promised with its own minimum, by one more simulation', async () => {
    const { task, asked } = taskThatGives(filled(3_000n), filled(3_000n))
    const found = await finalise(task, { request }, [proven('one', [2_000n])])
    expect(found.outputs).toEqual([{ token: out, amount: 3_000n }])
    expect(found.built.order.outputs).toEqual([{ token: out, minAmountOut: 2_985n }])
    expect(asked).toHaveLength(2)
    expect(asked[1]?.[0]?.data).toBe(found.built.tx.data)
  })

  test('what gives more each time fails, and the next is taken', async () => {
    const { task } = taskThatGives(filled(3_000n), filled(4_000n), filled(1_000n))
    const failed: string[] = []
    const onFailed = (_: unknown, reason: string) => failed.push(reason)
    const both = [proven('one', [2_000n]), proven('two', [1_000n])]
    const found = await finalise(task, { request, onFailed }, both)
    expect(found.outputs).toEqual([{ token: out, amount: 1_000n }])
    expect(failed).toEqual(['it gives another amount each time'])
  })

  test('minimums of the caller are taken as they are, one per output', async () => {
    const { task, asked } = taskThatGives(filled(9n, 8n))
    const found = await finalise(task, { request: minimum(5n, 6n) }, [proven('one', [9n, 8n])])
    expect(found.built.order.outputs.map(({ minAmountOut }) => minAmountOut)).toEqual([5n, 6n])
    expect(found.built.order.outputs).toEqual([
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
    const { task, asked } = taskThatGives(filled(6n, 6n))
    const answer = await finalise(task, { request: minimum(6n, 6n) }, list)
    expect(answer.built.candidate.key).toBe('just')
    expect(asked).toHaveLength(1)
  })

  test('where none gives them the best is tried all the same, and with slippage always', async () => {
    const list = [proven('best', [5n]), proven('next', [4n])]
    const short = await finalise(taskThatGives(filled(6n)).task, { request: minimum(6n) }, list)
    expect(short.built.candidate.key).toBe('best')
    const slipping = await finalise(taskThatGives(filled(5n)).task, { request }, list)
    expect(slipping.built.candidate.key).toBe('best')
  })

  test('the next is tried where the final transaction fails', async () => {
    const list = [proven('one', [9n]), proven('two', [8n]), proven('three', [7n])]
    const { task, asked } = taskThatGives(
      reverted('Error(K)'),
      { status: 'unreadable', message: 'no state' },
      filled(7n),
    )
    const answer = await finalise(task, { request }, list)
    expect(answer.built.candidate.key).toBe('three')
    expect(asked).toHaveLength(3)
  })

  test('three that fail are an error that says why of each; no fourth is tried', async () => {
    const list = ['one', 'two', 'three', 'four'].map((key) => proven(key, [9n]))
    const { task, asked } = taskThatGives(reverted('Error(K)'), undefined, {
      status: 'unreadable',
      message: 'no state',
    })
    const error = await finalise(task, { request }, list).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ForkrouteError)
    const unreadable = { path: ['wrap'], reason: 'state that the node does not give' }
    expect(error).toMatchObject({
      code: 'SIMULATION_REVERTED',
      message: 'The best route found fails as the final transaction: Error(K).',
      details: {
        candidates: [{ path: ['wrap'], reason: 'Error(K)' }, unreadable, unreadable],
        next: [{ parameter: 'explain', value: 'true' }],
      },
    })
    expect(asked).toHaveLength(3)
  })

  test('a minimum that none gives is told with what the best gives, and with less to ask for', async () => {
    const list = [proven('worth most', [800n]), proven('gives most', [1_000n])]
    const fails = [reverted('InsufficientOutput'), reverted('InsufficientOutput')]
    const refused = finalise(taskThatGives(...fails).task, { request: minimum(1_001n) }, list)
    await expect(refused).rejects.toMatchObject({
      code: 'SIMULATION_REVERTED',
      message: expect.stringContaining('gives 1000 of'),
      details: {
        amountOut: '1000',
        minAmountOut: '1001',
        next: [
          { parameter: 'minAmountOut', value: '995' },
          { parameter: 'minAmountOut', value: null },
        ],
      },
    })
  })

  test('where the best gives the minimum and fails all the same, the error says why it fails', async () => {
    const [first, other] = [proven('one', [6n, 8n]), proven('two', [5n, 9n])]
    const fails = taskThatGives(reverted('Error(K)'), reverted('Error(K)')).task
    const refused = finalise(fails, { request: minimum(6n, 9n) }, [first, other])
    await expect(refused).rejects.toMatchObject({
      message: 'The best route found fails as the final transaction: Error(K).',
    })
    const second = taskThatGives(reverted('Error(K)'), reverted('Error(K)')).task
    const short = finalise(second, { request: minimum(6n, 10n) }, [first, other])
    await expect(short).rejects.toMatchObject({ details: { amountOut: '9', minAmountOut: '10' } })
  })

  test('nothing proven is that error, too', async () => {
    const { task, asked } = taskThatGives()
    const refused = finalise(task, { request: minimum(6n) }, [])
    await expect(refused).rejects.toMatchObject({ code: 'SIMULATION_REVERTED' })
    expect(asked).toEqual([])
  })
})
