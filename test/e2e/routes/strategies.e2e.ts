/**
 * Every routing strategy as its users send it: plain accounts, a Safe, a smart wallet before and after it is deployed,
 * an EIP-7702 account. Real contracts and real signatures, on an Anvil of the test's own.
 */
import { type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { askBundle } from '../../support/bundle.js'
import {
  type AnswerTransaction,
  type Execution,
  executeOnFork,
  signTransaction,
} from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { openSafe, safeTransaction } from '../../support/safe.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'
import {
  type Asked,
  bundled,
  etherToDai,
  expectBundle,
  ofBundle,
  routed,
  trades,
  usdcToWeth,
} from '../../support/strategies.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const alice = sandboxAccount('alice')
const bob = sandboxAccount('bob')
const carol = sandboxAccount('carol')
const dave = sandboxAccount('dave')
const ether = 10n ** 18n
const referralCode = 'strategy-desk'

let sandbox: Sandbox
let node: NodeWriter
let safe: Address
let service: TestService

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  await node.rpc('anvil_impersonateAccount', [dave.address])
  safe = await openSafe(node, bob.address)
  const fill = 'function transfer(address to, uint256 amount)'
  await node.send(token('USDC'), fill, [safe, 50_000_000_000n], dave.address)
  await node.send(token('WETH'), fill, [safe, 20n * ether], dave.address)
  await node.rpc('anvil_setBalance', [safe, numberToHex(5n * ether)])
  await node.rpc('evm_mine', [])
  service = await startService({ RPC_URL_1: sandbox.url, HEAD_POLL_MS: '250' })
})
afterAll(async () => {
  await service?.stop()
  await node?.close()
  await sandbox?.stop()
})

/** Until the transaction is on the chain behind the service, and the service stands on its block. */
async function mined(hash: Hex): Promise<void> {
  await node.rpc('evm_mine', [])
  const receipt = await node.rpc<{ status: Hex }>('eth_getTransactionReceipt', [hash])
  expect(receipt.status).toBe('0x1')
  const head = Number(await node.rpc<Hex>('eth_blockNumber', []))
  const newest = async () => (await service.get('/api/v1/networks')).body[0].blockNumber
  await expect.poll(newest).toBe(head)
}

/** USDC to WETH, and what that gives to DAI. */
async function bundle(routingStrategy: string, from: Address): Promise<Answer> {
  const [usdc, weth, dai] = [token('USDC'), token('WETH'), token('DAI')]
  const hop = (tokenIn: Address, tokenOut: Address, amountIn: unknown) => ({
    protocol: 'svc',
    action: 'route',
    args: { tokenIn, tokenOut, amountIn },
  })
  const query = { fromAddress: from, routingStrategy, executionMode: 'user', referralCode }
  const answer = await askBundle(service, query, [
    hop(usdc, weth, bundled.toString()),
    hop(weth, dai, { useOutputOfCallAt: 0 }),
  ])
  expect(answer.status, answer.text).toBe(200)
  expect(Object.keys(answer.body.amountsOut)).toEqual([dai])
  return answer
}

async function route(asked: Asked): Promise<Answer> {
  const { routingStrategy, from, tokenIn, amountIn, tokenOut, more } = asked
  const answer = await service.get('/api/v1/shortcuts/route', {
    chainId: '1',
    fromAddress: from,
    routingStrategy,
    referralCode,
    tokenIn,
    amountIn: amountIn.toString(),
    tokenOut,
    ...more,
  })
  expect(answer.status, answer.text).toBe(200)
  return answer
}

/** Sends it in the block after the answer's, as `tx` says; watches what the account gives and gets. */
function execute(
  answer: Answer,
  tx: AnswerTransaction,
  watch: readonly { token: Address; owner: Address }[],
): Promise<Execution> {
  const { blockNumber } = answer.body
  return executeOnFork({ nodeUrl: sandbox.url, blockNumber, tx, watch })
}

function expectEvent(done: Execution, emitter: Address, sender: Address, receiver = sender) {
  const { accountId } = service
  expect(accountId).toMatch(/^0x(?!0{64})[0-9a-f]{64}$/)
  expect(routed(done)).toEqual([{ emitter, accountId, referralCode, sender, receiver }])
}

describe('an externally owned account', () => {
  test.each(
    trades.flatMap(([name, trade]) =>
      (['router', 'router-legacy'] as const).map((strategy) => [strategy, name, trade] as const),
    ),
  )('%s, %s: a signed transaction delivers amountOut and uses gas', async (strategy, _, trade) => {
    const from = alice.address
    const answer = await route({ routingStrategy: strategy, from, ...trade })
    const { tx, amountOut, gas } = answer.body
    expect(tx.to).toBe(contractAddress('Router'))
    const done = await execute(answer, { ...tx, key: alice.privateKey }, [
      { token: trade.tokenIn, owner: from },
      { token: trade.tokenOut, owner: from },
    ])
    expect(done).toMatchObject({ status: 'success', gasUsed: BigInt(gas) })
    expect(done.deltas).toEqual([-trade.amountIn, BigInt(amountOut)])
    if (strategy === 'router') expectEvent(done, contractAddress('Router'), from)
    else expect(routed(done)).toEqual([])
  })
})

describe('a bundle of an externally owned account', () => {
  test.each(['router', 'router-legacy'])('%s', async (strategy) => {
    const from = alice.address
    const answer = await bundle(strategy, from)
    const { tx, gas } = answer.body
    const done = await execute(answer, { ...tx, key: alice.privateKey }, ofBundle(from))
    expectBundle(done, answer)
    expect(done.gasUsed).toBe(BigInt(gas))
    if (strategy === 'router') expectEvent(done, contractAddress('Router'), from)
    else expect(routed(done)).toEqual([])
  })
})

describe('a Safe', () => {
  /** What the Safe adds: its signature, its nonce, its own code and the longer call data. */
  const ownGas = 55_000n

  const delegatecallSignedBy = (
    owner: typeof bob,
    { to, data }: Readonly<{ to: Address; data: Hex }>,
  ) =>
    safeTransaction({
      safe,
      ownerKey: owner.privateKey,
      chainId: 1,
      nonce: 0n,
      to,
      data,
      value: 0n,
      operation: 'delegatecall',
    })

  test.each(
    trades.flatMap(([name, trade]) =>
      (['delegate', 'delegate-legacy'] as const).map(
        (strategy) => [strategy, name, trade] as const,
      ),
    ),
  )('%s, %s: delegatecalls what its owner has signed', async (strategy, _, trade) => {
    const answer = await route({ routingStrategy: strategy, from: safe, ...trade })
    const { tx, amountOut, gas } = answer.body
    expect(tx).toMatchObject({ from: safe, to: contractAddress('Delegate'), value: '0' })
    const signed = await delegatecallSignedBy(bob, tx)
    // Anybody may bring the owner's signature; the Safe itself holds what is spent.
    const sent = { from: carol.address, key: carol.privateKey, value: '0', ...signed }
    const done = await execute(answer, sent, [
      { token: trade.tokenIn, owner: safe },
      { token: trade.tokenOut, owner: safe },
    ])
    expect(done.status).toBe('success')
    expect(done.deltas).toEqual([-trade.amountIn, BigInt(amountOut)])
    expect(done.gasUsed).toBeGreaterThan(BigInt(gas))
    expect(done.gasUsed).toBeLessThan(BigInt(gas) + ownGas)
    if (strategy === 'delegate') expectEvent(done, safe, safe)
    else expect(routed(done)).toEqual([])
  })

  test.each(['delegate', 'delegate-legacy'])('%s: a bundle', async (strategy) => {
    const answer = await bundle(strategy, safe)
    const { tx, gas } = answer.body
    const signed = await delegatecallSignedBy(bob, tx)
    const sent = { from: carol.address, key: carol.privateKey, value: '0', ...signed }
    const done = await execute(answer, sent, ofBundle(safe))
    expectBundle(done, answer)
    expect(done.gasUsed - BigInt(gas)).toBeLessThan(ownGas)
    if (strategy === 'delegate') expectEvent(done, safe, safe)
    else expect(routed(done)).toEqual([])
  })

  test('a signature of somebody else moves nothing', async () => {
    const answer = await route({ routingStrategy: 'delegate', from: safe, ...usdcToWeth })
    const { tx } = answer.body
    const signed = await delegatecallSignedBy(carol, tx)
    const sent = { from: carol.address, key: carol.privateKey, value: '0', ...signed }
    const done = await execute(answer, sent, [{ token: token('USDC'), owner: safe }])
    expect(done).toMatchObject({ status: 'reverted', deltas: [0n] })
  })

  test('the account must hold what it spends', async () => {
    const answer = await service.get('/api/v1/shortcuts/route', {
      fromAddress: safe,
      routingStrategy: 'delegate',
      tokenIn: token('USDC'),
      amountIn: '50000000001',
      tokenOut: token('WETH'),
    })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: { owner: safe, spender: null, required: '50000000001', actual: '50000000000' },
    })
  })
})

describe('an EIP-7702 account', () => {
  const delegate = contractAddress('Delegate')

  test('delegate: the very transaction that takes on the code may be the order', async () => {
    const { address: from, privateKey: key } = alice
    const answer = await route({ routingStrategy: 'delegate', from, ...usdcToWeth })
    const { tx, amountOut } = answer.body
    const done = await execute(answer, { ...tx, to: from, key, takesCodeOf: delegate }, [
      { token: token('USDC'), owner: from },
      { token: token('WETH'), owner: from },
    ])
    expect(done).toMatchObject({ status: 'success' })
    expect(done.deltas).toEqual([-usdcToWeth.amountIn, BigInt(amountOut)])
    expectEvent(done, from, from)
  })

  describe('that keeps the code', () => {
    const { address: from, privateKey: key } = dave

    test('takes it on by a type-4 transaction that it has signed', async () => {
      const tx: AnswerTransaction = { from, to: from, data: '0x', value: '0', key }
      const head = await node.rpc<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', ['latest', false])
      const raw = await signTransaction(
        (method, params) => node.rpc(method, params),
        { ...tx, key, takesCodeOf: delegate },
        BigInt(head.baseFeePerGas),
      )
      await mined(await node.rpc<Hex>('eth_sendRawTransaction', [raw]))
      const code = await node.rpc<Hex>('eth_getCode', [from, 'latest'])
      expect(code).toBe(`0xef0100${delegate.slice(2)}`)
    })

    test.each(
      trades.flatMap(([name, trade]) =>
        (['delegate', 'delegate-legacy'] as const).map(
          (strategy) => [strategy, name, trade] as const,
        ),
      ),
    )('%s, %s: calls itself', async (strategy, _, trade) => {
      const answer = await route({ routingStrategy: strategy, from, ...trade })
      const { tx, amountOut, gas } = answer.body
      const done = await execute(answer, { ...tx, to: from, key }, [
        { token: trade.tokenIn, owner: from },
        { token: trade.tokenOut, owner: from },
      ])
      expect(done).toMatchObject({ status: 'success', gasUsed: BigInt(gas) })
      expect(done.deltas).toEqual([-trade.amountIn, BigInt(amountOut)])
      if (strategy === 'delegate') expectEvent(done, from, from)
      else expect(routed(done)).toEqual([])
    })

    test.each(['delegate', 'delegate-legacy'])('%s: a bundle', async (strategy) => {
      const answer = await bundle(strategy, from)
      const { tx, gas } = answer.body
      const done = await execute(answer, { ...tx, to: from, key }, ofBundle(from))
      expectBundle(done, answer)
      expect(done.gasUsed).toBe(BigInt(gas))
      if (strategy === 'delegate') expectEvent(done, from, from)
      else expect(routed(done)).toEqual([])
    })

    test('router: still routes as any other account', async () => {
      const answer = await route({ routingStrategy: 'router', from, ...etherToDai })
      const { tx, amountOut, gas } = answer.body
      const watch = [{ token: token('DAI'), owner: from }]
      const done = await execute(answer, { ...tx, key }, watch)
      expect(done).toMatchObject({ status: 'success', gasUsed: BigInt(gas) })
      expect(done.deltas).toEqual([BigInt(amountOut)])
      expectEvent(done, contractAddress('Router'), from)
    })

    test('delegate: nobody else may run its orders', async () => {
      const answer = await route({ routingStrategy: 'delegate', from, ...usdcToWeth })
      const { tx } = answer.body
      const stranger = { ...tx, to: from, from: carol.address, key: carol.privateKey }
      const done = await execute(answer, stranger, [{ token: token('USDC'), owner: from }])
      expect(done).toMatchObject({ status: 'reverted', deltas: [0n] })
    })
  })
})

describe('a smart wallet', () => {
  const owner = carol.address
  const routingStrategy = 'svcwallet-v2'
  let wallet: Address

  const details = async () =>
    (await service.get('/api/v1/wallet', { chainId: '1', fromAddress: owner })).body

  async function mine(tx: { from: Address; to: Address; data: Hex; value: string }): Promise<void> {
    await node.rpc('anvil_impersonateAccount', [tx.from])
    const { from, to, data } = tx
    const request = { from, to, data, value: numberToHex(BigInt(tx.value)), gas: '0x7a1200' }
    await mined(await node.rpc<Hex>('eth_sendTransaction', [request]))
  }

  test('without allowance its factory may not bring the tokens: 400, and the approval that helps', async () => {
    wallet = (await details()).address
    const refused = await service.get('/api/v1/shortcuts/route', {
      fromAddress: owner,
      routingStrategy,
      tokenIn: token('USDC'),
      amountIn: '3000000000',
      tokenOut: token('WETH'),
    })
    expect(refused.status, refused.text).toBe(400)
    const factory = contractAddress('WalletFactory')
    expect(refused.body).toMatchObject({
      code: 'INSUFFICIENT_ALLOWANCE',
      details: { owner, spender: factory },
    })
    const approval = await service.get('/api/v1/wallet/approve', {
      chainId: '1',
      fromAddress: owner,
      routingStrategy,
      tokenAddress: token('USDC'),
      amount: '9000000000',
    })
    expect(approval.body.spender).toBe(factory)
    await mine(approval.body.tx)
  })

  test.each(['deploys it', 'uses it'])('a transaction %s', async (what) => {
    const isFirst = what === 'deploys it'
    expect(await details()).toMatchObject({ address: wallet, isDeployed: !isFirst })
    const asked = { routingStrategy, from: owner, ...usdcToWeth, more: { receiver: bob.address } }
    const answer = await route(asked)
    const { tx, amountOut, gas } = answer.body
    expect(tx.to).toBe(contractAddress('WalletFactory'))
    const done = await execute(answer, { ...tx, key: carol.privateKey }, [
      { token: token('USDC'), owner },
      { token: token('WETH'), owner: bob.address },
      { token: token('USDC'), owner: wallet },
    ])
    expect(done).toMatchObject({ status: 'success', gasUsed: BigInt(gas) })
    expect(done.deltas).toEqual([-usdcToWeth.amountIn, BigInt(amountOut), 0n])
    expectEvent(done, wallet, owner, bob.address)
    await mine(tx)
    expect((await details()).isDeployed).toBe(true)
  })

  test('runs a bundle', async () => {
    const answer = await bundle(routingStrategy, owner)
    const { tx, gas } = answer.body
    const done = await execute(answer, { ...tx, key: carol.privateKey }, ofBundle(owner))
    expectBundle(done, answer)
    expect(done.gasUsed).toBe(BigInt(gas))
    expectEvent(done, wallet, owner)
  })

  test('the output may stay in the wallet, and is among its balances', async () => {
    const asked = { routingStrategy, from: owner, ...etherToDai, more: { toEoa: 'false' } }
    const answer = await route(asked)
    const { tx, amountOut, gas } = answer.body
    const done = await execute(answer, { ...tx, key: carol.privateKey }, [
      { token: nativeToken, owner },
      { token: token('DAI'), owner: wallet },
    ])
    expect(done).toMatchObject({ status: 'success', gasUsed: BigInt(gas) })
    expect(done.deltas).toEqual([-ether, BigInt(amountOut)])
    expectEvent(done, wallet, owner, wallet)
    await mine(tx)
    const balances = await service.get('/api/v1/wallet/balances', {
      chainId: 'all',
      eoaAddress: owner,
      useEoa: 'false',
    })
    const held = await node.read(token('DAI'), 'function balanceOf(address)', [wallet])
    expect(balances.body).toMatchObject([
      { token: token('DAI'), amount: BigInt(held).toString(), chainId: 1, symbol: 'DAI' },
    ])
    expect(BigInt(held)).toBeGreaterThan(0n)
  })
})
