/**
 * Routes that take their input by a signature: signed with keys of the sandbox's accounts, put where the answer says,
 * and sent on an Anvil of the test's own. Amounts to the unit, and gas to that of the signature's bytes.
 */
import { encodeFunctionData, parseAbi, parseSignature } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken, permit2Address } from '../../../src/domain/primitives.js'
import { contractAddress, executorAddress } from '../../../src/executor/deployments.js'
import { permit2Approval } from '../../../src/executor/permit2.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { carryOut, signed } from '../../support/routing/permits.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

/** Alice lets the Router take whatever it asks for; carol has allowed nobody anything. */
const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(sandboxAccount) as [
  ReturnType<typeof sandboxAccount>,
  ReturnType<typeof sandboxAccount>,
  ReturnType<typeof sandboxAccount>,
]
const feeReceiver: Address = '0x00000000000000000000000000000000000cafe0'
const [usdc, dai, weth, usdt] = ['USDC', 'DAI', 'WETH', 'USDT'].map(
  (symbol) => sandboxToken(symbol).address,
) as [Address, Address, Address, Address]
const router = contractAddress('Router')
const permitAbi = parseAbi([
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
])

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})
const route = (query: Record<string, string>) =>
  service.get('/api/v1/shortcuts/route', { fromAddress: carol.address, permit: 'true', ...query })

/** Several pools carry parts of it. */
function isSplit(body: { route: { internalRoutes?: object[] }[] }): boolean {
  return body.route.flatMap(({ internalRoutes = [] }) => internalRoutes).length > 1
}

describe('EIP-2612', () => {
  const trades = {
    'a path': { tokenIn: usdc, tokenOut: nativeToken, amountIn: '1000000000' },
    'a split': { tokenIn: usdc, tokenOut: weth, amountIn: '1000000000000' },
    'a fee': { tokenIn: usdc, tokenOut: dai, amountIn: '500000000', fee: '100', feeReceiver },
    'a stated output': { tokenIn: usdc, tokenOut: weth, amountOut: `2${'0'.repeat(17)}` },
    'a deadline': { tokenIn: usdc, tokenOut: dai, amountIn: '7000000', deadline: '1760009999' },
  }
  test.each(Object.entries(trades))(
    '%s: needs no allowance, delivers amountOut for amountIn, at the gas of the answer',
    async (name, trade) => {
      const answer = await route({ executionMode: 'user', ...trade })
      expect(answer.status, answer.text).toBe(200)
      const { body } = answer
      const amountIn = BigInt(body.amountIn ?? ('amountIn' in trade ? trade.amountIn : 0))
      const { kind, typedData, signature } = body.permit
      expect({
        kind,
        signature,
        domain: typedData.domain,
        primaryType: typedData.primaryType,
      }).toEqual({
        kind: 'eip2612',
        signature: { r: 68, s: 100, v: 67 },
        primaryType: 'Permit',
        domain: { name: 'USD Coin', version: '2', chainId: 1, verifyingContract: usdc },
      })
      expect(typedData.message).toMatchObject({
        owner: carol.address,
        spender: router,
        value: amountIn.toString(),
        nonce: '0',
      })
      if ('deadline' in trade) expect(typedData.message.deadline).toBe(trade.deadline)
      expect(isSplit(body)).toBe(name === 'a split')

      const { tx, gas } = await signed(answer, carol)
      const done = await carryOut(service.nodeUrl, answer, { tx, trade, feeReceiver })
      expect(done.status).toBe('success')
      const fee = 'fee' in trade ? amountIn / 100n : 0n
      expect(done.deltas).toEqual([-amountIn, BigInt(body.amountOut), 0n, 0n, fee])
      expect(done.allowed).toEqual([0n, 0n])
      expect(done.gasUsed).toBe(gas)
    },
  )

  test('an allowance given before is replaced by the signed one, and used up', async () => {
    const trade = { tokenIn: usdc, tokenOut: weth, amountIn: '1000000' }
    const answer = await route({ ...trade, fromAddress: alice.address })
    const { tx, gas } = await signed(answer, alice)
    const done = await carryOut(service.nodeUrl, answer, { tx, trade })
    expect(done).toMatchObject({ status: 'success', allowed: [0n, 0n], gasUsed: gas })
    expect(done.deltas).toEqual([-1_000_000n, BigInt(answer.body.amountOut), 0n, 0n])
  })

  test('a signature that a stranger has submitted before runs the order all the same', async () => {
    const trade = { tokenIn: usdc, tokenOut: weth, amountIn: '1000000' }
    const answer = await route(trade)
    const { tx, signature } = await signed(answer, carol)
    const { owner, spender, value, deadline } = answer.body.permit.typedData.message
    const { r, s, yParity } = parseSignature(signature)
    const data = encodeFunctionData({
      abi: permitAbi,
      args: [owner, spender, BigInt(value), BigInt(deadline), 27 + yParity, r, s],
    })
    const first = [{ from: bob.address, to: usdc, data, value: '0', key: bob.privateKey }]
    const done = await carryOut(service.nodeUrl, answer, { tx, trade, first })
    expect(done).toMatchObject({ status: 'success', allowed: [0n, 0n] })
    expect(done.deltas).toEqual([-1_000_000n, BigInt(answer.body.amountOut), 0n, 0n])
  })

  test("somebody else's signature, one for another amount or nonce, and the stand-in take nothing", async () => {
    const trade = { tokenIn: usdc, tokenOut: weth, amountIn: '1000000' }
    const answer = await route(trade)
    const send = (tx: Awaited<ReturnType<typeof signed>>['tx']) =>
      carryOut(service.nodeUrl, answer, { tx, trade })
    const nothing = { status: 'reverted', deltas: [0n, 0n, 0n, 0n] }
    expect(await send((await signed(answer, carol, bob)).tx)).toMatchObject(nothing)
    for (const change of [{ value: '1000001' }, { nonce: '1' }]) {
      const other = { ...answer, body: structuredClone(answer.body) }
      Object.assign(other.body.permit.typedData.message, change)
      expect(await send((await signed(other, carol)).tx)).toMatchObject(nothing)
    }
    expect(await send({ ...answer.body.tx, key: carol.privateKey })).toMatchObject(nothing)
  })

  test('balances are checked all the same, and without a permit the allowance is', async () => {
    const trade = { tokenIn: usdc, tokenOut: weth, executionMode: 'user' }
    const much = await route({ ...trade, amountIn: '1000000000000000' })
    expect([much.status, much.body.code]).toEqual([400, 'INSUFFICIENT_BALANCE'])
    const without = await route({ ...trade, amountIn: '1000000', permit: 'false' })
    expect([without.status, without.body.code]).toEqual([400, 'INSUFFICIENT_ALLOWANCE'])
  })

  test('it is explained like any route', async () => {
    const trade = { tokenIn: usdc, tokenOut: weth, amountIn: '1000000' }
    const { body } = await route({ ...trade, explain: 'true' })
    expect(body.permit.kind).toBe('eip2612')
    const chosen = body.candidates.find(({ status }: { status: string }) => status === 'chosen')
    expect(chosen).toMatchObject({ amountOut: body.amountOut, gas: body.gas })
  })
})

describe('Permit2', () => {
  test.each([
    ['a path', 'router', { tokenIn: usdt, tokenOut: nativeToken, amountIn: '1000000000' }],
    ['a split', 'router', { tokenIn: dai, tokenOut: weth, amountIn: `2${'0'.repeat(24)}` }],
    ['without an event', 'router-legacy', { tokenIn: usdc, tokenOut: dai, amountIn: '700000000' }],
    [
      'a fee',
      'router',
      { tokenIn: usdt, tokenOut: dai, amountIn: '500000000', fee: '100', feeReceiver },
    ],
    [
      'a stated output',
      'router',
      { tokenIn: dai, tokenOut: weth, amountOut: `1${'0'.repeat(17)}` },
    ],
  ])(
    '%s: delivers amountOut for amountIn, at the gas of the answer',
    async (name, routingStrategy, trade) => {
      const { tokenIn } = trade
      const answer = await route({
        ...trade,
        routingStrategy,
        fromAddress: alice.address,
        executionMode: 'backend',
      })
      expect(answer.status, answer.text).toBe(200)
      const { body } = answer
      const amountIn = BigInt(body.amountIn ?? ('amountIn' in trade ? trade.amountIn : 0))
      expect(body.permit.kind).toBe('permit2')
      expect(body.permit.typedData.message).toMatchObject({
        permitted: { token: tokenIn, amount: amountIn.toString() },
        spender: executorAddress(alice.address),
      })
      expect(isSplit(body)).toBe(name === 'a split')
      const { tx, gas } = await signed(answer, alice)
      const own = { from: alice.address, to: tokenIn, value: '0', key: alice.privateKey }
      const done = await carryOut(service.nodeUrl, answer, {
        tx,
        trade,
        feeReceiver,
        first: [{ ...own, data: permit2Approval(amountIn) }],
      })
      expect(done.status).toBe('success')
      const fee = name === 'a fee' ? amountIn / 100n : 0n
      expect(done.deltas).toEqual([-amountIn, BigInt(body.amountOut), 0n, 0n, fee])
      expect(done.gasUsed).toBe(gas)
    },
  )

  test("somebody else's signature, and one for another amount, take nothing", async () => {
    const trade = { tokenIn: dai, tokenOut: weth, amountIn: `1${'0'.repeat(18)}` }
    const answer = await route({
      ...trade,
      fromAddress: alice.address,
      executionMode: 'backend',
    })
    const own = { from: alice.address, to: dai, value: '0', key: alice.privateKey }
    const send = (tx: Awaited<ReturnType<typeof signed>>['tx']) =>
      carryOut(service.nodeUrl, answer, {
        tx,
        trade,
        first: [{ ...own, data: permit2Approval(10n ** 24n) }],
      })
    const nothing = { status: 'reverted', deltas: [0n, 0n, 0n, 0n] }
    expect(await send((await signed(answer, alice, bob)).tx)).toMatchObject(nothing)
    const other = { ...answer, body: structuredClone(answer.body) }
    other.body.permit.typedData.message.permitted.amount = '1000000000000000001'
    expect(await send((await signed(other, alice)).tx)).toMatchObject(nothing)
    // The stand-in itself is nobody's.
    expect(await send({ ...answer.body.tx, key: alice.privateKey })).toMatchObject(nothing)
  })

  test.each([{ amountIn: `1${'0'.repeat(18)}` }, { amountOut: `1${'0'.repeat(15)}` }])(
    "%o: with the sender's own funds Permit2 must have been allowed, and nobody else",
    async (amount) => {
      const { status, body } = await route({
        tokenIn: dai,
        tokenOut: weth,
        executionMode: 'user',
        ...amount,
        fromAddress: alice.address,
      })
      expect({ status, code: body.code, spender: body.details.spender }).toEqual({
        status: 400,
        code: 'INSUFFICIENT_ALLOWANCE',
        spender: permit2Address,
      })
    },
  )
})

test.each([
  [{ tokenIn: nativeToken }, 'permit must not be given for the native token'],
  [{ routingStrategy: 'delegate' }, 'permit must not be given without a router strategy'],
  [{ tokenIn: `${usdc},${dai}`, amountIn: '1,2' }, 'permit must not be given with several tokenIn'],
  [{ permit: 'yes' }, 'permit must be true or false'],
  [{ fromAddress: usdc }, `permit must not be given: ${usdc} is a contract`],
])('%o is a 400', async (change, message) => {
  const { status, body } = await route({
    tokenIn: usdc,
    tokenOut: weth,
    amountIn: '1000000',
    ...change,
  })
  expect({ status, message: [body.message].flat().join(' ') }).toEqual({
    status: 400,
    message: expect.stringContaining(message),
  })
})
