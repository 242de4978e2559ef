import { describe, expect, test } from 'vitest'
import {
  amountIn,
  deepPair,
  gives as givesAmount,
  honest,
  quoteArgs,
  token,
  weth,
} from '../../../test/support/routing/plain-pairs.js'
import { plainTask } from '../../../test/support/routing/plain-task.js'
import type { RouteRequest } from '../../domain/engine.js'
import type { SimulationRequest, SimulationResult } from '../../domain/state.js'
import { decodeOrder } from '../../executor/decode-order.js'
import { constantProductOut } from '../../protocols/uniswap-v2/math.js'
import { routeAnswer } from './answer.js'
import { prepareRoute } from './prepare.js'
import { findRoute } from './route.js'

const feeReceiver = '0x00000000000000000000000000000000000000fe'

/** The found route of the quote, and what the request changes about its answer. */
async function answerTo(
  asked: Partial<RouteRequest>,
  changes: Partial<RouteRequest> = {},
  simulate: (request: SimulationRequest) => SimulationResult = honest,
) {
  const task = plainTask({ pairs: [deepPair], simulate })
  const prepared = await prepareRoute(task, quoteArgs(asked), undefined)
  const { best } = await findRoute(task, prepared)
  const request = { ...prepared.request, ...changes }
  return { task, answer: await routeAnswer(task, { ...prepared, request }, best) }
}

describe('routeAnswer', () => {
  test('only what the request asks for is in the answer', async () => {
    const { answer, task } = await answerTo({})
    expect(Object.keys(answer).sort()).toEqual([
      'block',
      'chainId',
      'gas',
      'outputs',
      'priceImpact',
      'route',
      'tx',
      'warnings',
    ])
    expect(answer.block).toBe(task.pin)
    expect(answer.priceImpact).toBeNull()
  })

  test('the fee is told in raw units of its input, rounded down', async () => {
    const inputs = [{ token: weth, amount: amountIn + 9n, feeBps: 25n }]
    const { answer } = await answerTo({ inputs, feeReceiver })
    expect(answer.fees).toEqual([{ token: weth, amount: 2_500_000_000_000_000n }])
  })

  test('a stated output comes with the most that its input may be', async () => {
    const { answer } = await answerTo({ amountOut: 10n ** 17n })
    const { amountIn: found = 0n, maxAmountIn = 0n } = answer.input ?? {}
    expect(found).toBeGreaterThan(0n)
    // 50 bps more, rounded up.
    expect(maxAmountIn).toBe((found * 10_050n + 9_999n) / 10_000n)
  })

  test('of tokens without a price the impact is null, and the cost of gas has no dollars', async () => {
    const { answer, task } = await answerTo(
      {},
      { includePriceImpact: true, includeTransactionCost: true },
    )
    expect(answer.priceImpact).toBeNull()
    expect(answer.gasCost).toEqual({ native: answer.gas * task.gasPrice, usd: null })
  })

  describe('an input far beyond what the pools hold', () => {
    const [reserve] = deepPair.reserves
    const gives = (amount: bigint) => constantProductOut(amount, reserve, reserve, 30n)
    /** Simulations of orders that spend what they say; the service gives the sender as much. */
    const byInput = (one: SimulationRequest) =>
      givesAmount(gives(decodeOrder(one)?.inputs[0]?.amount ?? 0n))
    const warned = async (amount: bigint, changes: Partial<RouteRequest> = {}) => {
      const asked = { inputs: [{ token: weth, amount }], includePriceImpact: true, ...changes }
      const { answer } = await answerTo(asked, {}, byInput)
      return answer.warnings.filter((one) => one.includes('hold too little'))
    }
    const sentence = (amount: bigint, percent: string) =>
      `The pools on the way hold too little for this input: ${amount} of ${weth} would bring about ${gives(amount)} of ${token}, ${percent} % of what this one does.`

    test('comes with nine tenths of it where they bring 99 % of the output', async () => {
      const amount = 20n * reserve
      expect(await warned(amount)).toEqual([sentence((amount * 9n) / 10n, '99.4')])
    })

    test('comes with a half of a half where that brings as much', async () => {
      const amount = 1_000n * reserve
      // An eighth brings 99.3 %, a sixteenth less than 99 %.
      expect(await warned(amount)).toEqual([sentence(amount / 8n, '99.3')])
    })

    test('is not told where the last tenth still brings a hundredth, or no price impact is asked for', async () => {
      expect(await warned(8n * reserve)).toEqual([])
      expect(await warned(100n * reserve, { includePriceImpact: false })).toEqual([])
    })
  })

  test('a step has no amounts where the transfers of the simulation do not tell them', async () => {
    const { answer } = await answerTo({})
    const [step] = answer.route
    expect(step).toMatchObject({ tokenIn: [weth], tokenOut: [token] })
    expect([step?.amountIn, step?.amountOut]).toEqual([undefined, undefined])
  })
})
