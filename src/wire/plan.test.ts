import { describe, expect, test } from 'vitest'
import type { BacktestPlan } from '../domain/backtest.js'
import { type Address, bigintToString } from '../domain/primitives.js'
import { planCodec, toPlanRecord } from './plan.js'

const [a, b, c] = ['a', 'b', 'c'].map((digit): Address => `0x${digit.repeat(40)}`) as [
  Address,
  Address,
  Address,
]
const plan: BacktestPlan = {
  name: 'plan',
  chainId: 1,
  range: { kind: 'step', from: 1n, to: 2n, step: 1n },
  requests: [
    {
      name: 'whole',
      request: {
        chainId: 1,
        strategy: 'wallet-v2',
        executionMode: 'backend',
        inputs: [
          { token: a, amount: 5n, feeBps: 10n },
          { token: b, amount: 6n, feeBps: 0n },
        ],
        tokensOut: [c],
        limit: { kind: 'minimum', minimums: [{ token: c, amount: 9n }] },
        ignoreAggregators: [],
        ignoreStandards: ['curve'],
        includeTransactionCost: false,
        includePriceImpact: true,
        fromAddress: a,
        receiver: b,
        toEoa: false,
        spender: c,
        refundReceiver: a,
        feeReceiver: b,
        referralCode: 'desk',
      },
    },
    {
      name: 'least',
      request: {
        chainId: 1,
        strategy: 'router',
        executionMode: 'backend',
        inputs: [{ token: a, amount: 5n }],
        tokensOut: [b],
        limit: { kind: 'slippage', centiBps: 5_000n },
        ignoreAggregators: [],
        ignoreStandards: [],
        includeTransactionCost: false,
        includePriceImpact: true,
      },
    },
  ],
  variants: [{ name: 'default', router: {}, ignoreStandards: [] }],
  baseline: 'default',
  delays: [1],
}

/** Written by releases that stored plans before. */
const [whole, least] = [
  `{"chainId":1,"strategy":"wallet-v2","executionMode":"backend","tokensIn":["${a}","${b}"],"amountsIn":["5","6"],` +
    `"tokensOut":["${c}"],"limit":{"kind":"minimum","minAmountsOut":["9"]},"ignoreAggregators":[],` +
    '"ignoreStandards":["curve"],"includeTransactionCost":false,"includePriceImpact":true,' +
    `"fromAddress":"${a}","receiver":"${b}","toEoa":false,"spender":"${c}","refundReceiver":"${a}",` +
    `"feesBps":["10","0"],"feeReceiver":"${b}","referralCode":"desk"}`,
  `{"chainId":1,"strategy":"router","executionMode":"backend","tokensIn":["${a}"],"amountsIn":["5"],"tokensOut":["${b}"],` +
    '"limit":{"kind":"slippage","centiBps":"5000"},"ignoreAggregators":[],"ignoreStandards":[],' +
    '"includeTransactionCost":false,"includePriceImpact":true}',
]

describe('toPlanRecord', () => {
  test('the written form is the same byte for byte, the order of its keys included', () => {
    const text = JSON.stringify(toPlanRecord(plan), bigintToString)
    expect(text).toBe(
      '{"name":"plan","chainId":1,"range":{"kind":"step","from":"1","to":"2","step":"1"},' +
        `"requests":[{"name":"whole","request":${whole}},{"name":"least","request":${least}}],` +
        '"variants":[{"name":"default","router":{},"ignoreStandards":[]}],"baseline":"default","delays":[1]}',
    )
  })
})

describe('planCodec', () => {
  test('gives the plan that was written', () => {
    expect(planCodec.parse(toPlanRecord(plan))).toEqual(plan)
  })

  test('refuses lists that do not fit together', () => {
    const record = toPlanRecord(plan)
    const [one] = record.requests
    if (!one) throw new Error('no request')
    const wrong = { ...record, requests: [{ ...one, request: { ...one.request, feesBps: [1n] } }] }
    expect(() => planCodec.parse(wrong)).toThrow('lists that belong together differ in length')
  })
})
