/**
 * A newcomer's way: the route that a start prints, its transaction signed and sent to the sandbox, and followed until
 * the sandbox's own relayer has delivered it. Also what is promised when the relayer waits, and streams of two chains.
 */
import { createWalletClient, http, type TransactionReceipt } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { allBut } from '../../support/bridges/all-but.js'
import { rawTransfers } from '../../support/bridges/raw-transfers.js'
import { runCli } from '../../support/cli.js'
import { openStream } from '../../support/event-stream.js'
import { receiptOf } from '../../support/mined.js'
import { startService, type TestService } from '../../support/service/service.js'

const { address: alice, privateKey } = sandboxAccount('alice')
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdcThere: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const aero: Address = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'

let sandboxes: Sandbox[]
let service: TestService
const nodeOf = (chainId: number) => sandboxes.find((one) => one.chainId === chainId)?.url ?? ''

beforeAll(async () => {
  sandboxes = await startSandboxes([1, 8453])
  service = await startService({
    RPC_URL_1: nodeOf(1),
    RPC_URL_8453: nodeOf(8453),
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
})
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

type Body = Awaited<ReturnType<TestService['get']>>['body']

async function askedRoute(query: Record<string, string>): Promise<Body> {
  const { status, text, body } = await service.get('/api/v1/shortcuts/route', {
    chainId: '1',
    destinationChainId: '8453',
    fromAddress: alice,
    ...query,
  })
  expect(status, text).toBe(200)
  return body
}

async function sendFrom(chainId: number, { tx }: Body): Promise<TransactionReceipt> {
  const { client } = rawTransfers(chainId, nodeOf(chainId))
  const account = privateKeyToAccount(privateKey)
  const wallet = createWalletClient({ account, transport: http(nodeOf(chainId)) })
  const hash = await wallet.sendTransaction({
    to: tx.to,
    data: tx.data,
    value: BigInt(tx.value),
    chain: client.chain,
    gas: 3_000_000n,
  })
  const receipt = await receiptOf(client, hash)
  expect(receipt.status).toBe('success')
  return receipt
}

const track = (hash: string, ...more: string[]) =>
  runCli(['track', hash, '--chain', '1', '--url', service.url, '--json', ...more], {
    FORKROUTE_KEY: service.key,
  })

/** @returns the relayer's waiting deliveries, once it has done what it may. */
async function setRelayer(mode?: string): Promise<{ mode: string; waiting: unknown[] }> {
  const response = await fetch(nodeOf(1), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'sandbox_setRelayer',
      params: mode ? [mode] : [],
    }),
  })
  return ((await response.json()) as { result: { mode: string; waiting: unknown[] } }).result
}

test.each([
  [
    'across',
    allBut('across'),
    { tokenIn: nativeToken, tokenOut: usdcThere, amountIn: `${10n ** 18n}` },
  ],
  ['stargate', allBut('stargate'), { tokenIn: usdc, tokenOut: aero, amountIn: '300000000' }],
])(
  '%s: the route, its transaction, and what arrives of it',
  async (_bridge, ignoreBridges, query) => {
    const there = rawTransfers(8453, nodeOf(8453))
    const before = await there.balance(query.tokenOut, alice)
    await setRelayer('hold')
    const body = await askedRoute({ ...query, ignoreBridges })
    expect(body).toMatchObject({ simulatedPosition: 0, expiresAtBlock: null })
    const { transactionHash } = await sendFrom(1, body)
    const waiting = await track(transactionHash, '--timeout', '3')
    expect(waiting.code, waiting.err).toBe(2)
    expect(JSON.parse(waiting.out).status).toBe('inflight')
    expect((await setRelayer()).waiting).toHaveLength(1)
    expect(await there.balance(query.tokenOut, alice)).toBe(before)

    expect((await setRelayer('deliver')).waiting).toEqual([])
    const delivered = await track(transactionHash)
    expect(delivered.code, delivered.err).toBe(0)
    expect(JSON.parse(delivered.out)).toMatchObject({
      status: 'delivered',
      destinationChainId: 8453,
      destinationTxHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect((await there.balance(query.tokenOut, alice)) - before).toBe(BigInt(body.amountOut))
  },
)

test('a stream of a quote over a bridge goes on when either chain has a new block', async () => {
  const url = new URL('/api/v1/stream/quotes', service.url)
  const asked = { chainId: '1', destinationChainId: '8453', tokenIn: usdc, tokenOut: aero }
  url.search = String(new URLSearchParams({ ...asked, amountIn: '300000000' }))
  const headers = { authorization: `Bearer ${service.key}` }
  const stream = await openStream(url, { headers })
  const mine = (chainId: number) =>
    fetch(nodeOf(chainId), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] }),
    })
  try {
    const quoteOf = async () => (await stream.next()).body.quotes[0]
    const first = await quoteOf()
    expect(first).toMatchObject({ simulatedPosition: 0, expiresAtBlock: null })
    await mine(8453)
    const second = await quoteOf()
    expect(second.destinationBlockNumber).toBe(first.destinationBlockNumber + 1)
    expect(second.blockNumber).toBe(first.blockNumber)
    await mine(1)
    const third = await quoteOf()
    expect(third.blockNumber).toBe(first.blockNumber + 1)
  } finally {
    stream.close()
  }
})
