/** Traces of a backtest through BullMQ on a worker process, at a collector of the test's own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { startRedis } from '../../support/backtest/redis.js'
import { cliEntry } from '../../support/cli.js'
import { startService } from '../../support/service/service.js'
import { named, startTraceSink, wayTo } from '../../support/service/trace-sink.js'

const [weth = '', usdc = ''] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
const settings = { WORKERS: '1', FORKS_PER_BLOCK: '1', SANDBOX_CHAINS: '1' }
const trade = { tokenIn: weth, tokenOut: usdc, amountIn: '1234567890123456789' }

test('a backtest through BullMQ: each chunk is one trace over coordinator and worker', async () => {
  const [sandbox, redis, sink, folder] = await Promise.all([
    startSandbox(),
    startRedis(),
    startTraceSink(),
    mkdtemp(join(tmpdir(), 'forkroute-traced-worker-')),
  ])
  onTestFinished(async () => {
    await Promise.all([sandbox.stop(), redis.stop(), sink.stop()])
    await rm(folder, { recursive: true, force: true })
  })
  const shared = {
    ...settings,
    RPC_URL_1: sandbox.url,
    REDIS_URL: redis.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
  }
  const coordinator = await startService({ ...shared, OTEL_SERVICE_NAME: 'coordinator' })
  const worker = spawn(process.execPath, [cliEntry, 'worker', '--concurrency', '1'], {
    env: { PATH: process.env.PATH, ...shared, OTEL_SERVICE_NAME: 'worker', DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(worker, 'exit')
  onTestFinished(() => void worker.kill('SIGKILL'))
  await once(createInterface({ input: worker.stdout }), 'line')
  const { body: job, text } = await coordinator.post('/api/v1/backtests', {
    blocks: { from: 'latest-3', to: 'latest-2' },
    requests: [{ name: 'one', ...trade }],
  })
  expect(job.id, text).toBeTruthy()
  await coordinator.get(`/api/v1/backtests/${job.id}/events`)
  await coordinator.stop()
  worker.kill('SIGTERM')
  expect(await ended).toEqual([0, null])

  const chunks = named(sink.spans, 'backtest chunk')
  const queued = chunks.filter(({ kind }) => kind === 4)
  expect(queued.length).toBeGreaterThan(0)
  for (const { spanId, traceId: own, resource, attributes, links } of queued) {
    expect(resource).toMatchObject({ 'service.name': 'coordinator' })
    expect(attributes).toMatchObject({ 'forkroute.backtest': job.id })
    // To the request that created the job.
    expect(links).toEqual(named(sink.spans, 'POST /api/v1/backtests').map((span) => span.spanId))
    const trace = sink.spans.filter((span) => span.traceId === own)
    const [taken] = trace.filter(({ parentSpanId }) => parentSpanId === spanId)
    expect(taken).toMatchObject({ kind: 5, resource: { 'service.name': 'worker' } })
    const [measured] = named(trace, 'fork eth_simulateV1')
    expect(wayTo(measured, trace)).toEqual([
      ...['backtest chunk', 'backtest chunk', 'block', 'task quotes', 'thread quotes'],
      ...['simulate', 'fork eth_simulateV1'],
    ])
    expect(wayTo(named(trace, 'hand over')[0], trace)).toEqual([
      ...['backtest chunk', 'backtest chunk', 'hand over'],
    ])
  }
})
