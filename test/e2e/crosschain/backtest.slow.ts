/**
 * A backtest over bridges while the destination's price moves: what would have arrived some seconds later, against
 * deliveries on an Anvil of the test's own.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { basePlan } from '../../../src/sandbox/plans/base.js'
import { ethereumPlan } from '../../../src/sandbox/plans/ethereum.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { follow, type Page, temporaryFolder } from '../../support/backtest/ether-plan.js'
import { allBut } from '../../support/bridges/all-but.js'
import { deliverOnFork, type Place, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import { runCli } from '../../support/cli.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const tokenOn = (plan: typeof basePlan, symbol: string): Address =>
  plan.market.token(symbol).address
const weth = tokenOn(ethereumPlan, 'WETH')
const [wethThere, aero] = [tokenOn(basePlan, 'WETH'), tokenOn(basePlan, 'AERO')]
const common = {
  destinationChainId: 8453,
  fromAddress: alice,
  tokenOut: aero,
  amountIn: '100000000000000000',
  crosschainRouteMode: 'destination',
  ignoreStandards: 'uniswap-v3',
}
const requests = [
  { name: 'across', ...common, tokenIn: weth, ignoreBridges: allBut('across').split(',') },
  {
    name: 'stargate',
    ...common,
    tokenIn: nativeToken,
    ignoreBridges: allBut('stargate').split(','),
  },
]
/** Raw units of what the bridge pays in place of a failed order. */
const bridgeToken: Readonly<Record<string, Address>> = { across: wethThere, stargate: nativeToken }

let sandboxes: Sandbox[]
let service: TestService
/** The source's last block before the history of the test. */
let first: number
const nodeOf = (chainId: number) => sandboxes.find((one) => one.chainId === chainId)?.url ?? ''
const nodes = () => ({ AUTH_MODE: 'open', RPC_URL_1: nodeOf(1), RPC_URL_8453: nodeOf(8453) })
const planOf = (more: Record<string, unknown> = {}) => ({
  name: 'over bridges',
  blocks: { from: first + 1, to: first + 4 },
  requests,
  deliverySeconds: [10, 3_600],
  ...more,
})

async function rpc<T>(chainId: number, method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch(nodeOf(chainId), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}

/**
 * Both chains end at one time. Blocks of the source follow after 12, 24, 36 and 48 seconds; on the destination somebody
 * buys AERO after 32. So within ten seconds of the second block the price moves, and at no other.
 */
beforeAll(async () => {
  sandboxes = await startSandboxes([1, 8453])
  const before = await startService(nodes())
  const { body } = await before.get('/api/v1/shortcuts/route', {
    chainId: '8453',
    fromAddress: alice,
    tokenIn: nativeToken,
    tokenOut: aero,
    amountIn: (20n * 10n ** 18n).toString(),
    ignoreStandards: 'uniswap-v3',
  })
  await before.stop()
  first = Number(await rpc<Hex>(1, 'eth_blockNumber'))
  for (let block = 0; block < 5; block++) await rpc(1, 'evm_mine')
  for (let block = 0; block < 15; block++) await rpc(8453, 'evm_mine')
  const { from, to, data, value } = body.tx
  await rpc(8453, 'anvil_impersonateAccount', from)
  const hash = await rpc<Hex>(8453, 'eth_sendTransaction', {
    from,
    to,
    data,
    value: numberToHex(BigInt(value)),
    gas: numberToHex(5_000_000n),
  })
  // Anvil answers before it mines.
  await rpc(8453, 'evm_mine')
  const receipt = await rpc<{ status: Hex }>(8453, 'eth_getTransactionReceipt', hash)
  expect(receipt.status).toBe('0x1')
  for (let block = 0; block < 20; block++) await rpc(8453, 'evm_mine')
  service = await startService(nodes())
})
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

async function carriedOut(plan: unknown, by = service): Promise<{ id: string; page: Page }> {
  const { status, text, body } = await by.post('/api/v1/backtests', plan)
  expect(status, text).toBe(200)
  expect(await follow(by.url, body.id)).toBe('finished')
  return { id: body.id, page: (await by.get(`/api/v1/backtests/${body.id}/results`)).body }
}

async function file(id: string, query: Record<string, string>, from = service): Promise<string> {
  const asked = new URLSearchParams({ ...query, reproducible: 'true' })
  const response = await fetch(`${from.url}/api/v1/backtests/${id}/results?${asked}`)
  expect(response.status).toBe(200)
  return response.text()
}

describe('a backtest over bridges', () => {
  test('says of each block what would have arrived ten seconds later, as an Anvil does', async () => {
    const { id, page } = await carriedOut(planOf())
    expect(page.blocks).toHaveLength(4)
    for (const [index, block] of page.blocks.entries()) {
      for (const row of block.rows) {
        expect(row.error).toBeUndefined()
        expect(row.crosschain.bridge).toBe(row.request)
        const [soon, late] = row.crosschain.deliveries
        expect(late).toMatchObject({ seconds: 3_600, status: 'unknown', reason: /no block after/ })
        expect(soon).toMatchObject({ seconds: 10, status: index === 1 ? 'fallback' : 'delivered' })
        const { name: _, ...fields } = requests.find(({ name }) => name === row.request) ?? {
          ...common,
          name: '',
        }
        const route = await service.post('/api/v1/shortcuts/route', {
          ...fields,
          blockNumber: block.blockNumber,
          executionMode: 'backend',
        })
        expect(route.status, route.text).toBe(200)
        const { body } = route
        expect(row).toMatchObject({ amountsOut: [body.amountOut], gas: body.gas })
        expect(row.crosschain.destinationBlockNumber).toBe(body.destinationBlockNumber)
        expect(row.crosschain.bridgeFee).toBe(body.bridgeFee.native)
        const source: Place = {
          chainId: 1,
          nodeUrl: nodeOf(1),
          blockTimeSeconds: 12,
          blockNumber: block.blockNumber,
        }
        const destination: Place = {
          chainId: 8453,
          nodeUrl: nodeOf(8453),
          blockTimeSeconds: 2,
          blockNumber: soon.blockNumber,
        }
        const sent = await sendOnFork(source, body.tx)
        const token = index === 1 ? (bridgeToken[row.request] as Address) : aero
        const watch = { token, owner: alice }
        const done = await deliverOnFork({ source, destination, logs: sent.logs, watch })
        expect(done).toMatchObject({ status: 'delivered', gained: BigInt(soon.amount) })
        if (index === 1) {
          expect(soon.token).toBe(token)
          expect(soon.reason).toContain('InsufficientOutput')
        }
        const header = await rpc<{ timestamp: Hex }>(
          ...([8453, 'eth_getBlockByNumber', numberToHex(soon.blockNumber), false] as const),
        )
        expect(Number(header.timestamp)).toBe(block.timestamp + 10)
      }
    }
    const summary = await service.get(`/api/v1/backtests/${id}/summary`)
    expect(summary.body.variants[0].deliveries).toEqual([
      {
        seconds: 10,
        delivered: 6,
        fallback: 2,
        reverted: 0,
        unknown: 0,
        deliveryRate: 0.75,
        shortfall: expect.objectContaining({ count: 6 }),
      },
      {
        seconds: 3_600,
        delivered: 0,
        fallback: 0,
        reverted: 0,
        unknown: 8,
        deliveryRate: null,
        shortfall: null,
      },
    ])
    const lines = (await file(id, { format: 'csv', table: 'deliveries' })).trim().split('\r\n')
    expect(lines).toHaveLength(1 + 4 * 2 * 2)
    expect(lines[0]).toContain('shortfall_bps')
    expect(lines.filter((line) => line.includes(',fallback,'))).toHaveLength(2)
  })

  test('is the same, byte for byte, when asked again, and when its service ended in the middle', async () => {
    const formats = [{ format: 'jsonl' }, { format: 'csv', table: 'deliveries' }]
    const plan = planOf({ deliverySeconds: 10 })
    const one = await carriedOut(plan)
    const dataDir = await temporaryFolder()
    const started = await startService({ ...nodes(), DATA_DIR: dataDir })
    const { body: job } = await started.post('/api/v1/backtests', plan)
    await follow(started.url, job.id, 1)
    await started.stop()
    const again = await startService({ ...nodes(), DATA_DIR: dataDir })
    try {
      expect(await follow(again.url, job.id)).toBe('finished')
      for (const format of formats) {
        expect(await file(job.id, format, again)).toBe(await file(one.id, format))
      }
    } finally {
      await again.stop()
    }
  })

  test('delivers as late as the bridge usually takes, unless told, and the command prints it', async () => {
    const folder = await temporaryFolder()
    const path = join(folder, 'plan.json')
    const { deliverySeconds: _, ...plan } = planOf({ blocks: { from: first - 16, to: first - 16 } })
    await writeFile(path, JSON.stringify(plan))
    const { code, out, err } = await runCli([
      ...['backtest', path, '--url', service.url, '--out', folder, '--format', 'csv,json,html'],
    ])
    expect(code, err).toBe(0)
    expect(out).toContain('as estimated')
    const summary = JSON.parse(await readFile(join(folder, 'summary.json'), 'utf8'))
    const [{ deliveries }] = summary.variants
    expect(deliveries).toMatchObject([{ seconds: null, reverted: 0, unknown: 0 }])
    expect(deliveries[0].delivered + deliveries[0].fallback).toBe(2)
    expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain('would have arrived')
    const routes = await readFile(join(folder, 'routes.csv'), 'utf8')
    expect(routes.split('\r\n')[1]).toContain(',across,')
    const rows = (await readFile(join(folder, 'deliveries.csv'), 'utf8')).trim().split('\r\n')
    const route = await service.post('/api/v1/shortcuts/route', {
      ...requests[1],
      name: undefined,
      blockNumber: first - 16,
      executionMode: 'backend',
    })
    expect(route.status, route.text).toBe(200)
    const [{ estimatedSeconds }] = route.body.bridgingEstimates
    expect(rows[2]).toContain(`stargate,default,${estimatedSeconds},`)
  })

  test('where the destination has no later block yet is an error of the row, not a guess', async () => {
    // The source is ahead of the destination's head: 5 blocks of 12 seconds, and 36 of 2 on the other side.
    for (let block = 0; block < 3; block++) await rpc(1, 'evm_mine')
    const ahead = await startService(nodes())
    try {
      const { page } = await carriedOut(
        planOf({ blocks: { from: first + 7, to: first + 7 } }),
        ahead,
      )
      for (const row of page.blocks[0].rows) {
        expect(row.error).toMatchObject({ code: 'UNKNOWN_BLOCK' })
        expect(row.error.message).toContain('8453')
      }
    } finally {
      await ahead.stop()
    }
  })

  test.each([
    [{ delays: 2 }, 'delays must not be given: requests[0] leads to another chain'],
    [{ variants: [{ maxHops: 1 }] }, 'variants[0].maxHops must not be given'],
    [{ deliverySeconds: 0 }, 'deliverySeconds must be an integer from 1 to 604800'],
    [{ deliverySeconds: [1, 'x'] }, 'deliverySeconds[1] must be an integer'],
    [
      { requests: [{ ...requests[0], destinationBlockNumber: 5 }] },
      'requests[0].destinationBlockNumber',
    ],
    [
      { requests: [{ ...requests[0], tokenOut: [aero, wethThere] }] },
      'tokenOut must hold one token',
    ],
    [
      { requests: [{ tokenIn: weth, tokenOut: nativeToken, amountIn: '1' }] },
      'deliverySeconds must not be given',
    ],
  ])('refuses %j', async (more, problem) => {
    const { status, text } = await service.post('/api/v1/backtests', planOf(more))
    expect(status).toBe(400)
    expect(text).toContain(problem)
  })

  test('refuses a destination that is not served, by its number', async () => {
    const requestsThere = [{ ...requests[0], destinationChainId: 42_161 }]
    const { status, body } = await service.post(
      '/api/v1/backtests',
      planOf({ requests: requestsThere }),
    )
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'UNKNOWN_CHAIN' })
    expect(body.message).toContain('42161')
  })
})
