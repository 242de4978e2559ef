/**
 * Routes that take their input by a signature: signed with keys of the sandbox's accounts, put where the answer says,
 * and sent on an Anvil of the test's own. Amounts to the unit, and gas to that of the signature's bytes.
 */
import { type Hex, hexToBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { executorAddress } from '../../../src/executor/deployments.js'
import { permit2Address, permit2Approval } from '../../../src/executor/permit2.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { executeOnFork } from '../../support/execute.js'
import type { Answer } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const { address: alice, privateKey } = sandboxAccount('alice')
const feeReceiver: Address = '0x00000000000000000000000000000000000cafe0'
const [usdc, dai, weth, usdt] = ['USDC', 'DAI', 'WETH', 'USDT'].map(
  (symbol) => sandboxToken(symbol).address,
) as [Address, Address, Address, Address]
/** A byte of call data that is zero costs 4 gas in place of 16. */
const zeroByteGas = 12n

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})
const route = (query: Record<string, string>) =>
  service.get('/api/v1/shortcuts/route', {
    fromAddress: alice,
    permit: 'true',
    executionMode: 'backend',
    ...query,
  })

/** The transaction with the owner's signature in the place of its stand-in. */
async function signed({ body }: Answer, key: Hex = privateKey) {
  const { typedData, signature } = body.permit
  const given = hexToBytes(await privateKeyToAccount(key).signTypedData(typedData))
  const data = hexToBytes(body.tx.data)
  data.set(given.slice(0, 32), signature.r)
  data.set(given.slice(32, 64), signature.s)
  data.set(given.slice(64), signature.v)
  const zeros = given.filter((byte) => byte === 0).length
  return {
    tx: { ...body.tx, data: `0x${Buffer.from(data).toString('hex')}` as Hex, key: privateKey },
    gas: BigInt(body.gas) - BigInt(zeros) * zeroByteGas,
  }
}

describe('Permit2', () => {
  test.each([
    ['one path', 'router', { tokenIn: usdc, tokenOut: nativeToken, amountIn: '1000000000' }],
    ['a split', 'router', { tokenIn: usdc, tokenOut: weth, amountIn: '2000000000000' }],
    [
      'without an event',
      'router-legacy',
      { tokenIn: dai, tokenOut: usdc, amountIn: `7${'0'.repeat(20)}` },
    ],
    [
      'a fee',
      'router',
      { tokenIn: usdt, tokenOut: dai, amountIn: '500000000', fee: '100', feeReceiver },
    ],
  ])(
    '%s: delivers amountOut for amountIn, at the gas of the answer',
    async (name, routingStrategy, trade) => {
      const { tokenIn, tokenOut } = trade
      const amountIn = BigInt(trade.amountIn)
      const answer = await route({ ...trade, routingStrategy })
      expect(answer.status, answer.text).toBe(200)
      const { body } = answer
      expect(body.permit.kind).toBe('permit2')
      expect(body.permit.typedData.message).toMatchObject({
        permitted: { token: tokenIn, amount: amountIn.toString() },
        spender: executorAddress(alice),
      })
      if (name === 'a split') {
        const legs = body.route.flatMap(
          (step: { internalRoutes?: object[] }) => step.internalRoutes ?? [],
        )
        expect(legs.length).toBeGreaterThan(1)
      }
      const { tx, gas } = await signed(answer)
      const own = { from: alice, to: tokenIn, value: '0', key: privateKey }
      const done = await executeOnFork({
        ...{ nodeUrl: service.nodeUrl, blockNumber: body.createdAt, tx },
        first: [{ ...own, data: permit2Approval(amountIn) }],
        watch: [
          { token: tokenIn, owner: alice },
          { token: tokenOut, owner: alice },
          { token: tokenIn, owner: feeReceiver },
          { token: tokenIn, owner: executorAddress(alice) },
        ],
      })
      expect(done.status).toBe('success')
      const fee = name === 'a fee' ? amountIn / 100n : 0n
      expect(done.deltas).toEqual([-amountIn, BigInt(body.amountOut), fee, 0n])
      expect(done.gasUsed).toBe(gas)
    },
  )

  test("somebody else's signature, and one for another amount, take nothing", async () => {
    const answer = await route({ tokenIn: usdc, tokenOut: weth, amountIn: '1000000' })
    const own = { from: alice, to: usdc, value: '0', key: privateKey }
    const send = async (tx: Awaited<ReturnType<typeof signed>>['tx']) =>
      executeOnFork({
        ...{ nodeUrl: service.nodeUrl, blockNumber: answer.body.createdAt, tx },
        first: [{ ...own, data: permit2Approval(10n ** 12n) }],
        watch: [{ token: usdc, owner: alice }],
      })
    const { tx } = await signed(answer, sandboxAccount('bob').privateKey)
    expect(await send(tx)).toMatchObject({ status: 'reverted', deltas: [0n] })
    const { typedData } = answer.body.permit
    typedData.message.permitted.amount = '1000001'
    const other = await signed(answer)
    expect(await send(other.tx)).toMatchObject({ status: 'reverted', deltas: [0n] })
    // The stand-in itself is nobody's.
    const asIs = { ...answer.body.tx, key: privateKey }
    expect(await send(asIs)).toMatchObject({ status: 'reverted', deltas: [0n] })
  })

  test("with the sender's own funds Permit2 must have been allowed, and nobody else", async () => {
    const { status, body } = await route({
      ...{ tokenIn: usdc, tokenOut: weth, amountIn: '1000000' },
      executionMode: 'user',
    })
    expect({ status, code: body.code, spender: body.details.spender }).toEqual({
      ...{ status: 400, code: 'INSUFFICIENT_ALLOWANCE' },
      spender: permit2Address,
    })
  })
})

test.each([
  [{ tokenIn: nativeToken }, 'permit must not be given for the native token'],
  [{ routingStrategy: 'delegate' }, 'permit must not be given without a router strategy'],
  [{ tokenIn: `${usdc},${dai}`, amountIn: '1,2' }, 'permit must not be given with several tokenIn'],
  [{ permit: 'yes' }, 'permit must be true or false'],
  [{ fromAddress: usdc }, `permit must not be given: ${usdc} is a contract`],
])('%o is a 400', async (change, message) => {
  const { status, body } = await route({
    ...{ tokenIn: usdc, tokenOut: weth, amountIn: '1000000' },
    ...change,
  })
  expect({ status, message: [body.message].flat().join(' ') }).toEqual({
    status: 400,
    message: expect.stringContaining(message),
  })
})
