/** Bundles that wrap and unwrap the native token themselves: by every strategy, by accounts and a contract, exact to the wei. */
import { numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { sandboxVault } from '../../../src/sandbox/venues/erc-4626.js'
import { type Action, askBundle, output, own, proveBundle, route } from '../../support/bundle.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { openSafe, safeTransaction } from '../../support/safe.js'
import { startService, type TestService } from '../../support/service/service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const [weth, usdc, dai] = [token('WETH'), token('USDC'), token('DAI')]
const bob = sandboxAccount('bob')
const from: Address = '0x00000000000000000000000000000000000f0e11'
const other: Address = '0x00000000000000000000000000000000000f0e12'
const third: Address = '0x00000000000000000000000000000000000f0e13'
const ether = 10n ** 18n
const amount = (ether + 1n).toString()
const strategies = ['router', 'router-legacy', 'delegate', 'delegate-legacy', 'svcwallet-v2']

let service: TestService
let node: NodeWriter
let safe: Address

beforeAll(async () => {
  service = await startService({ HEAD_POLL_MS: '250' })
  node = await new NodeWriter(service.nodeUrl).start()
  safe = await openSafe(node, bob.address)
  await node.rpc('anvil_dealERC20', [safe, weth, numberToHex(5n * ether)])
  await node.rpc('anvil_setBalance', [safe, numberToHex(5n * ether)])
  await node.rpc('anvil_impersonateAccount', [safe])
  const allow = 'function approve(address spender, uint256 amount)'
  await node.send(weth, allow, [contractAddress('Router'), 5n * ether], safe)
  await node.rpc('evm_mine', [])
})
afterAll(async () => {
  await node?.close()
  await service?.stop()
})

const act = (action: string, args: Record<string, unknown>): Action => ({
  protocol: 'wrapped-native',
  action,
  args,
})
/** With all arguments, as published clients send them. */
const deposit = (amountIn: unknown, more = {}) =>
  act('deposit', {
    primaryAddress: weth,
    tokenIn: nativeToken,
    tokenOut: weth,
    amountIn,
    ...more,
  })
const redeem = (amountIn: unknown, more = {}) =>
  act('redeem', {
    primaryAddress: weth,
    tokenIn: weth,
    tokenOut: nativeToken,
    amountIn,
    ...more,
  })
const both = [
  ['deposit', deposit, nativeToken, weth],
  ['redeem', redeem, weth, nativeToken],
] as const

const least = (given: string) => ((BigInt(given) * 9_950n) / 10_000n).toString()

const prove = (
  actions: readonly Action[],
  query: Record<string, string> = {},
  options: Parameters<typeof proveBundle>[3] = {},
) => proveBundle(service, { fromAddress: from, ...query }, actions, options)

describe.each(strategies)('by %s', (routingStrategy) => {
  test.each(both)('%s gives one for one', async (_, make, tokenIn, tokenOut) => {
    const { body } = await prove([make(amount)], { routingStrategy })
    expect(body.amountsIn).toEqual({ [tokenIn]: amount })
    expect(body.amountsOut).toEqual({ [tokenOut]: amount })
    expect(body.minAmountsOut).toEqual({ [tokenOut]: least(amount) })
    expect([body.priceImpact, body.unprotected]).toEqual([0, undefined])
  })

  test.each(both)('%s pays a receiver of its own', async (_, make, __, tokenOut) => {
    const { body, execution } = await prove(
      [make(amount, { receiver: other })],
      { routingStrategy, receiver: third },
      { watch: [{ token: tokenOut, owner: other }] },
    )
    expect(execution.deltas.at(-1)).toBe(BigInt(amount))
    expect(body.payments).toEqual([
      {
        action: 0,
        token: tokenOut,
        receiver: other,
        amountOut: amount,
        minAmountOut: least(amount),
      },
    ])
  })

  test('a swap, what it gives wrapped, and that into a vault', async () => {
    const vault = sandboxVault('WETH')
    const into = { primaryAddress: vault, tokenIn: weth, amountIn: output(1) }
    const { body } = await prove(
      [
        route(usdc, nativeToken, '3000000000'),
        deposit(output(0)),
        { protocol: 'erc-4626', action: 'deposit', args: into },
      ],
      { routingStrategy },
    )
    expect(Object.keys(body.amountsOut)).toEqual([vault])
    const [wrap] = body.route.filter(
      ({ protocol, action }: Record<string, unknown>) =>
        protocol === 'wrapped-native' && action === 'deposit',
    )
    expect(wrap).toMatchObject({ tokenIn: [nativeToken], tokenOut: [weth] })
    expect(wrap.amountOut).toEqual(wrap.amountIn)
  })

  test('what is unwrapped is sent on', async () => {
    const send = own('transfer', { token: nativeToken, recipient: other, amount: output(0) })
    const { body, execution } = await prove(
      [redeem(amount), send],
      { routingStrategy },
      { watch: [{ token: nativeToken, owner: other }] },
    )
    expect(execution.deltas.at(-1)).toBe(BigInt(amount))
    expect(body.amountsOut).toEqual({})
  })
})

describe('a contract as the sender', () => {
  test.each(
    both.flatMap(([name, make, tokenIn, tokenOut]) =>
      (['router', 'delegate'] as const).map(
        (strategy) => [strategy, name, make, tokenIn, tokenOut] as const,
      ),
    ),
  )('by %s: %s of a Safe, which its owner has signed', async (...one) => {
    const [routingStrategy, , make, tokenIn, tokenOut] = one
    const query = { fromAddress: safe, routingStrategy }
    const answer = await askBundle(service, query, [make(amount)])
    expect(answer.status, answer.text).toBe(200)
    const { tx, blockNumber } = answer.body
    const signed = await safeTransaction({
      safe,
      ownerKey: bob.privateKey,
      chainId: 1,
      nonce: 0n,
      to: tx.to,
      data: tx.data,
      value: BigInt(tx.value),
      operation: routingStrategy === 'delegate' ? 'delegatecall' : 'call',
    })
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber,
      tx: { from: bob.address, key: bob.privateKey, value: '0', ...signed },
      watch: [tokenIn, tokenOut].map((each) => ({ token: each, owner: safe })),
    })
    expect(done.status).toBe('success')
    expect(done.deltas).toEqual([-BigInt(amount), BigInt(amount)])
    expect(answer.body.amountsOut).toEqual({ [tokenOut]: amount })
  })
})

describe('within other actions', () => {
  test('of an amount alone: the protocol leaves no choice of tokens', async () => {
    const [plain, named] = [
      await prove([act('deposit', { amountIn: amount })]),
      await prove([deposit(amount)]),
    ]
    expect(plain.body.tx).toEqual(named.body.tx)
  })

  test('by the names of clients that say how many tokens go in and out', async () => {
    const { args } = deposit(amount)
    const named = await prove([act('tokenizedsingledeposit', args)])
    expect(named.body.tx).toEqual((await prove([deposit(amount)])).body.tx)
  })

  test('there and back in one transaction moves nothing else', async () => {
    const { body } = await prove([deposit(amount), redeem(output(0))])
    expect(body.amountsIn).toEqual({ [nativeToken]: amount })
    expect(body.amountsOut).toEqual({ [nativeToken]: amount })
    expect(body.netAmounts).toEqual({ [nativeToken]: '0' })
  })

  test('parts of both come together', async () => {
    const { body } = await prove([
      deposit(amount),
      own('split', { tokenIn: weth, tokenOut: [weth, weth], amountIn: output(0) }),
      redeem(output(1)),
      route(weth, dai, ether),
    ])
    const [given, back] = [BigInt(amount), BigInt(body.amountsOut[nativeToken])]
    expect(back).toBe(given / 2n)
    expect(body.amountsIn).toEqual({ [nativeToken]: amount, [weth]: ether.toString() })
    expect(body.amountsOut[weth]).toBe((given - back).toString())
  })

  test('a flash loan of the wrapped token pays in ether on the way', async () => {
    const callback = [redeem(ether.toString()), deposit(output(0))]
    const loan = own('flashloan', { token: weth, amount: ether.toString(), callback })
    const { body } = await prove([loan])
    expect(body.amountsOut).toEqual({})
  })

  test('without a simulation it is enforced as far as it is known', async () => {
    const query = { fromAddress: from, skipQuote: 'true' }
    const { status, body } = await askBundle(service, query, [deposit(amount)])
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.amountsOut).toEqual({})
    expect(body.unprotected).toEqual([expect.objectContaining({ action: 0, token: weth })])
  })
})

const wrapped = `the wrapped native token of chain 1, ${weth}`
const native = `the native token, ${nativeToken}`

test.each<[string, () => Action[], string]>([
  [
    'another contract',
    () => [deposit(amount, { primaryAddress: dai })],
    `action 0, primaryAddress must be ${wrapped}`,
  ],
  [
    "another chain's wrapped token",
    () => [deposit(amount, { primaryAddress: undefined, tokenOut: arbitrum.wrappedNative })],
    `action 0, tokenOut must be ${wrapped}`,
  ],
  [
    'an ERC-20 token that goes into a deposit',
    () => [deposit('1000000', { tokenIn: usdc })],
    `action 0, tokenIn must be ${native}; a route turns other tokens into it`,
  ],
  [
    'a deposit of what is wrapped already',
    () => [deposit(amount, { tokenIn: weth })],
    `action 0, tokenIn must be ${native}; a route turns other tokens into it`,
  ],
  [
    'another token that is redeemed',
    () => [redeem(amount, { tokenIn: dai })],
    `action 0, tokenIn must be ${wrapped}; a route turns other tokens into it`,
  ],
  [
    'a redemption into another token',
    () => [redeem(amount, { tokenOut: usdc })],
    `action 0, tokenOut must be ${native}`,
  ],
  [
    'the zero address for native',
    () => [deposit(amount, { tokenIn: `0x${'0'.repeat(40)}` })],
    `action 0, tokenIn must be a token; the native token is ${nativeToken}, not the zero address`,
  ],
  [
    'a receiver that is the wrapped token itself',
    () => [redeem(amount, { receiver: weth })],
    `action 0, receiver must be another address: ${weth} is the contract of a token that goes in or comes out: what a token's own contract is paid is lost`,
  ],
  ['nothing at all', () => [deposit('0')], 'action 0, amountIn must be more than zero'],
  ['no amount', () => [deposit(undefined)], 'action 0, amountIn must be given'],
  [
    'a reference to what another token gave',
    () => [route(weth, usdc, ether), deposit(output(0))],
    `action 1, amountIn must be an amount of ${nativeToken}, and output 0 of action 0 is one of ${usdc}`,
  ],
  [
    'such a reference without a word about tokens',
    () => [route(weth, usdc, ether), act('redeem', { amountIn: output(0) })],
    `action 1, amountIn must be an amount of ${weth}, and output 0 of action 0 is one of ${usdc}`,
  ],
  [
    'an argument that it does not have',
    () => [deposit(amount, { slippage: '50' })],
    'action 0, slippage must be left out: deposit takes primaryAddress, tokenIn, tokenOut, amountIn, receiver, onBehalfOf',
  ],
  [
    'an action that it does not have',
    () => [act('withdraw', deposit(amount).args)],
    'action 0, action must be one of deposit, redeem with protocol wrapped-native',
  ],
  [
    'the service itself as the protocol',
    () => [{ ...deposit(amount), protocol: 'svc' }],
    'action 0, action must be one of ',
  ],
])('%s is refused by name', async (_, actions, message) => {
  const { status, body } = await askBundle(service, { fromAddress: from }, actions())
  expect([status, body.code], JSON.stringify(body)).toEqual([400, 'INVALID_REQUEST'])
  expect(body.message.slice(0, message.length)).toBe(message)
})
