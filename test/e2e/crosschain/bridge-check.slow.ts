/**
 * Where a transfer is, from the deposit to the delivery: plain deposits and deliveries on two sandboxes, by nobody who
 * shares code with the service, and the service's own answers in between.
 */
import {
  type Address,
  createTestClient,
  createWalletClient,
  decodeEventLog,
  encodeFunctionData,
  type Hex,
  hexToNumber,
  http,
  keccak256,
  pad,
  parseAbi,
  slice,
  type TransactionReceipt,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainById } from '../../../src/chains/registry.js'
import { nativeToken } from '../../../src/domain/primitives.js'
import { acrossRelayer, layerZeroExecutor } from '../../../src/sandbox/accounts.js'
import { bridgeAddresses, messageLibrary } from '../../../src/sandbox/bridges/bridge-addresses.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { bridgeAbi, rawTransfers } from '../../support/bridges/raw-transfers.js'
import { runCli } from '../../support/cli.js'
import { receiptOf } from '../../support/mined.js'
import { startBadNode } from '../../support/nodes/bad-node.js'
import { startService, type TestService } from '../../support/service/service.js'

const receiver = '0x00000000000000000000000000000000000cafe0'
const deliveryAbi = parseAbi([
  'struct Relay { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }',
  'function fillRelay(Relay relayData, uint256 repaymentChainId, bytes32 repaymentAddress)',
  'struct Origin { uint32 srcEid; bytes32 sender; uint64 nonce; }',
  'function verify(Origin origin, address receiver, bytes32 payloadHash)',
  'function lzReceive(Origin origin, address receiver, bytes32 guid, bytes message, bytes extraData) payable',
])

let ethereum: Sandbox
let base: Sandbox
let service: TestService

beforeAll(async () => {
  ;[ethereum, base] = await Promise.all([
    startSandbox({ chainId: 1 }),
    startSandbox({ chainId: 8453 }),
  ])
  service = await startService({
    RPC_URL_1: ethereum.url,
    RPC_URL_8453: base.url,
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
})

afterAll(async () => {
  await service?.stop()
  await ethereum?.stop()
  await base?.stop()
})

function addressesOn(chainId: number) {
  const chain = chainById(chainId)
  if (!chain) throw new RangeError(`no chain ${chainId}`)
  return bridgeAddresses(chain)
}

const check = (bridge: string, txHash: Hex, of = service) =>
  of.get(`/api/v1/${bridge}/bridge/check`, { chainId: '1', txHash })

/** Asks until the service has seen the block; each answer in between says that it is on its way. */
async function checkedAt(bridge: string, txHash: Hex, block: bigint, of = service) {
  for (;;) {
    const { status, body, text } = await check(bridge, txHash, of)
    expect(status, text).toBe(200)
    if (body.destinationBlockNumber >= Number(block)) return body
    expect(body.status).toBe('inflight')
  }
}

/** In the name of one of those who deliver, who have funds on each chain. */
async function relayed(
  to: Address,
  data: Hex,
  { privateKey } = layerZeroExecutor,
): Promise<TransactionReceipt> {
  const { client } = rawTransfers(8453, base.url)
  const wallet = createWalletClient({
    account: privateKeyToAccount(privateKey),
    transport: http(base.url),
  })
  const hash = await wallet.sendTransaction({ to, data, chain: client.chain, gas: 2_000_000n })
  const receipt = await receiptOf(client, hash)
  expect(receipt.status).toBe('success')
  return receipt
}

function eventIn<const Name extends 'FundsDeposited' | 'PacketSent'>(
  { logs }: TransactionReceipt,
  name: Name,
) {
  for (const { topics, data } of logs) {
    try {
      const { args } = decodeEventLog({ abi: bridgeAbi, eventName: name, topics, data })
      return args
    } catch {}
  }
  throw new Error(`no ${name}`)
}

function deposit() {
  const [here, there] = [addressesOn(1), addressesOn(8453)]
  return rawTransfers(1, ethereum.url).deposit({
    spokePool: here.spokePool,
    to: receiver,
    destinationChainId: 8453,
    inputToken: here.acrossTokens.get('USDC') as Address,
    outputToken: there.acrossTokens.get('USDC') as Address,
    inputAmount: 1_000_000_000n,
    outputAmount: 999_000_000n,
  })
}

function fill(receipt: TransactionReceipt) {
  const {
    destinationChainId: _,
    quoteTimestamp: _quoted,
    ...relay
  } = eventIn(receipt, 'FundsDeposited')
  const data = encodeFunctionData({
    abi: deliveryAbi,
    functionName: 'fillRelay',
    args: [{ ...relay, originChainId: 1n }, 8453n, pad(acrossRelayer.address)],
  })
  return relayed(addressesOn(8453).spokePool, data, acrossRelayer)
}

describe('GET /{bridge}/bridge/check', () => {
  test('across: inflight after the deposit, delivered after the fill, by the command, too', async () => {
    const sent = await deposit()
    const { body } = await check('across', sent.transactionHash)
    expect(body).toMatchObject({
      sourceChainId: 1,
      sourceTxHash: sent.transactionHash,
      destinationChainId: 8453,
      status: 'inflight',
      sourceEvent: {
        bridge: 'across',
        amount: '999000000',
        receiver,
        hasMessage: false,
        token: addressesOn(8453).acrossTokens.get('USDC'),
        blockNumber: Number(sent.blockNumber),
      },
    })
    expect(body).not.toHaveProperty('destinationTxHash')
    const filled = await fill(sent)
    const delivered = await checkedAt('across', sent.transactionHash, filled.blockNumber)
    expect(delivered).toMatchObject({
      status: 'delivered',
      destinationTxHash: filled.transactionHash,
      destinationEvent: { blockNumber: Number(filled.blockNumber) },
    })
    expect(delivered).not.toHaveProperty('error')
    const { code, out, err } = await runCli(
      ['track', sent.transactionHash, '--chain', '1', '--url', service.url, '--json'],
      { FORKROUTE_KEY: service.key },
    )
    expect({ code, err }).toMatchObject({ code: 0 })
    expect(JSON.parse(out)).toMatchObject({ status: 'delivered', sourceEvent: body.sourceEvent })
  })

  test('stargate, by either name: inflight until the packet is received', async () => {
    const [here, there] = [addressesOn(1), addressesOn(8453)]
    const chain = rawTransfers(1, ethereum.url)
    const pools = await service.get('/api/v1/layerzero/pool', {
      token: nativeToken,
      destinationChainId: '8453',
    })
    const [{ pool, destinationData }] = pools.body
    const transfer = { pool, eid: there.eid, amount: 2n * 10n ** 18n, to: receiver } as const
    const { nativeFee, received } = await chain.quote(transfer)
    const sent = await chain.send(transfer, nativeFee)
    const { body } = await check('layerzero', sent.transactionHash)
    expect(body).toMatchObject({
      status: 'inflight',
      sourceEvent: { bridge: 'stargate', token: destinationData.token, amount: `${received}` },
    })
    const { encodedPayload: packet } = eventIn(sent, 'PacketSent')
    const origin = {
      srcEid: hexToNumber(slice(packet, 9, 13)),
      sender: slice(packet, 13, 45),
      nonce: BigInt(slice(packet, 1, 9)),
    }
    expect(origin.srcEid).toBe(here.eid)
    const to = slice(packet, 61, 81)
    const [guid, message] = [slice(packet, 81, 113), slice(packet, 113)]
    await relayed(
      messageLibrary,
      encodeFunctionData({
        abi: deliveryAbi,
        functionName: 'verify',
        args: [origin, to, keccak256(slice(packet, 81))],
      }),
    )
    const done = await relayed(
      there.endpoint,
      encodeFunctionData({
        abi: deliveryAbi,
        functionName: 'lzReceive',
        args: [origin, to, guid, message, '0x'],
      }),
    )
    const delivered = await checkedAt('stargate', sent.transactionHash, done.blockNumber)
    expect(delivered).toMatchObject({
      status: 'delivered',
      destinationTxHash: done.transactionHash,
      sourceEvent: { id: guid },
    })
  })

  test('a transaction of another bridge is unknown, and says of which it is', async () => {
    const sent = await deposit()
    const { body } = await check('stargate', sent.transactionHash)
    expect(body).toMatchObject({ status: 'unknown', error: expect.stringContaining('across') })
    expect(body).not.toHaveProperty('sourceEvent')
  })

  test('one that nobody knows, and bridges that are not installed: NOT_FOUND', async () => {
    const hash = `0x${'ab'.repeat(32)}` as const
    const nobodys = await check('across', hash)
    expect(nobodys.status).toBe(404)
    expect(nobodys.body.message).toContain(`${hash} on chain 1`)
    for (const bridge of ['ccip', 'relay']) {
      const { status, body } = await check(bridge, hash)
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
      expect(body.message).toContain(`The bridge ${bridge} is not installed here`)
    }
  })

  test('a transaction that waits is pending, and that is all there is to say', async () => {
    const { client } = rawTransfers(1, ethereum.url)
    const wallet = createWalletClient({
      account: privateKeyToAccount(acrossRelayer.privateKey),
      transport: http(ethereum.url),
    })
    const node = createTestClient({ mode: 'anvil', transport: http(ethereum.url) })
    await node.setAutomine(false)
    try {
      const hash = await wallet.sendTransaction({ to: receiver, value: 1n, chain: client.chain })
      const { body } = await check('across', hash)
      expect(body).toEqual({ sourceChainId: 1, sourceTxHash: hash, status: 'pending' })
    } finally {
      await node.setAutomine(true)
      await node.mine({ blocks: 1 })
    }
  })

  test('a source transaction that reverted is failed', async () => {
    const { client } = rawTransfers(1, ethereum.url)
    const wallet = createWalletClient({
      account: privateKeyToAccount(acrossRelayer.privateKey),
      transport: http(ethereum.url),
    })
    const to = addressesOn(1).spokePool
    const data = '0x12345678'
    const hash = await wallet.sendTransaction({ to, data, chain: client.chain, gas: 100_000n })
    await receiptOf(client, hash)
    const { body } = await check('across', hash)
    expect(body).toEqual({
      sourceChainId: 1,
      sourceTxHash: hash,
      status: 'failed',
      error: 'The source transaction reverted: nothing was sent.',
    })
  })
})

test('nodes without events: delivered by state, without the name of the transaction', async () => {
  const node = await startBadNode(base.url, { lacks: ['logs'] })
  const other = await startService({ RPC_URL_1: ethereum.url, RPC_URL_8453: node.url })
  try {
    const sent = await deposit()
    const filled = await fill(sent)
    const body = await checkedAt('across', sent.transactionHash, filled.blockNumber, other)
    expect(body).toMatchObject({ status: 'delivered', destinationChainId: 8453 })
    expect(body).not.toHaveProperty('destinationTxHash')
  } finally {
    await other.stop()
    await node.stop()
  }
})

test('a destination whose node is down: 503 that names its chain', async () => {
  const node = await startBadNode(base.url, { isDead: true })
  const other = await startService({ RPC_URL_1: ethereum.url, RPC_URL_8453: node.url })
  try {
    const sent = await deposit()
    const { status, body } = await check('across', sent.transactionHash, other)
    expect(status, body.message).toBe(503)
    expect(body.message).toContain('hain 8453')
  } finally {
    await other.stop()
    await node.stop()
  }
})

describe('POST /api/experimental/multichain/shortcut/route', () => {
  const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
  const amountIn = '1000000000000000000'

  test('the transaction of /shortcuts/route, with its value in hexadecimal digits', async () => {
    const tokenOut = addressesOn(8453).acrossTokens.get('USDC') ?? ''
    const { status, body, text } = await service.post(
      '/api/experimental/multichain/shortcut/route',
      {
        amountIn,
        slippage: '50',
        fromAddress: alice,
        in: { sourceChainId: 1, token: nativeToken },
        out: { destinationChainId: 8453, token: tokenOut },
      },
    )
    expect(status, text).toBe(200)
    const route = await service.get('/api/v1/shortcuts/route', {
      chainId: '1',
      destinationChainId: '8453',
      fromAddress: alice,
      amountIn,
      tokenIn: nativeToken,
      tokenOut,
      blockNumber: String(body.createdAt),
    })
    expect(route.status, route.text).toBe(200)
    const { tx, createdAt } = route.body
    expect(body).toEqual({ createdAt, tx: { ...tx, value: `0x${BigInt(tx.value).toString(16)}` } })
    expect(BigInt(body.tx.value)).toBeGreaterThanOrEqual(BigInt(amountIn))
  })

  test('on the command line: both blocks, the fee, and each step with its chain', async () => {
    const route = ['route', '1', 'ETH', 'USDC', '--chain', '1', '--to-chain', '8453']
    const at = ['--from', alice, '--url', service.url]
    const { code, out, err } = await runCli([...route, ...at], { FORKROUTE_KEY: service.key })
    expect({ code, err }).toMatchObject({ code: 0 })
    for (const part of ['destination block', 'bridge fee', 'about', '1 to 8453', 'USDC']) {
      expect(out).toContain(part)
    }
    expect(out).toMatch(/bridge fee +│ [\d.]+ ETH/)
  })
})
