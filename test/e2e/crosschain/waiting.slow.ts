/**
 * Everything that can wait on its way over a bridge: the sandbox's relayer leaves it there, the service says what it is
 * and why, and whoever sends the transaction of the answer has it delivered. It cannot be told by the relayer, which
 * delivers nothing of it.
 */
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  padHex,
  parseAbi,
} from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { bridgeAddresses } from '../../../src/sandbox/bridges/bridge-addresses.js'
import { allBut } from '../../support/bridges/all-but.js'
import { blacklistUsdc } from '../../support/bridges/hostile-receivers.js'
import {
  acrossToken,
  acrossTransfer,
  definitionOf,
  stargatePool,
} from '../../support/bridges/relayed-sandboxes.js'
import { type RelayedService, startRelayedService } from '../../support/bridges/relayed-service.js'
import { runCli } from '../../support/cli.js'

const alice = sandboxAccount('alice')
const stranger = sandboxAccount('dave')
const [here, there, arbitrum] = [1, 8453, 42161]
const usdc = acrossToken(here, 'USDC')
const usdcThere = acrossToken(there, 'USDC')
const aero: Address = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'
const { endpoint, spokePool } = bridgeAddresses(definitionOf(there))
const approveAbi = parseAbi(['function approve(address spender, uint256 amount)'])

let relayed: RelayedService
let receivers = 0

beforeAll(async () => {
  relayed = await startRelayedService([here, there, arbitrum])
})
afterAll(() => relayed?.stop())

/** Nobody has used it. */
function freshReceiver(): Address {
  receivers += 1
  return `0x${(0xd1ce_0000 + receivers).toString(16).padStart(40, '0')}`
}
const held = (token: Address, of: Address) =>
  relayed.on(there).balance(token === nativeToken ? undefined : token, of)

/** What the service answers, sent by alice. */
/** Swaps on the destination alone, so that what is carried is USDC. */
async function sentFor(bridge: string, query: Record<string, string>) {
  await relayed.caughtUp()
  const { status, text, body } = await relayed.service.get('/api/v1/shortcuts/route', {
    chainId: String(here),
    destinationChainId: String(there),
    fromAddress: alice.address,
    tokenIn: usdc,
    tokenOut: usdcThere,
    amountIn: '700000000',
    ignoreBridges: allBut(bridge),
    crosschainRouteMode: 'destination',
    ...query,
  })
  expect(status, text).toBe(200)
  const { transactionHash } = await relayed.sent(here, body.tx, alice.privateKey)
  return { hash: transactionHash, amountOut: BigInt(body.amountOut) }
}

async function checked(bridge: string, hash: Hex) {
  const { status, text, body } = await relayed.checked(bridge, here, hash)
  expect(status, text).toBe(200)
  return body
}

/** A swap of bob's on the destination that moves the price by more than an order takes. */
async function raisePrice(token: Address): Promise<void> {
  const { address: fromAddress, privateKey } = sandboxAccount('bob')
  const query = { chainId: String(there), fromAddress, tokenIn: usdcThere, tokenOut: token }
  const more = { amountIn: `${100_000n * 10n ** 6n}`, slippage: '9000' }
  const { status, text, body } = await relayed.service.get('/api/v1/shortcuts/route', {
    ...query,
    ...more,
  })
  expect(status, text).toBe(200)
  await relayed.sent(there, body.tx, privateKey)
}

/** Takes the account from the blacklist of the sandbox's USDC, which has no method for it. */
async function forgive(account: Address): Promise<void> {
  for (let slot = 0n; slot < 20n; slot++) {
    const types = [{ type: 'address' }, { type: 'uint256' }] as const
    const place = keccak256(encodeAbiParameters(types, [account, slot]))
    const word = await relayed.rpc<Hex>(there, 'eth_getStorageAt', [usdcThere, place, 'latest'])
    if (BigInt(word) === 0n) continue
    await relayed.rpc(there, 'anvil_setStorageAt', [usdcThere, place, padHex('0x0', { size: 32 })])
  }
  await relayed.rpc(there, 'evm_mine', [])
}

/** The command prints what the answer says. */
async function told(hash: Hex): Promise<string> {
  const { code, out } = await runCli(
    ['track', hash, '--chain', String(here), '--url', relayed.service.url, '--timeout', '1'],
    { FORKROUTE_KEY: relayed.service.key },
  )
  expect(code).toBe(2)
  return out
}

describe('over Stargate', () => {
  afterEach(() => relayed.relay('deliver'))

  test('a message that is verified and not received is received by anybody', async () => {
    const receiver = freshReceiver()
    await relayed.relay('hold')
    const { hash, amountOut } = await sentFor('stargate', { receiver })
    const first = await checked('stargate', hash)
    expect(first).toMatchObject({
      status: 'inflight',
      error: expect.stringContaining('verifiers have not'),
    })
    expect(first).not.toHaveProperty('retry')
    await relayed.relay('unreceived')
    const waiting = await checked('stargate', hash)
    expect(waiting).toMatchObject({
      status: 'inflight',
      error: expect.stringMatching(/nobody has had it received. Anybody may.$/),
      retry: { to: endpoint, value: '0' },
    })
    expect(await told(hash)).toContain(waiting.retry.data)
    const { transactionHash } = await relayed.sent(there, waiting.retry, stranger.privateKey)
    expect(await held(usdcThere, receiver)).toBe(amountOut)
    const delivered = await checked('stargate', hash)
    expect(delivered).toMatchObject({ status: 'delivered', destinationTxHash: transactionHash })
    expect(delivered).not.toHaveProperty('retry')
  })

  test.each(['uncomposed', 'starve'])(
    '%s: an order that has not run is run by anybody, with the gas that was ordered',
    async (mode) => {
      const receiver = freshReceiver()
      await relayed.relay(mode)
      const { hash, amountOut } = await sentFor('stargate', { receiver, tokenOut: aero })
      await relayed.relay()
      const waiting = await checked('stargate', hash)
      expect(waiting).toMatchObject({
        status: 'inflight',
        error: expect.stringMatching(/has not been carried out. Anybody may [^.]*were ordered.$/),
        retry: { to: endpoint, value: '0', gas: expect.stringMatching(/^\d{6,}$/) },
        sourceEvent: { hasMessage: true },
      })
      const { retry } = waiting
      const starved = await relayed.tried(there, { ...retry, gas: 200_000n }, stranger.privateKey)
      expect(starved.status).toBe('reverted')
      const { transactionHash } = await relayed.sent(there, retry, stranger.privateKey)
      expect(await held(aero, receiver)).toBe(amountOut)
      const delivered = await checked('stargate', hash)
      expect(delivered).toMatchObject({ status: 'delivered', destinationTxHash: transactionHash })
    },
  )

  test('an order that would fail now says why, and its fallback receiver is paid by anybody', async () => {
    const receiver = freshReceiver()
    await relayed.relay('uncomposed')
    const { hash } = await sentFor('stargate', { receiver, tokenOut: aero, slippage: '0' })
    await relayed.relay()
    await raisePrice(aero)
    const waiting = await checked('stargate', hash)
    expect(waiting.error).toMatch(/would fail now, and its fallback receiver be paid: [A-Z]\w+\(/)
    await relayed.sent(there, waiting.retry, stranger.privateKey)
    expect(await held(usdcThere, receiver)).toBe(BigInt(waiting.sourceEvent.amount))
    expect(await checked('stargate', hash)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/It reverted with [A-Z]\w+\(/),
    })
  })

  test('a payout that the pool could not make says why, and is made by anybody when it can be', async () => {
    const receiver = freshReceiver()
    await relayed.relay('hold')
    const { hash, amountOut } = await sentFor('stargate', { receiver })
    const rpc = <T>(method: string, ...params: readonly unknown[]) =>
      relayed.rpc<T>(there, method, params)
    await blacklistUsdc(rpc, { usdc: usdcThere, account: receiver })
    await relayed.relay('deliver')
    const waiting = await checked('stargate', hash)
    expect(waiting).toMatchObject({
      status: 'inflight',
      error: expect.stringMatching(/could not pay the receiver.*would fail now: .*blacklisted/),
      retry: { to: stargatePool(there, 'USDC').pool, value: '0' },
    })
    expect((await relayed.tried(there, waiting.retry, stranger.privateKey)).status).toBe('reverted')
    await forgive(receiver)
    const open = await checked('stargate', hash)
    expect(open.error).not.toContain('would fail')
    const { transactionHash } = await relayed.sent(there, open.retry, stranger.privateKey)
    expect(await held(usdcThere, receiver)).toBe(amountOut)
    expect(await checked('stargate', hash)).toMatchObject({
      status: 'delivered',
      destinationTxHash: transactionHash,
    })
  })

  test('a payout of ether that its receiver did not take, with a reason', async () => {
    const receiver = freshReceiver()
    await relayed.relay('hold')
    const ether = { tokenIn: nativeToken, tokenOut: nativeToken, amountIn: `${10n ** 18n}` }
    const { hash, amountOut } = await sentFor('stargate', { receiver, ...ether })
    await relayed.rpc(there, 'anvil_setCode', [receiver, '0x5f5ffd'])
    await relayed.relay('deliver')
    const waiting = await checked('stargate', hash)
    expect(waiting.error).toMatch(
      /could not pay the receiver.*would fail now: reverted without a reason/,
    )
    await relayed.rpc(there, 'anvil_setCode', [receiver, '0x'])
    await relayed.sent(there, waiting.retry, stranger.privateKey)
    expect(await held(nativeToken, receiver)).toBe(amountOut)
  })
})

describe('by tickets of Arbitrum', () => {
  const retryables = '0x000000000000000000000000000000000000006e'
  const weth = acrossToken(arbitrum, 'WETH')
  const dollars = acrossToken(arbitrum, 'USDC')
  afterEach(() => relayed.relay('deliver'))
  const heldThere = (token: Address, of: Address) =>
    relayed.on(arbitrum).balance(token === nativeToken ? undefined : token, of)
  const ticketFor = (query: Record<string, string>) =>
    sentFor('canonical', {
      destinationChainId: String(arbitrum),
      tokenIn: nativeToken,
      amountIn: `${2n * 10n ** 18n}`,
      ...query,
    })

  test.each([nativeToken, weth, dollars])(
    'a deposit arrives by its first try, as the answer says: %s',
    async (tokenOut) => {
      const receiver = freshReceiver()
      const { hash, amountOut } = await ticketFor({ receiver, tokenOut })
      await relayed.relay()
      expect(await heldThere(tokenOut, receiver)).toBe(amountOut)
      expect(await checked('canonical', hash)).toMatchObject({
        status: 'delivered',
        destinationChainId: arbitrum,
        destinationTxHash: expect.stringMatching(/^0x/),
      })
    },
  )

  test.each(['starve', 'unreceived'])(
    '%s: a ticket whose first try has not paid is redeemed by anybody',
    async (mode) => {
      const receiver = freshReceiver()
      await relayed.relay('hold')
      const { hash, amountOut } = await ticketFor({ receiver, tokenOut: dollars })
      const sent = await checked('canonical', hash)
      expect(sent.status).toBe('inflight')
      expect(sent).not.toHaveProperty('retry')
      await relayed.relay(mode)
      const waiting = await checked('canonical', hash)
      expect(waiting).toMatchObject({
        status: 'inflight',
        error: expect.stringMatching(/anybody may redeem it. It is kept until 20[^ ]*Z.$/),
        retry: { to: retryables, value: '0', gas: expect.stringMatching(/^\d{6,}$/) },
        sourceEvent: { hasMessage: true },
      })
      const { transactionHash } = await relayed.sent(arbitrum, waiting.retry, stranger.privateKey)
      expect(await heldThere(dollars, receiver)).toBe(amountOut)
      const delivered = await checked('canonical', hash)
      expect(delivered).toMatchObject({ status: 'delivered', destinationTxHash: transactionHash })
      expect(delivered).not.toHaveProperty('retry')
    },
  )

  test('a ticket whose receiver takes no ether says why, and is redeemed when it does', async () => {
    const receiver = freshReceiver()
    await relayed.relay('hold')
    const { hash, amountOut } = await ticketFor({ receiver, tokenOut: nativeToken })
    await relayed.rpc(arbitrum, 'anvil_setCode', [receiver, '0x5f5ffd'])
    await relayed.relay('deliver')
    const waiting = await checked('canonical', hash)
    expect(waiting.error).toMatch(/redeem it.*would fail now: reverted without a reason/)
    await relayed.rpc(arbitrum, 'anvil_setCode', [receiver, '0x'])
    await relayed.sent(arbitrum, waiting.retry, stranger.privateKey)
    expect(await heldThere(nativeToken, receiver)).toBe(amountOut)
    expect(await checked('canonical', hash)).toMatchObject({ status: 'delivered' })
  })
})

describe('over Across', () => {
  beforeEach(() => relayed.relay('short'))
  afterEach(() => relayed.relay('deliver'))

  test.each([aero, usdcThere])(
    'a deposit that no relayer fills is filled by whoever has the tokens: %s',
    async (tokenOut) => {
      const receiver = freshReceiver()
      const { hash, amountOut } = await sentFor('across', { receiver, tokenOut })
      const waiting = await checked('across', hash)
      expect(waiting).toMatchObject({
        status: 'inflight',
        error: expect.stringMatching(
          /^No relayer has filled the deposit. Without one until 20[^ ]*Z, Across pays 700000000 of /,
        ),
        fill: {
          to: spokePool,
          value: '0',
          token: usdcThere,
          amount: waiting.sourceEvent.amount,
          repaidTo: alice.address,
          repaidOnChainId: here,
        },
      })
      expect(waiting).not.toHaveProperty('retry')
      expect(await told(hash)).toContain(waiting.fill.data)
      const { token, amount, to } = waiting.fill
      const approve = encodeFunctionData({ abi: approveAbi, args: [to, BigInt(amount)] })
      await relayed.sent(there, { to: token, data: approve }, alice.privateKey)
      await relayed.sent(there, waiting.fill, alice.privateKey)
      expect(await held(tokenOut, receiver)).toBe(amountOut)
      expect(await checked('across', hash)).toMatchObject({ status: 'delivered' })
    },
  )

  test('a deposit that no fill can pay says why, and gives no transaction', async () => {
    const receiver = freshReceiver()
    const { hash } = await sentFor('across', { receiver })
    const rpc = <T>(method: string, ...params: readonly unknown[]) =>
      relayed.rpc<T>(there, method, params)
    await blacklistUsdc(rpc, { usdc: usdcThere, account: receiver })
    const waiting = await checked('across', hash)
    expect(waiting).toMatchObject({
      status: 'inflight',
      error: expect.stringMatching(/A fill would fail now: .*blacklisted/),
    })
    expect(waiting).not.toHaveProperty('fill')
  })

  test('a deposit that expired is failed, with the time, the amount and who is paid back', async () => {
    const transfer = acrossTransfer(
      { from: here, to: there },
      { symbol: 'USDC', amount: 5_000_000n, outputAmount: 4_990_000n, receiver: freshReceiver() },
    )
    const { transactionHash } = await relayed.on(here).deposit(transfer)
    const { timestamp } = await relayed.on(there).client.getBlock()
    await relayed.rpc(there, 'evm_setNextBlockTimestamp', [numberToHex(timestamp + 40n * 86_400n)])
    await relayed.rpc(there, 'evm_mine', [])
    const expired = await checked('across', transactionHash)
    expect(expired).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(
        `Across pays 5000000 of ${usdc} back to ${alice.address} on chain 1 by itself`,
      ),
    })
    expect(expired.error).toMatch(/until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/)
    for (const none of ['retry', 'fill']) expect(expired).not.toHaveProperty(none)
  })
})
