/** What may happen once an answer is given: nobody can be paid where it arrives, or the block that it is of is gone. */
import {
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  parseAbi,
  type TransactionReceipt,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import type { TestAnvil } from '../../support/anvil.js'
import { allBut } from '../../support/bridges/all-but.js'
import { deliverOnFork, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import { fuller, poolsOn } from '../../support/bridges/moved-pairs.js'
import { rawTransfers } from '../../support/bridges/raw-transfers.js'
import { openStream } from '../../support/event-stream.js'
import { receiptOf } from '../../support/mined.js'
import { startService, type TestService } from '../../support/service/service.js'

const { address: alice, privateKey } = sandboxAccount('alice')
const bob = sandboxAccount('bob').address
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdcThere: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const aero: Address = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'
const tokenAbi = parseAbi([
  'function blacklister() view returns (address)',
  'function blacklist(address account)',
  'function balanceOf(address owner) view returns (uint256)',
  'function transfer(address to, uint256 amount)',
])

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

const route = (query: Record<string, string>, from = service) =>
  from.get('/api/v1/shortcuts/route', {
    chainId: '1',
    destinationChainId: '8453',
    fromAddress: alice,
    ...query,
  })

const check = (bridge: string, txHash: Hex, from = service) =>
  from.get(`/api/v1/${bridge}/bridge/check`, { chainId: '1', txHash })

async function rpc<T = unknown>(url: string, method: string, params: readonly unknown[] = []) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

const onBase: Pick<TestAnvil, 'rpc'> = {
  rpc: (method, params) => rpc(nodeOf(8453), method, params),
}

/** As alice, who signs. */
async function sendFrom(url: string, { tx }: Body): Promise<TransactionReceipt> {
  const { client } = rawTransfers(1, url)
  const wallet = createWalletClient({
    account: privateKeyToAccount(privateKey),
    transport: http(url),
  })
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

/** @returns what waits, once the relayer has done what it can. */
async function relay(mode: string): Promise<readonly unknown[]> {
  const found = await rpc<{ waiting: unknown[] }>(nodeOf(1), 'sandbox_setRelayer', [mode])
  return found.waiting
}

/** From then on the receiver can be paid no ether, or no dollar, on Base. */
async function refuse(bridge: string, receiver: Address): Promise<void> {
  if (bridge === 'stargate') {
    await onBase.rpc('anvil_setCode', [receiver, '0x5f5ffd'])
    return
  }
  const asked = encodeFunctionData({ abi: tokenAbi, functionName: 'blacklister' })
  const word = await onBase.rpc<Hex>('eth_call', [{ to: usdcThere, data: asked }, 'latest'])
  const from: Address = `0x${word.slice(26)}`
  await onBase.rpc('anvil_impersonateAccount', [from])
  await onBase.rpc('anvil_setBalance', [from, numberToHex(10n ** 18n)])
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'blacklist', args: [receiver] })
  await onBase.rpc('eth_sendTransactionSync', [{ from, to: usdcThere, data, gas: '0x30d40' }])
}

test.each([
  ['stargate', allBut('stargate'), { tokenIn: nativeToken, amountIn: `${10n ** 17n}` }],
  ['across', allBut('across'), { tokenIn: usdc, amountIn: '250000000' }],
])(
  '%s: where neither the order nor the fallback can be paid, all of it waits and is delivered later',
  async (bridge, ignoreBridges, given) => {
    const receiver: Address = `0x${(bridge === 'stargate' ? 0xc0de1 : 0xc0de2).toString(16).padStart(40, '0')}`
    const { status, text, body } = await route({
      ...given,
      ignoreBridges,
      receiver,
      tokenOut: aero,
      ignoreStandards: 'uniswap-v3',
      crosschainRouteMode: 'destination',
    })
    expect(status, text).toBe(200)
    await refuse(bridge, receiver)
    const pairs = poolsOn(8453, body.route)
    const bridged = body.route.find(({ action }: { action: string }) => action === 'bridge')
    const into = body.route.find(
      ({ chainId, action }: { chainId: number; action: string }) =>
        chainId === 8453 && action === 'swap',
    ).tokenIn[0]
    await relay('hold')
    const { transactionHash } = await sendFrom(nodeOf(1), body)
    await fuller(pairs, into, 100n)(onBase)

    expect(await relay('deliver')).toHaveLength(1)
    const there = rawTransfers(8453, nodeOf(8453))
    const held = () =>
      Promise.all([
        there.balance(aero, receiver),
        there.balance(bridge === 'stargate' ? undefined : usdcThere, receiver),
      ])
    expect(await held()).toEqual([0n, 0n])
    const waiting = (await check(bridge, transactionHash)).body
    expect(waiting.status).toBe('inflight')
    expect(waiting).not.toHaveProperty('destinationTxHash')
    expect(await relay('deliver')).toHaveLength(1)
    expect((await check(bridge, transactionHash)).body.status).toBe('inflight')

    const delivered = async (expected: string) => {
      expect(await relay('deliver')).toEqual([])
      for (;;) {
        const { body: found } = await check(bridge, transactionHash)
        if (found.status === 'inflight') continue
        expect(found).toMatchObject({ status: expected, destinationChainId: 8453 })
        return found
      }
    }
    if (bridge === 'stargate') {
      // The receiver is mended: the fallback is paid.
      await onBase.rpc('anvil_setCode', [receiver, '0x'])
      await delivered('failed')
      expect(await held()).toEqual([0n, BigInt(bridged.amountOut[0])])
    } else {
      // The price comes back: the order pays what is not refused.
      await fuller(pairs, into, -90n)(onBase)
      await delivered('delivered')
      const [paid, left] = await held()
      expect(paid).toBeGreaterThanOrEqual(BigInt(body.minAmountOut))
      expect(left).toBe(0n)
    }
  },
)

test('a source whose head is replaced: routes are of the new chain, what is gone is not delivered, streams go on', async () => {
  // Alone: between chains that run together the relayer puts right what one of them has forgotten.
  const [node, there] = await Promise.all([
    startSandbox({ chainId: 1 }),
    startSandbox({ chainId: 8453 }),
  ])
  const other = await startService({
    RPC_URL_1: node.url,
    RPC_URL_8453: there.url,
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
  const url = new URL('/api/v1/stream/quotes', other.url)
  const quoted = { chainId: '1', destinationChainId: '8453', tokenIn: usdc, tokenOut: aero }
  url.search = String(new URLSearchParams({ ...quoted, amountIn: '300000000' }))
  const headers = { authorization: `Bearer ${other.key}` }
  const stream = await openStream(url, { headers })
  const tokensOf = { chainId: '1', destinationChainId: '8453', tokenIn: usdc, tokenOut: aero }
  const held = async () =>
    BigInt(
      await rpc<Hex>(node.url, 'eth_call', [
        {
          to: usdc,
          data: encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [alice] }),
        },
        'latest',
      ]),
    )
  try {
    const quoteAt = async (block: number) => {
      for (;;) {
        const [quote] = (await stream.next()).body.quotes
        if (quote.blockNumber >= block) return quote
      }
    }
    const before = await route({ ...tokensOf, amountIn: '300000000' }, other)
    expect(before.status, before.text).toBe(200)
    const first = before.body.blockNumber
    const snapshot = await rpc(node.url, 'evm_snapshot')
    const { transactionHash } = await sendFrom(node.url, before.body)
    const [bridge] = before.body.bridgingEstimates.map((one: { bridge: string }) => one.bridge)
    await quoteAt(first + 1)
    expect((await check(bridge, transactionHash, other)).body.status).toBe('inflight')

    // In its sibling, alice gives away all but five hundred dollars.
    const left = 500_000_000n
    const args = [bob, (await held()) + 300_000_000n - left] as const
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args })
    await rpc(node.url, 'evm_revert', [snapshot])
    await rawTransfers(1, node.url).execute(usdc, data)
    expect(await held()).toBe(left)
    await rpc(node.url, 'evm_mine')

    const quote = await quoteAt(first + 2)
    expect(quote.blockNumber).toBe(first + 2)
    const missing = await check(bridge, transactionHash, other)
    expect(missing.status).toBe(404)
    expect(missing.body.message).toContain(`${transactionHash} on chain 1`)

    const tooMuch = await route({ ...tokensOf, amountIn: String(left + 1n) }, other)
    expect(tooMuch.body.code, tooMuch.text).toBe('INSUFFICIENT_BALANCE')
    const { status, text, body } = await route({ ...tokensOf, amountIn: String(left) }, other)
    expect(status, text).toBe(200)
    expect(body.blockNumber).toBe(first + 2)
    const source = {
      chainId: 1,
      nodeUrl: node.url,
      blockNumber: first + 2,
      blockTimeSeconds: 12,
    }
    const sent = await sendOnFork(source, body.tx)
    expect(sent).toMatchObject({ status: 'success', gasUsed: BigInt(body.gas) })
    const destination = {
      chainId: 8453,
      nodeUrl: there.url,
      blockTimeSeconds: 2,
      blockNumber: body.destinationBlockNumber,
    }
    const watch = { token: aero, owner: alice }
    const delivered = await deliverOnFork({ source, destination, logs: sent.logs, watch })
    expect(delivered).toMatchObject({ status: 'delivered', gained: BigInt(body.amountOut) })

    // What was sent is sent once more, and waits.
    await rpc(node.url, 'evm_setAutomine', [false])
    const wallet = createWalletClient({
      account: privateKeyToAccount(privateKey),
      transport: http(node.url),
    })
    const again = await wallet.sendTransaction({
      to: before.body.tx.to,
      data: before.body.tx.data,
      value: BigInt(before.body.tx.value),
      chain: rawTransfers(1, node.url).client.chain,
      gas: 3_000_000n,
    })
    expect((await check(bridge, again, other)).body).toEqual({
      sourceChainId: 1,
      sourceTxHash: again,
      status: 'pending',
    })
    await rpc(node.url, 'evm_mine')
    await quoteAt(first + 3)
    expect((await check(bridge, again, other)).body.status).toBe('inflight')
  } finally {
    stream.close()
    await other.stop()
    await node.stop()
    await there.stop()
  }
})
