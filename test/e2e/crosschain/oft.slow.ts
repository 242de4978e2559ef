/**
 * OFTs on the sandbox, of LayerZero's own code: USDT is locked on Ethereum and minted on Arbitrum. What is answered is
 * executed on separate Anvils and by the sandbox's relayer, and what an OFT refuses is said before anything is signed.
 */
import {
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  http,
  keccak256,
  numberToHex,
  parseAbi,
  type TransactionReceipt,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { oftsOn } from '../../../src/bridges/oft/tokens.js'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { composeLanding } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxPlan } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { allBut } from '../../support/bridges/all-but.js'
import { caughtUp } from '../../support/bridges/caught-up.js'
import { deliverOnFork, type Place, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import { placeRefuser, refuser } from '../../support/bridges/hostile-receivers.js'
import { rawTransfers } from '../../support/bridges/raw-transfers.js'
import { receiptOf } from '../../support/mined.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const { address: alice, privateKey } = sandboxAccount('alice')
const [here, there] = [ethereum, arbitrum].map((chain) => {
  const [oft] = oftsOn(chain).filter(({ symbol }) => symbol === 'USDT0')
  if (!oft) throw new Error(`no USDT0 on ${chain.name}`)
  return oft
}) as [ReturnType<typeof oftsOn>[number], ReturnType<typeof oftsOn>[number]]
const tokenOn = (chainId: number, symbol: string): Address =>
  sandboxPlan(chainId).market.token(symbol).address
const [dai, daiThere, arb] = [tokenOn(1, 'DAI'), tokenOn(42_161, 'DAI'), tokenOn(42_161, 'ARB')]
const [eid, eidThere] = [30_101, 30_110]

let sandboxes: Sandbox[]
let service: TestService
const nodeOf = (chainId: number) => sandboxes.find((one) => one.chainId === chainId)?.url ?? ''

beforeAll(async () => {
  sandboxes = await startSandboxes([1, 42_161])
  await placeRefuser((method, ...params) => rpc(42_161, method, params))
  service = await startService({
    RPC_URL_1: nodeOf(1),
    RPC_URL_42161: nodeOf(42_161),
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
})
afterAll(async () => {
  await service?.stop()
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

/** Returns when the service has seen the newest blocks. */
const seesAll = () => caughtUp([service], [1, 42_161], rpc)

type Body = Awaited<ReturnType<TestService['get']>>['body']

const ask = (query: Record<string, string> = {}) =>
  service.get('/api/v1/shortcuts/route', {
    chainId: '1',
    destinationChainId: '42161',
    fromAddress: alice,
    tokenIn: here.token,
    tokenOut: there.token,
    amountIn: '300000000',
    crosschainRouteMode: 'direct',
    ignoreBridges: allBut('oft'),
    ...query,
  })
const back = {
  chainId: '42161',
  destinationChainId: '1',
  tokenIn: there.token,
  tokenOut: here.token,
}

async function routed(query: Record<string, string> = {}): Promise<Body> {
  const { status, text, body } = await ask(query)
  expect(status, text).toBe(200)
  return body
}

const placeOf = (chainId: number, blockNumber: number): Place => ({
  chainId,
  blockNumber,
  nodeUrl: nodeOf(chainId),
  blockTimeSeconds: sandboxPlan(chainId).blockSeconds,
})

/** Both sides of an answer, on forks: what alice gains is what it says. */
async function expectExecuted(body: Body, tokenOut: Address): Promise<void> {
  const from = Number(body.tx.chainId ?? body.route.at(-1).sourceChainId ?? 1)
  const to = from === 1 ? 42_161 : 1
  const source = placeOf(from, body.blockNumber)
  const destination = placeOf(to, body.destinationBlockNumber)
  const { status, logs, gasUsed } = await sendOnFork(source, body.tx)
  expect([status, gasUsed]).toEqual(['success', BigInt(body.gas)])
  const watch = { token: tokenOut, owner: alice }
  expect(await deliverOnFork({ source, destination, logs, watch })).toMatchObject({
    status: 'delivered',
    gained: BigInt(body.amountOut),
  })
}

async function send(
  chainId: number,
  tx: { to: Address; data: Hex; value: string },
): Promise<TransactionReceipt> {
  const { client } = rawTransfers(chainId, nodeOf(chainId))
  const wallet = createWalletClient({
    account: privateKeyToAccount(privateKey),
    transport: http(nodeOf(chainId)),
  })
  const { to, data } = tx
  const more = { value: BigInt(tx.value), chain: client.chain, gas: 3_000_000n }
  const receipt = await receiptOf(client, await wallet.sendTransaction({ to, data, ...more }))
  expect(receipt.status).toBe('success')
  return receipt
}

async function check(chainId: number, hash: string, bridge = 'oft'): Promise<Body> {
  await seesAll()
  const query = { chainId: String(chainId), txHash: hash }
  return (await service.get(`/api/v1/${bridge}/bridge/check`, query)).body
}
const held = (chainId: number, token: Address) =>
  rawTransfers(chainId, nodeOf(chainId)).balance(token, alice)

describe('a transfer', () => {
  test('gives what was sent, to the unit, and costs the messaging alone', async () => {
    const body = await routed()
    expect([body.amountOut, body.minAmountOut]).toEqual(['300000000', '298500000'])
    expect(body.route).toMatchObject([{ action: 'bridge', protocol: 'oft', primary: here.pool }])
    expect(BigInt(body.bridgeFee.native)).toBeGreaterThan(0n)
    await expectExecuted(body, there.token)
  })

  test('is burnt on the one side and paid of what is locked on the other', async () => {
    const body = await routed(back)
    expect(body.route[0].primary).toBe(there.pool)
    await expectExecuted(body, here.token)
  })

  test.each([
    ['here', { tokenIn: dai, amountIn: `${400n * 10n ** 18n}` }, arb],
    ['there', { ...back, tokenIn: daiThere, amountIn: `${400n * 10n ** 18n}`, tokenOut: dai }, dai],
  ])('with swaps on both sides, from %s, runs its order', async (_name, query, tokenOut) => {
    const body = await routed({ tokenOut, ...query, crosschainRouteMode: 'full' })
    expect(body.route.length).toBeGreaterThan(2)
    await expectExecuted(body, tokenOut)
  })

  test('a receiver that takes no ether is told', async () => {
    const query = {
      tokenOut: nativeToken,
      receiver: refuser,
      crosschainRouteMode: 'destination',
    }
    const { status, body } = await ask(query)
    expect(status).toBe(422)
    expect(body.message).toContain(`The receiver ${refuser} cannot be paid ${nativeToken}`)
  })

  test.each([
    ['OFT', there.pool],
    ['landing of it', composeLanding(there).address],
  ])('the %s is no receiver', async (_name, receiver) => {
    const { status, body } = await ask({ receiver })
    expect(status).toBe(400)
    expect(body.message).toContain('cannot receive anything')
  })

  test('Stargate carries the token too, and layerzero leaves both out', async () => {
    const { body } = await service.get('/api/v1/layerzero/pool', {
      chainId: '1',
      token: here.token,
      destinationChainId: '42161',
    })
    expect(body).toHaveLength(2)
    expect(body).toContainEqual(expect.objectContaining({ pool: here.pool }))
    const { status } = await ask({ ignoreBridges: 'across,cctp,canonical,layerzero' })
    expect(status).toBe(422)
  })
})

describe('what has been sent', () => {
  beforeEach(() => setRelayer('hold'))
  afterEach(() => setRelayer('deliver'))

  test('is inflight until it is received, and delivered then', async () => {
    const body = await routed({ amountIn: '301000000' })
    const before = await held(42_161, there.token)
    const { transactionHash } = await send(1, body.tx)
    expect((await setRelayer('hold')).waiting).toMatchObject([{ bridge: 'oft' }])
    expect(await check(1, transactionHash)).toMatchObject({
      status: 'inflight',
      sourceEvent: { bridge: 'oft', amount: '301000000', hasMessage: false },
    })
    expect((await setRelayer('deliver')).waiting).toEqual([])
    expect((await held(42_161, there.token)) - before).toBe(301_000_000n)
    const { destinationTxHash } = await check(1, transactionHash)
    const { client } = rawTransfers(42_161, nodeOf(42_161))
    const receipt = await client.getTransactionReceipt({ hash: destinationTxHash })
    // Of the 160,000 that are bought, with what the transaction itself costs.
    expect(receipt.gasUsed).toBeLessThan(160_000n)
    for (const name of ['oft', 'layerzero']) {
      expect(await check(1, transactionHash, name)).toMatchObject({ status: 'delivered' })
    }
    const other = await check(1, transactionHash, 'stargate')
    expect(other).toMatchObject({ status: 'unknown', error: expect.stringContaining('for oft') })
  })

  test('with an order waits for its compose, and one with too little gas can be tried again', async () => {
    const full = { crosschainRouteMode: 'full', tokenOut: dai, amountIn: '302000000' }
    const body = await routed({ ...back, ...full })
    const before = await held(1, dai)
    const { transactionHash } = await send(42_161, body.tx)
    await setRelayer('uncomposed')
    expect(await check(42_161, transactionHash)).toMatchObject({ status: 'inflight' })
    const { waiting } = await setRelayer('starve')
    expect(waiting.some(({ hasFailed }) => hasFailed)).toBe(true)
    expect(await check(42_161, transactionHash)).toMatchObject({ status: 'inflight' })
    expect((await setRelayer('deliver')).waiting).toEqual([])
    expect((await held(1, dai)) - before).toBe(BigInt(body.amountOut))
    expect(await check(42_161, transactionHash)).toMatchObject({ status: 'delivered' })
  })
})

const abi = parseAbi([
  'struct Enforced { uint32 eid; uint16 msgType; bytes options; }',
  'function setEnforcedOptions(Enforced[] options)',
])
const word = (value: bigint) => numberToHex(value, { size: 32 })
const peerSlot = (of: number) =>
  keccak256(encodeAbiParameters([{ type: 'uint32' }, { type: 'uint256' }], [of, 1n]))
/** Of a `GuardedOft`, behind what the OFT itself keeps. */
const [codeSlot, limitSlot, toldSlot] = [1_000n, 1_001n, 1_002n] as const

describe('what an OFT says', () => {
  const chainIds = [1, 42_161]
  let snapshots: Hex[]
  beforeEach(async () => {
    await setRelayer('hold')
    snapshots = await Promise.all(chainIds.map((chainId) => rpc<Hex>(chainId, 'evm_snapshot')))
  })
  afterEach(async () => {
    for (const [index, chainId] of chainIds.entries()) {
      await rpc(chainId, 'evm_revert', [snapshots[index]])
      // Above all blocks that were put back: those that the service has seen count as the newest until then.
      await rpc(chainId, 'anvil_mine', ['0x10'])
    }
    await setRelayer('deliver')
    await seesAll()
  })

  async function changed(chainId: number): Promise<void> {
    await rpc(chainId, 'evm_mine')
    await seesAll()
  }
  async function set(chainId: number, contract: Address, slot: Hex, value: bigint): Promise<void> {
    await rpc(chainId, 'anvil_setStorageAt', [contract, slot, word(value)])
    await changed(chainId)
  }

  const guarded = compileTestContracts('Ofts.sol')('GuardedOft').runtime
  const moved: Address = '0x0000000000000000000000000000000000c0de0f'
  /** @param says - raw units that it sends, without: as many as there can be; whether it is paused; of which token it is. */
  async function guard(
    chainId: number,
    oft: Address,
    says: { readonly limit?: bigint; readonly isPaused?: true; readonly token?: Address },
  ): Promise<void> {
    const code = await rpc<Hex>(chainId, 'eth_getCode', [oft, 'latest'])
    await rpc(chainId, 'anvil_setCode', [moved, code])
    await rpc(chainId, 'anvil_setCode', [oft, guarded])
    const words = [
      [codeSlot, BigInt(moved) + (says.isPaused ? 1n << 160n : 0n)],
      [limitSlot, says.limit ?? 2n ** 255n],
      [toldSlot, BigInt(says.token ?? 0)],
    ] as const
    for (const [slot, value] of words) {
      await rpc(chainId, 'anvil_setStorageAt', [oft, word(slot), word(value)])
    }
    await changed(chainId)
  }

  test.each([
    ['a pause', { isPaused: true }, 'is paused'],
    ['its rate limit', { limit: 299_999_999n }, 'sends up to 299999999 raw units'],
    ['a rate limit that is used up', { limit: 0n }, 'sends nothing more'],
    ['that it is of another token', { token: dai }, `is of ${dai}, not of USDT0`],
  ] as const)('%s is the reason why there is no lane', async (_name, says, reason) => {
    await guard(1, here.pool, says)
    const { status, body } = await ask()
    expect([status, body.message]).toEqual([422, expect.stringContaining(reason)])
  })

  test('within its rate limit it sends', async () => {
    await guard(1, here.pool, { limit: 300_000_000n })
    await expectExecuted(await routed(), there.token)
  })

  test('one that is not the peer of the other has no lane, whichever side says so', async () => {
    await set(1, here.pool, peerSlot(eidThere), BigInt(alice))
    const { status, body } = await ask()
    expect([status, body.message]).toEqual([422, expect.stringContaining('not its OFT there')])
    await set(1, here.pool, peerSlot(eidThere), BigInt(there.pool))
    expect((await ask()).status).toBe(200)
    await set(42_161, there.pool, peerSlot(eid), BigInt(alice))
    const refused = await ask()
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('OnlyPeer')])
  })

  test('one that lies on the destination about its token runs no order, and only its own tokens are at its landing', async () => {
    await guard(42_161, there.pool, { token: arbitrum.wrappedNative })
    const query = { tokenOut: arb, crosschainRouteMode: 'destination' }
    const { status, body } = await ask(query)
    expect(status).toBe(422)
    expect(body.message).toMatch(/revert|failed|delivered/i)
    // Where no landing is in between, the receiver is paid all the same.
    await expectExecuted(await routed(), there.token)
  })

  test('gas that it sets for every receipt is not bought again', async () => {
    const enforce = async (gas: bigint) => {
      const options = encodePacked(
        ['uint16', 'uint8', 'uint16', 'uint8', 'uint128'],
        [3, 1, 17, 1, gas],
      )
      const owner = sandboxAccount('deployer').address
      const data = encodeFunctionData({
        abi,
        functionName: 'setEnforcedOptions',
        args: [[1, 2].map((msgType) => ({ eid: eidThere, msgType, options }))],
      })
      await rpc(1, 'anvil_impersonateAccount', [owner])
      await rpc(1, 'eth_sendTransaction', [{ from: owner, to: here.pool, data }])
      await changed(1)
    }
    const before = await routed()
    await enforce(120_000n)
    const after = await routed()
    const [fee, less] = [before, after].map((one) => BigInt(one.bridgeFee.native))
    expect(less).toBeLessThan(fee ?? 0n)
    await expectExecuted(after, there.token)
    await expectExecuted(await routed({ tokenOut: arb, crosschainRouteMode: 'full' }), arb)
  })

  test('what the decimals that both share do not reach stays, of an amount that only the chain knows, too', async () => {
    // Two decimals fewer, by the one constant of each that says it.
    const [rate, coarser] = [1n, 100n].map((value) => `7f${word(value).slice(2)}`)
    for (const [chainId, { pool }] of [
      [1, here],
      [42_161, there],
    ] as const) {
      const code = await rpc<Hex>(chainId, 'eth_getCode', [pool, 'latest'])
      expect(code.split(rate ?? '').length).toBeGreaterThan(1)
      await rpc(chainId, 'anvil_setCode', [pool, code.replaceAll(rate ?? '', coarser ?? '')])
      await changed(chainId)
    }
    const body = await routed({ amountIn: '123456789' })
    expect(body.amountOut).toBe('123456700')
    await expectExecuted(body, there.token)
    const swapped = await routed({
      tokenIn: dai,
      amountIn: `${400n * 10n ** 18n}`,
      crosschainRouteMode: 'source',
    })
    expect(BigInt(swapped.amountOut) % 100n).toBe(0n)
    await expectExecuted(swapped, there.token)
    const { status, body: refused } = await ask({ amountIn: '99' })
    expect([status, refused.message]).toEqual([422, expect.stringContaining('no less than 100')])
  })
})
