import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import type { BundleAction, BundleRequest } from '../../domain/bundle.js'
import type { ForkrouteError } from '../../domain/errors.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import { parseBundle } from './parse-actions.js'

const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const output = (useOutputOfCallAt: number, index = 0) => ({ useOutputOfCallAt, index })

const own = (action: string, args: Readonly<Record<string, unknown>>): BundleAction => ({
  protocol: 'svc',
  action,
  args,
})
const route = own('route', { tokenIn: weth, tokenOut: dai, amountIn: '1' })
const transfer = own('transfer', { token: dai, recipient: weth, amount: '1' })
const call = (more: Readonly<Record<string, unknown>>) =>
  own('call', { address: dai, method: 'f', abi: 'function f(uint256 a)', args: ['1'], ...more })
const loan = (callback: unknown, more = {}) =>
  own('flashloan', { token: weth, amount: '1', callback, ...more })

function parse(actions: readonly BundleAction[], more: Partial<BundleRequest> = {}) {
  const request: BundleRequest = {
    chainId: 1,
    fromAddress: weth,
    strategy: 'router',
    executionMode: 'backend',
    actions,
    serviceName: 'svc',
    ignoreAggregators: [],
    ignoreStandards: [],
    skipQuote: false,
    ...more,
  }
  return parseBundle(request, ethereum)
}

function problemsOf(actions: readonly BundleAction[], more: Partial<BundleRequest> = {}) {
  try {
    parse(actions, more)
  } catch (error) {
    const { code, message, messages } = error as ForkrouteError
    expect(code).toBe('INVALID_REQUEST')
    return messages ?? [message]
  }
  return []
}

describe('parseBundle', () => {
  test('arguments become what their kinds say, in a form that threads can exchange', () => {
    const actions = [
      { ...route, protocol: 'uniswap-v2', action: 'swap' },
      call({ args: [output(0)], value: 7 }),
      loan([transfer]),
      own('slippage', { amountOut: { useOutputOfCallAt: 0 }, bps: '12.5' }),
      {
        protocol: 'aave-v3',
        action: 'deposit',
        args: { tokenIn: dai, tokenOut: weth, amountIn: output(0), primaryAddress: weth },
      },
    ]
    const { actions: typed } = parse(actions)
    expect(structuredClone(typed)).toEqual(typed)
    expect(typed.map(({ of }) => of)).toEqual([
      'protocol',
      'service',
      'service',
      'service',
      'protocol',
    ])
    expect(typed[0]?.values).toEqual({ tokenIn: weth, tokenOut: dai, amountIn: 1n })
    expect(typed[1]?.values).toMatchObject({
      abi: { type: 'function', name: 'f' },
      args: [output(0)],
      value: 7n,
    })
    expect(typed[2]?.values).toMatchObject({
      token: [weth],
      callback: [{ action: 'transfer', values: { token: dai, recipient: weth, amount: 1n } }],
    })
    expect(typed[3]?.values).toEqual({ amountOut: output(0), bps: 1_250n })
    expect(typed[4]?.values).toMatchObject({ amountIn: output(0) })
  })

  test.each<[string, readonly BundleAction[], string]>([
    [
      'a token for itself',
      [own('apiswap', { tokenIn: dai, tokenOut: dai, amountIn: '1' })],
      'action 0, tokenOut must be another token than tokenIn',
    ],
    [
      'nothing to swap',
      [own('route', { tokenIn: weth, tokenOut: dai, amountIn: '0' })],
      'action 0, amountIn must be more than zero at this point',
    ],
    [
      'a fee above all',
      [own('fee', { token: dai, amount: '1', bps: 10_001, receiver: weth })],
      'action 0, bps must be a number from 1 to 10000',
    ],
    [
      'tokens without amounts',
      [own('merge', { tokenIn: [dai, weth], amountIn: '1', tokenOut: nativeToken })],
      'action 0, amountIn must be a list of 2 amounts, one per tokenIn',
    ],
    [
      'an approval of nothing',
      [own('approve', { token: dai, spender: weth })],
      'action 0, amount must be given, or an id',
    ],
    [
      'an approval of ether',
      [own('approve', { token: nativeToken, spender: weth, amount: '1' })],
      'action 0, token must be a token: native needs no approval',
    ],
    [
      'a transfer to nobody',
      [own('transfer', { token: dai, amount: '1' })],
      'action 0, recipient must be given',
    ],
    [
      'a signed amount that nobody knows yet',
      [
        route,
        own('permittransferfrom', {
          token: dai,
          amount: output(0),
          nonce: '1',
          deadline: '1',
          signature: '0x00',
        }),
      ],
      'action 1, amount must be a number: it is signed',
    ],
    [
      'a check of a number',
      [route, own('slippage', { amountOut: '1', bps: '1' })],
      'action 1, amountOut must be a reference {useOutputOfCallAt}',
    ],
    [
      'call arguments of another type',
      [call({ args: ['x'] })],
      'action 0, args must be a decimal string for uint256 at [0]',
    ],
    [
      'call amounts without tokens',
      [call({ amountIn: ['1'] })],
      'action 0, amountIn must be a list of 0 amounts, one per tokenIn',
    ],
    [
      'two words of one call',
      [
        call({}),
        own('transfer', { token: dai, recipient: weth, amount: output(0, 1) }),
        call({ args: [output(0, 2)] }),
      ],
      'action 0, tokenOut must be given: only one word of what a call returns can be referred to',
    ],
    [
      'an output that is not there',
      [
        own('split', { tokenIn: dai, tokenOut: [weth, dai], amountIn: '1' }),
        call({ args: [output(0, 2)] }),
      ],
      'action 1, args must be a reference with index 0 to 1',
    ],
    [
      'an action without outputs',
      [transfer, call({ value: output(0) })],
      'action 1, value must be a reference to an action with an output, which action 0 has not',
    ],
    [
      'amounts of a loan',
      [loan([transfer], { amount: ['1', '2'] })],
      'action 0, amount must be a list of 1 amounts, one per token',
    ],
    [
      'a loan within a loan',
      [loan([loan([transfer])])],
      'action 0, callback[0] must be another action: a flash loan holds none',
    ],
    [
      'too many actions within a loan',
      [loan(Array.from({ length: 51 }, () => transfer))],
      'action 0, callback must be a list of 1 to 50 actions',
    ],
    [
      'a mistake within a loan',
      [transfer, loan([transfer, own('transfer', { token: dai, amount: output(0) })])],
      'action 1, callback[1].amount must be a reference to an action with an output, which callback[0] has not',
    ],
    [
      'a fee that nobody gets',
      [own('route', { tokenIn: dai, tokenOut: weth, amountIn: '1', fee: '5' })],
      'action 0, feeReceiver must be given with a fee',
    ],
    [
      'a stated minimum beside a slippage',
      [
        own('route', {
          tokenIn: dai,
          tokenOut: weth,
          amountIn: '1',
          slippage: '5',
          minAmountOut: '7',
        }),
      ],
      'action 0, minAmountOut must be left out with slippage: either of them sets the minimum',
    ],
    [
      'a fee of pools that none can have',
      [own('swap', { tokenIn: dai, tokenOut: weth, amountIn: '1', poolFee: -1 })],
      'action 0, poolFee must be a number from 0 to 1000000',
    ],
    [
      'a condition that is a number',
      [own('check', { condition: '1' })],
      'action 0, condition must be true, false or a reference {useOutputOfCallAt}',
    ],
    [
      'a check as an output',
      [own('check', { condition: true }), own('not', { condition: output(0) })],
      'action 1, condition must be a reference to an action with an output, which action 0 has not',
    ],
    [
      'a loan of another lender',
      [loan([transfer], { primaryAddress: dai })],
      'action 0, primaryAddress must be the lender, 0xba12222222228d8ba445958a75a0704d566bf2c8',
    ],
    [
      'a variant that the protocol cannot have',
      [{ ...route, protocol: 'aave-v3', action: 'nftdeposit' }],
      'action 0, action must be one of swap, deposit, withdraw, redeem, borrow, repay, harvest with protocol aave-v3',
    ],
    [
      'a swap by a protocol that has none',
      [{ ...route, protocol: 'morpho-blue', action: 'swap' }],
      'action 0, action must be one of deposit, withdraw, redeem, borrow, repay with protocol morpho-blue',
    ],
  ])('%s', (_name, actions, message) => {
    expect(problemsOf(actions)[0]).toBe(message)
  })

  test('the zero address is no token: the message names the native one', () => {
    const zero = '0x0000000000000000000000000000000000000000'
    const wrong = { ...route, args: { ...route.args, tokenIn: zero, tokenOut: zero } }
    for (const problem of problemsOf([wrong])) {
      expect(problem).toMatch(/token(In|Out) must be .*0xe{40}, not the zero address/)
    }
    expect(problemsOf([wrong])).toHaveLength(2)
  })

  test('names of the family are those of the actions', () => {
    const names = { flashloanToken: dai, flashloanAmount: '1', callback: [transfer] }
    for (const action of ['flashloan', 'singletokenflashloan', 'multitokenflashloan']) {
      expect(problemsOf([{ protocol: 'balancer-v2', action, args: names }])).toEqual([])
      expect(problemsOf([{ protocol: 'curve', action, args: names }])).toHaveLength(1)
    }
    const range = { tokenIn: [dai, weth], amountIn: ['1', '1'], ticks: ['-60', 60], poolFee: '500' }
    expect(problemsOf([{ protocol: 'uniswap-v3', action: 'depositclmm', args: range }])).toEqual([])
  })

  test('accounts take no flash loan', () => {
    expect(problemsOf([loan([transfer])])).toEqual([])
    for (const strategy of ['delegate', 'delegate-legacy', 'wallet-v2'] as const) {
      expect(problemsOf([loan([transfer])], { strategy })).toEqual([
        'action 0, action must be used with routingStrategy router: accounts answer no callback',
      ])
    }
  })

  test('a mistake in a reference is said once', () => {
    const wrong = { tokenIn: dai, tokenOut: weth, amountIn: { useOutputOfCallAt: '0' } }
    expect(problemsOf([route, own('route', wrong)])).toEqual([
      'action 1, amountIn must be a reference whose useOutputOfCallAt is the zero-based index of an action',
    ])
    const pair = {
      tokenIn: [dai, weth],
      tokenOut: nativeToken,
      amountIn: [output(0, 7), output(0, 7)],
    }
    expect(problemsOf([route, own('merge', pair)])).toEqual([
      'action 1, amountIn must be a reference with index 0 to 0',
    ])
  })

  test('every action with a mistake is named at once', () => {
    const nobody = own('transfer', { token: dai, amount: '1' })
    expect(problemsOf([nobody, route, nobody])).toEqual([
      'action 0, recipient must be given',
      'action 2, recipient must be given',
    ])
  })
})
