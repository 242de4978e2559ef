/** What a worker answers to an orchestrator and to Prometheus. */
import { expect, onTestFinished, test } from 'vitest'
import { startProbeServer } from '../../src/api/probe-server.js'
import { ConfigError } from '../../src/config/config.js'

const host = '127.0.0.1'

async function start(ready: boolean) {
  const readiness = { ready, chains: [] }
  const server = await startProbeServer({ readiness: () => readiness }, { host, port: 0 })
  onTestFinished(() => server.close())
  const ask = (path: string, init?: RequestInit) =>
    fetch(`http://${host}:${server.port}${path}`, init)
  return { port: server.port, ask }
}

test('/health, /ready and /metrics are answered, and nothing else', async () => {
  const { ask } = await start(true)
  expect(await (await ask('/health')).json()).toEqual({ status: 'ok' })
  const ready = await ask('/ready')
  expect([ready.status, await ready.json()]).toEqual([200, { ready: true, chains: [] }])
  const metrics = await ask('/metrics')
  expect(metrics.headers.get('content-type')).toContain('text/plain')
  expect(await metrics.text()).toContain('forkroute_backtest_blocks_total{result="done"} ')
  expect((await ask('/api/v1/networks')).status).toBe(404)
  expect((await ask('/metrics', { method: 'POST' })).status).toBe(405)
})

test('/ready is a 503 while a chain is not', async () => {
  const { ask } = await start(false)
  expect((await ask('/ready')).status).toBe(503)
  expect((await ask('/health')).status).toBe(200)
})

test('a port that is taken is named with its variable', async () => {
  const { port } = await start(true)
  const again = startProbeServer({ readiness: () => ({ ready: true, chains: [] }) }, { host, port })
  await expect(again).rejects.toThrow(ConfigError)
  await expect(again).rejects.toThrow('WORKER_PORT')
})
