/**
 * Backtests on the sandbox chain: rows against quotes and an Anvil of the test's own, a service that is killed in the
 * middle, and the command line.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../../src/backtest/stores/sqlite-store.js'
import type { BacktestBlock } from '../../../src/domain/backtest.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { cliEntry, runCli } from '../../support/cli.js'
import { openStream } from '../../support/event-stream.js'
import { executeOnFork } from '../../support/execute.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service.js'

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const alice = sandboxAccount('alice').address
const ether = 10n ** 18n

const plan = {
  name: 'ether into dollars',
  blocks: { from: 'latest-20', to: 'latest-5', step: 3 },
  requests: [
    {
      name: 'alice',
      fromAddress: alice,
      tokenIn: nativeToken,
      tokenOut: usdc,
      amountIn: `${ether}`,
    },
    { name: 'nobody', tokenIn: weth, tokenOut: usdc, amountIn: `${90n * ether}`, slippage: 0 },
  ],
  variants: [
    { name: 'all' },
    { name: 'one way', splits: false, maxHops: 2, candidates: 4, ignoreStandards: 'curve' },
  ],
  delays: 2,
}
const blocksTotal = 6

const scene = withSandbox()
/** Few candidates: what is tested here does not depend on how good a route is. */
const environment = () => ({
  AUTH_MODE: 'open',
  CANDIDATES: '6',
  RPC_URL_1: scene().sandbox.url,
})
let service: TestService
/** Of the plan, undisturbed. */
let undisturbed: Page
beforeAll(async () => {
  service = await startService(environment())
  const { body: job } = await service.post('/api/v1/backtests', plan)
  await follow(service.url, job.id)
  undisturbed = (await service.get(`/api/v1/backtests/${job.id}/results`)).body
})
afterAll(() => service?.stop())

interface Page {
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field.
  readonly blocks: any[]
}

/** Until so many blocks are done, or the job is over. */
async function follow(url: string, id: string, blocks = Number.POSITIVE_INFINITY): Promise<string> {
  const stream = await openStream(`${url}/api/v1/backtests/${id}/events`)
  for (;;) {
    const { body } = await stream.next()
    if (body.blocksDone < blocks && ['queued', 'running'].includes(body.state)) continue
    stream.close()
    return body.state
  }
}

function withoutTimes({ blocks }: Page) {
  return blocks.map((block) => ({
    ...block,
    rows: block.rows.map(({ milliseconds: _, ...row }: { milliseconds: number }) => row),
  }))
}

test('a row is the quote of its block, and its executions are what the chain does', async () => {
  expect(undisturbed.blocks).toHaveLength(blocksTotal)
  const [block] = undisturbed.blocks
  const at = { chainId: '1', blockNumber: String(block.blockNumber) }
  const [all, oneWay, large] = block.rows
  const trade = { tokenIn: nativeToken, tokenOut: usdc, amountIn: `${ether}`, fromAddress: alice }
  const quote = await service.get('/api/v1/shortcuts/quote', { ...at, ...trade })
  expect(all).toMatchObject({
    request: 'alice',
    variant: 'all',
    amountsOut: [quote.body.amountOut],
    gas: quote.body.gas,
    priceImpact: quote.body.priceImpact,
    price: Number(quote.body.amountOut) / 1e6,
  })
  expect(oneWay).toMatchObject({ request: 'alice', variant: 'one way' })
  expect(oneWay.path.map(({ shareBps }: { shareBps: number }) => shareBps)).toContain(10_000)
  expect(large.path.length).toBeGreaterThan(block.rows[3].path.length)
  expect(BigInt(large.amountsOut[0])).toBeGreaterThan(BigInt(block.rows[3].amountsOut[0]))
  expect(large.minAmountsOut).toEqual(large.amountsOut)

  const route = await service.get('/api/v1/shortcuts/route', {
    ...at,
    ...trade,
    executionMode: 'backend',
  })
  expect(route.body.amountOut).toBe(all.amountsOut[0])
  for (const [index, delay] of [1, 2].entries()) {
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: block.blockNumber + delay,
      tx: route.body.tx,
      watch: [{ token: usdc, owner: alice }],
    })
    expect(all.executions[index]).toEqual(
      done.status === 'success'
        ? { delay, status: 'filled', amountsOut: done.deltas.map(String), gas: `${done.gasUsed}` }
        : { delay, status: 'reverted', gas: `${done.gasUsed}`, reason: expect.any(String) },
    )
  }
  const statuses = undisturbed.blocks.flatMap(({ rows }) =>
    rows.flatMap(({ executions }: { executions: { status: string }[] }) =>
      executions.map(({ status }) => status),
    ),
  )
  expect(new Set(statuses)).toEqual(new Set(['filled', 'reverted']))
})

describe('a service that is killed', () => {
  test('twice in the middle goes on each time, and ends with the same results', async () => {
    const dataDir = await temporaryFolder()
    const store = openSqliteStore(dataDir)
    onTestFinished(() => store.close())
    const done = async () => {
      const blocks: BacktestBlock[] = []
      for await (const block of store.results(id)) blocks.push(block)
      return blocks
    }

    const first = await serve(dataDir)
    const created = await fetch(`${first.url}/api/v1/backtests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(plan),
    })
    const { id } = (await created.json()) as { id: string }
    await follow(first.url, id, 1)
    await first.kill()
    const afterFirst = await done()

    const second = await serve(dataDir)
    await follow(second.url, id, afterFirst.length + 1)
    await second.kill()
    const afterSecond = await done()
    expect(afterSecond.length).toBeGreaterThan(afterFirst.length)
    expect(afterSecond.length).toBeLessThan(blocksTotal)

    const third = await serve(dataDir)
    expect(await follow(third.url, id)).toBe('finished')
    const page = await fetch(`${third.url}/api/v1/backtests/${id}/results`)
    expect(withoutTimes((await page.json()) as Page)).toEqual(withoutTimes(undisturbed))
    await third.kill()

    // What took how long is part of a result: another calculation would have left other figures.
    const last = new Map((await done()).map((block) => [block.blockNumber, block]))
    for (const block of [...afterFirst, ...afterSecond]) {
      expect(last.get(block.blockNumber)).toEqual(block)
    }
    expect(await store.job(id)).toMatchObject({ blocksDone: blocksTotal, blocksTotal })
  })
})

describe('forkroute backtest', () => {
  test('carries out a plan, prints its summary and writes every file', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'plan.yaml')
    await writeFile(
      file,
      `name: two blocks
blocks: { from: latest-4, to: latest-3 }
requests:
  - { tokenIn: ${weth}, tokenOut: ${usdc}, amountIn: ${ether} }
`,
    )
    const { code, out, err } = await runCli([
      ...['backtest', file, '--url', service.url],
      ...['--out', join(folder, 'results')],
    ])
    expect(err).toContain('finished: 2 of 2 blocks')
    expect(code).toBe(0)
    expect(out).toContain('2 of 2')
    expect((await readdir(join(folder, 'results'))).sort()).toEqual([
      'executions.csv',
      'executions.parquet',
      'report.html',
      'results.jsonl',
      'results.sqlite',
      'routes.csv',
      'routes.parquet',
      'summary.json',
    ])
    const summary = JSON.parse(await readFile(join(folder, 'results', 'summary.json'), 'utf8'))
    expect(summary).toMatchObject({ blocks: 2, variants: [{ variant: 'default', routes: 2 }] })
    const listed = await runCli(['backtest', 'list', '--json', '--url', service.url])
    expect(JSON.parse(listed.out)[0]).toMatchObject({ name: 'two blocks', state: 'finished' })
  })

  test('names the lines of what is wrong with a plan', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'plan.yaml')
    await writeFile(
      file,
      `blocks: { from: latest-4 }\nrequests:\n  - tokenIn: ${weth}\n    tokenOut: x\n`,
    )
    const { code, err } = await runCli(['backtest', file, '--url', service.url])
    expect(code).toBe(1)
    expect(err).toContain('line 3: requests[0].amountIn is required')
    expect(err).toContain('line 4: requests[0].tokenOut[0] must be an address')
  })

  test('an interrupt cancels, says how to go on, and that works', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'plan.json')
    const blocks = { from: 'latest-60', to: 'latest-1' }
    await writeFile(file, JSON.stringify({ ...plan, blocks }))
    const command = spawn(process.execPath, [cliEntry, 'backtest', file, '--url', service.url], {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    onTestFinished(() => void command.kill('SIGKILL'))
    const ended = once(command, 'exit')
    const lines: string[] = []
    for await (const line of createInterface({ input: command.stderr })) {
      lines.push(line)
      if (line.startsWith('running')) command.kill('SIGINT')
    }
    expect(await ended).toEqual([130, null])
    const text = lines.join('\n')
    expect(text).toMatch(/The backtest is cancelled\. \d+ of 60 blocks are done\./)
    const [, id = ''] = /--resume (\w+)/.exec(text) ?? []
    const path = `/api/v1/backtests/${id}`
    expect((await service.get(path)).body).toMatchObject({ state: 'cancelled', blocksTotal: 60 })
    const removed = await runCli(['backtest', 'remove', id, '--url', service.url])
    expect(removed).toMatchObject({ code: 0 })
    expect((await service.get(path)).status).toBe(404)
  })
})

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-backtest-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The service as a process of its own. */
async function serve(dataDir: string): Promise<{ url: string; kill(): Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, [cliEntry, 'serve'], {
    env: {
      ...environment(),
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)
  if (!child.stdout) throw new Error('no output')
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /(http:\S+)\/api\/v1/.exec(line) ?? []
    if (url) return { url, kill }
  }
  throw new Error('The service ended before it listened.')
}
