/**
 * Bundles that send over several bridges: the one transaction is mined on an Anvil of the source, and each of what it sent
 * delivered on one of its own destination, by a script that shares no code with the product.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bridges } from '../../../src/bridges/registry.js'
import { chains } from '../../../src/chains/registry.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxPlan } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { deliverOnFork, type Place, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const bob = sandboxAccount('bob').address
const carol: Address = '0x00000000000000000000000000000000000ca201'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const onArbitrum = {
  usdc: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  weth: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
} as const
const onBase = {
  usdc: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  weth: '0x4200000000000000000000000000000000000006',
} as const
const aero: Address = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'
const amountIn = '500000000'
const output = (useOutputOfCallAt: number) => ({ useOutputOfCallAt })

let sandboxes: Sandbox[]
let service: TestService

beforeAll(async () => {
  sandboxes = await startSandboxes([1, 42161, 8453])
  service = await startService(
    Object.fromEntries(sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])),
  )
})
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

type Action = { protocol: string; action: string; args: Record<string, unknown> }
const act = (protocol: string, action: string, args: Record<string, unknown>): Action => ({
  protocol,
  action,
  args,
})
const balance = (token: Address) => act('svc', 'balance', { token })

/** A bridge action, from Ethereum unless from another chain. */
function send(
  slug: string,
  asset: string,
  to: number,
  more: Record<string, unknown> = {},
  of = 1,
): Action {
  const [from, destination] = [of, to].map((id) => chains.find((chain) => chain.id === id))
  if (!from || !destination) throw new RangeError(`no chain ${to}`)
  const lanes = bridges.flatMap((bridge) => bridge.lanes(from, destination))
  const lane = lanes.find((one) => one.bridge === slug && one.symbol === asset)
  if (!lane) throw new RangeError(`no lane of ${slug}`)
  const { tokenIn, primary: primaryAddress } = lane
  const given = { tokenIn, amountIn, primaryAddress, destinationChainId: to, receiver: bob }
  return act('svc', 'bridge', { ...given, ...more })
}

const ask = (actions: readonly Action[], more: Record<string, string> = {}) => {
  const query = new URLSearchParams({ chainId: '1', fromAddress: alice, ...more })
  return service.post(`/api/v1/shortcuts/bundle?${query}`, actions)
}

function place(chainId: number, blockNumber: number): Place {
  const nodeUrl = sandboxes.find((one) => one.chainId === chainId)?.url ?? ''
  return { chainId, nodeUrl, blockNumber, blockTimeSeconds: sandboxPlan(chainId).blockSeconds }
}

/**
 * The answer, once its transaction has been carried out, and each of what it sends delivered by itself, what is sent on
 * after that.
 *
 * @param tokens - of which each receiver gains what the answer says; null: it gains none by the answer.
 */
async function carriedOut(actions: readonly Action[], tokens: readonly (Address | null)[]) {
  const { status, text, body } = await ask(actions)
  expect(status, text).toBe(200)
  const source = place(1, body.blockNumber)
  const sent = await sendOnFork(source, body.tx)
  expect(sent.status, text).toBe('success')
  expect(sent.gasUsed).toBe(BigInt(body.gas))
  expect(body.arrivals).toHaveLength(tokens.length)
  let from = { source, logs: sent.logs }
  for (const [index, token] of tokens.entries()) {
    const arrival = body.arrivals[index]
    const destination = place(arrival.destinationChainId, arrival.destinationBlockNumber)
    const watch = { token: token ?? nativeToken, owner: arrival.receiver }
    const isOnward = arrival.callbackAction !== undefined
    const before = isOnward ? from : { source, logs: sent.logs }
    const delivered = await deliverOnFork({ ...before, destination, watch })
    expect(delivered.status, `arrival ${index}`).toBe('delivered')
    if (!isOnward) from = { source: destination, logs: delivered.logs }
    if (token === null) {
      expect(arrival.amountsOut).toEqual({})
      continue
    }
    expect(delivered.gained, `arrival ${index}`).toBe(BigInt(arrival.amountsOut[token]))
    expect(BigInt(arrival.minAmountsOut[token])).toBeGreaterThan(0n)
  }
  const fees = body.arrivals
    .filter((one: { callbackAction?: number }) => one.callbackAction === undefined)
    .map((one: { bridgeFee: { native: string } }) => BigInt(one.bridgeFee.native))
  const fee = fees.reduce((sum: bigint, one: bigint) => sum + one, 0n)
  expect(BigInt(body.bridgeFee.native)).toBe(fee)
  expect(body.arrival).toBeUndefined()
  return body
}

describe('several bridges in one bundle', () => {
  test('lead to two chains, each with a callback of its own', async () => {
    const swap = act('svc', 'route', {
      tokenIn: onArbitrum.usdc,
      tokenOut: onArbitrum.weth,
      amountIn: output(0),
    })
    const unwrap = act('wrapped-native', 'redeem', { amountIn: output(0) })
    const amount = String(10n ** 17n)
    const body = await carriedOut(
      [
        send('stargate', 'USDC', 42161, { callback: [balance(onArbitrum.usdc), swap] }),
        act('wrapped-native', 'deposit', { amountIn: amount }),
        send('across', 'WETH', 8453, {
          amountIn: output(1),
          callback: [balance(onBase.weth), unwrap],
        }),
      ],
      [onArbitrum.weth, nativeToken],
    )
    const named = body.arrivals.map((one: Record<string, unknown>) => [
      one.action,
      one.bridge,
      one.destinationChainId,
    ])
    expect(named).toEqual([
      [0, 'stargate', 42161],
      [2, 'across', 8453],
    ])
    const steps: { action: string; chainId: number }[] = body.route
    const places = steps.map(({ chainId }) => chainId)
    expect(places.filter((id, index) => id !== places[index - 1])).toEqual([1, 42161, 1, 8453])
    expect(steps.filter(({ action }) => action === 'bridge')).toHaveLength(2)
    expect(steps.at(-1)?.action).toBe('redeem')
    expect(body.bridgingEstimates.map(({ toChainId }: { toChainId: number }) => toChainId)).toEqual(
      [42161, 8453],
    )
    expect(body.destinationChainId).toBeUndefined()
    expect(body.destinationBlockNumber).toBeUndefined()
  })

  test.each(['stargate', 'across', 'cctp'])('send over %s twice, to one chain', async (slug) => {
    const wrapped = { tokenIn: onBase.usdc, tokenOut: onBase.weth, amountIn: output(0) }
    const callback = [balance(onBase.usdc), act('svc', 'route', wrapped)]
    const half = { amountIn: '250000000', receiver: carol }
    const body = await carriedOut(
      [send(slug, 'USDC', 8453, half), send(slug, 'USDC', 8453, { callback })],
      [onBase.usdc, onBase.weth],
    )
    expect(body.destinationChainId).toBe(8453)
    expect(body.arrivals[0].receiver).toBe(carol)
    expect(body.amountsIn[usdc]).toBe('750000000')
  })

  test('have a route beside them, whose lane is chosen as that of a route by itself', async () => {
    const route = {
      tokenIn: usdc,
      tokenOut: onBase.weth,
      amountIn,
      destinationChainId: 8453,
      receiver: carol,
    }
    const body = await carriedOut(
      [
        act('svc', 'route', route),
        send('cctp', 'USDC', 42161),
        act('svc', 'route', { tokenIn: usdc, tokenOut: weth, amountIn }),
      ],
      [onBase.weth, onArbitrum.usdc],
    )
    const query = { chainId: '1', fromAddress: alice, executionMode: 'backend' }
    const alone = await service.post('/api/v1/shortcuts/route', { ...query, ...route })
    expect(alone.status, alone.text).toBe(200)
    const own = body.arrivals.find((one: { action: number }) => one.action === 0)
    expect(own.amountsOut[onBase.weth]).toBe(alone.body.amountOut)
    expect(own.bridge).toBe(alone.body.bridgingEstimates[0].bridge)
    expect(Object.keys(body.amountsOut)).toEqual([weth])
  })
})

describe('a callback sends on', () => {
  const onward = (slug: string, asset: string, more: Record<string, unknown>) =>
    send(slug, asset, 42161, { amountIn: output(0), receiver: carol, ...more }, 8453)

  test.each(['across', 'cctp'])(
    'over %s, which takes no fee besides, with a callback there',
    async (slug) => {
      const swap = { tokenIn: onArbitrum.usdc, tokenOut: onArbitrum.weth, amountIn: output(0) }
      const there = [balance(onArbitrum.usdc), act('svc', 'route', swap)]
      const callback = [balance(onBase.usdc), onward(slug, 'USDC', { callback: there })]
      const body = await carriedOut(
        [send('stargate', 'USDC', 8453, { callback })],
        [null, onArbitrum.weth],
      )
      const [first, second] = body.arrivals
      expect(first).toMatchObject({ action: 0, bridge: 'stargate', destinationChainId: 8453 })
      expect(second).toMatchObject({ action: 0, callbackAction: 1, bridge: slug, receiver: carol })
      const places = body.route.map(({ chainId }: { chainId: number }) => chainId)
      expect([...new Set(places)]).toEqual([1, 8453, 42161])
    },
  )

  test('over Stargate, whose fee callbackValue pays', async () => {
    const callback = [balance(onBase.usdc), onward('stargate', 'USDC', {})]
    const actions = (callbackValue: string) => [
      send('across', 'USDC', 42161),
      send('stargate', 'USDC', 8453, { callback, callbackValue }),
    ]
    const tokens = [onArbitrum.usdc, null, onArbitrum.usdc]
    const body = await carriedOut(actions(String(10n ** 16n)), tokens)
    expect(body.arrivals[2]).toMatchObject({ action: 1, callbackAction: 1, receiver: carol })
    expect(BigInt(body.arrivals[2].bridgeFee.native)).toBeGreaterThan(0n)
    const less = await ask(actions('1'))
    expect(less.status, less.text).toBe(422)
    expect(less.text).toMatch(/action 1, callback on chain 8453: /)
  })

  test('ether, of which a part is left for the fee of Stargate', async () => {
    const rest = act('svc', 'sub', { amountA: output(0), amountB: String(10n ** 15n) })
    const callback = [
      balance(nativeToken),
      rest,
      onward('stargate', 'ETH', { amountIn: output(1) }),
    ]
    const body = await carriedOut(
      [send('stargate', 'ETH', 8453, { amountIn: String(10n ** 17n), callback })],
      [nativeToken, nativeToken],
    )
    const [first, second] = body.arrivals
    const kept = BigInt(first.delivered.amount) - BigInt(second.delivered.amount)
    expect(kept).toBeGreaterThanOrEqual(BigInt(second.bridgeFee.native))
  })
})

const fails = act('svc', 'transfer', { token: onBase.usdc, recipient: carol, amount: '500000001' })
const route = act('svc', 'route', {
  tokenIn: usdc,
  tokenOut: onBase.weth,
  amountIn,
  destinationChainId: 8453,
})

test.each<[string, number, () => Action[], Record<string, string>, RegExp]>([
  [
    'a second route',
    400,
    () => [route, route],
    {},
    /action 1, destinationChainId must be left out/,
  ],
  [
    'one block of two chains',
    400,
    () => [send('stargate', 'USDC', 8453), send('stargate', 'USDC', 42161)],
    { blockNumber: '10', destinationBlockNumber: '10' },
    /destinationBlockNumber is of one chain, and the bundle leads to 8453 and 42161/,
  ],
  [
    'a wrong argument of the second',
    400,
    () => [
      send('stargate', 'USDC', 8453),
      send('stargate', 'USDC', 42161, { primaryAddress: carol }),
    ],
    {},
    /action 1, primaryAddress must be/,
  ],
  [
    'a bridge in a callback of a callback',
    400,
    () => {
      const last = send('across', 'USDC', 1, { amountIn: output(0) }, 42161)
      const there = [balance(onArbitrum.usdc), last]
      const onward = { amountIn: output(0), callback: there }
      const callback = [balance(onBase.usdc), send('across', 'USDC', 42161, onward, 8453)]
      return [send('stargate', 'USDC', 8453, { callback })]
    },
    {},
    /action 0, callback\[1\]\.callback\[1\]\.action must be another/,
  ],
  [
    'a callback of the second that fails',
    422,
    () => [
      send('stargate', 'USDC', 42161),
      send('across', 'USDC', 8453, { callback: [balance(onBase.usdc), fails] }),
    ],
    {},
    /action 1, callback on chain 8453: .*exceeds balance/,
  ],
])('%s is told by name', async (_, status, actions, more, message) => {
  const answer = await ask(actions(), more)
  expect(answer.status, answer.text).toBe(status)
  expect(answer.text).toMatch(message)
})

describe('a plan of inputs on several chains', () => {
  type Input = { chainId: number; token: Address; amount: string }
  const plan = (inputs: readonly Input[], more: Record<string, unknown> = {}) =>
    service.post('/api/v1/shortcuts/plan', {
      inputs,
      tokenOut: onBase.usdc,
      destinationChainId: 8453,
      fromAddress: alice,
      receiver: carol,
      ...more,
    })

  type Body = Awaited<ReturnType<typeof plan>>['body']
  const amountsOf = (body: Body): bigint[] =>
    body.transactions.map(({ amountOut }: { amountOut: string }) => BigInt(amountOut))

  /** What each of the transactions gives, carried out in their order on an Anvil of its chain. */
  async function gainsOf(body: Body, token: Address = onBase.usdc) {
    const gains: bigint[] = []
    for (const { tx, blockNumber, gas } of body.transactions) {
      const source = place(tx.chainId, blockNumber)
      const watch = { token, owner: carol }
      const sent = await sendOnFork(source, tx, [], tx.chainId === 8453 ? [watch] : [])
      expect([sent.status, sent.gasUsed]).toEqual(['success', BigInt(gas)])
      const destination = place(8453, body.destinationBlockNumber)
      gains.push(
        ...(tx.chainId === 8453
          ? sent.deltas
          : [(await deliverOnFork({ source, destination, logs: sent.logs, watch })).gained]),
      )
    }
    return gains
  }

  test('is a transaction for each chain in its order, and one that swaps there leaves the sum exact', async () => {
    const { status, text, body } = await plan([
      { chainId: 1, token: usdc, amount: amountIn },
      { chainId: 8453, token: nativeToken, amount: String(10n ** 17n) },
      { chainId: 42161, token: onArbitrum.usdc, amount: '300000000' },
      { chainId: 1, token: nativeToken, amount: String(10n ** 17n) },
    ])
    expect(status, text).toBe(200)
    const chainIds = body.transactions.map(({ tx }: { tx: { chainId: number } }) => tx.chainId)
    expect(chainIds).toEqual([1, 8453, 42161])
    const gains = await gainsOf(body)
    expect(gains).toEqual(amountsOf(body))
    expect(body.amountOut).toBe(`${gains.reduce((sum, one) => sum + one, 0n)}`)
    expect(body.unenforced).toHaveLength(1)
  })

  test('several that swap there have no sum, and each gives what it says alone', async () => {
    const { status, text, body } = await plan(
      [
        { chainId: 1, token: usdc, amount: amountIn },
        { chainId: 8453, token: nativeToken, amount: String(10n ** 17n) },
      ],
      { tokenOut: aero },
    )
    expect(status, text).toBe(200)
    expect(await gainsOf(body, aero)).toEqual(amountsOf(body))
    expect([body.amountOut, body.unenforced.length]).toEqual([null, 2])
  })

  test('refuses what is there already, what is named twice, and says the chain of an error', async () => {
    const twice = { chainId: 1, token: usdc, amount: '1' }
    const there = { chainId: 8453, token: onBase.usdc, amount: '1' }
    const { status, body } = await plan([twice, there, twice])
    expect([status, body.message]).toEqual([
      400,
      [expect.stringContaining('inputs[1].token'), expect.stringContaining('inputs[2].token')],
    ])
    const large = { chainId: 42161, token: onArbitrum.usdc, amount: String(10n ** 30n) }
    const refused = await plan([{ ...twice, amount: amountIn }, large])
    const { code, details } = refused.body
    expect([code, details?.chainId]).toEqual(['INSUFFICIENT_BALANCE', 42161])
  })
})
