/**
 * The price scale of a crypto pool of recorded mainnet moves between an answer and its transaction, by the pool's own code:
 * its oracle has followed a price, and somebody else's swap of one dollar lets the scale follow the oracle.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCatalog } from '../../src/catalog/store.js'
import type { Address } from '../../src/domain/primitives.js'
import { contractAddress } from '../../src/executor/deployments.js'
import { protocols } from '../../src/protocols/registry.js'
import { startAnvil, type TestAnvil } from '../support/anvil.js'
import { executeOnFork, placeContracts } from '../support/execute.js'
import { NodeWriter } from '../support/nodes/node-writer.js'
import {
  type RecordedNode,
  recordedPools,
  recordedSwaps,
  startRecordedNode,
} from '../support/recorded-mainnet.js'
import { startService, type TestService } from '../support/service/service.js'
import { describeRecorded } from './describe-recorded.js'

const pool: Address = '0x7f86bf177dd4f3494b841a37e810a34dd56c829b'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const sender: Address = '0x00000000000000000000000000000000000d35c0'
const [dollar, ether] = [10n ** 6n, 10n ** 18n]
const [amountIn, slippage] = [10_000n * dollar, '300']
const exchange = 'function exchange(uint256, uint256, uint256, uint256)'

describeRecorded('a crypto pool of recorded mainnet', () => {
  let node: RecordedNode
  let fork: TestAnvil
  let writer: NodeWriter
  let service: TestService
  let dataDir: string

  beforeAll(async () => {
    node = await startRecordedNode()
    const { stateBlock } = recordedSwaps()
    fork = await startAnvil([
      ...['--fork-url', node.url, '--fork-block-number', String(stateBlock), '--chain-id', '1'],
      ...['--no-mining', '--no-storage-caching', '--no-rate-limit'],
    ])
    await placeContracts(fork)
    writer = await new NodeWriter(fork.url).start()
    await openMarket()
    dataDir = await mkdtemp(join(tmpdir(), 'forkroute-crypto-pool-'))
    const catalog = openCatalog(dataDir)
    catalog.importPools(
      1,
      recordedPools().filter(({ id }) => id === pool),
    )
    catalog.close()
    service = await startService({ RPC_URL_1: fork.url, DATA_DIR: dataDir })
  }, 300_000)
  afterAll(async () => {
    await service?.stop()
    await writer?.close()
    await fork?.stop()
    await node?.stop()
    if (dataDir) await rm(dataDir, { recursive: true, force: true })
  })

  /** Swaps to and fro, whose fees pay for moves of the scale, and one that moves the price. An hour later the oracle is there. */
  async function openMarket(): Promise<void> {
    await writer.rpc('anvil_dealERC20', [NodeWriter.owner, usdc, numberToHex(10n ** 13n)])
    await writer.rpc('anvil_dealERC20', [NodeWriter.owner, weth, numberToHex(10n ** 21n)])
    for (const token of [usdc, weth]) {
      await writer.send(token, 'function approve(address, uint256)', [pool, 10n ** 30n])
    }
    await writer.send(pool, exchange, [0n, 2n, 400_000n * dollar, 0n])
    await writer.send(pool, exchange, [2n, 0n, 150n * ether, 0n])
    await writer.send(pool, exchange, [0n, 2n, 200_000n * dollar, 0n])
    await swapOneDollar()
  }

  async function swapOneDollar(): Promise<void> {
    await writer.rpc('evm_increaseTime', [3_600])
    await writer.send(pool, exchange, [0n, 1n, dollar, 0n])
  }

  const scaleOf = async (coin: bigint) =>
    BigInt(await writer.read(pool, 'function price_scale(uint256) view', [coin]))
  const blockOf = async () => Number(await writer.rpc<Hex>('eth_blockNumber', []))

  /** The answer's transaction in the block after the newest. */
  async function carryOut(tx: Parameters<typeof executeOnFork>[0]['tx']) {
    return executeOnFork({
      nodeUrl: fork.url,
      blockNumber: await blockOf(),
      tx,
      watch: [{ token: weth, owner: sender }],
      fund: [{ token: usdc, amount: amountIn }],
      approve: contractAddress('Router'),
    })
  }

  test('moves its price scale, which the answer said, and the transaction gives more than its minimum', async () => {
    const answer = await service.get('/api/v1/shortcuts/route', {
      chainId: '1',
      fromAddress: sender,
      executionMode: 'backend',
      tokenIn: usdc,
      tokenOut: weth,
      amountIn: String(amountIn),
      slippage,
      blockNumber: String(await blockOf()),
      ignoreStandards: protocols
        .map(({ slug }) => slug)
        .filter((slug) => slug !== 'curve')
        .join(),
    })
    expect(answer.status, answer.text.slice(0, 500)).toBe(200)
    const { amountOut, minAmountOut, cautions, tx } = answer.body
    expect(cautions).toContainEqual({
      pool,
      protocol: 'curve',
      kind: 'price',
      message: 'The pool moves the price around which it trades towards its own oracle.',
    })
    expect((await carryOut(tx)).deltas).toEqual([BigInt(amountOut)])

    const before = await scaleOf(1n)
    await swapOneDollar()
    const after = await scaleOf(1n)
    const { status, deltas } = await carryOut(tx)
    const [given = 0n] = deltas
    expect(status).toBe('success')
    expect(given).toBeGreaterThanOrEqual(BigInt(minAmountOut))
    const bps = (now: bigint, then: bigint) => (Number(now - then) / Number(then)) * 10_000
    // Anvil's clock goes on between the blocks, so that the figures differ a little. One dollar itself moves nothing.
    expect(bps(after, before)).toBeGreaterThan(200)
    expect(bps(after, before)).toBeLessThan(290)
    expect(bps(given, BigInt(amountOut))).toBeGreaterThan(3)
    expect(bps(given, BigInt(amountOut))).toBeLessThan(6)
  })
})
