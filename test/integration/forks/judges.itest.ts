/** Judges that serve again and again, against fresh ones. */
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { TestAnvil } from '../../support/anvil.js'
import { type ExecuteArgs, executeOnFork, judge } from '../../support/execute.js'
import { createJudgePool, type JudgePool } from '../../support/judges.js'
import { type ReadOnlyNode, startReadOnlyNode } from '../../support/nodes/read-only-node.js'
import { withSandbox } from '../../support/sandbox.js'

const abi = parseAbi([
  'function transfer(address, uint256)',
  'function transferFrom(address, address, uint256)',
])
const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
]
const alice = sandboxAccount('alice').address
const stranger: Address = '0x00000000000000000000000000000000000a11ce'
const other: Address = '0x00000000000000000000000000000000000b0b0b'
const ether = 10n ** 18n

const context = withSandbox()
let node: ReadOnlyNode
let head: number
let pool: JudgePool

beforeAll(async () => {
  node = await startReadOnlyNode(context().sandbox.url)
  head = Number(context().sandbox.blockNumber)
  pool = createJudgePool()
})
afterAll(async () => {
  await pool?.close()
  await node?.stop()
})

type Judgement = Omit<ExecuteArgs, 'nodeUrl' | 'blockNumber' | 'inspect'>

const call = (from: Address, to: Address, data: Hex, value = 0n) => ({
  from,
  to,
  data,
  value: value.toString(),
})
const transfer = (amount: bigint) =>
  encodeFunctionData({ abi, functionName: 'transfer', args: [other, amount] })

/** Each leaves something behind that would change the next one's outcome. */
const judgements: Readonly<Record<string, Judgement>> = {
  'ether and a token from nowhere, approved and sent on': {
    tx: call(
      stranger,
      usdc,
      encodeFunctionData({ abi, functionName: 'transfer', args: [other, 5_000_000n] }),
    ),
    fund: [
      { token: nativeToken, amount: ether },
      { token: usdc, amount: 5_000_000n },
    ],
    approve: other,
    watch: [
      { token: usdc, owner: other },
      { token: nativeToken, owner: stranger },
    ],
  },
  'a signed transaction after another one, a block later than usual': {
    tx: { ...call(alice, other, '0x', ether), key: sandboxAccount('alice').privateKey },
    first: [{ ...call(alice, weth, '0x', ether), key: sandboxAccount('alice').privateKey }],
    blockTimeSeconds: 60,
    watch: [
      { token: nativeToken, owner: other },
      { token: weth, owner: alice },
      { token: nativeToken, owner: alice },
    ],
  },
  'one that reverts': {
    tx: call(stranger, weth, transfer(ether)),
    watch: [{ token: weth, owner: other }],
  },
  'code, storage and nonce of its own, and our contracts': {
    tx: call(stranger, other, '0x'),
    deploy: true,
    async prepare(anvil) {
      await anvil.rpc('anvil_setCode', [other, '0x60005460010160005560005460005260206000a0'])
      await anvil.rpc('anvil_setStorageAt', [other, `0x${'0'.repeat(64)}`, `0x${'0'.repeat(63)}7`])
      await anvil.rpc('anvil_setNonce', [stranger, '0x9'])
    },
    watch: [{ token: nativeToken, owner: other }],
  },
}

/** All that the chain says of the transaction and its block. */
async function outcome(run: (args: ExecuteArgs) => Promise<object>, judgement: Judgement) {
  let chain: unknown
  const execution = await run({
    ...judgement,
    nodeUrl: node.url,
    blockNumber: head,
    async inspect(anvil) {
      const { timestamp, baseFeePerGas, gasUsed, gasLimit, stateRoot, parentHash } =
        await anvil.rpc<Record<string, Hex>>('eth_getBlockByNumber', ['latest', false])
      const receipts = await anvil.rpc<Record<string, unknown>[]>('eth_getBlockReceipts', [
        'latest',
      ])
      expect(receipts.length).toBeGreaterThan(0)
      chain = {
        block: { timestamp, baseFeePerGas, gasUsed, gasLimit, stateRoot, parentHash },
        nonce: await anvil.rpc('eth_getTransactionCount', [judgement.tx.from, 'latest']),
        receipts,
      }
    },
  })
  return { execution, chain }
}

const pooled = async (args: ExecuteArgs) =>
  judge(await pool.lease(args.nodeUrl, args.blockNumber), args)

describe('a judge that serves again', () => {
  test('gives the receipts of a fresh one, whatever it judged before', async () => {
    const expected = new Map<string, unknown>()
    for (const [name, judgement] of Object.entries(judgements)) {
      expected.set(name, await outcome(executeOnFork, judgement))
    }
    const pids = new Set<number>()
    const names = Object.keys(judgements)
    for (const name of [...names, ...names.toReversed(), ...names]) {
      const found = await outcome(async (args) => {
        const lease = await pool.lease(args.nodeUrl, args.blockNumber)
        pids.add(lease.anvil.pid)
        return judge(lease, args)
      }, judgements[name] as Judgement)
      expect(found, name).toEqual(expected.get(name))
    }
    expect(pids.size).toBe(1)
    const statuses = [...expected.values()].map(
      (one) => (one as { execution: { status: string } }).execution.status,
    )
    expect(statuses).toEqual(['success', 'success', 'reverted', 'success'])
  })

  test('is nobody: who was impersonated before cannot send', async () => {
    await outcome(pooled, judgements['one that reverts'] as Judgement)
    const lease = await pool.lease(node.url, head)
    const request = { from: stranger, to: other, value: '0x0' }
    await expect(lease.anvil.rpc('eth_sendTransaction', [request])).rejects.toThrow()
    await lease.giveBack()
  })
})

describe('the pool', () => {
  const pidOf = async (
    url: string,
    block: number,
    use?: (anvil: TestAnvil) => Promise<unknown>,
  ) => {
    const lease = await pool.lease(url, block)
    await use?.(lease.anvil)
    await lease.giveBack()
    return lease.anvil.pid
  }

  test('lends a judge to one at a time, and for its node and block only', async () => {
    const [first, second] = await Promise.all([
      pool.lease(node.url, head),
      pool.lease(node.url, head),
    ])
    expect(first.anvil.pid).not.toBe(second.anvil.pid)
    await first.giveBack()
    await second.giveBack()
    const own = [first.anvil.pid, second.anvil.pid]
    expect(own).toContain(await pidOf(node.url, head))
    expect(own).not.toContain(await pidOf(node.url, head - 1))
    const secondNode = await startReadOnlyNode(context().sandbox.url)
    expect(own).not.toContain(await pidOf(secondNode.url, head))
    await secondNode.stop()
  })

  test('ends a judge that was told what no snapshot takes back, and one that failed', async () => {
    const later = await pidOf(node.url, head - 2, (anvil) => anvil.rpc('evm_increaseTime', [60]))
    expect(() => process.kill(later, 0)).toThrow('ESRCH')
    const lease = await pool.lease(node.url, head - 2)
    const failing = judge(lease, {
      nodeUrl: node.url,
      blockNumber: head - 2,
      watch: [],
      tx: call(alice, other, '0x'),
      prepare: () => Promise.reject(new Error('no')),
    })
    await expect(failing).rejects.toThrow('no')
    expect(() => process.kill(lease.anvil.pid, 0)).toThrow('ESRCH')
    expect(lease.anvil.pid).not.toBe(later)
  })
})

test('a chain that is shared cannot be changed through its door', async () => {
  const ask = async (body: unknown) =>
    (await fetch(node.url, { method: 'POST', body: JSON.stringify(body) })).json()
  const mine = { jsonrpc: '2.0', id: 7, method: 'evm_mine', params: [] }
  const read = { jsonrpc: '2.0', id: 8, method: 'eth_blockNumber', params: [] }
  expect(await ask(read)).toMatchObject({ id: 8, result: `0x${head.toString(16)}` })
  for (const method of ['evm_mine', 'anvil_setCode', 'hardhat_reset', 'eth_sendTransaction']) {
    expect(await ask({ ...mine, method })).toMatchObject({
      id: 7,
      error: { code: -32601, message: expect.stringContaining(`${method} is refused`) },
    })
  }
  expect(await ask([read, mine])).toMatchObject([{ error: { code: -32601 } }])
})
