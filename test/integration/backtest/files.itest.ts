/** Files of results over real HTTP: who makes them, who waits for whom, and how they end where they end early. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { streamOutput } from '../../../src/backtest/outputs/index.js'
import { openSqliteStore } from '../../../src/backtest/stores/sqlite-store.js'
import { createForkrouteClient } from '../../../src/client/client.js'
import { ConnectionError } from '../../../src/client/errors.js'
import type { BacktestBlock } from '../../../src/domain/backtest.js'
import { bearer, openTestApi, read, type TestApi } from '../../api/test-api.js'
import { sampleJob, sampleResults } from '../../support/backtest/backtest-results.js'
import { calledHere } from '../../support/backtest/called-here.js'
import { runCli } from '../../support/cli.js'

const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-files-'))
const job = sampleJob({ blocks: 2, requests: 2, variants: 2, delays: [1] })
let id: string
let api: TestApi
const closing = [async () => rmSync(dataDir, { recursive: true, force: true })]

/** A job with all its results, as a service stores it. */
beforeAll(async () => {
  const store = openSqliteStore(dataDir)
  const blocks: BacktestBlock[] = []
  for await (const block of sampleResults(job)) blocks.push(block)
  const numbers = blocks.map(({ blockNumber }) => blockNumber)
  const account = `0x${'12'.repeat(32)}` as const
  id = (await store.add(job.plan, numbers, account, { open: 1, stored: 1 })).id
  for (const block of blocks) await store.put(id, block)
  await store.setState(id, 'finished')
  await store.close()
  const opened = await openTestApi({ AUTH_MODE: 'key', DATA_DIR: dataDir })
  api = opened
  closing.unshift(opened.close)
})
afterAll(async () => {
  for (const close of closing) await close()
})

type Headers = Record<string, string>
/** A key of the account, or of a new one. */
function newKey(accountId?: string): Headers {
  return bearer(api.keys.createKey({ name: 'reader', accountId }).key)
}

const urlOf = (file: string) => `${api.url}/api/v1/backtests/${id}/${file}`
const lines = 'results?format=jsonl'
const ask = async (file: string, headers: Headers) => read(await fetch(urlOf(file), { headers }))

/** Begins to read the lines; the answer may take until it is left, or longer than the test. */
function begin(headers: Headers) {
  const left = new AbortController()
  const status = fetch(urlOf(lines), { headers, signal: left.signal }).then(
    (response) => response.status,
    () => null,
  )
  onTestFinished(() => left.abort())
  return { status, leave: () => left.abort() }
}

/**
 * Each thread that is started until the test is over, or `stop` is called, gives so many parts of its file and no more.
 * @param passed - threads before them, which are as always.
 */
function slowThreads(parts: number, passed = 0) {
  const threads: Worker[] = []
  let isStuck = false
  let before = 0
  const found = (message: unknown) => {
    before += 1
    if (before <= passed) return
    const { worker } = message as { readonly worker: Worker }
    const pass = worker.postMessage.bind(worker)
    let asked = 0
    worker.postMessage = (value: unknown) => {
      asked += 1
      if (asked <= parts) pass(value)
      else isStuck = true
    }
    threads.push(worker)
  }
  /** Once all parts that it gives are taken. */
  const lose = async () => {
    await expect.poll(() => isStuck).toBe(true)
    await threads[0]?.terminate()
  }
  const stop = () => void unsubscribe('worker_threads', found)
  subscribe('worker_threads', found)
  onTestFinished(stop)
  const started = (count: number) => expect.poll(() => threads.length).toBe(count)
  return { threads, stop, started, lose }
}

/** What reads, compares and draws results, but for what wraps the making of any folder. */
const makes =
  /^backtest\/(comparison|sample|stores\/sqlite-store: (page|results)|summary|outputs\/(?!files: stored))/

test.each([
  ['results.jsonl', lines],
  ['routes.parquet', 'results?format=parquet'],
  ['results.sqlite', 'results?format=sqlite'],
  ['report.html', 'results?format=html'],
  ['summary.json', 'summary'],
] as const)('%s is made on no thread that answers requests', async (name, file) => {
  const made = await calledHere(async () => {
    const store = openSqliteStore(dataDir)
    for await (const _ of streamOutput(name, job, store.results(id)));
    await store.close()
  })
  const making = [...made].filter((one) => makes.test(one))
  expect(making.length).toBeGreaterThan(5)
  const key = newKey()
  const answered = await calledHere(async () => {
    expect((await ask(file, key)).status).toBe(200)
  })
  expect(answered).toContain('backtest/files/result-files: next')
  expect(making.filter((one) => answered.has(one))).toEqual([])
})

describe('places for files', () => {
  test('keys of one account read two at a time together, and one that is left makes room', async () => {
    const slow = slowThreads(0)
    const { accountId } = api.keys.createKey({ name: 'first' }).record
    const [first] = [begin(newKey(accountId)), begin(newKey(accountId))]
    await slow.started(2)
    const third = await ask('summary', newKey(accountId))
    expect([third.status, third.body.code]).toEqual([429, 'TOO_MANY_STREAMS'])
    slow.stop()
    first.leave()
    const again = async () => (await ask('summary', newKey(accountId))).status
    await expect.poll(again).toBe(200)
  })

  test('two accounts that read all they may leave one to a third', async () => {
    const slow = slowThreads(0)
    const [one, two, third] = [newKey(), newKey(), newKey()]
    const [first] = [begin(one), begin(one), begin(two)]
    await slow.started(3)
    const waiting = begin(two)
    await api.get('/health')
    slow.stop()
    expect((await ask('summary', third)).status).toBe(200)
    first.leave()
    expect(await waiting.status).toBe(200)
  })

  test('a file that finds none waits until another is left', async () => {
    const slow = slowThreads(0)
    const [first] = Array.from({ length: 4 }, () => begin(newKey()))
    await slow.started(4)
    slow.stop()
    const fifth = begin(newKey())
    first?.leave()
    expect(await fifth.status).toBe(200)
  })

  test('a client that leaves before the first byte ends the thread', async () => {
    const slow = slowThreads(0)
    const { leave } = begin(newKey())
    await slow.started(1)
    const ended = once(slow.threads[0] as Worker, 'exit')
    leave()
    await ended
  })
})

describe('a file whose thread is lost', () => {
  test('before its first byte is a documented error, and no file', async () => {
    for (const file of ['results?format=html', lines, 'summary']) {
      const slow = slowThreads(0)
      const answer = ask(file, newKey())
      await slow.lose()
      const { status, headers, body } = await answer
      expect([status, body.code]).toEqual([503, 'THREAD_LOST'])
      expect(headers.get('content-disposition')).toBeNull()
      expect(headers.get('content-security-policy')).not.toContain('sandbox')
      slow.stop()
    }
  })

  test('after its first byte ends in a cut that a client takes for an error', async () => {
    const slow = slowThreads(1)
    const response = await fetch(urlOf(lines), { headers: newKey() })
    expect(response.status).toBe(200)
    await slow.lose()
    await expect(response.text()).rejects.toThrow('terminated')
    await expect.poll(api.log).toContain('answer cut in its middle')
  })

  test('is cut by a reset where the end of the connection is that of the file', async () => {
    const slow = slowThreads(1)
    const { hostname, port, pathname, search } = new URL(urlOf(lines))
    const socket = connect(Number(port), hostname)
    const { authorization } = newKey()
    socket.write(`GET ${pathname}${search} HTTP/1.0\r\nAuthorization: ${authorization}\r\n\r\n`)
    const [begun] = await once(socket, 'data')
    expect(String(begun)).toContain('200 OK')
    await slow.lose()
    // It waits for the end, and rejects on an error.
    await expect(once(socket.resume(), 'end')).rejects.toThrow('ECONNRESET')
  })

  test('is a lost connection to the client', async () => {
    const key = api.keys.createKey({ name: 'client' }).key
    const client = createForkrouteClient({ url: api.url, key })
    const slow = slowThreads(1)
    const summary = client.backtestSummary({ id }).catch((error: unknown) => error)
    await slow.lose()
    expect(await summary).toBeInstanceOf(ConnectionError)
  })

  test('leaves no file behind where the command line writes it', async () => {
    const key = api.keys.createKey({ name: 'cli', isAdmin: true }).key
    const out = join(dataDir, 'out')
    const how = ['--resume', id, '--out', out, '--format', 'jsonl', '--url', api.url, '--key', key]
    // The command prints the summary first.
    const slow = slowThreads(1, 1)
    const outcome = runCli(['backtest', ...how])
    await slow.lose()
    const { code, err } = await outcome
    expect(code).toBe(1)
    expect(err).toContain('The connection ended before results.jsonl was whole')
    expect(readdirSync(out)).toEqual([])
  })
})
