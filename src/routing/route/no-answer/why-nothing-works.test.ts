import { decodeFunctionData, erc20Abi, numberToHex } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  amountIn,
  built,
  out,
  request,
  reverted,
  sender,
  tokenIn,
} from '../../../../test/support/routing/candidates.js'
import { nativeToken } from '../../../domain/primitives.js'
import type { SimulationRequest, SimulationResult } from '../../../domain/state.js'
import type { MarketPool } from '../../market/market-view.js'
import type { Built } from '../built.js'
import { whyNothingWorks } from './why-nothing-works.js'

const attempts = [
  { built: built('one'), result: reverted('Error(K)'), outputs: [] },
  { built: built('two'), result: reverted('Error(LOK)'), outputs: [] },
  { built: built('three'), result: reverted('Error(LOK)'), outputs: [] },
]
const moved: SimulationResult = {
  status: 'success',
  gasUsed: 50_000n,
  returnData: '0x',
  logs: [],
  deltas: [],
}

/** A simulator that gives every transaction this result, and keeps what it was asked. */
function taskThatGives(result: SimulationResult) {
  const asked: SimulationRequest[] = []
  const simulate = async (requests: readonly SimulationRequest[]) => {
    asked.push(...requests)
    return requests.map(() => result)
  }
  return { task: { simulator: { simulate }, clock: { isLate: () => false } }, asked }
}

/** The candidate with a pool of both tokens. */
function bySwap(one: Built): Built {
  const pool = { id: sender, address: sender, tokens: [tokenIn, out], parameters: {} }
  const market = { adapter: { slug: 'one' }, loaded: { pool } } as unknown as MarketPool
  const hop = { kind: 'swap', tokenIn, tokenOut: out, market } as const
  return { ...one, candidate: { ...one.candidate, edges: [{ hop, spends: 10_000 }] } }
}

describe('whyNothingWorks', () => {
  test('a token that refuses even a plain transfer is named, with the parameter to change', async () => {
    const { task, asked } = taskThatGives(reverted('paused'))
    expect(await whyNothingWorks(task, attempts, request)).toMatchObject({
      code: 'SIMULATION_REVERTED',
      message: `${tokenIn} cannot be sold: it refuses even a plain transfer of ${amountIn} (reverted without a reason).`,
      details: { token: tokenIn, next: [{ parameter: 'tokenIn' }] },
    })
    const [transfer] = asked
    expect(transfer).toMatchObject({ from: sender, to: tokenIn, value: 0n })
    const { functionName } = decodeFunctionData({ abi: erc20Abi, data: transfer?.data ?? '0x' })
    expect(functionName).toBe('transfer')
  })

  test('where the token can be moved the reason that comes most often is told', async () => {
    const error = await whyNothingWorks(taskThatGives(moved).task, attempts, request)
    expect(error.message).toBe(
      'All 3 candidates failed in simulation, most of them so: Error(LOK).',
    )
    expect(error.details?.next).toEqual([{ parameter: 'explain', value: 'true' }])
  })

  test.each([
    ['none of it', 0n, /^All 3 candidates failed/],
    ['some of it', 1n, /cannot be bought: it refuses transfers from the pools that trade it/],
  ])(
    'pools that refuse to pay a token name it where they hold some: %s',
    async (_name, held, message) => {
      const simulate = async (requests: readonly SimulationRequest[]) =>
        requests.map(({ to, data }): SimulationResult => {
          const { functionName } = decodeFunctionData({ abi: erc20Abi, data })
          const returnData = numberToHex(held, { size: 32 })
          if (functionName === 'balanceOf') return { ...moved, returnData }
          return to === tokenIn ? moved : reverted('exceeds balance')
        })
      const { task } = taskThatGives(moved)
      const swaps = attempts.map((attempt) => ({ ...attempt, built: bySwap(attempt.built) }))
      const error = await whyNothingWorks({ ...task, simulator: { simulate } }, swaps, request)
      expect(error.message).toMatch(message)
    },
  )

  test('what was refused before it ran says nothing of the token', async () => {
    const refused = { ...reverted('nonce too low'), gasUsed: 0n }
    const error = await whyNothingWorks(taskThatGives(refused).task, attempts, request)
    expect(error.message).toMatch(/^All 3 candidates failed/)
  })

  test('where no transfer can be tried, or no time is left, the candidates alone are told', async () => {
    const lacking = { simulate: () => Promise.reject(new Error('The cassette lacks a word.')) }
    const { task, asked } = taskThatGives(reverted('paused'))
    for (const other of [{ simulator: lacking }, { clock: { isLate: () => true } }]) {
      const error = await whyNothingWorks({ ...task, ...other }, attempts, request)
      expect(error.message).toMatch(/^All 3 candidates failed/)
    }
    expect(asked).toEqual([])
  })

  test('the native token, which always can be moved, is not tried', async () => {
    const inputs = [{ token: nativeToken, amount: amountIn }]
    const { task, asked } = taskThatGives(moved)
    await whyNothingWorks(task, attempts, { ...request, inputs })
    expect(asked).toEqual([])
  })

  test('candidates that could not be judged stay what they are', async () => {
    const unread = { status: 'unreadable', message: 'pruned' } as const
    const unjudged = attempts.map((attempt) => ({ ...attempt, result: unread }))
    const { task, asked } = taskThatGives(moved)
    const error = await whyNothingWorks(task, unjudged, request)
    expect(error.code).toBe('STATE_UNAVAILABLE')
    expect(asked).toEqual([])
  })
})
