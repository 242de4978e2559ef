/** Jobs by a service that is killed in the middle: a backtest, twice, and hindsight over blocks. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../../src/backtest/stores/sqlite-store.js'
import type { JobBlock } from '../../../src/domain/backtest.js'
import {
  blocksTotal,
  environment,
  follow,
  type Page,
  plan,
  resultsOf,
  temporaryFolder,
} from '../../support/backtest/ether-plan.js'
import { cliEntry } from '../../support/cli.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'

const context = withSandbox()
let service: TestService
/** Of the plan, undisturbed. */
let undisturbed: Page
beforeAll(async () => {
  service = await startService(environment(context().sandbox.url))
  undisturbed = await resultsOf(service)
})
afterAll(() => service?.stop())

function withoutTimes({ blocks }: Page) {
  return blocks.map((block) => ({
    ...block,
    rows: block.rows.map(({ milliseconds: _, ...row }: { milliseconds: number }) => row),
  }))
}

describe('a service that is killed', () => {
  test('twice in the middle goes on each time, and ends with the same results', async () => {
    const dataDir = await temporaryFolder()
    const store = openSqliteStore(dataDir)
    onTestFinished(() => store.close())
    const done = async () => {
      const blocks: JobBlock[] = []
      for await (const block of store.results(id)) blocks.push(block)
      return blocks
    }

    const first = await serve(dataDir)
    const { id } = (await create(first.url, '/backtests', plan)) as { id: string }
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

  test('in the middle of hindsight goes on, and ends with what is answered at once', async () => {
    const dataDir = await temporaryFolder()
    const blocks = { fromBlock: 300, toBlock: 303 }
    const first = await serve(dataDir)
    const created = await create(first.url, '/hindsight', { ...blocks, job: true })
    const { id } = (created as { job: { id: string } }).job
    await follow(first.url, id, 1)
    await first.kill()

    const second = await serve(dataDir)
    const before = (await (await fetch(`${second.url}/api/v1/backtests/${id}`)).json()) as object
    expect(before).toMatchObject({ kind: 'hindsight', blocksTotal: 4 })
    expect(await follow(second.url, id)).toBe('finished')
    const results = `${second.url}/api/v1/backtests/${id}/results`
    const page = (await (await fetch(results)).json()) as Page
    const found = page.blocks.flatMap(({ transactions }) => transactions)
    const { body: answer } = await service.post('/api/v1/hindsight', blocks)
    expect(found).toEqual(answer.transactions)
    expect(found.some(({ swap }) => swap)).toBe(true)
    const report = await (await fetch(`${results}?format=html`)).text()
    expect(report).toContain('Won, tied and lost, by venue')
    await second.kill()
  })
})

/** The answer to a request that creates a job. */
async function create(url: string, path: string, body: object): Promise<unknown> {
  const created = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return created.json()
}

/** The service as a process of its own. */
async function serve(dataDir: string): Promise<{ url: string; kill(): Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, [cliEntry, 'serve'], {
    env: {
      ...environment(context().sandbox.url),
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
