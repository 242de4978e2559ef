/**
 * Slippages that were measured, recorded over HTTP, and measured again from the cassette alone; and measured with the
 * events of pools and without.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { protocols } from '../../../src/protocols/registry.js'
import { registry } from '../../../src/telemetry/metrics.js'
import { environment, ether, usdc, weth } from '../../support/backtest/ether-plan.js'
import { startBadNode } from '../../support/nodes/bad-node.js'
import { withSandbox } from '../../support/sandbox.js'
import { again, expectedOf, open, type Recorded } from '../../support/service/cassette-context.js'
import { startService } from '../../support/service/service.js'

const context = withSandbox()
let folder: string
let file: string
const recorded: Recorded[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-auto-'))
  file = join(folder, 'auto.cassette')
  const env = { RPC_URL_1: context().sandbox.url, WORKERS: '2', CANDIDATES: '6' }
  const service = await open(folder, { kind: 'record', file }, env)
  for (const [blockNumber, amountIn] of [
    [370, ether],
    [372, (11n * ether) / 10n],
  ] as const) {
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${amountIn}` }
    const query = { ...trade, slippage: 'auto', blockNumber }
    const request = { path: '/shortcuts/quote', query }
    const { status, text, recording } = await service.ask(request)
    recorded.push({ request, status, text, number: recording ?? 0 })
  }
  await service.close()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('both requests share a window, and a replay of one thread answers each with the same bytes', async () => {
  const [first, second] = recorded.map(({ text }) => JSON.parse(text).slippage)
  expect(first).toMatchObject({ source: 'measured', blocks: { from: 318, to: 370 } })
  expect(second).toEqual(first)
  const replay = await open(folder, { kind: 'replay', file }, { WORKERS: '1', CANDIDATES: '6' })
  try {
    for (const one of recorded.toReversed()) {
      expect(await again(replay, one)).toBe(expectedOf(one))
    }
  } finally {
    await replay.close()
  }
})

/** Transactions that all services of this process have simulated so far. */
async function simulations(): Promise<number> {
  const metric = await registry.getSingleMetric('forkroute_simulations_total')?.get()
  return (metric?.values ?? []).reduce((sum, { value }) => sum + value, 0)
}

test('events spare executions: with and without them the answer is the same to the byte', async () => {
  const others = protocols.map(({ slug }) => slug).filter((slug) => slug !== 'uniswap-v3')
  const ask = {
    chainId: '1',
    tokenIn: weth,
    tokenOut: usdc,
    amountIn: `${ether}`,
    blockNumber: '370',
    ignoreStandards: others.join(),
  }
  const node = await startBadNode(context().sandbox.url, { lacks: ['logs'] })
  onTestFinished(() => node.stop())
  const measured: { text: string; executions: number }[] = []
  for (const url of [context().sandbox.url, node.url]) {
    const one = await startService({ ...environment(url), WORKERS: '1' })
    onTestFinished(() => one.stop())
    // The answer itself, and what the measurement adds to it.
    await one.get('/api/v1/shortcuts/quote', ask)
    const before = await simulations()
    const { text } = await one.get('/api/v1/shortcuts/quote', { ...ask, slippage: 'auto' })
    measured.push({ text, executions: (await simulations()) - before })
  }
  const [withEvents, without] = measured
  expect(JSON.parse(without?.text ?? '').slippage).toMatchObject({ source: 'measured' })
  expect(withEvents?.text).toBe(without?.text)
  // Traders of the sandbox swap in this pool at most of these blocks, and some have no event.
  expect((without?.executions ?? 0) - (withEvents?.executions ?? 0)).toBeGreaterThan(10)
  // Twice 53 blocks of history that no fork has read before.
}, 600_000)
