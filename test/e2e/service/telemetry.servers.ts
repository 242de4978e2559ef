/**
 * Dashboard and alerts on a real Prometheus that scrapes the service at work. What each expression showed stands in
 * docs/how-to/telemetry.md, whose table this test writes with UPDATE_DOCS=1.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { alerts } from '../../../scripts/telemetry/alerts.js'
import { ruleTests } from '../../../scripts/telemetry/files.js'
import { panels } from '../../../scripts/telemetry/panels.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { openStream } from '../../support/event-stream.js'
import { startService } from '../../support/service/service.js'

const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
const trade = { tokenIn: weth ?? '', tokenOut: usdc ?? '' }
const rulesFile = resolve('deploy/prometheus/rules.yml')
const document = 'docs/how-to/telemetry.md'

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-prometheus-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** @returns its address. */
async function startPrometheus(target: string): Promise<string> {
  const folder = await temporaryFolder()
  const port = await freePort()
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rulesFile],
    scrape_configs: [{ job_name: 'forkroute', static_configs: [{ targets: [target] }] }],
  }
  await writeFile(join(folder, 'prometheus.yml'), stringify(config))
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return `http://127.0.0.1:${port}`
}

interface Found {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}

async function query(url: string, expr: string): Promise<readonly Found[]> {
  const target = new URL('/api/v1/query', url)
  target.searchParams.set('query', expr.replaceAll('$__rate_interval', '1m'))
  const { status, data, error } = (await (await fetch(target)).json()) as {
    status: string
    error?: string
    data: { result: readonly Found[] }
  }
  if (status !== 'success') throw new Error(`${expr}: ${error}`)
  return data.result.filter(({ value: [, text] }) => text !== 'NaN')
}

async function rulesOf(url: string) {
  const { data } = (await (await fetch(`${url}/api/v1/rules`)).json()) as {
    data: { groups: { rules: { name: string; health: string }[] }[] }
  }
  return data.groups.flatMap(({ rules }) => rules.map(({ name, health }) => ({ name, health })))
}

/** The first and the number of the others, as the document shows them. */
function shown(found: readonly Found[]): string {
  const texts = found.map(({ metric, value: [, text] }) => {
    const labels = Object.entries(metric).filter(([name]) => name !== 'instance')
    const names = labels.map(([, value]) => value).join(', ')
    return `${names ? `${names}: ` : ''}${Number(Number(text).toPrecision(3))}`
  })
  const most = texts.slice(0, 3).join('; ')
  return texts.length > 3 ? `${most}; ${texts.length - 3} more` : most
}

test('every panel of the dashboard has data of a service at work, and its rules are loaded', async () => {
  const service = await startService({
    AUTH_MODE: 'open',
    HEAD_POLL_MS: '50',
    MAX_STREAMS_PER_KEY: '1',
    SANDBOX_CHAINS: '1',
    DATA_DIR: await temporaryFolder(),
  })
  onTestFinished(() => service.stop())
  const node = createRpcClient(service.nodeUrl)
  onTestFinished(() => node.close())
  const prometheus = await startPrometheus(new URL(service.url).host)
  await expect.poll(() => query(prometheus, 'up == 1').catch(() => [])).toHaveLength(1)
  const streamUrl = new URL('/api/v1/stream/quotes', service.url)
  streamUrl.search = String(new URLSearchParams({ ...trade, amountIn: '1000000000000000000' }))
  const stream = await openStream(streamUrl)
  onTestFinished(() => stream.close())
  await stream.next()
  const { body: job, status } = await service.post('/api/v1/backtests', {
    blocks: { from: 'latest-3', to: 'latest-2' },
    requests: [{ name: 'one', ...trade, amountIn: '1000000000000000000' }],
  })
  expect(status, JSON.stringify(job)).toBeLessThan(300)

  let units = 1n
  /** Some of everything that the panels show. */
  const work = async () => {
    units += 1n
    await node.request('evm_mine', [])
    await stream.next()
    const amountIn = `${units * 10n ** 18n}`
    const quote = await service.get('/api/v1/shortcuts/quote', { ...trade, amountIn })
    expect(quote.status, quote.text).toBe(200)
    await service.get('/api/v1/shortcuts/quote', { ...trade, amountIn: 'none' })
    expect((await fetch(streamUrl)).status).toBe(429)
  }
  await expect
    .poll(
      async () => {
        await work()
        const left = []
        for (const { title, expr } of panels) {
          if ((await query(prometheus, expr).catch(() => [])).length === 0) left.push(title)
        }
        return left
      },
      { timeout: 120_000, interval: 1_000 },
    )
    .toEqual([])
  const lines = []
  for (const { title, expr } of panels) {
    const found = await query(prometheus, expr)
    expect(found, title).not.toEqual([])
    lines.push(`| ${title} | \`${expr.replaceAll('|', '\\|')}\` | ${shown(found)} |`)
  }
  await expect
    .poll(() => rulesOf(prometheus))
    .toEqual(alerts.map(({ name }) => ({ name, health: 'ok' })))

  const page = await readFile(document, 'utf8')
  const [before, , after] = page.split(/^<!-- (?:panels|end) -->\n/m)
  if (process.env.UPDATE_DOCS) {
    const table = ['| panel | expression | what it showed |', '|---|---|---|', ...lines].join('\n')
    await writeFile(document, `${before}<!-- panels -->\n\n${table}\n\n<!-- end -->\n${after}`)
  }
  const written = await readFile(document, 'utf8')
  for (const { expr } of panels) expect(written).toContain(expr.replaceAll('|', '\\|'))
})

test('promtool takes the rules, each fires by its series and stays silent by others', async () => {
  const file = join(await temporaryFolder(), 'rules-test.yml')
  await writeFile(file, ruleTests(rulesFile))
  expect(execFileSync('promtool', ['check', 'rules', rulesFile]).toString()).toContain(
    `${alerts.length} rules found`,
  )
  expect(execFileSync('promtool', ['test', 'rules', file]).toString()).toContain('SUCCESS')
})
