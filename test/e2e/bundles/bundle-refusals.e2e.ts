/** Bundles that are refused over HTTP on the sandbox chain: which action, which argument, and why. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type Action, askBundle, output, own, route, routeOf } from '../../support/bundle.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const addressOf = (symbol: string) => sandboxToken(symbol).address
const [weth, usdc, dai] = [addressOf('WETH'), addressOf('USDC'), addressOf('DAI')]
const from: Address = '0x00000000000000000000000000000000000f00d5'
const other: Address = '0x00000000000000000000000000000000000f00d6'
const ether = 10n ** 18n

const swapArgs = { tokenIn: weth, tokenOut: usdc, amountIn: ether.toString(), slippage: '100' }

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

async function refused(actions: readonly Action[], query: Record<string, string> = {}) {
  const { status, body } = await askBundle(service, { fromAddress: from, ...query }, actions)
  return { status, body }
}

describe('a bundle is refused', () => {
  const cases: readonly [string, readonly Action[], unknown, RegExp][] = [
    [
      'an unknown argument',
      [own('route', { ...swapArgs, amounts: '1' })],
      { action: 0, argument: 'amounts' },
      /takes tokenIn, tokenOut, amountIn, slippage/,
    ],
    [
      'a missing argument',
      [own('route', { tokenIn: weth, tokenOut: usdc })],
      { action: 0, argument: 'amountIn' },
      /action 0, amountIn must be given/,
    ],
    [
      'a wrong address',
      [own('transfer', { token: '0x12', recipient: other, amount: '1' })],
      { action: 0, argument: 'token' },
      /must be an address/,
    ],
    [
      'an amount that is none',
      [own('transfer', { token: dai, recipient: other, amount: '-1' })],
      { action: 0, argument: 'amount' },
      /must be an amount/,
    ],
    [
      'a reference to itself',
      [route(weth, usdc, ether), routeOf(usdc, dai, 1)],
      { action: 1, argument: 'amountIn' },
      /a reference to an action before it \(0 to 0\)/,
    ],
    [
      'a reference to a later action',
      [route(weth, usdc, ether), routeOf(usdc, dai, 2), route(weth, usdc, ether)],
      { action: 1, argument: 'amountIn' },
      /before it/,
    ],
    [
      'a reference to an action without an output',
      [
        own('transfer', { token: dai, recipient: other, amount: '1' }),
        own('transfer', { token: dai, recipient: other, amount: output(0) }),
      ],
      { action: 1, argument: 'amount' },
      /with an output, which action 0 has not/,
    ],
    [
      'an output that does not exist',
      [route(weth, usdc, ether), routeOf(usdc, dai, 0, 1)],
      { action: 1, argument: 'amountIn' },
      /with index 0 to 0/,
    ],
    [
      'a malformed signature',
      [own('call', { address: dai, method: 'f', abi: 'function f(uint257 x)', args: [] })],
      { action: 0, argument: 'abi' },
      /must be a function signature/,
    ],
    [
      'a signature of another method',
      [own('call', { address: dai, method: 'g', abi: 'function f()', args: [] })],
      { action: 0, argument: 'abi' },
      /the signature of method g/,
    ],
    [
      'arguments that do not fit the signature',
      [
        own('call', {
          address: dai,
          method: 'f',
          abi: 'function f((address a, uint256[] b) x)',
          args: [{ a: dai, b: ['1', 'two'] }],
        }),
      ],
      { action: 0, argument: 'args' },
      /a decimal string for uint256 at \[0\].b\[1\]/,
    ],
    [
      'a reference where an address stands',
      [
        route(weth, usdc, ether),
        own('call', {
          address: dai,
          method: 'f',
          abi: 'function f(address a)',
          args: [output(0)],
        }),
      ],
      { action: 1, argument: 'args' },
      /a address, not a reference, at \[0\]/,
    ],
    [
      'an unknown protocol',
      [{ protocol: 'nowhere', action: 'deposit', args: {} }],
      { action: 0, argument: 'protocol' },
      /the slug of a listed protocol/,
    ],
    [
      'an action that the protocol has not',
      [{ protocol: 'uniswap-v3', action: 'borrow', args: {} }],
      { action: 0, argument: 'action' },
      /with protocol uniswap-v3/,
    ],
  ]
  test.each(cases)('%s: 400 with index and argument', async (_name, actions, details, message) => {
    const { status, body } = await refused(actions)
    expect(status).toBe(400)
    expect(body.code).toBe('INVALID_REQUEST')
    expect(body.details).toMatchObject(details as object)
    expect(String(body.message)).toMatch(message)
  })

  test('every mistake is named at once', async () => {
    const { body } = await refused([
      own('route', { tokenIn: weth, tokenOut: 'x', amountIn: output(0) }),
      own('nothing', {}),
    ])
    expect(body.message).toHaveLength(3)
    expect(body.details.problems).toHaveLength(3)
  })

  test('its own mistakes come before those of its block', async () => {
    const query = { blockNumber: '999999999' }
    expect(await refused([route(weth, usdc, ether)], query)).toMatchObject({
      status: 400,
      body: { code: 'UNKNOWN_BLOCK' },
    })
    for (const [, actions, details, message] of cases) {
      const { status, body } = await refused(actions, query)
      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'INVALID_REQUEST', details })
      expect(String(body.message)).toMatch(message)
    }
  })

  test('over 50 actions, no actions, a body that is no list', async () => {
    const one = route(weth, usdc, ether)
    for (const actions of [Array.from({ length: 51 }, () => one), []]) {
      expect(await refused(actions)).toMatchObject({ status: 400 })
    }
    const { status, body } = await service.post(`/api/v1/shortcuts/bundle?fromAddress=${from}`, one)
    expect(status).toBe(400)
    expect(body.message).toMatch(/the request body must be a list of actions/)
    const odd = await service.post(`/api/v1/shortcuts/bundle?fromAddress=${from}`, [one, 1])
    expect(odd).toMatchObject({ status: 400 })
    expect(odd.body.message).toMatch(/^item 1 must be an object \{protocol, action, args\}$/)
  })

  test('a route that does not exist names its action', async () => {
    const { status, body } = await refused([
      route(weth, usdc, ether),
      own('route', { tokenIn: usdc, tokenOut: other, amountIn: output(0) }),
    ])
    expect(status).toBe(422)
    expect(body).toMatchObject({ code: 'NO_ROUTE', details: { action: 1 } })
  })

  test.each<[string, Action]>([
    ['a route', route(weth, usdc, ether, { receiver: usdc })],
    ['a route to native', route(usdc, nativeToken, 3_000_000_000n, { receiver: weth })],
    [
      'a deposit',
      {
        protocol: 'wrapped-native',
        action: 'deposit',
        args: { amountIn: ether.toString(), receiver: weth },
      },
    ],
  ])('%s to the contract of the token that it gives names the receiver', async (_, action) => {
    const { status, body } = await refused([action])
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.message).toMatch(
      /^action 0, receiver must be another address: 0x\w+ is the contract of a token that goes in or comes out: /,
    )
  })

  test('a call that reverts is told with its own reason', async () => {
    const { status, body } = await refused([
      own('call', {
        address: dai,
        method: 'transferFrom',
        abi: 'function transferFrom(address from, address to, uint256 amount) returns (bool)',
        args: [other, from, '1'],
      }),
    ])
    expect(status).toBe(422)
    expect(body.details).toMatchObject({
      action: 0,
      call: { function: 'transferFrom', target: dai },
    })
    expect(body.message).toMatch(/ForeignTransferFrom/)
  })
})

describe('a flash loan that fails', () => {
  const callback = [route(weth, usdc, 10n * ether), routeOf(usdc, weth, 0)]
  const loan = (actions: readonly Action[]) =>
    own('flashloan', { token: weth, amount: String(10n * ether), callback: actions })

  test('for want of a repayment says how much of which token is missing', async () => {
    const { status, body } = await refused([route(dai, usdc, ether), loan(callback)])
    expect(status).toBe(422)
    const words =
      /^action 1 \(svc flashloan\) cannot be repaid: its callback leaves (\d+) of (0x\w+), and (\d+) are owed: (\d+) are missing$/
    const [, left = '', token, owed, missing = ''] = words.exec(body.message) ?? []
    expect({ token, owed }, body.message).toEqual({ token: weth, owed: String(10n * ether) })
    expect(BigInt(left) + BigInt(missing)).toBe(10n * ether)
    expect(body.details).toMatchObject({ action: 1, token, left, owed, missing })
  })

  test('in an action of its callback names that', async () => {
    const least = own('minamountout', { amountOut: output(0), minAmountOut: String(ether) })
    const { status, body } = await refused([loan([...callback.slice(0, 1), least])])
    expect(status).toBe(422)
    expect(body.message).toMatch(
      /^action 0, callback\[1\] \(svc minamountout\) fails in requireAtLeast: BelowMinimum\(/,
    )
    expect(body.details).toMatchObject({ action: 0, callbackAction: 1, name: 'minamountout' })
  })

  const nowhere = own('route', { tokenIn: usdc, tokenOut: other, amountIn: output(0) })
  const send = (token: Address, amount: unknown) =>
    own('transfer', { token, recipient: other, amount })
  const foreign = own('call', {
    address: dai,
    method: 'transferFrom',
    args: [other, from, '1'],
    abi: 'function transferFrom(address from, address to, uint256 amount) returns (bool)',
  })
  test.each([
    [
      'for another token than asked',
      [route(weth, usdc, ether), send(weth, output(0))],
      /^action 1, callback\[1\]\.amount must be an amount of 0x\w+, and output 0 of callback\[0\] is one of 0x\w+$/,
      { action: 1, argument: 'callback[1].amount' },
    ],
    [
      'by what is taken already',
      [route(weth, usdc, ether), send(usdc, output(0)), send(usdc, output(0))],
      /^action 1, callback\[2\] \(svc transfer\), amount: output 0 of callback\[0\] is taken by callback\[1\] \(svc transfer\) already/,
      { action: 1, callbackAction: 2, takenBy: 1 },
    ],
    [
      'by a route that does not exist',
      [route(weth, usdc, ether), nowhere],
      /^action 1, callback\[1\]: /,
      { action: 1, callbackAction: 1 },
    ],
    [
      'by a call, before the amount of a later action is known',
      [route(weth, usdc, ether), foreign, routeOf(usdc, dai, 0)],
      /^action 1, callback\[1\] \(svc call\) fails in transferFrom: .*ForeignTransferFrom/,
      { action: 1, callbackAction: 1, name: 'call' },
    ],
  ])(
    'while its callback is planned %s names the action of that',
    async (_name, actions, words, details) => {
      const { body } = await refused([send(dai, '1'), loan(actions)])
      expect(body.message).toMatch(words)
      expect(body.details).toMatchObject(details)
    },
  )
})

test('a transfer that fails names its action', async () => {
  const more = own('mul', { amountA: output(0), amountB: '2' })
  const { status, body } = await refused([
    route(weth, usdc, ether),
    own('transfer', { token: usdc, recipient: other, amount: '7' }),
    more,
    own('transfer', { token: usdc, recipient: other, amount: output(2) }),
  ])
  expect(status).toBe(422)
  expect(body.message).toMatch(/^action 3 \(svc transfer\) fails in transfer: /)
  expect(body.details).toMatchObject({ action: 3, call: { function: 'transfer', target: usdc } })
})
