/**
 * Tokens over the standard bridge of the OP stack: delivered to the receiver on separate chains, refused where the pair is
 * not confirmed on either of them, and where an order would have to run.
 */
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nativeToken } from '../../../src/domain/primitives.js'
import { createRpcClient, type RpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { basePlan } from '../../../src/sandbox/plans/base.js'
import { ethereumPlan } from '../../../src/sandbox/plans/ethereum.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { allBut } from '../../support/bridges/all-but.js'
import { deliverOnFork, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import { startService, type TestService } from '../../support/service/service.js'

const standardBridge = '0x3154cf16ccdb4c6d922629664174b904d80f2c35'
const bridgeOnBase = '0x4200000000000000000000000000000000000010'
const abi = parseAbi(['function deposits(address locked, address minted) view returns (uint256)'])
const alice = sandboxAccount('alice').address
const receiver: Address = '0x00000000000000000000000000000000000cafe1'
const [dai, usdc] = ['DAI', 'USDC'].map((symbol) => ethereumPlan.market.token(symbol).address)
const there = (symbol: string) => basePlan.market.token(symbol).address
const amountIn = 1_234_567_890_123_456_789_012n

let sandboxes: Sandbox[]
let service: TestService
let nodes: RpcClient[]

beforeAll(async () => {
  sandboxes = await Promise.all([1, 8453].map((chainId) => startSandbox({ chainId })))
  nodes = sandboxes.map(({ url }) => createRpcClient(url))
  service = await startService({
    ...Object.fromEntries(sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])),
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
})

afterAll(async () => {
  await service?.stop()
  await Promise.all((nodes ?? []).map((node) => node.close()))
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

function asked(query: Record<string, string | undefined>) {
  const all = {
    chainId: '1',
    destinationChainId: '8453',
    fromAddress: alice,
    receiver,
    tokenIn: dai,
    tokenOut: there('DAI'),
    amountIn: String(amountIn),
    ignoreBridges: allBut('canonical'),
    crosschainRouteMode: 'full',
    ...query,
  }
  return service.get('/api/v1/shortcuts/route', all as Record<string, string>)
}

const place = ({ chainId, url }: Sandbox, blockNumber: number, blockTimeSeconds: number) => ({
  chainId,
  nodeUrl: url,
  blockNumber,
  blockTimeSeconds,
})

/** Carries out the answer on both sides. @returns what the receiver gained. */
async function carriedOut(body: Awaited<ReturnType<typeof asked>>['body'], token: Address) {
  const [ethereum, base] = sandboxes as [Sandbox, Sandbox]
  const source = place(ethereum, body.blockNumber, 12)
  const destination = place(base, body.destinationBlockNumber, 2)
  const sent = await sendOnFork(source, body.tx)
  expect(sent.status).toBe('success')
  const watch = { token, owner: receiver }
  const delivered = await deliverOnFork({ source, destination, logs: sent.logs, watch })
  return { sent, delivered }
}

/** Sets it, and waits until the service has seen a block with it. */
async function set(side: 0 | 1, method: string, params: readonly unknown[]): Promise<void> {
  const node = nodes[side] as RpcClient
  await node.request(method, params)
  await node.request('anvil_mine', ['0x1'])
  const head = Number(await node.request<Hex>('eth_blockNumber'))
  const field = side === 0 ? 'blockNumber' : 'destinationBlockNumber'
  const ether = { tokenIn: nativeToken, tokenOut: nativeToken }
  while ((await asked(ether)).body[field] < head);
}

const words = parseAbiParameters('address, bytes32')
/** Of `deposits`, the third of its variables, for the pair of DAI. */
const depositsOfDai = keccak256(
  encodeAbiParameters(words, [
    there('DAI'),
    keccak256(encodeAbiParameters(words, [dai as Address, numberToHex(2, { size: 32 })])),
  ]),
)

describe('POST /shortcuts/bundle', () => {
  const sent = (more: Record<string, unknown>) =>
    service.post(`/api/v1/shortcuts/bundle?chainId=1&fromAddress=${alice}`, [
      {
        protocol: 'canonical',
        action: 'bridge',
        args: {
          tokenIn: dai,
          amountIn: String(amountIn),
          primaryAddress: standardBridge,
          destinationChainId: 8453,
          receiver,
          ...more,
        },
      },
    ])

  test('sends tokens by the address of the standard bridge', async () => {
    const { status, body, text } = await sent({})
    expect(status, text).toBe(200)
    const { delivered } = await carriedOut(body, there('DAI'))
    expect(delivered).toMatchObject({ status: 'delivered', gained: amountIn })
  })

  test('refuses a callback, which nobody would call', async () => {
    const balance = { protocol: 'svc', action: 'balance', args: { token: there('DAI') } }
    const { status, body } = await sent({ callback: [balance] })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' })
    expect(body.message).toContain(`DAI over canonical (${standardBridge})`)
    expect(body.message).toContain('calls nobody')
  })
})

describe('GET /shortcuts/route', () => {
  test.each([
    { name: 'DAI', tokenIn: dai, tokenOut: there('DAI'), amount: amountIn },
    {
      name: 'USDC, which is USDbC there',
      tokenIn: usdc,
      tokenOut: there('USDbC'),
      amount: 9_876_543_210n,
    },
  ])('$name arrives whole', async (one) => {
    const { tokenIn, tokenOut, amount } = one
    const { status, body, text } = await asked({ tokenIn, tokenOut, amountIn: String(amount) })
    expect(status, text).toBe(200)
    expect(body.amountOut).toBe(String(amount))
    const { sent, delivered } = await carriedOut(body, tokenOut)
    expect(sent.gasUsed).toBe(BigInt(body.gas))
    expect(delivered).toMatchObject({ status: 'delivered', gained: amount })
  })

  test('what is swapped before it arrives as the token of the bridge', async () => {
    const { status, body, text } = await asked({
      tokenIn: nativeToken,
      amountIn: '2500000000000000000',
    })
    expect(status, text).toBe(200)
    const { delivered } = await carriedOut(body, there('DAI'))
    expect(delivered).toMatchObject({ status: 'delivered', gained: BigInt(body.amountOut) })
    expect(BigInt(body.minAmountOut)).toBeLessThan(BigInt(body.amountOut))
  })

  test('no order runs where tokens arrive, and the answer says why', async () => {
    const { status, body } = await asked({
      crosschainRouteMode: 'destination',
      tokenOut: there('USDC'),
    })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'NO_ROUTE' })
    expect(body.details.lanes).toEqual([
      {
        bridge: 'canonical',
        symbol: 'DAI',
        code: 'NO_ROUTE',
        message: expect.stringContaining('calls nobody'),
      },
    ])
    const ether = await asked({ tokenOut: there('USDC') })
    expect(ether.status, ether.text).toBe(200)
  })

  test('a pair of which nothing is locked is refused', async () => {
    const [ethereum] = nodes
    const data = encodeFunctionData({
      abi,
      functionName: 'deposits',
      args: [dai as Address, there('DAI')],
    })
    const locked = await ethereum?.request<Hex>('eth_call', [
      { to: standardBridge, data },
      'latest',
    ])
    expect(BigInt(locked ?? 0)).toBeGreaterThan(amountIn)
    await set(0, 'anvil_setStorageAt', [
      standardBridge,
      depositsOfDai,
      numberToHex(0, { size: 32 }),
    ])
    const { status, body } = await asked({ crosschainRouteMode: 'direct' })
    await set(0, 'anvil_setStorageAt', [standardBridge, depositsOfDai, locked])
    expect(status).toBe(422)
    expect(body.details.lanes).toMatchObject([
      {
        bridge: 'canonical',
        symbol: 'DAI',
        message: expect.stringContaining('nothing confirms the pair'),
      },
    ])
  })

  test('a token that is another’s over there is refused', async () => {
    const base = nodes[1]
    const code = async (token: Address) => base?.request<Hex>('eth_getCode', [token, 'latest'])
    const [own, other] = await Promise.all([code(there('DAI')), code(there('USDbC'))])
    await set(1, 'anvil_setCode', [there('DAI'), other])
    const { status, body } = await asked({ crosschainRouteMode: 'direct' })
    await set(1, 'anvil_setCode', [there('DAI'), own])
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'SIMULATION_REVERTED' })
    expect(JSON.stringify(body.details)).toContain('the message waits for another try')
  })

  test('the standard bridge and its tokens are no receivers', async () => {
    for (const one of [bridgeOnBase, there('DAI')]) {
      const { status } = await asked({ receiver: one })
      expect(status).toBe(400)
    }
  })
})
