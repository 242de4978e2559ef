/** Lanes that cannot be used for what is asked: the answer says of each why, with its limit, and takes another where it may. */
import { type Abi, createWalletClient, encodeFunctionData, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { bridgeAddresses, feeLibraries } from '../../../src/sandbox/bridges/bridge-addresses.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { allBut } from '../../support/bridges/all-but.js'
import { deliverOnFork, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import { rawTransfers } from '../../support/bridges/raw-transfers.js'
import { definitionOf, stargatePool } from '../../support/bridges/relayed-sandboxes.js'
import { receiptOf } from '../../support/mined.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
/** Who owns what the sandbox has of the bridges. */
const owner = sandboxAccount('deployer')
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdcThere: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const link: Address = '0x514910771af9ca656af840dff83e8264ecf986ca'
const aero: Address = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'
const abi = parseAbi([
  'function setPause(bool paused)',
  'function setPaused(uint32 eid, bool isPaused)',
  'struct TargetCredit { uint32 srcEid; uint64 amount; uint64 minAmount; }',
  'function sendCredits(uint32 eid, TargetCredit[] credits) returns ((uint32 srcEid, uint64 amount)[])',
  'function pauseDeposits(bool pause)',
])
const { spokePool } = bridgeAddresses(definitionOf(1))
const { eid: eidThere } = bridgeAddresses(definitionOf(8453))
const { pool } = stargatePool(1, 'USDC')

let sandboxes: Sandbox[]
let service: TestService
const nodeOf = (chainId: number) => sandboxes.find((one) => one.chainId === chainId)?.url ?? ''

beforeAll(async () => {
  sandboxes = await startSandboxes([1, 8453])
  service = await startService({ RPC_URL_1: nodeOf(1), RPC_URL_8453: nodeOf(8453) })
})
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

/** At the node's newest block, which the service may not have seen yet. */
async function route(query: Record<string, string | string[]>) {
  const { client } = rawTransfers(1, nodeOf(1))
  return service.get('/api/v1/shortcuts/route', {
    chainId: '1',
    destinationChainId: '8453',
    fromAddress: alice,
    tokenIn: usdc,
    tokenOut: usdcThere,
    amountIn: '100000000',
    blockNumber: String(await client.getBlockNumber({ cacheTime: 0 })),
    ...query,
  })
}

/** A transaction of the owner on the source. @returns the number of its block. */
async function set(to: Address, functionName: string, args: readonly unknown[]): Promise<string> {
  const { client } = rawTransfers(1, nodeOf(1))
  const wallet = createWalletClient({
    account: privateKeyToAccount(owner.privateKey),
    transport: http(nodeOf(1)),
  })
  const data = encodeFunctionData({ abi: abi as Abi, functionName, args })
  const hash = await wallet.sendTransaction({ to, data, chain: client.chain, gas: 500_000n })
  const receipt = await receiptOf(client, hash)
  expect(receipt.status).toBe('success')
  return String(receipt.blockNumber)
}

/** Of the only lane that is left, without a swap. */
async function refusal(bridge: string, query: Record<string, string>) {
  const ignoreBridges = allBut(bridge)
  const found = await route({ ...query, ignoreBridges, crosschainRouteMode: 'direct' })
  expect(found.status, found.text).toBe(422)
  expect(found.body.code).toBe('NO_ROUTE')
  expect(found.body.details.lanes).toHaveLength(1)
  return found.body.details.lanes[0]
}

describe('a lane that its owner closes is left out while it is closed, and another is taken', () => {
  const library = feeLibraries[1]?.USDC ?? owner.address
  test.each([
    ['a paused pool', 'stargate', pool, 'setPause', [true], [false], 'paused'],
    [
      ...(['a paused path', 'stargate', library, 'setPaused'] as const),
      ...([[eidThere, true], [eidThere, false], 'paused'] as const),
    ],
    ['paused deposits', 'across', spokePool, 'pauseDeposits', [true], [false], 'paused'],
  ] as const)('%s', async (_what, bridge, to, functionName, close, open, words) => {
    const closed = await set(to, functionName, close)
    const lane = await refusal(bridge, { blockNumber: closed })
    expect(lane).toMatchObject({ bridge, symbol: 'USDC', message: expect.stringContaining(words) })
    const other = await route({ blockNumber: closed, crosschainRouteMode: 'direct' })
    expect(other.status, other.text).toBe(200)
    expect(other.body.bridgingEstimates[0].bridge).not.toBe(bridge)
    expect(other.body.warnings.join(' ')).toContain(`USDC over ${bridge} was left out`)

    const opened = await set(to, functionName, open)
    const ignoreBridges = allBut(bridge)
    const again = await route({ blockNumber: opened, ignoreBridges })
    expect(again.status, again.text).toBe(200)
  })
})

describe('amounts at the edge of a lane', () => {
  test('stargate: a unit more than the limit is refused, the limit is delivered', async () => {
    const eth = { tokenIn: nativeToken, tokenOut: nativeToken, executionMode: 'backend' }
    const { limit } = await refusal('stargate', { ...eth, amountIn: (10n ** 24n).toString() })
    const unit = 10n ** 12n
    const above = await refusal('stargate', { ...eth, amountIn: String(BigInt(limit) + unit) })
    expect(above.limit).toBe(limit)
    const ways = { ignoreBridges: allBut('stargate'), crosschainRouteMode: 'direct' }
    const found = await route({ ...eth, ...ways, amountIn: limit })
    expect(found.status, found.text).toBe(200)
  })

  test('stargate: less than a unit is dust', async () => {
    const eth = { tokenIn: nativeToken, tokenOut: nativeToken, amountIn: '999999999999' }
    const lane = await refusal('stargate', eth)
    expect(lane).toMatchObject({ symbol: 'ETH', limit: String(10n ** 12n) })
  })

  test('across: the least is stated, and delivered; less is refused', async () => {
    const { limit } = await refusal('across', { amountIn: '1' })
    expect(await refusal('across', { amountIn: String(BigInt(limit) - 1n) })).toMatchObject({
      limit,
    })
    const ways = { ignoreBridges: allBut('across'), crosschainRouteMode: 'direct' }
    const found = await route({ ...ways, amountIn: limit, slippage: '1000' })
    expect(found.status, found.text).toBe(200)
    expect(BigInt(found.body.amountOut)).toBeGreaterThan(0n)
  })
})

/** Executes an answer on an Anvil of each chain: it does what it says, to the unit. */
async function expectDelivered(body: Answer['body'], tokenOut: Address): Promise<void> {
  const source = {
    chainId: 1,
    nodeUrl: nodeOf(1),
    blockNumber: body.blockNumber,
    blockTimeSeconds: 12,
  }
  const destination = {
    chainId: 8453,
    nodeUrl: nodeOf(8453),
    blockTimeSeconds: 2,
    blockNumber: body.destinationBlockNumber,
  }
  const sent = await sendOnFork(source, body.tx)
  expect(sent).toMatchObject({ status: 'success', gasUsed: BigInt(body.gas) })
  const watch = { token: tokenOut, owner: alice }
  const delivered = await deliverOnFork({ source, destination, logs: sent.logs, watch })
  expect(delivered).toMatchObject({ status: 'delivered', gained: BigInt(body.amountOut) })
}

test.each([
  ['native on both sides', nativeToken, nativeToken],
  ['native to its wrapped token', nativeToken, '0x4200000000000000000000000000000000000006'],
  ['its wrapped token to native', weth, nativeToken],
  ['tokens that are on one side alone', link, aero],
] as const)('%s', async (_what, tokenIn, tokenOut) => {
  const { status, text, body } = await route({ tokenIn, tokenOut, amountIn: `${2n * 10n ** 18n}` })
  expect(status, text).toBe(200)
  await expectDelivered(body, tokenOut)
})

test('with proof=adaptive the answer says so, and does what it says', async () => {
  const asked = { tokenIn: link, tokenOut: aero, amountIn: `${3n * 10n ** 18n}` }
  const { status, text, body } = await route({ ...asked, proof: 'adaptive' })
  expect(status, text).toBe(200)
  expect(body.proof).toBe('adaptive')
  await expectDelivered(body, aero)
  const all = await route(asked)
  expect(all.body.proof).toBeUndefined()
  expect(BigInt(body.amountOut) * 1_000n).toBeGreaterThan(BigInt(all.body.amountOut) * 999n)
})

test('a token that is on the other side alone is none of this side', async () => {
  const { status, body } = await route({ tokenIn: aero, tokenOut: usdcThere })
  expect(status).toBe(422)
  expect(body.message).toContain(`${aero} is no token at this block`)
})

test('what Across is left and trusted with is as configured: more is refused with the limit, another bridge is taken', async () => {
  const other = await startService({
    RPC_URL_1: nodeOf(1),
    RPC_URL_8453: nodeOf(8453),
    ACROSS_FEE_BPS: '45',
    ACROSS_MAX_USD: '1500',
  })
  const across = { ignoreBridges: allBut('across'), crosschainRouteMode: 'direct' }
  const asked = (amountIn: string, more: Record<string, string> = across) => {
    const tokens = { tokenIn: usdc, tokenOut: usdcThere, amountIn, ...more }
    const chains = { chainId: '1', destinationChainId: '8453', fromAddress: alice }
    return other.get('/api/v1/shortcuts/route', { ...chains, ...tokens })
  }
  try {
    const amount = 1_000_000_000n
    const usual = await route({ ...across, amountIn: String(amount) })
    const dearer = await asked(String(amount))
    expect([usual.status, dearer.status], dearer.text).toEqual([200, 200])
    const difference = BigInt(usual.body.amountOut) - BigInt(dearer.body.amountOut)
    expect(difference).toBe((amount * (45n - 5n)) / 10_000n)
    expect(dearer.body.warnings.join(' ')).toContain('whether a relayer of Across has the USDC')

    const refused = await asked('1600000000')
    expect(refused.status, refused.text).toBe(422)
    const [lane] = refused.body.details.lanes
    expect(lane).toMatchObject({ bridge: 'across', message: expect.stringContaining('ACROSS_MAX') })
    expect(Math.abs(Number(lane.limit) / 1e6 - 1_500)).toBeLessThan(5)
    expect((await asked(lane.limit)).status).toBe(200)
    expect((await asked(String(BigInt(lane.limit) + 1n))).status).toBe(422)
    const more = { ignoreBridges: 'cctp,canonical', crosschainRouteMode: 'direct' }
    const over = await asked('1600000000', more)
    expect(over.body.bridgingEstimates?.[0].bridge, over.text).toBe('stargate')
    expect(over.body.warnings.join(' ')).toContain('USDC over across was left out: ACROSS_MAX_USD')
  } finally {
    await other.stop()
  }
})

// The last: the path has none afterwards.
test('a path without credit says so, and one with little how much', async () => {
  const much = { amountIn: (10n ** 13n).toString(), executionMode: 'backend' }
  const { limit } = await refusal('stargate', much)
  expect(BigInt(limit)).toBeGreaterThan(0n)
  const all = [{ srcEid: eidThere, amount: BigInt(limit), minAmount: 0n }]
  const blockNumber = await set(pool, 'sendCredits', [eidThere, all])
  const lane = await refusal('stargate', { blockNumber })
  expect(lane).toMatchObject({ message: expect.stringContaining('no credit'), limit: '0' })
})
