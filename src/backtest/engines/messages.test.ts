import { describe, expect, test } from 'vitest'
import { blockOf, planOf } from '../../../test/support/backtest/backtests.js'
import {
  hindsightBlockOf,
  hindsightPlanOf,
} from '../../../test/support/backtest/hindsight-blocks.js'
import { fromJson, planToJson, toJson } from '../../wire/json.js'
import { decodeBlock, decodePlan, encodeBlock, encodePlan, maxMessageLength } from './messages.js'

describe('plans and results between processes', () => {
  test('come out as they went in', () => {
    const range = { kind: 'changes', from: 1n, to: 2n, addresses: [`0x${'1'.repeat(40)}`] } as const
    const crosschain = {
      destinationChainId: 8453,
      mode: 'full',
      ignoreBridges: ['across'],
    } as const
    const over = planOf().requests.map((one) => ({
      ...one,
      request: { ...one.request, crosschain },
    }))
    const there = planOf({ requests: over, delays: [], deliverySeconds: [1, 600] })
    for (const plan of [planOf(), planOf({ range }), there, hindsightPlanOf({ since: 3 })]) {
      expect(decodePlan(encodePlan(plan))).toEqual(plan)
    }
    for (const block of [blockOf(7n), hindsightBlockOf(7n)]) {
      expect(decodeBlock(encodeBlock(block))).toEqual(block)
    }
  })

  test.each([
    ['no JSON', 'x', 'What was read is not results of a block.'],
    ['a plan', encodePlan(planOf()), 'What was read is not results of a block (blockNumber'],
    ['a negative number', encodeBlock(blockOf(7n)).replace('"7"', '"-7"'), '(blockNumber)'],
    ['a number for a bigint', '{"blockNumber":7}', '(blockNumber, blockHash, timestamp)'],
  ])('%s is refused, and not repeated', (_name, text, message) => {
    expect(() => decodeBlock(text)).toThrow(
      expect.objectContaining({ code: 'INTERNAL', message: expect.stringContaining(message) }),
    )
  })

  test('a field that nobody knows is refused in a plan: it could ask for something else', () => {
    const plan = { ...(fromJson(planToJson(planOf())) as object), gasLimit: 1 }
    expect(() => decodePlan(toJson(plan))).toThrow('is not a plan')
  })

  test('lists of a request that do not fit together are refused', () => {
    const text = planToJson(planOf())
    const { requests } = JSON.parse(text)
    const amount = JSON.stringify(requests[0].request.amountsIn[0])
    const longer = text.replace(`"amountsIn":[${amount}`, `"amountsIn":[${amount},${amount}`)
    expect(longer).not.toBe(text)
    expect(() => decodePlan(longer)).toThrow('is not a plan (requests.0.request)')
  })

  test('what is too long is not sent and not read', () => {
    const name = 'x'.repeat(maxMessageLength)
    expect(() => encodePlan(planOf({ name }))).toThrow('longer than 8388608 characters')
    expect(() => decodePlan(planToJson(planOf({ name })))).toThrow('What was read is not a plan.')
  })
})
