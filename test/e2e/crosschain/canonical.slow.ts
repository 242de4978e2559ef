/**
 * Deposits over the canonical bridge from the transaction to the delivery, which a script includes that shares no code
 * with the service: paid, carried out as an order, held up and tried again, and refused.
 */
import {
  type Address,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  http,
  parseAbi,
  parseEther,
  parseEventLogs,
  publicActions,
  slice,
  type TransactionReceipt,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { base as baseChain } from '../../../src/chains/base.js'
import { nativeToken } from '../../../src/domain/primitives.js'
import { executorAddress, executorContracts } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { basePlan } from '../../../src/sandbox/plans/base.js'
import { ethereumPlan } from '../../../src/sandbox/plans/ethereum.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { allBut } from '../../support/bridges/all-but.js'
import { rawTransfers } from '../../support/bridges/raw-transfers.js'
import { runCli } from '../../support/cli.js'
import { receiptOf } from '../../support/mined.js'
import { startService, type TestService } from '../../support/service/service.js'

const portal = '0x49048044d57e1c92a77f79988d21fa8faf74e97e'
const superchainConfig = '0x95703e0982140d16f8eba6d158fccede42f04a4c'
const messenger = '0x4200000000000000000000000000000000000007'
const abi = parseAbi([
  'event TransactionDeposited(address indexed from, address indexed to, uint256 indexed version, bytes opaqueData)',
  'function depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes data) payable',
  'function approve(address spender, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
  'function pause(string identifier)',
  'function unpause()',
])
const [alice, carol] = [sandboxAccount('alice'), sandboxAccount('carol')]
const usdc = basePlan.market.token('USDC').address
const [dai, daiOnBase] = [ethereumPlan, basePlan].map(
  ({ market }) => market.token('DAI').address,
) as [Address, Address]
const amountIn = parseEther('1.25')
/** Takes nothing. */
const refusing: Hex = '0x60006000fd'

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

const nodeOf = ({ url }: Sandbox) =>
  createTestClient({ mode: 'anvil', transport: http(url) }).extend(publicActions)

/** By an account of the sandbox, with what an answer says, or a call of its own. */
async function mined(
  of: Sandbox,
  tx: {
    readonly to: Address
    readonly data: Hex
    readonly value?: bigint
    readonly gas?: bigint
  },
  { privateKey } = alice,
): Promise<TransactionReceipt> {
  const { client } = rawTransfers(of.chainId, of.url)
  const account = privateKeyToAccount(privateKey)
  const wallet = createWalletClient({ account, transport: http(of.url) })
  const hash = await wallet.sendTransaction({ gas: 6_000_000n, ...tx, chain: client.chain })
  const receipt = await receiptOf(client, hash)
  expect(receipt.status).toBe('success')
  return receipt
}

/** What a rollup node makes of a deposit. */
async function included({ logs }: TransactionReceipt): Promise<TransactionReceipt> {
  const [event] = parseEventLogs({ abi, logs, eventName: 'TransactionDeposited' })
  const { from, to, opaqueData } = event?.args ?? { from: portal, to: portal, opaqueData: '0x' }
  const value = hexToBigInt(slice(opaqueData, 32, 64))
  const node = nodeOf(base)
  await node.impersonateAccount({ address: from })
  await node.setBalance({ address: from, value: value + parseEther('10') })
  const { client } = rawTransfers(8453, base.url)
  const wallet = createWalletClient({ account: from, transport: http(base.url) })
  const data = slice(opaqueData, 73)
  const gas = hexToBigInt(slice(opaqueData, 64, 72))
  const hash = await wallet.sendTransaction({ to, data, value, gas, chain: client.chain })
  return receiptOf(client, hash)
}

function asked(query: Record<string, string>) {
  return service.get('/api/v1/shortcuts/route', {
    chainId: '1',
    destinationChainId: '8453',
    fromAddress: alice.address,
    tokenIn: nativeToken,
    amountIn: String(amountIn),
    ignoreBridges: allBut('canonical'),
    crosschainRouteMode: 'full',
    ...query,
  })
}

/** Sends what is answered. */
async function sentFor(query: Record<string, string>): Promise<TransactionReceipt> {
  const { status, text, body } = await asked(query)
  expect(status, text).toBe(200)
  const { to, data, value } = body.tx
  return mined(ethereum, { to, data, value: BigInt(value) })
}

async function check(txHash: Hex) {
  const { status, body, text } = await service.get('/api/v1/canonical/bridge/check', {
    chainId: '1',
    txHash,
  })
  expect(status, text).toBe(200)
  return body
}

/** Asks until the service has seen the block. */
async function checkedAt(txHash: Hex, block: bigint) {
  for (;;) {
    const body = await check(txHash)
    if (body.destinationBlockNumber >= Number(block)) return body
  }
}

const receiver = '0x00000000000000000000000000000000000cafe1'

describe('GET /canonical/bridge/check', () => {
  test('a deposit whose receiver takes no ether waits, and anybody frees it by the transaction of the answer', async () => {
    const sent = await sentFor({ tokenOut: nativeToken, receiver })
    const hash = sent.transactionHash
    const first = await check(hash)
    expect(first).toMatchObject({
      status: 'inflight',
      destinationChainId: 8453,
      sourceEvent: {
        bridge: 'canonical',
        token: nativeToken,
        amount: String(amountIn),
        receiver,
        hasMessage: false,
      },
    })
    expect(first).not.toHaveProperty('retry')
    const node = nodeOf(base)
    await node.setCode({ address: receiver, bytecode: refusing })
    const relay = await included(sent)
    expect(relay.status).toBe('success')
    const held = await checkedAt(hash, relay.blockNumber)
    expect(held).toMatchObject({
      status: 'inflight',
      error: expect.stringMatching(
        /Anybody may have it tried again. That would fail now: reverted without a reason.$/,
      ),
      retry: { to: messenger, value: '0', gas: expect.stringMatching(/^\d{6,}$/) },
    })
    expect(await node.getBalance({ address: receiver })).toBe(0n)
    const { out, code } = await runCli(
      ['track', hash, '--chain', '1', '--url', service.url, '--timeout', '1'],
      { FORKROUTE_KEY: service.key },
    )
    expect(code).toBe(2)
    expect(out).toContain(held.retry.data)

    await node.setCode({ address: receiver, bytecode: '0x' })
    const { to, data, gas } = held.retry
    const freed = await mined(base, { to, data, gas: BigInt(gas) }, carol)
    const delivered = await checkedAt(hash, freed.blockNumber)
    expect(delivered).toMatchObject({
      status: 'delivered',
      destinationTxHash: freed.transactionHash,
    })
    expect(delivered).not.toHaveProperty('retry')
    expect(await node.getBalance({ address: receiver })).toBe(amountIn)
  })

  test('a deposit with an order is delivered when that has run', async () => {
    const sent = await sentFor({ tokenOut: usdc })
    expect(await check(sent.transactionHash)).toMatchObject({
      status: 'inflight',
      sourceEvent: { hasMessage: true, amount: String(amountIn) },
    })
    const relay = await included(sent)
    const { code, out } = await runCli(
      ['track', sent.transactionHash, '--chain', '1', '--url', service.url, '--json'],
      { FORKROUTE_KEY: service.key },
    )
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      status: 'delivered',
      destinationTxHash: relay.transactionHash,
    })
  })

  test('tokens whose payment has failed are paid by the transaction of the answer', async () => {
    await mined(ethereum, {
      to: dai,
      data: encodeFunctionData({
        abi,
        functionName: 'approve',
        args: [executorAddress(alice.address), amountIn],
      }),
    })
    const sent = await sentFor({ tokenIn: dai, tokenOut: daiOnBase, receiver })
    const sourceEvent = { bridge: 'canonical', token: daiOnBase, receiver, hasMessage: false }
    expect(await check(sent.transactionHash)).toMatchObject({
      status: 'inflight',
      sourceEvent: { ...sourceEvent, amount: String(amountIn) },
    })
    const node = nodeOf(base)
    const code = (await node.getCode({ address: daiOnBase })) ?? '0x'
    await node.setCode({ address: daiOnBase, bytecode: refusing })
    const relay = await included(sent)
    const held = await checkedAt(sent.transactionHash, relay.blockNumber)
    expect(held).toMatchObject({ status: 'inflight', retry: { to: messenger, value: '0' } })
    await node.setCode({ address: daiOnBase, bytecode: code })
    const { to, data, gas } = held.retry
    const freed = await mined(base, { to, data, gas: BigInt(gas) }, carol)
    const delivered = await checkedAt(sent.transactionHash, freed.blockNumber)
    expect(delivered).toMatchObject({
      status: 'delivered',
      destinationTxHash: freed.transactionHash,
    })
    const args = [receiver] as const
    expect(
      await node.readContract({ abi, address: daiOnBase, functionName: 'balanceOf', args }),
    ).toBe(amountIn)
  })

  test('what was deposited past the messenger is unknown, and the reason says so', async () => {
    const args = [receiver, 1_000n, 100_000n, false, '0x'] as const
    const data = encodeFunctionData({ abi, functionName: 'depositTransaction', args })
    const sent = await mined(ethereum, { to: portal, data, value: 1_000n })
    expect(await check(sent.transactionHash)).toMatchObject({
      status: 'unknown',
      error: expect.stringContaining('past the messenger'),
      sourceEvent: { amount: '1000', receiver },
    })
  })

  test('an order that fails is failed, and its fallback receiver is paid the ether', async () => {
    const sent = await sentFor({ tokenOut: usdc, receiver })
    const node = nodeOf(base)
    const before = await node.getBalance({ address: receiver })
    const { address, runtimeCode } = executorContracts.DestinationExecutor
    await node.setCode({ address, bytecode: refusing })
    const relay = await included(sent)
    await node.setCode({ address, bytecode: runtimeCode })
    const answer = await checkedAt(sent.transactionHash, relay.blockNumber)
    expect(answer).toMatchObject({ status: 'failed', destinationTxHash: relay.transactionHash })
    expect(answer.error).toContain('its fallback receiver was paid what was delivered')
    expect(await node.getBalance({ address: receiver })).toBe(before + amountIn)
  })
})

describe('GET /shortcuts/route', () => {
  test('a receiver that takes no ether is a 422', async () => {
    const address = '0x00000000000000000000000000000000000cafe2'
    await nodeOf(base).setCode({ address, bytecode: refusing })
    await nodeOf(base).mine({ blocks: 1 })
    const { status, body } = await asked({ tokenOut: nativeToken, receiver: address })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'SIMULATION_REVERTED' })
    expect(body.details).toMatchObject({ receiver: address, token: nativeToken })
  })

  test('the messenger of the destination is no receiver', async () => {
    const { status } = await asked({ tokenOut: nativeToken, receiver: messenger })
    expect(status).toBe(400)
  })

  test('a paused portal takes no deposit', async () => {
    const config = { to: superchainConfig, value: 0n } as const
    const pause = encodeFunctionData({ abi, functionName: 'pause', args: ['test'] })
    const paused = await mined(ethereum, { ...config, data: pause }, sandboxAccount('deployer'))
    // Until the service has seen the block.
    let answer = await asked({ tokenOut: nativeToken })
    while (answer.body.blockNumber < Number(paused.blockNumber)) {
      answer = await asked({ tokenOut: nativeToken })
    }
    expect(answer.body.details.lanes[0]).toMatchObject({
      bridge: 'canonical',
      symbol: 'ETH',
      message: expect.stringContaining('paused'),
    })
    const unpause = encodeFunctionData({ abi, functionName: 'unpause' })
    await mined(ethereum, { ...config, data: unpause }, sandboxAccount('deployer'))
  })

  test('no deposit leads back', async () => {
    const back = { chainId: '8453', destinationChainId: '1' }
    const { status, body } = await asked({ ...back, tokenOut: nativeToken })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'NO_ROUTE' })
    expect(baseChain.bridges?.canonical).toMatchObject({ settlesOn: 1 })
  })
})
