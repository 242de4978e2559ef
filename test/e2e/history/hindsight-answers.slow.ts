/** Hindsight over HTTP and on the command line: swaps by public routers, each against its receipts and an own count. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddresses, v2PairAddress } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { runCli } from '../../support/cli.js'
import { executeOnFork } from '../../support/execute.js'
import { examplesOf, partsShown, printedRowsOf } from '../../support/service/examples.js'
import { startService, type TestService } from '../../support/service/service.js'
import {
  bySwapRouter,
  byUniversalRouter,
  byV2Router,
  outputOf,
  reservesOf,
  startTraders,
  type Trade,
  type Traders,
} from '../../support/traders.js'

const [weth, usdc, dai] = ['WETH', 'USDC', 'DAI'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
  Address,
]
const [victim, attacker, other] = ['a1', 'a2', 'a3'].map(
  (end) => `0x${'0'.repeat(34)}face${end}`,
) as [Address, Address, Address]
const ether = 10n ** 18n
const pair = v2PairAddress('uniswap-v2', weth, usdc)

let traders: Traders
let service: TestService
let hashes: Hex[]
let block: number
let reserves: readonly [bigint, bigint]
/** Deploys a contract. */
let creation: Hex
/** Its minimum holds at the end of the block three before its own, and not after the trade in the block behind that. */
let late: { readonly trade: Trade; readonly hash: Hex; readonly block: number }

const frontIn = 200n * ether
const victimIn = 10n * ether

beforeAll(async () => {
  traders = await startTraders()
  for (const account of [victim, attacker, other]) await traders.equip(account, [weth, usdc, dai])
  reserves = await reservesOf(traders.node, pair)
  const dollars = outputOf(frontIn, reserves)
  const sell = { tokenIn: weth, tokenOut: usdc }
  const transfer = encodeFunctionData({
    abi: parseAbi(['function transfer(address, uint256)']),
    args: [victim, 5n],
  })
  const trades: Trade[] = [
    byV2Router({ from: attacker, ...sell, amountIn: frontIn }),
    byV2Router({ from: victim, ...sell, amountIn: victimIn }),
    byUniversalRouter({ from: attacker, tokenIn: usdc, tokenOut: weth, amountIn: dollars }),
    bySwapRouter({ from: other, ...sell, amountIn: 3n * ether }, 100, 3n * ether),
    bySwapRouter({ from: other, ...sell, amountIn: ether, receiver: victim }, 3000),
    byV2Router({ from: other, ...sell, amountIn: ether, minimum: 10n ** 30n }),
    { from: other, to: usdc, data: transfer },
  ]
  hashes = await traders.mine(trades)
  block = await traders.head()
  await traders.mine([])
  const deploying = { from: other, data: '0x5f5ff3', gas: numberToHex(100_000) }
  creation = await traders.node.request<Hex>('eth_sendTransaction', [deploying])
  await traders.node.request('evm_mine')
  const minimum = outputOf(ether, await reservesOf(traders.node, pair))
  const trade = byV2Router({ from: other, ...sell, amountIn: ether, minimum })
  await traders.mine([])
  await traders.mine([byV2Router({ from: attacker, ...sell, amountIn: 10n * ether })])
  await traders.mine([])
  const [hash = '0x'] = await traders.mine([trade])
  late = { trade, hash, block: await traders.head() }
  const env = { RPC_URL_1: traders.url, AUTH_MODE: 'open' }
  service = await startService(env)
})
afterAll(async () => {
  await service?.stop()
  await traders?.stop()
})

async function hindsight(body: object) {
  const answer = await service.post('/api/v1/hindsight', { chainId: 1, ...body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

async function one(position: number, more: object = {}) {
  const { transactions } = await hindsight({ hash: hashes[position], ...more })
  expect(transactions).toHaveLength(1)
  return transactions[0]
}

describe('POST /hindsight', () => {
  test('a sandwiched swap: what it gave, how much the front took, and what ours gives there', async () => {
    const found = await one(1)
    const [ethers, dollars] = reserves
    const alone = outputOf(victimIn, reserves)
    const behind = [ethers + frontIn, dollars - outputOf(frontIn, reserves)] as const
    const got = outputOf(victimIn, behind)
    expect(found).toMatchObject({
      hash: hashes[1],
      blockNumber: block,
      transactionIndex: 1,
      from: victim,
      status: 'success',
      noSwap: null,
      swap: {
        payer: victim,
        tokenIn: weth,
        amountIn: victimIn.toString(),
        tokenOut: usdc,
        amountOut: got.toString(),
        receiver: victim,
      },
      through: [{ protocol: 'uniswap-v2', address: pair, id: null }],
      sandwich: {
        attacker,
        fronts: [hashes[0]],
        backs: [hashes[2]],
        loss: (alone - got).toString(),
      },
    })
    expect(found.atItsPlace.result).toBe('won')
    const { tx } = found.atItsPlace
    const first = await traders.node.request<{ input: Hex }>('eth_getTransactionByHash', [
      hashes[0],
    ])
    const executed = await executeOnFork({
      nodeUrl: traders.url,
      blockNumber: block - 1,
      tx,
      fund: [{ token: weth, amount: victimIn }],
      prepare: (anvil) => anvil.rpc('anvil_autoImpersonateAccount', [true]).then(() => undefined),
      approve: tx.to,
      first: [{ from: attacker, to: contractAddresses.v2Router, data: first.input, value: '0' }],
      watch: [{ token: usdc, owner: victim }],
    })
    expect(executed.deltas.map(String)).toEqual([found.atItsPlace.amountOut])
  })

  test('ours at the end of the block before is what a chain of its own gives there', async () => {
    // The pool that ours takes was used by the transaction before it in its block.
    const { swap, before, atItsPlace } = await one(4)
    const executed = await executeOnFork({
      nodeUrl: traders.url,
      blockNumber: block - 1,
      tx: before.tx,
      fund: [{ token: weth, amount: ether }],
      approve: before.tx.to,
      watch: [{ token: usdc, owner: victim }],
    })
    expect(executed.deltas.map(String)).toEqual([before.amountOut])
    expect(BigInt(before.amountOut)).toBeGreaterThan(BigInt(atItsPlace.amountOut))
    const [ours, theirs] = [BigInt(before.amountOut), BigInt(swap.amountOut)]
    expect(before.amountOutBps).toBe(Number(((ours - theirs) * 1_000_000n) / theirs) / 100)
  })

  test('the first block at whose end a minimum fails, over HTTP and on the command line', async () => {
    const at = async (blockNumber: number) => {
      const { from, to, data } = late.trade
      const tx = { from, to, data, value: '0' }
      return executeOnFork({ nodeUrl: traders.url, blockNumber, tx, watch: [] })
    }
    expect((await at(late.block - 3)).status).toBe('success')
    expect((await at(late.block - 2)).status).toBe('reverted')
    expect((await at(late.block - 1)).status).toBe('reverted')

    const first = late.block - 2
    const { transactions } = await hindsight({ hash: late.hash, since: 3 })
    expect(transactions).toMatchObject([
      { blockNumber: late.block, status: 'reverted', revertsSince: first },
    ])
    const single = await runCli(['hindsight', late.hash, '--since', '3', '--url', service.url])
    expect(single.code, single.err).toBe(0)
    expect(single.out).toMatch(new RegExp(`reverts since +│ the end of block ${first} `))
    const range = ['--blocks', `${late.block}`, '--since', '3', '--url', service.url]
    const several = await runCli(['hindsight', ...range])
    expect(several.code, several.err).toBe(0)
    expect(several.err).toContain(`${late.hash} reverted, since block ${first}: `)
  })

  test('ether in by SwapRouter02, proceeds of another account, a revert, a transfer', async () => {
    const native = await one(3)
    expect(native.swap).toMatchObject({ tokenIn: nativeToken, amountIn: (3n * ether).toString() })
    expect(native.through).toMatchObject([{ protocol: 'uniswap-v3' }])
    const paid = await one(4)
    expect(paid.swap).toMatchObject({ tokenIn: weth, receiver: victim })
    const reverted = await one(5, { since: 1 })
    expect(reverted).toMatchObject({
      status: 'reverted',
      reason: 'Error(UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT)',
      revertsSince: block - 1,
      swap: null,
      noSwap: 'it reverted',
    })
    expect(await one(6)).toMatchObject({
      swap: null,
      noSwap: 'nobody gets another token for what the sender gives',
    })
  })

  test('a contract creation, a block without transactions, and blocks that are not there yet', async () => {
    const { transactions } = await hindsight({ hash: creation, since: 1 })
    expect(transactions).toMatchObject([
      {
        hash: creation,
        from: other,
        to: null,
        status: 'success',
        swap: null,
        noSwap: 'it moves no tokens',
        through: [],
        before: null,
        atItsPlace: null,
        sandwich: null,
      },
    ])
    expect(await hindsight({ fromBlock: block + 1 })).toEqual({ transactions: [] })
    const head = await traders.head()
    for (const range of [
      { fromBlock: head + 1 },
      { fromBlock: head, toBlock: head + 1 },
      { fromBlock: Number.MAX_SAFE_INTEGER, toBlock: Number.MAX_SAFE_INTEGER },
    ]) {
      const refused = await service.post('/api/v1/hindsight', range)
      expect(refused, refused.text).toMatchObject({ status: 400, body: { code: 'UNKNOWN_BLOCK' } })
      expect(refused.body.message).toContain(`Block ${range.toBlock ?? range.fromBlock}: `)
    }
  })

  test('a block: all its transactions in their order, byte for byte the same twice', async () => {
    const whole = await hindsight({ fromBlock: block })
    expect(whole.transactions.map(({ hash }: { hash: Hex }) => hash)).toEqual(hashes)
    expect(whole.warnings).toBeUndefined()
    expect(await hindsight({ fromBlock: block })).toEqual(whole)
  })

  test('the command line tells the same', async () => {
    const run = (...args: string[]) => runCli(['hindsight', ...args, '--url', service.url])
    const single = await run(hashes[1] ?? '')
    expect(single.code, single.err).toBe(0)
    expect(single.out).toContain('10 WETH')
    expect(single.out).toContain(attacker)
    const range = await run('--blocks', `${block}..${block + 1}`, '--json')
    expect(range.code, range.err).toBe(0)
    const told = range.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).hash)
    expect(told).toEqual(hashes)
  })

  test('what the page shows of a block of the sandbox is what the command line prints', async () => {
    const shown = printedRowsOf('how-to/hindsight')
    expect(shown.length).toBeGreaterThan(1)
    const run = await runCli(['hindsight', '--blocks', '377', '--url', service.url])
    expect(run.code, run.err).toBe(0)
    const lines = run.out.split('\n')
    for (const row of shown) {
      const line = lines.find((one) => one.includes(row[0] ?? ''))
      for (const cell of row) expect(line).toContain(cell)
    }
  })

  test('the reference shows what is answered', async () => {
    const [example] = examplesOf('reference/api')
    const { status, text, body } = await service.post(example?.path ?? '', example?.body)
    expect(status, text).toBe(200)
    expect(partsShown(example?.shown, body)).toEqual(example?.shown)
  })

  test('a job of the command line leaves in its files what is answered at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'forkroute-hindsight-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const range = ['--blocks', `${block}..${block}`, '--out', folder, '--format', 'jsonl,html']
    const run = await runCli(['hindsight', ...range, '--url', service.url])
    expect(run.code, run.err).toBe(0)
    expect(run.out).toContain('Sandwiched: 1 swap')
    const lines = (await readFile(join(folder, 'results.jsonl'), 'utf8')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).hash)).toEqual(hashes)
    expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain('Sandwiches')
  })

  test('a hash that nobody knows, and requests that are none', async () => {
    const refused = async (body: object) => {
      const { status, body: error } = await service.post('/api/v1/hindsight', body)
      return { status, code: error.code, message: String(error.message) }
    }
    expect(await refused({ hash: `0x${'12'.repeat(32)}` })).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    })
    expect((await refused({})).message).toBe('hash or fromBlock is required')
    const long = { fromBlock: 1, toBlock: 10_001 }
    expect((await refused(long)).message).toBe('toBlock must be at most 9999 after fromBlock')
  })
})
