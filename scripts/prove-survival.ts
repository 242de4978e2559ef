/**
 * `npm run prove:survival -- <folder>`: the backtest of examples/backtests/survival.yaml undisturbed, killed twice and
 * resumed, and on three workers of which one is killed. Compares the results, looks at the report in Chromium, and
 * leaves everything in the folder. Takes about ten minutes; needs redis-server and Chromium.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { openSqlite } from '../src/platform/sqlite.js'
import { startRedis } from '../test/support/backtest/redis.js'
import { cliEntry } from '../test/support/cli.js'
import { printed } from './soak/processes.js'

const plan = fileURLToPath(new URL('../examples/backtests/survival.yaml', import.meta.url))
const folder = resolve(process.argv[2] ?? 'survival')
const lookMs = 100

const started: ChildProcess[] = []
function run(args: readonly string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [cliEntry, ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(child)
  return child
}

async function finished(child: ChildProcess): Promise<void> {
  child.stdout?.resume()
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
  if (code !== 0) throw new Error(`A process ended with ${code}.`)
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** The one job of a data folder, once so many of its blocks are done. */
async function untilDone(dataDir: string, blocks: number): Promise<string> {
  const file = join(dataDir, 'backtests.sqlite')
  for (;;) {
    await setTimeout(lookMs)
    if (!existsSync(file)) continue
    const db = openSqlite(file, { readonly: true })
    try {
      const job = db.prepare<[], { id: string; done: number }>(
        'SELECT id, blocks_done AS done FROM jobs',
      )
      const row = job.get()
      if (row && row.done >= blocks) return row.id
    } catch (error) {
      // The tables are made a moment after the file.
      if (!/no such table/.test(String(error))) throw error
    } finally {
      db.close()
    }
  }
}

/** Of all rows, without what no two runs share. */
function fingerprint(out: string): string {
  const rows = readFileSync(join(out, 'results.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { milliseconds: _, ...row } = JSON.parse(line) as Record<string, unknown>
      return JSON.stringify(row)
    })
  return `${rows.length} rows, sha256 ${createHash('sha256').update(rows.join('\n')).digest('hex')}`
}

async function timed(name: string, work: (home: string) => Promise<void>): Promise<string> {
  const home = join(folder, name)
  mkdirSync(home, { recursive: true })
  const begun = performance.now()
  await work(home)
  const seconds = Math.round((performance.now() - begun) / 1_000)
  const print = fingerprint(join(home, 'out'))
  console.log(`${name.padEnd(12)} ${seconds} s, ${print}`)
  return print
}

async function undisturbed(home: string): Promise<void> {
  await finished(run(['backtest', plan, '--out', join(home, 'out')], { DATA_DIR: home }))
}

async function killedTwice(home: string): Promise<void> {
  const env = { DATA_DIR: home }
  const first = run(['backtest', plan], env)
  const id = await untilDone(home, 60)
  await kill(first)
  const second = run(['backtest', '--resume', id], env)
  await untilDone(home, 130)
  await kill(second)
  await finished(run(['backtest', '--resume', id, '--out', join(home, 'out')], env))
}

async function threeWorkers(home: string): Promise<void> {
  const redis = await startRedis()
  const shared = { REDIS_URL: redis.url, WORKERS: '1' }
  const workers = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const worker = run(['worker'], { ...shared, DATA_DIR: join(home, `worker-${number}`) })
      await printed(worker, /^at once/)
      return worker
    }),
  )
  const env = { ...shared, DATA_DIR: home, PORT: '0', AUTH_MODE: 'open' }
  const service = run(['serve'], env)
  const url = await printed(service, /http:\S+\/api\/v1/)
  const job = run(['backtest', plan, '--url', url, '--out', join(home, 'out')], {})
  await untilDone(home, 70)
  await kill(workers[1] as ChildProcess)
  await finished(job)
  for (const child of [service, workers[0], workers[2]]) child?.kill('SIGTERM')
  for (const child of [service, workers[0], workers[2]]) await finished(child as ChildProcess)
  await redis.stop()
}

/** Screenshots as a desk and a phone in the dark see it. */
async function lookAtReport(): Promise<readonly string[]> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  const problems: string[] = []
  const views = [
    { name: 'desk', width: 1280, colorScheme: 'light' as const },
    { name: 'phone', width: 360, colorScheme: 'dark' as const },
  ]
  for (const { name, width, colorScheme } of views) {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme })
    page.on('console', (message) => problems.push(`${name}: ${message.type()} ${message.text()}`))
    page.on('pageerror', (error) => problems.push(`${name}: ${error.message}`))
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) problems.push(`${name}: asks ${request.url()}`)
    })
    await page.goto(pathToFileURL(join(folder, 'undisturbed', 'out', 'report.html')).href)
    await page.screenshot({ path: join(folder, `report-${name}.png`), fullPage: true })
  }
  await browser.close()
  return problems
}

try {
  const [expected, ...others] = [
    await timed('undisturbed', undisturbed),
    await timed('killed-twice', killedTwice),
    await timed('workers', threeWorkers),
  ]
  const problems = await lookAtReport()
  console.log(problems.length ? problems.join('\n') : 'report       no console message, no request')
  const isEqual = others.every((one) => one === expected)
  console.log(isEqual ? 'all results are equal' : 'THE RESULTS DIFFER')
  if (!isEqual || problems.length) process.exitCode = 1
} finally {
  for (const child of started) if (child.exitCode === null) child.kill('SIGKILL')
}
