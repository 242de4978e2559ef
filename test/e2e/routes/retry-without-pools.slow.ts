/** A pool that promises the best price and pays nothing must not cost the caller the split over all the others. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCatalog } from '../../../src/catalog/store.js'
import type { Address, Hex } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { executeOnFork } from '../../support/execute.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'

const weth = sandboxToken('WETH').address
const usdc = sandboxToken('USDC').address
const alice = sandboxAccount('alice').address
const ether = 10n ** 18n
const liar: Address = '0x00000000000000000000000000000000000011a2'
/** 10,000 WETH at 3,100 USDC each, where a V2 pair keeps its reserves: token0 (USDC) in the lower 112 bits. */
const reserves = ((10_000n * ether) << 112n) | (31_000_000n * 10n ** 6n)
/** Reverts whatever is called. */
const code: Hex = '0x60006000fd'

const context = withSandbox()
const folders: string[] = []
let honest: TestService
let deceived: TestService

beforeAll(async () => {
  const { client, sandbox } = context()
  await client.request('anvil_setCode', [liar, code])
  await client.request('anvil_setStorageAt', [
    liar,
    `0x${'0'.repeat(63)}8`,
    `0x${reserves.toString(16).padStart(64, '0')}`,
  ])
  await client.request('evm_mine', [])
  const start = async (withLiar: boolean) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'forkroute-liar-'))
    folders.push(dataDir)
    const catalog = openCatalog(dataDir)
    if (withLiar) {
      catalog.importPools(1, [
        {
          protocol: 'uniswap-v2',
          id: liar,
          address: liar,
          tokens: [usdc, weth],
          parameters: { feeBps: 30 },
        },
      ])
    }
    catalog.close()
    return startService({ RPC_URL_1: sandbox.url, DATA_DIR: dataDir, HEAD_POLL_MS: '250' })
  }
  honest = await start(false)
  deceived = await start(true)
})
afterAll(async () => {
  await honest?.stop()
  await deceived?.stop()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

describe('GET /api/v1/shortcuts/route beside a pool that lies', () => {
  test('the split over the other pools is found all the same, and delivers', async () => {
    const query = {
      chainId: '1',
      fromAddress: alice,
      executionMode: 'backend',
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: (500n * ether).toString(),
    }
    const [misled, fair] = await Promise.all(
      [deceived, honest].map((service) => service.get('/api/v1/shortcuts/route', query)),
    )
    expect(misled?.status, misled?.text).toBe(200)
    expect(misled?.text).not.toContain(liar)
    expect(BigInt(misled?.body.amountOut)).toBe(BigInt(fair?.body.amountOut))
    const done = await executeOnFork({
      nodeUrl: context().sandbox.url,
      blockNumber: misled?.body.createdAt,
      tx: misled?.body.tx,
      watch: [{ token: usdc, owner: alice }],
      fund: [{ token: weth, amount: 500n * ether }],
      approve: contractAddress('Router'),
    })
    expect(done.status).toBe('success')
    expect(done.deltas).toEqual([BigInt(misled?.body.amountOut)])
  })
})
