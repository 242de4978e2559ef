/**
 * CCTP on the sandbox: burns that nobody delivers unasked are claimed by the transaction that the service answers, fast ones
 * cost at most what the answer leaves out, and what the contracts of the source refuse is said before anything is signed.
 */
import {
  createWalletClient,
  encodeAbiParameters,
  type Hex,
  http,
  keccak256,
  numberToHex,
  pad,
  type TransactionReceipt,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cctpChain, landingOf } from '../../../src/bridges/cctp/chain.js'
import { base } from '../../../src/chains/base.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxPlan } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { caughtUp } from '../../support/bridges/caught-up.js'
import { deliverOnFork, type Place, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import { rawTransfers } from '../../support/bridges/raw-transfers.js'
import { receiptOf } from '../../support/mined.js'
import { startService, type TestService } from '../../support/service/service.js'

const { address: alice, privateKey } = sandboxAccount('alice')
const bob = sandboxAccount('bob')
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const usdcThere: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const aero: Address = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'
const others = 'across,stargate,canonical'

const [here, there] = [cctpChain(ethereum), cctpChain(base)]
if (!here || !there) throw new Error('no CCTP')

let sandboxes: Sandbox[]
let service: TestService
let blind: TestService
const nodeOf = (chainId: number) => sandboxes.find((one) => one.chainId === chainId)?.url ?? ''

beforeAll(async () => {
  sandboxes = await startSandboxes([1, 8453])
  const nodes = {
    RPC_URL_1: nodeOf(1),
    RPC_URL_8453: nodeOf(8453),
    RATE_LIMIT_PER_MINUTE: '1000000',
  }
  service = await startService({ ...nodes, CCTP_ATTESTATION_URL: `${nodeOf(1)}/` })
  blind = await startService(nodes)
})
afterAll(async () => {
  await service?.stop()
  await blind?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

async function rpc<T>(
  chainId: number,
  method: string,
  params: readonly unknown[] = [],
): Promise<T> {
  const response = await fetch(nodeOf(chainId), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { result: T }).result
}
const setRelayer = (mode: string) =>
  rpc<{ waiting: { bridge: string; hasFailed: boolean }[] }>(1, 'sandbox_setRelayer', [mode])

/** Returns when the services have seen the newest blocks. */
const seesAll = () => caughtUp([service, blind], [1, 8453], rpc)

type Body = Awaited<ReturnType<TestService['get']>>['body']

const ask = (query: Record<string, string>) =>
  service.get('/api/v1/shortcuts/route', {
    chainId: '1',
    destinationChainId: '8453',
    fromAddress: alice,
    tokenIn: usdc,
    tokenOut: usdcThere,
    amountIn: '300000000',
    ignoreBridges: others,
    ...query,
  })

async function routed(query: Record<string, string> = {}): Promise<Body> {
  const { status, text, body } = await ask(query)
  expect(status, text).toBe(200)
  return body
}

const bundle = (protocolArgs: Record<string, unknown>) =>
  service.post(`/api/v1/shortcuts/bundle?chainId=1&fromAddress=${alice}`, [
    {
      protocol: 'svc',
      action: 'bridge',
      args: {
        tokenIn: usdc,
        amountIn: '300000000',
        primaryAddress: here.messenger,
        destinationChainId: 8453,
        receiver: alice,
        protocolArgs,
      },
    },
  ])

async function send(
  chainId: number,
  tx: { to: Address; data: Hex; value: string },
  key = privateKey,
): Promise<TransactionReceipt> {
  const { client } = rawTransfers(chainId, nodeOf(chainId))
  const wallet = createWalletClient({
    account: privateKeyToAccount(key),
    transport: http(nodeOf(chainId)),
  })
  const { to, data } = tx
  const more = { value: BigInt(tx.value), chain: client.chain, gas: 3_000_000n }
  const receipt = await receiptOf(client, await wallet.sendTransaction({ to, data, ...more }))
  expect(receipt.status).toBe('success')
  return receipt
}

async function claim(hash: string, by = service) {
  await seesAll()
  return by.get('/api/v1/cctp/bridge/claim', { chainId: '1', txHash: hash })
}
async function check(hash: string, by = service): Promise<Body> {
  await seesAll()
  return (await by.get('/api/v1/cctp/bridge/check', { chainId: '1', txHash: hash })).body
}
const held = (token: Address) => rawTransfers(8453, nodeOf(8453)).balance(token, alice)

const placeOf = (chainId: number, blockNumber: number): Place => ({
  chainId,
  blockNumber,
  nodeUrl: nodeOf(chainId),
  blockTimeSeconds: sandboxPlan(chainId).blockSeconds,
})

/** Both sides of an answer, on forks. @returns what alice gains. */
async function gained(body: Body, token: Address): Promise<bigint> {
  const [source, destination] = [
    placeOf(1, body.blockNumber),
    placeOf(8453, body.destinationBlockNumber),
  ]
  const { status, logs } = await sendOnFork(source, body.tx)
  expect(status).toBe('success')
  const watch = { token, owner: alice }
  const delivered = await deliverOnFork({ source, destination, logs, watch })
  expect(delivered.status).toBe('delivered')
  return delivered.gained
}

describe('a burn that nobody has minted', () => {
  beforeEach(() => setRelayer('hold'))
  afterEach(() => setRelayer('deliver'))

  test('with an order is claimed at our landing, by anybody', async () => {
    const body = await routed({ tokenOut: aero })
    expect(body.warnings.join(' ')).toContain('/api/v1/cctp/bridge/claim')
    const { transactionHash } = await send(1, body.tx)
    const waiting = await check(transactionHash)
    expect(waiting).toMatchObject({
      status: 'inflight',
      error: expect.stringContaining('It is attested'),
      sourceEvent: { bridge: 'cctp', amount: '300000000', hasMessage: true },
    })
    const { body: claimed } = await claim(transactionHash)
    expect(claimed).toMatchObject({ claimable: true, destinationChainId: 8453 })
    expect(claimed.tx).toMatchObject({ chainId: 8453, to: landingOf(there), value: '0' })
    expect({ chainId: 8453, ...waiting.retry }).toEqual(claimed.tx)
    const before = await held(aero)
    const minted = await send(8453, claimed.tx, bob.privateKey)
    expect((await held(aero)) - before).toBe(BigInt(body.amountOut))
    for (const by of [service, blind]) {
      expect(await check(transactionHash, by)).toMatchObject({
        status: 'delivered',
        destinationTxHash: minted.transactionHash,
      })
    }
    expect((await claim(transactionHash)).body).toEqual({
      claimable: false,
      destinationChainId: 8453,
      reason: 'It has been minted already.',
    })
  })

  test('without an order is claimed at the transmitter', async () => {
    const body = await routed()
    expect(body.amountOut).toBe('300000000')
    const { transactionHash } = await send(1, body.tx)
    const { body: claimed } = await claim(transactionHash)
    expect(claimed.tx.to).toBe(there.transmitter)
    const before = await held(usdcThere)
    await send(8453, claimed.tx, bob.privateKey)
    expect((await held(usdcThere)) - before).toBe(300_000_000n)
    expect(await check(transactionHash)).toMatchObject({ status: 'delivered' })
  })

  test('is inflight without attestations, and what claims it is nowhere to be had', async () => {
    const { transactionHash } = await send(1, (await routed({ amountIn: '301000000' })).tx)
    expect(await check(transactionHash, blind)).toMatchObject({
      status: 'inflight',
      error: expect.stringContaining('/api/v1/cctp/bridge/claim'),
    })
    const { body } = await claim(transactionHash, blind)
    expect(body).toMatchObject({
      claimable: false,
      reason: expect.stringContaining('CCTP_ATTESTATION_URL'),
    })
  })

  test('waits while the sandbox’s relayer has too little gas, and is minted afterwards', async () => {
    const body = await routed({ tokenOut: aero, amountIn: '302000000' })
    const { transactionHash } = await send(1, body.tx)
    const { waiting } = await setRelayer('starve')
    expect(waiting.some(({ bridge, hasFailed }) => bridge === 'cctp' && hasFailed)).toBe(true)
    expect(await check(transactionHash)).toMatchObject({ status: 'inflight' })
    expect((await setRelayer('uncomposed')).waiting).not.toEqual([])
    expect((await setRelayer('deliver')).waiting).toEqual([])
    expect(await check(transactionHash)).toMatchObject({ status: 'delivered' })
  })
})

test('what sends nothing over CCTP has nothing to claim, and what nobody knows is NOT_FOUND', async () => {
  const { client } = rawTransfers(1, nodeOf(1))
  const { transactionHash } = await send(1, { to: bob.address, data: '0x', value: '1' })
  expect((await client.getTransactionReceipt({ hash: transactionHash })).status).toBe('success')
  expect((await claim(transactionHash)).body).toEqual({
    claimable: false,
    reason: 'The transaction sends nothing over CCTP.',
  })
  expect((await claim(`0x${'ab'.repeat(32)}`)).status).toBe(404)
  const { body } = await service.get('/api/v1/cctp/bridge/tokenmessengerv2', { chainId: '8453' })
  expect(body).toEqual({ address: there.messenger })
})

describe('a fast transfer', () => {
  test('is promised without all that Circle may keep, and gives exactly that where it keeps it', async () => {
    const { status, text, body } = await bundle({ transferType: 'fast' })
    expect(status, text).toBe(200)
    // Two basis points.
    expect(body.arrival.amountsOut).toEqual({ [usdcThere]: '299940000' })
    expect(body.bridgingEstimates[0].estimatedSeconds).toBe(20)
    expect(body.warnings.join(' ')).toContain('CCTP_ATTESTATION_URL')
    expect(body.warnings.join(' ')).not.toContain('transferType')
    expect(await gained(body, usdcThere)).toBe(299_940_000n)
  })

  test('gives what Circle does not keep, too', async () => {
    const { body } = await bundle({ transferType: 'fast' })
    const before = await held(usdcThere)
    const { transactionHash } = await send(1, body.tx)
    await setRelayer('deliver')
    // The sandbox's attester keeps one basis point.
    expect((await held(usdcThere)) - before).toBe(299_970_000n)
    expect(await check(transactionHash, blind)).toMatchObject({ status: 'delivered' })
  })

  test('standard is the default, and another type is a 400', async () => {
    for (const args of [{}, { transferType: 'Standard' }]) {
      const { body } = await bundle(args)
      expect(body.arrival.amountsOut).toEqual({ [usdcThere]: '300000000' })
    }
    const { status, body } = await bundle({ transferType: 'soon' })
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain('standard or fast')
  })
})

describe('what the contracts of the source say', () => {
  let snapshot: Hex
  beforeEach(async () => {
    await setRelayer('hold')
    snapshot = await rpc(1, 'evm_snapshot')
  })
  afterEach(async () => {
    await rpc(1, 'evm_revert', [snapshot])
    await rpc(1, 'evm_mine')
    await setRelayer('deliver')
  })

  const word = (value: bigint) => numberToHex(value, { size: 32 })
  const entry = (key: Hex, mapping: bigint) =>
    keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [pad(key), mapping]))
  async function set(contract: Address, slot: Hex, value: bigint): Promise<void> {
    await rpc(1, 'anvil_setStorageAt', [contract, slot, word(value)])
    await rpc(1, 'evm_mine')
    await seesAll()
  }

  test('a minimum fee is left out of the answer, of an amount that only the chain knows, too', async () => {
    // Ten-millionths: 0.05 %.
    await set(here.messenger, word(0n), 5_000n)
    const body = await routed()
    expect(body.amountOut).toBe('299850000')
    expect(await gained(body, usdcThere)).toBe(299_850_000n)
    const swapped = await routed({
      tokenIn: dai,
      amountIn: `${400n * 10n ** 18n}`,
      tokenOut: aero,
    })
    expect(await gained(swapped, aero)).toBe(BigInt(swapped.amountOut))
    const { body: fast } = await bundle({ transferType: 'fast' })
    expect(fast.arrival.amountsOut).toEqual({ [usdcThere]: '299850000' })
  })

  test.each([
    ['a limit', () => set(here.minter, entry(usdc, 1n), 299_999_999n), '299999999'],
    ['a token that is not burnt', () => set(here.minter, entry(usdc, 1n), 0n), 'burns no USDC'],
    [
      'a pause of the transmitter',
      () => set(here.transmitter, word(2n), (1n << 160n) + BigInt(alice)),
      'paused',
    ],
    [
      'a pause of the minter',
      () => set(here.minter, word(0n), (1n << 160n) + BigInt(here.messenger)),
      'paused',
    ],
    [
      'no path to the destination',
      () => set(here.messenger, entry(word(6n), 1n), 0n),
      'nothing to chain 8453',
    ],
    ['the denylist', () => set(here.messenger, entry(alice, 2n), 1n), 'denylist'],
    ['the size of a message', () => set(here.transmitter, word(28n), 227n), 'carries 227 bytes'],
  ])('%s is the reason why there is no lane', async (_name, change, reason) => {
    await change()
    const { status, body } = await ask({})
    expect([status, body.message]).toEqual([422, expect.stringContaining(reason)])
  })
})
