/**
 * Gas of the returned transaction is what it uses when it is sent, to the unit, whatever the sender holds and has allowed:
 * sent on an Anvil of the test's own, after the approval where there was none.
 */
import { encodeFunctionData, erc20Abi, type Hex, maxUint256, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { createRpcClient, type RpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type ExecuteArgs, executeOnFork } from '../../support/execute.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'
import { tokenNamed as token } from '../../support/token-named.js'

/** Holds tokens and has allowed nothing. */
const carol = sandboxAccount('carol').address
/** Holds nothing. */
const stranger: Address = '0x00000000000000000000000000000000000a11ce'
const router = contractAddress('Router')
const ether = 10n ** 18n

let service: TestService
let node: RpcClient

beforeAll(async () => {
  service = await startService({ HEAD_POLL_MS: '250' })
  node = createRpcClient(service.nodeUrl)
})
afterAll(async () => {
  await node?.close()
  await service?.stop()
})

function route(from: Address, query: Record<string, string>): Promise<Answer> {
  return service.get('/api/v1/shortcuts/route', { fromAddress: from, ...query })
}

async function expectExactGas(
  answer: Answer,
  tokenOut: Address,
  before: Pick<ExecuteArgs, 'fund' | 'approve' | 'first'> = {},
) {
  expect(answer.status, answer.text).toBe(200)
  const { tx, createdAt, amountOut, gas } = answer.body
  const done = await executeOnFork({
    nodeUrl: service.nodeUrl,
    blockNumber: createdAt,
    tx,
    watch: [{ token: tokenOut, owner: tx.from }],
    ...before,
  })
  expect(done).toMatchObject({ status: 'success', deltas: [BigInt(amountOut)] })
  expect(done.gasUsed).toBe(BigInt(gas))
}

function approval(owner: Address, spent: Address, amount: bigint) {
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [router, amount],
  })
  return { from: owner, to: spent, data, value: '0' }
}

async function balanceOf(owner: Address, held: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  return BigInt(await node.request<Hex>('eth_call', [{ to: held, data }, 'latest']))
}

/** Sends it to the node, and waits until the service stands on the block that has it. */
async function mined(tx: { from: Address; to: Address; data: Hex }): Promise<void> {
  const newest = async () => (await service.get('/api/v1/networks')).body[0].blockNumber
  const before = await newest()
  await node.request('eth_sendTransaction', [{ ...tx, gas: numberToHex(1_000_000n) }])
  await expect.poll(newest).toBe(before + 1)
}

describe('gas before the sender is funded (executionMode backend)', () => {
  test.each([
    ['USDC', 'WETH', 5_000_000_000n],
    ['USDT', 'DAI', 1_000_000_000n],
    ['WETH', 'USDC', 2n * ether],
    ['DAI', 'ETH', 900n * ether],
    ['ETH', 'USDC', ether],
  ])('%s to %s, exactly amountIn held and allowed: no difference', async (from, to, amount) => {
    const [tokenIn, tokenOut] = [token(from), token(to)]
    const query = { tokenIn, tokenOut, amountIn: amount.toString() }
    const answer = await route(stranger, { ...query, executionMode: 'backend' })
    await expectExactGas(answer, tokenOut, { fund: [{ token: tokenIn, amount }], approve: router })
    const quote = await service.get('/api/v1/shortcuts/quote', { ...query, fromAddress: stranger })
    expect(quote.body.gas).toBe(answer.body.gas)
  })

  test.each([
    ['USDC', 'WETH', 1_000_000n],
    ['WETH', 'USDC', ether / 100n],
  ])('%s to %s, a rest stays and the allowance is new: no difference', async (from, to, amount) => {
    const [tokenIn, tokenOut] = [token(from), token(to)]
    expect(await balanceOf(carol, tokenIn)).toBeGreaterThan(amount)
    const query = { tokenIn, tokenOut, amountIn: amount.toString(), executionMode: 'backend' }
    const answer = await route(carol, query)
    await expectExactGas(answer, tokenOut, { first: [approval(carol, tokenIn, amount)] })
  })
})

describe('gas of a sender whose funds are checked (executionMode user)', () => {
  test.each([
    ['an allowance of exactly amountIn', 1_000_000n, 'amount'],
    ['an allowance without end', 1_000_000n, 'all'],
    ['the whole balance', 'all', 'all'],
  ] as const)('after its first approval, %s: no difference', async (_name, spent, allowed) => {
    const [usdc, weth] = [token('USDC'), token('WETH')]
    const amount = spent === 'all' ? await balanceOf(carol, usdc) : spent
    await mined(approval(carol, usdc, allowed === 'all' ? maxUint256 : amount))
    const query = { tokenIn: usdc, tokenOut: weth, amountIn: amount.toString() }
    const answer = await route(carol, query)
    await expectExactGas(answer, weth)
    const backend = await route(carol, { ...query, executionMode: 'backend' })
    expect(backend.body).toEqual(answer.body)
  })
})
