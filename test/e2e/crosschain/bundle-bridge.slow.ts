/**
 * Bundles with a bridge action: the transaction is mined on an Anvil of the source, and what it sent delivered on one of
 * the destination, by a script that shares no code with the product.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bridges } from '../../../src/bridges/registry.js'
import { base } from '../../../src/chains/base.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxPlan } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { deliverOnFork, type Place, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const bob = sandboxAccount('bob').address
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const link: Address = '0x514910771af9ca656af840dff83e8264ecf986ca'
const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdcHere: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const wethHere: Address = '0x4200000000000000000000000000000000000006'
const usdbc: Address = '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca'
const amountIn = '500000000'
const output = (useOutputOfCallAt: number) => ({ useOutputOfCallAt })

let sandboxes: Sandbox[]
let service: TestService
let aave: { primaryAddress: Address; address: Address }

beforeAll(async () => {
  sandboxes = await startSandboxes([1, 8453])
  service = await startService(
    Object.fromEntries(sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])),
  )
  const query = { chainId: '1', type: 'defi', protocolSlug: 'aave-v3', underlyingTokens: usdc }
  const { body } = await service.get('/api/v1/tokens', query)
  aave = body.data[0]
})
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

function laneOf(slug: string, asset = 'USDC') {
  const lanes = bridges.flatMap((one) => one.lanes(base, ethereum))
  const lane = lanes.find(({ bridge, symbol }) => bridge === slug && symbol === asset)
  if (!lane) throw new RangeError(`no lane of ${slug}`)
  return lane
}

type Action = { protocol: string; action: string; args: Record<string, unknown> }
const act = (protocol: string, action: string, args: Record<string, unknown>): Action => ({
  protocol,
  action,
  args,
})
const send = (slug: string, more: Record<string, unknown> = {}, protocol = 'svc') =>
  act(protocol, 'bridge', {
    tokenIn: usdcHere,
    amountIn,
    primaryAddress: laneOf(slug).primary,
    destinationChainId: 1,
    receiver: bob,
    ...more,
  })
const arrived = act('svc', 'balance', { token: usdc })

const ask = (actions: readonly Action[], more: Record<string, string> = {}) => {
  const query = new URLSearchParams({ chainId: '8453', fromAddress: alice, ...more })
  return service.post(`/api/v1/shortcuts/bundle?${query}`, actions)
}

function place(chainId: number, blockNumber: number): Place {
  const nodeUrl = sandboxes.find((one) => one.chainId === chainId)?.url ?? ''
  return { chainId, nodeUrl, blockNumber, blockTimeSeconds: sandboxPlan(chainId).blockSeconds }
}

/** The answer, once its transaction has been carried out on both sides. @param more - units that the receiver gains besides. */
async function carriedOut(actions: readonly Action[], token: Address, more = 0n) {
  const { status, text, body } = await ask(actions)
  expect(status, text).toBe(200)
  const [source, destination] = [
    place(8453, body.blockNumber),
    place(1, body.destinationBlockNumber),
  ]
  const sent = await sendOnFork(source, body.tx)
  expect(sent.status, text).toBe('success')
  expect(sent.gasUsed).toBe(BigInt(body.gas))
  const watch = { token, owner: bob }
  const delivered = await deliverOnFork({ source, destination, logs: sent.logs, watch })
  expect(delivered).toMatchObject({
    status: 'delivered',
    gained: BigInt(body.arrival.amountsOut[token] ?? 0) + more,
  })
  expect(body.arrival.receiver).toBe(bob)
  const spent = BigInt(body.amountsIn[nativeToken] ?? '0')
  const fee = BigInt(body.bridgeFee.native)
  expect(BigInt(body.tx.value)).toBe(spent)
  expect(spent).toBeGreaterThanOrEqual(fee + fee / 10n)
  return body
}

describe.each(['stargate', 'across'])('%s', (slug) => {
  test('pays the receiver what the answer says, with a minimum', async () => {
    const body = await carriedOut([send(slug)], usdc)
    const amount = BigInt(body.arrival.amountsOut[usdc])
    expect(body.arrival.minAmountsOut).toEqual({ [usdc]: String((amount * 9_950n) / 10_000n) })
    expect(body.arrival.delivered).toEqual({ token: usdc, amount: String(amount) })
    expect(body).toMatchObject({ simulatedPosition: 0, expiresAtBlock: null })
    expect(body.amountsIn[usdcHere]).toBe(amountIn)
  })

  test('sends what actions before it yield, under its own name as the protocol', async () => {
    const swap = act('svc', 'route', {
      tokenIn: nativeToken,
      tokenOut: usdcHere,
      amountIn: String(10n ** 17n),
    })
    const body = await carriedOut([swap, send(slug, { amountIn: output(0) }, slug)], usdc)
    const named = body.route.map(({ action, chainId }: Record<string, unknown>) => [
      action,
      chainId,
    ])
    expect(named.at(-1)).toEqual(['bridge', 8453])
    expect(body.amountsOut).toEqual({})
  })

  test('is followed by actions of the source', async () => {
    const swap = act('svc', 'route', {
      tokenIn: nativeToken,
      tokenOut: usdcHere,
      amountIn: String(10n ** 16n),
    })
    const body = await carriedOut([send(slug), swap], usdc)
    expect(Object.keys(body.amountsOut)).toEqual([usdcHere])
    expect(body.route.at(-1).action).toBe('bridge')
  })

  test('sends ether, and what stands for it', async () => {
    const lane = laneOf(slug, slug === 'stargate' ? 'ETH' : 'WETH')
    const { tokenIn, primary: primaryAddress } = lane
    const amount = 10n ** 17n
    const sent = send(slug, { tokenIn, primaryAddress, amountIn: String(amount) })
    const wrap = act('svc', 'route', {
      tokenIn: nativeToken,
      tokenOut: tokenIn,
      amountIn: String(amount),
    })
    const body = await carriedOut(tokenIn === nativeToken ? [sent] : [wrap, sent], nativeToken)
    const arrives = BigInt(body.arrival.amountsOut[nativeToken])
    expect(arrives).toBeLessThan(amount)
    expect(arrives).toBeGreaterThan((amount * 99n) / 100n)
  })

  test('its callback wraps the ether that arrives, or unwraps what stands for it', async () => {
    const isEther = slug === 'stargate'
    const lane = laneOf(slug, isEther ? 'ETH' : 'WETH')
    const { tokenIn, primary: primaryAddress } = lane
    const [given, wanted] = isEther ? [nativeToken, weth] : [weth, nativeToken]
    const turn = act('wrapped-native', isEther ? 'deposit' : 'redeem', {
      primaryAddress: weth,
      tokenIn: given,
      tokenOut: wanted,
      amountIn: output(0),
    })
    const callback = [act('svc', 'balance', { token: given }), turn]
    const amount = String(10n ** 17n)
    const sent = send(slug, { tokenIn, primaryAddress, amountIn: amount, callback })
    const wrap = act('wrapped-native', 'deposit', { amountIn: amount })
    const body = await carriedOut(isEther ? [sent] : [wrap, sent], wanted)
    expect(Object.keys(body.arrival.amountsOut)).toEqual([wanted])
    expect(body.arrival.amountsOut[wanted]).toBe(body.arrival.delivered.amount)
    const last = body.route.at(-1)
    expect([last.action, last.protocol, last.chainId]).toEqual([turn.action, turn.protocol, 1])
  })

  test('its callback deposits what arrives', async () => {
    const deposit = act('aave-v3', 'deposit', {
      primaryAddress: aave.primaryAddress,
      tokenIn: usdc,
      tokenOut: aave.address,
      amountIn: output(0),
    })
    const body = await carriedOut([send(slug, { callback: [arrived, deposit] })], aave.address)
    const last = body.route.at(-1)
    expect([last.action, last.protocol, last.chainId]).toEqual(['deposit', 'aave-v3', 1])
    expect(BigInt(body.arrival.minAmountsOut[aave.address])).toBeGreaterThan(0n)
  })

  test('actions of the callback refer to each other', async () => {
    const swap = act('svc', 'route', { tokenIn: usdc, tokenOut: dai, amountIn: output(0) })
    const half = act('svc', 'div', { amountA: output(1), amountB: '2' })
    const split = act('svc', 'transfer', { token: dai, recipient: alice, amount: output(2) })
    const callback = [arrived, swap, half, split]
    const body = await carriedOut([send(slug, { callback })], dai)
    expect(Object.keys(body.arrival.amountsOut)).toContain(dai)
  })
})

describe('callbackValue', () => {
  const callbackValue = String(10n ** 16n)
  const wrapped = 6n * 10n ** 15n
  const wrap = act('wrapped-native', 'deposit', { amountIn: String(wrapped) })

  test('is there for the callback beside the token, and what it leaves goes to the receiver', async () => {
    const swap = act('svc', 'route', { tokenIn: usdc, tokenOut: dai, amountIn: output(0) })
    const actions = [send('stargate', { callback: [arrived, wrap, swap], callbackValue })]
    const body = await carriedOut(actions, weth)
    expect(body.arrival.amountsOut[weth]).toBe(String(wrapped))
    expect(Object.keys(body.arrival.amountsOut).toSorted()).toEqual([dai, weth].toSorted())
    expect(BigInt(body.bridgeFee.native)).toBeGreaterThan(10n ** 16n)
    await carriedOut(actions, nativeToken, 10n ** 16n - wrapped)
  })

  test('comes on top of ether that is delivered', async () => {
    const { tokenIn, primary: primaryAddress } = laneOf('stargate', 'ETH')
    const callback = [
      act('svc', 'balance', { token: nativeToken }),
      act('wrapped-native', 'deposit', { amountIn: output(0) }),
    ]
    const amount = String(10n ** 17n)
    const sent = { tokenIn, primaryAddress, amountIn: amount, callback, callbackValue }
    const body = await carriedOut([send('stargate', sent)], weth)
    const delivered = BigInt(body.arrival.delivered.amount)
    expect(BigInt(body.arrival.amountsOut[weth])).toBe(delivered + 10n ** 16n)
  })

  test('that is too little for the callback fails it', async () => {
    const callback = [arrived, wrap]
    const less = String(wrapped - 1n)
    const { status, text } = await ask([send('stargate', { callback, callbackValue: less })])
    expect(status, text).toBe(422)
    expect(text).toMatch(/action 0, callback on chain 1: /)
  })
})

/** As published clients of the family send a route to another chain within a bundle. */
const routeTo = (more: Record<string, unknown> = {}) =>
  act('svc', 'route', {
    tokenIn: nativeToken,
    tokenOut: dai,
    amountIn: String(10n ** 17n),
    destinationChainId: 1,
    receiver: bob,
    ...more,
  })

describe('a route with a destinationChainId', () => {
  test('leads over the best lane, with swaps on both sides', async () => {
    const body = await carriedOut([routeTo({ tokenOut: link })], link)
    const steps = body.route.map(({ action, chainId }: Record<string, unknown>) => [
      action,
      chainId,
    ])
    expect(steps.at(-1)).toEqual(['swap', 1])
    expect(steps).toContainEqual(['bridge', 8453])
    const { tokenIn, amountIn: given } = routeTo().args
    const query = { chainId: '8453', destinationChainId: '1', fromAddress: alice, receiver: bob }
    const asked = { ...query, tokenIn, amountIn: given, tokenOut: link, executionMode: 'backend' }
    const route = await service.get('/api/v1/shortcuts/route', asked as Record<string, string>)
    expect(route.status, route.text).toBe(200)
    expect(body.arrival.amountsOut[link]).toBe(route.body.amountOut)
    expect(body.arrival.minAmountsOut[link]).toBe(route.body.minAmountOut)
  })

  // The second took another lane while lanes were compared by simulations of the source.
  test.each([
    ['USDC for USDbC', { tokenIn: usdc, amountIn: '5110000', tokenOut: usdbc }],
    ['ether for WETH', { tokenIn: nativeToken, amountIn: '1676660000000000', tokenOut: wethHere }],
  ])('of a small amount, %s, leads over the lane that a plain route takes', async (_, asked) => {
    const query = { chainId: '1', destinationChainId: '8453', fromAddress: alice, receiver: bob }
    const route = await service.get('/api/v1/shortcuts/route', { ...query, ...asked })
    expect(route.status, route.text).toBe(200)
    const actions = [routeTo({ ...asked, destinationChainId: 8453 })]
    const { status, text, body } = await ask(actions, { chainId: '1' })
    expect(status, text).toBe(200)
    expect(body.bridgingEstimates).toEqual(route.body.bridgingEstimates)
    expect(body.arrival.amountsOut).toEqual({ [asked.tokenOut]: route.body.amountOut })
  })

  test('pays what the bridge delivers without an order, with the minimum of the request', async () => {
    const asked = { tokenIn: usdcHere, tokenOut: usdc, amountIn, minAmountOut: ['498000000'] }
    const body = await carriedOut([routeTo(asked)], usdc)
    expect(body.arrival.minAmountsOut).toEqual({ [usdc]: '498000000' })
  })

  test('takes its own slippage, and leaves out the bridges it names', async () => {
    const more = { tokenIn: usdcHere, amountIn, slippage: '100', ignoreBridges: 'Stargate' }
    const body = await carriedOut([routeTo(more)], dai)
    const amount = BigInt(body.arrival.amountsOut[dai])
    expect(body.arrival.minAmountsOut).toEqual({ [dai]: String((amount * 9_900n) / 10_000n) })
    expect(body.bridgingEstimates[0].bridge).toBe('across')
  })

  test('takes what actions before it yield, charges its fee, and is followed by others', async () => {
    const swap = act('svc', 'route', { ...routeTo().args, tokenOut: usdcHere })
    const { destinationChainId: _d, receiver: _r, ...here } = swap.args
    const first = { ...swap, args: here }
    const charged = { tokenIn: usdcHere, tokenOut: usdc, fee: ['10'], feeReceiver: outsider }
    const actions = [first, routeTo({ ...charged, amountIn: output(0) }), first]
    const body = await carriedOut(actions, usdc)
    expect(body.feeAmount).toHaveLength(1)
    expect(Object.keys(body.amountsOut)).toEqual([usdcHere])
  })

  test('delivers the wrapped token to an account that would be paid ether', async () => {
    const more = { tokenOut: weth, ignoreBridges: ['stargate'] }
    const body = await carriedOut([routeTo(more)], weth)
    expect(Object.keys(body.arrival.amountsOut)).toEqual([weth])
  })

  test('stays where it is with its own chain as the destination', async () => {
    const { status, text, body } = await ask([
      routeTo({ destinationChainId: 8453, tokenOut: usdcHere }),
    ])
    expect(status, text).toBe(200)
    expect(body.arrival).toBeUndefined()
  })
})

const outsider = '0x00000000000000000000000000000000000f0ac9'
const nowhere = '0x00000000000000000000000000000000000000aa'
const swapThere = act('svc', 'route', { tokenIn: usdc, tokenOut: dai, amountIn: '1000000' })

test.each<[string, () => Action[], RegExp]>([
  ['no such contract', () => [send('stargate', { primaryAddress: nowhere })], /primaryAddress/],
  ['another bridge', () => [send('stargate', {}, 'across')], /primaryAddress/],
  ['another token', () => [send('stargate', { tokenIn: nativeToken })], /tokenIn/],
  ['the same chain', () => [send('stargate', { destinationChainId: 8453 })], /destinationChainId/],
  [
    'value without a callback',
    () => [send('stargate', { callbackValue: '1' })],
    /callbackValue must be 0 without a callback/,
  ],
  [
    'value over a bridge that brings none',
    () => [send('across', { callback: [arrived], callbackValue: '1' })],
    /callbackValue must be 0: across brings no native tokens besides; stargate and oft do/,
  ],
  [
    'more value than can be stated',
    () => [send('stargate', { callback: [arrived], callbackValue: String(2n ** 128n) })],
    /callbackValue must be at most/,
  ],
  ['empty', () => [send('stargate', { callback: [] })], /callback must be/],
  ['no balance', () => [send('stargate', { callback: [swapThere] })], /callback\[0\]\.action/],
  [
    'of another token',
    () => [send('stargate', { callback: [act('svc', 'balance', { token: dai })] })],
    /callback\[0\]\.token/,
  ],
  [
    'a reference out of it',
    () => [
      send('stargate', {
        callback: [arrived, act('svc', 'route', { ...swapThere.args, amountIn: output(4) })],
      }),
    ],
    /callback\[1\]\.amountIn/,
  ],
  ['a route to no chain', () => [routeTo({ destinationChainId: 77 })], /destinationChainId/],
  ['two routes', () => [routeTo(), routeTo()], /action 1, destinationChainId must be left out/],
  [
    'what a route gives elsewhere',
    () => [routeTo(), act('svc', 'transfer', { token: dai, recipient: bob, amount: output(0) })],
    /action 1, amount must be a reference to an action with an output/,
  ],
  [
    'a route onward within',
    () => [send('stargate', { callback: [arrived, routeTo({ destinationChainId: 8453 })] })],
    /callback\[1\]\.destinationChainId/,
  ],
  [
    'a bridge within that leads to where it is',
    () => [send('stargate', { callback: [arrived, send('stargate')] })],
    /action 0, callback\[1\]\.destinationChainId/,
  ],
])('%s is refused by name', async (_, actions, message) => {
  const { status, text } = await ask(actions())
  expect(status, text).toBe(400)
  expect(text).toMatch(message)
})

test('without both simulations there is no answer', async () => {
  const { status, text } = await ask([send('stargate')], { skipQuote: 'true' })
  expect(status, text).toBe(400)
  expect(text).toMatch(/skipQuote/)
})

test('a callback that fails is named, with the action in it', async () => {
  const amount = '500000001'
  const transfer = act('svc', 'transfer', { token: usdc, recipient: alice, amount })
  const { status, text, body } = await ask([send('stargate', { callback: [arrived, transfer] })])
  expect(status, text).toBe(422)
  expect(body.message).toMatch(/^action 0, callback on chain 1: /)
  expect(body.details).toMatchObject({ isCallback: true, bridgeAction: 0 })
})
