/**
 * Outputs of actions are taken once. Each answer is carried out on an Anvil of its own, with exactly `amountsIn` in the
 * account.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { executorAddress } from '../../../src/executor/deployments.js'
import { curvePoolAddresses } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import {
  type Action,
  askBundle,
  output,
  own,
  proveBundle,
  route,
  routeOf,
} from '../../support/bundle.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const addressOf = (symbol: string) => sandboxToken(symbol).address
const [weth, usdc, dai] = [addressOf('WETH'), addressOf('USDC'), addressOf('DAI')]
const from: Address = '0x00000000000000000000000000000000000f0d01'
const other: Address = '0x00000000000000000000000000000000000f0d02'
const aavePool: Address = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2'
const v2Router: Address = '0x7a250d5630b4cf539739df2c5dacb4c659f2488d'
const ether = 10n ** 18n

let service: SharedService
let aUsdc: Address

beforeAll(async () => {
  service = await sharedService()
  const query = { type: 'defi', protocolSlug: 'aave-v3', underlyingTokens: usdc }
  aUsdc = (await service.get('/api/v1/tokens', query)).body.data[0].address
})

const refused = (actions: readonly Action[], query: Readonly<Record<string, string>> = {}) =>
  askBundle(service, { fromAddress: from, ...query }, actions)

const prove = (
  actions: readonly Action[],
  query: Readonly<Record<string, string>> = {},
  options: Parameters<typeof proveBundle>[3] = {},
) => proveBundle(service, { fromAddress: from, ...query }, actions, options)

const fee = (amount: unknown, bps = 25) => own('fee', { token: usdc, amount, bps, receiver: other })
const send = (token: Address, amount: unknown) =>
  own('transfer', { token, recipient: other, amount })
const supply = (amountIn: unknown): Action => ({
  protocol: 'aave-v3',
  action: 'deposit',
  args: { tokenIn: usdc, amountIn, primaryAddress: aavePool },
})
const collateral: Action = {
  protocol: 'aave-v3',
  action: 'deposit',
  args: { tokenIn: weth, amountIn: String(10n * ether), primaryAddress: aavePool, receiver: from },
}
const borrow = (amountOut: string): Action => ({
  protocol: 'aave-v3',
  action: 'borrow',
  args: { collateral: weth, tokenOut: usdc, amountOut, primaryAddress: aavePool },
})
const checks: readonly (readonly [string, (at: number) => Action])[] = [
  ['minamountout', (at) => own('minamountout', { amountOut: output(at), minAmountOut: '1' })],
  ['slippage', (at) => own('slippage', { amountOut: output(at), bps: '10' })],
]

describe('what leaves the sender is what amountsIn says', () => {
  test.each(checks)('after %s of the rest of a fee', async (_name, check) => {
    const { body } = await prove([fee('2000000000'), check(0), routeOf(usdc, weth, 0)])
    expect(body.amountsIn).toEqual({ [usdc]: '2000000000' })
    expect(Object.keys(body.amountsOut)).toEqual([weth])
  })

  test.each(checks)('after %s of a part of a split that stays as it is', async (_name, check) => {
    const split = own('split', { tokenIn: usdc, tokenOut: [weth, usdc], amountIn: '2000000000' })
    const named = check(0)
    const { body } = await prove([
      split,
      { ...named, args: { ...named.args, amountOut: output(0, 1) } },
      supply(output(0, 1)),
    ])
    expect(body.amountsIn).toEqual({ [usdc]: '2000000000' })
    expect(Object.keys(body.amountsOut).sort()).toEqual([weth, aUsdc].sort())
  })

  test.each([...checks, ['nothing', null] as const])(
    'after %s of what was borrowed, by reference and by number',
    async (_name, check) => {
      const checked = check ? [check(1)] : []
      const at = check ? 2 : 1
      for (const amount of [output(1), output(at), '500000000']) {
        const { body } = await prove([collateral, borrow('500000000'), ...checked, supply(amount)])
        expect(body.amountsIn).toEqual({ [weth]: String(10n * ether) })
        expect(body.amountsOut[aUsdc]).toBeDefined()
      }
    },
  )

  test('after a check of what was withdrawn', async () => {
    const cDai: Address = '0x5d3a536e4d6dbd6114cc1ead35777bab948e3643'
    const common = { primaryAddress: cDai, tokenOut: cDai }
    const amountIn = String(1_000n * ether)
    const { body } = await prove([
      { protocol: 'compound-v2', action: 'deposit', args: { ...common, tokenIn: dai, amountIn } },
      {
        protocol: 'compound-v2',
        action: 'redeem',
        args: { primaryAddress: cDai, tokenIn: cDai, tokenOut: dai, amountIn: output(0) },
      },
      own('slippage', { amountOut: output(1), bps: '10' }),
      routeOf(dai, weth, 1),
    ])
    expect(body.amountsIn).toEqual({ [dai]: amountIn })
    expect(Object.keys(body.amountsOut)).toEqual([weth])
  })

  test('where a number needs more than an earlier action gave', async () => {
    const { body } = await prove([collateral, borrow('500000000'), send(usdc, '800000000')])
    expect(body.amountsIn).toEqual({ [weth]: String(10n * ether), [usdc]: '300000000' })
  })

  test('where a number comes before the action that refers to what was given', async () => {
    const { body } = await prove([fee('2000000000'), send(usdc, '700000000'), supply(output(0))])
    expect(body.amountsIn).toEqual({ [usdc]: '2700000000' })
    expect(Object.keys(body.amountsOut)).toEqual([aUsdc])
  })

  test('where a part of what was given is calculated, the rest comes back', async () => {
    const half = own('div', { amountA: output(0), amountB: '2' })
    const { body } = await prove([
      fee('2000000000'),
      half,
      send(usdc, output(1)),
      supply('100000000'),
    ])
    expect(body.amountsIn).toEqual({ [usdc]: '2100000000' })
    expect(body.amountsOut[usdc]).toBe('997500000')
  })

  test('where two amounts of one token are merged', async () => {
    const { body } = await prove([
      own('merge', {
        tokenIn: [dai, dai],
        amountIn: [String(ether), String(2n * ether)],
        tokenOut: weth,
      }),
    ])
    expect(body.amountsIn).toEqual({ [dai]: String(3n * ether) })
  })

  test('where a number is of a token that an earlier action gives and does not name', async () => {
    const deposit: Action = {
      protocol: 'curve',
      action: 'deposit',
      args: {
        primaryAddress: curvePoolAddresses[0],
        tokenIn: [dai],
        amountIn: [String(1_000n * ether)],
      },
    }
    const [shares] = Object.keys((await prove([deposit])).body.amountsOut) as [Address]
    const watch = [{ token: shares, owner: other }]
    const { body, execution } = await prove([deposit, send(shares, '5')], {}, { watch })
    expect(body.amountsIn).toEqual({ [dai]: String(1_000n * ether), [shares]: '5' })
    expect(execution.deltas.at(-1)).toBe(5n)
  })

  test('where actions of a flash loan take what an earlier action gave', async () => {
    const callback = [send(usdc, '400000000'), route(dai, weth, 10n * ether)]
    const { body } = await prove([
      collateral,
      borrow('500000000'),
      own('flashloan', { token: weth, amount: String(ether), callback }),
    ])
    expect(body.amountsIn).toEqual({ [weth]: String(10n * ether), [dai]: String(10n * ether) })
    expect(body.amountsOut[usdc]).toBe('100000000')
  })
})

describe('an output that two actions refer to', () => {
  const both: readonly (readonly [string, readonly Action[]])[] = [
    ['of a swap', [route(weth, usdc, ether), send(usdc, output(0)), supply(output(0))]],
    ['that a fee leaves', [fee('2000000000'), send(usdc, output(0)), supply(output(0))]],
  ]

  test.each(both)('%s: 422 with both actions', async (_name, actions) => {
    const { status, body } = await refused(actions)
    expect(status).toBe(422)
    expect(body.code).toBe('SIMULATION_REVERTED')
    expect(body.message).toMatch(
      /^action 2 \(aave-v3 deposit\), amountIn: output 0 of action 0 is taken by action 1 \(svc transfer\) already\. .*split/,
    )
    expect(body.details).toMatchObject({ action: 2, argument: 'amountIn', token: usdc, takenBy: 1 })
  })

  test('by the name of a check, too', async () => {
    const actions = [fee('2000000000'), checks[0]?.[1](0), send(usdc, output(0)), supply(output(1))]
    const { status, body } = await refused(actions as Action[])
    expect(status).toBe(422)
    expect(body.details).toMatchObject({ action: 3, takenBy: 2 })
  })

  test('by a balance that it is a part of', async () => {
    const actions = [
      route(weth, usdc, ether),
      own('balance', { token: usdc }),
      send(usdc, output(0)),
      supply(output(1)),
    ]
    const { status, body } = await refused(actions)
    expect(status).toBe(422)
    expect(body.details).toMatchObject({ action: 3, takenBy: 2 })
  })

  test('twice in one list', async () => {
    const amountIn = [output(0), output(0)]
    const merged = own('merge', { tokenIn: [usdc, usdc], amountIn, tokenOut: weth })
    const { status, body } = await refused([fee('2000000000'), merged])
    expect(status).toBe(422)
    expect(body.details).toMatchObject({ action: 1, argument: 'amountIn[1]', takenBy: 1 })
  })

  test('is taken once where one of them is a split', async () => {
    const { body } = await prove([
      fee('2000000000'),
      own('split', { tokenIn: usdc, tokenOut: [usdc, usdc], amountIn: output(0) }),
      send(usdc, output(1, 0)),
      supply(output(1, 1)),
    ])
    expect(body.amountsIn).toEqual({ [usdc]: '2000000000' })
  })
})

describe('a reference to another token than asked', () => {
  const args = { tokenIn: dai, tokenOut: weth, amountIn: output(0) }
  test.each([
    ['route', () => own('route', args), 'amountIn', dai],
    [
      'merge',
      () => own('merge', { ...args, tokenIn: [weth, dai], amountIn: ['1', output(0)] }),
      'amountIn[1]',
      dai,
    ],
    ['transfer', () => send(dai, output(0)), 'amount', dai],
    [
      'fee',
      () => own('fee', { token: dai, amount: output(0), bps: 5, receiver: other }),
      'amount',
      dai,
    ],
    [
      'approve',
      () => own('approve', { token: dai, spender: other, amount: output(0) }),
      'amount',
      dai,
    ],
    [
      'call',
      () =>
        own('call', {
          address: weth,
          method: 'deposit',
          abi: 'function deposit() payable',
          args: [],
          value: output(0),
        }),
      'value',
      nativeToken,
    ],
    [
      'deposit',
      () => ({
        protocol: 'aave-v3',
        action: 'deposit',
        args: { ...args, tokenOut: undefined, primaryAddress: aavePool },
      }),
      'amountIn',
      dai,
    ],
  ] as const)('in %s names both tokens', async (_name, action, argument, asked) => {
    const { status, body } = await refused([route(weth, usdc, ether), action()])
    expect(status).toBe(400)
    expect(body.message).toBe(
      `action 1, ${argument} must be an amount of ${asked}, and output 0 of action 0 is one of ${usdc}`,
    )
    expect(body.details).toMatchObject({ action: 1, argument })
  })

  test('in an action that knows its token by itself', async () => {
    const args = {
      primaryAddress: '0x5d3a536e4d6dbd6114cc1ead35777bab948e3643',
      amountIn: output(0),
    }
    const action = { protocol: 'compound-v2', action: 'redeem', args: { ...args, tokenOut: dai } }
    const { status, body } = await refused([route(weth, usdc, ether), action])
    expect(status).toBe(400)
    expect(body.message).toContain(`and output 0 of action 0 is one of ${usdc}`)
  })
})

describe('a call with tokenIn takes what was approved to it', () => {
  const swapOf = (amount: unknown, more = {}) =>
    own('call', {
      address: v2Router,
      method: 'swapExactTokensForTokens',
      abi: 'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)',
      args: [amount, '1', [usdc, weth], executorAddress(from), '4294967295'],
      tokenIn: usdc,
      tokenOut: weth,
      ...more,
    })
  const allow = (amount: unknown) => own('approve', { token: usdc, spender: v2Router, amount })

  test.each([
    ['a number', '500000000', []],
    ['the rest of a fee', output(0), [fee('500000000')]],
    ['the output of a swap', output(0), [route(dai, usdc, 500n * ether)]],
  ] as const)('%s', async (_name, amount, before) => {
    const { body } = await prove([...before, allow(amount), swapOf(amount)])
    expect(body.amountsIn[usdc] ?? '500000000').toBe('500000000')
    expect(Object.keys(body.amountsOut)).toEqual([weth])
  })

  test('once: a second call needs an approval of its own', async () => {
    const [one, two] = ['300000000', '200000000']
    const { body } = await prove([allow(one), swapOf(one), allow(two), swapOf(two)])
    expect(body.amountsIn).toEqual({ [usdc]: '500000000' })
    const again = await refused([allow(one), swapOf(one), swapOf(one)])
    expect(again.status).toBe(400)
    expect(again.body.message).toMatch(/^action 2, amountIn must be given: no amount of/)
  })

  test('not again where another action has taken it', async () => {
    const { status, body } = await refused([
      fee('500000000'),
      allow(output(0)),
      supply(output(0)),
      swapOf(output(0)),
    ])
    expect(status).toBe(422)
    expect(body.details).toMatchObject({ action: 1, takenBy: 2 })
  })
})

test('netAmounts are what the sender gains or loses of a token that goes in and comes out', async () => {
  const { body, execution } = await prove(
    [
      own('split', { tokenIn: weth, tokenOut: [usdc, weth], amountIn: String(2n * ether) }),
      route(dai, usdc, 100n * ether),
    ],
    {},
    { watch: [{ token: weth, owner: from }] },
  )
  expect(body.amountsOut[weth]).toBe(String(ether))
  expect(body.netAmounts).toEqual({ [weth]: String(-ether) })
  expect(execution.deltas.at(-1)).toBe(-ether)
  const { body: without } = await prove([route(weth, usdc, ether)])
  expect(without).not.toHaveProperty('netAmounts')
})
