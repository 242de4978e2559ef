/** One service as several processes, and several services behind a balancer. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { cliEntry, runCli } from '../../support/cli.js'
import { startService, type TestService } from '../../support/service/service.js'

const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
const quoteOf = (amountIn: number, more = '') =>
  `/api/v1/shortcuts/quote?chainId=1&tokenIn=${weth}&tokenOut=${usdc}&amountIn=${amountIn}${more}`

/** By a connection of its own, so that it goes to whichever process is next. */
async function get(url: string) {
  const {
    statusCode: status,
    headers,
    body,
  } = await request(url, { headers: { connection: 'close' } })
  return { status, headers, text: await body.text() }
}

interface Served {
  readonly url: string
  /** Resolves when the processes have logged the message so many times. */
  logged(message: string, times: number): Promise<void>
  readonly primary: ChildProcess
  readonly ended: Promise<unknown[]>
}

async function serve(env: Readonly<Record<string, string>>): Promise<Served> {
  const dataDir = await mkdtemp(join(tmpdir(), 'forkroute-processes-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const primary = spawn(process.execPath, [cliEntry, 'serve'], {
    // A group of its own, so that a signal may reach everything in it.
    detached: true,
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      AUTH_MODE: 'open',
      SANDBOX_CHAINS: '1',
      PROCESSES: '2',
      WORKERS: '1',
      FORKS_PER_BLOCK: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void primary.kill('SIGKILL'))
  const ended = once(primary, 'exit')
  const logged = messagesOf(primary.stderr)
  const [url] = await Promise.all([addressOf(primary.stdout), logged('ready', 2)])
  return { url, logged, primary, ended }
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [url] = /http:\/\/[\d.:]+(?=\/api\/v1$)/.exec(line) ?? []
    if (url) return url
  }
  throw new Error('It ended before it listened.')
}

/** All of the log is read, so that they never wait for a reader. */
function messagesOf(log: NodeJS.ReadableStream): Served['logged'] {
  const counts = new Map<string, number>()
  const heard = new EventEmitter()
  createInterface({ input: log }).on('line', (line) => {
    const { msg } = line.startsWith('{') ? JSON.parse(line) : {}
    counts.set(msg, (counts.get(msg) ?? 0) + 1)
    heard.emit('line')
  })
  return async (message, times) => {
    while ((counts.get(message) ?? 0) < times) await once(heard, 'line')
  }
}

/** Answers to requests of which every one is worked on or answered, in both processes. */
async function begunQuotes({ url }: Served, paths: readonly string[]) {
  let answered = 0
  const answers = paths.map(async (path) => {
    const answer = await get(`${url}${path}`)
    answered += 1
    return answer
  })
  const begun = async () => {
    const before = answered
    return before + (await figure(url, 'forkroute_calculations_in_flight'))
  }
  await expect.poll(begun, { interval: 1 }).toBeGreaterThanOrEqual(paths.length)
  // Not a promise of them, which would be awaited here.
  return { answers: () => Promise.all(answers) }
}

/** Process ids of the members. */
function membersOf({ primary }: Served): number[] {
  const listed = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(primary.pid)]).toString()
  return listed
    .split('\n')
    .flatMap((line) => (line.includes('main.js serve') ? [Number.parseInt(line, 10)] : []))
}

/** Of the metrics of all processes together. */
async function figure(url: string, name: string): Promise<number> {
  const { text } = await get(`${url}/metrics`)
  const line = text.split('\n').find((each) => each.startsWith(`${name} `)) ?? ''
  return Number(line.slice(name.length))
}

describe('PROCESSES=2', () => {
  test('each answers on the one port with the same bytes; requests and figures count together', async () => {
    const served = await serve({ RATE_LIMIT_PER_MINUTE: '12' })
    const answers = []
    for (let left = 12; left > 0; left--)
      answers.push(await get(`${served.url}${quoteOf(10 ** 15)}`))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(
      answers.map((_, index) => String(11 - index)),
    )
    const refused = await get(`${served.url}${quoteOf(10 ** 15)}`)
    expect(refused.status).toBe(429)
    expect(await figure(served.url, 'forkroute_stage_seconds_count{stage="total"}')).toBe(12)
    expect(await figure(served.url, 'forkroute_forks')).toBe(2)

    const members = membersOf(served)
    expect(members).toHaveLength(2)
    served.primary.kill('SIGTERM')
    expect(await served.ended).toEqual([0, null])
    for (const pid of members) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('one that is killed is replaced, and meanwhile the other answers', async () => {
    const served = await serve({})
    const expected = await get(`${served.url}${quoteOf(10 ** 15)}`)
    const [killed = 0, other] = membersOf(served)
    process.kill(killed, 'SIGKILL')
    const isReplaced = () => {
      const members = membersOf(served)
      return members.length === 2 && !members.includes(killed)
    }
    let answered = 0
    await expect
      .poll(
        async () => {
          const { status, text } = await get(`${served.url}${quoteOf(10 ** 15)}`)
          if (status === 200) expect(text).toBe(expected.text)
          answered += status === 200 ? 1 : 0
          return isReplaced()
        },
        { timeout: 60_000 },
      )
      .toBe(true)
    expect(answered).toBeGreaterThan(0)
    expect(membersOf(served)).toContain(other)
    served.primary.kill('SIGTERM')
    expect(await served.ended).toEqual([0, null])
  })

  test('an interrupt of all of them answers what was asked before, and ends', async () => {
    const served = await serve({ MAX_IN_FLIGHT: '64' })
    const expected = await get(`${served.url}${quoteOf(10 ** 15)}`)
    const { answers } = await begunQuotes(served, Array(40).fill(quoteOf(10 ** 15)))
    process.kill(-(served.primary.pid ?? 0), 'SIGINT')
    for (const { status, text } of await answers()) {
      expect(text).toBe(expected.text)
      expect(status).toBe(200)
    }
    expect(await served.ended).toEqual([0, null])
  })

  test('a signal that comes after the word of the primary to stop is no second one', async () => {
    const served = await serve({ MAX_IN_FLIGHT: '64' })
    const members = membersOf(served)
    const paths = Array.from({ length: 40 }, (_, index) => quoteOf(10 ** 15 + index))
    const { answers } = await begunQuotes(served, paths)
    served.primary.kill('SIGTERM')
    // The primary says so, too.
    await served.logged('stopping; a second signal stops at once', 3)
    for (const member of members) process.kill(member, 'SIGINT')
    expect((await answers()).map(({ status }) => status)).toEqual(paths.map(() => 200))
    expect(await served.ended).toEqual([0, null])
  })

  test('a port that is taken ends it; a recording is refused', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const dataDir = await mkdtemp(join(tmpdir(), 'forkroute-processes-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const env = { PROCESSES: '2', AUTH_MODE: 'open', SANDBOX_CHAINS: '1', DATA_DIR: dataDir }
    const busy = await runCli(['serve', '--port', String(port)], env)
    expect(busy).toMatchObject({ code: 1, err: expect.stringContaining('is already in use') })
    const recording = await runCli(['serve', '--record', join(dataDir, 'x.sqlite')], env)
    expect(recording).toMatchObject({ code: 1, err: expect.stringContaining('by one process') })
  })
})

describe('three services behind a balancer', () => {
  const services: TestService[] = []
  let sandbox: Awaited<ReturnType<typeof startSandbox>>
  let balancer: Server
  let url = ''

  beforeAll(async () => {
    sandbox = await startSandbox({})
    for (const poll of ['200', '500', '2000']) {
      const env = { RPC_URL_1: sandbox.url, HEAD_POLL_MS: poll, WORKERS: '1', FORKS_PER_BLOCK: '1' }
      services.push(await startService({ AUTH_MODE: 'open', ...env }))
    }
    let turn = 0
    balancer = createServer(async ({ url: path }, response) => {
      const { url: target = '' } = services[turn++ % services.length] ?? {}
      const answer = await get(`${target}${path}`)
      response.writeHead(answer.status).end(answer.text)
    }).listen(0, '127.0.0.1')
    await once(balancer, 'listening')
    url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    balancer?.close()
    for (const service of services) await service.stop()
    await sandbox?.stop()
  })

  test('a client that keeps to the block of its first answer gets the same bytes from all, while blocks come', async () => {
    const mine = () =>
      request(sandbox.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] }),
      }).then(({ body }) => body.dump())
    for (let round = 0; round < 5; round++) {
      await mine()
      const first = await get(`${url}${quoteOf(10 ** 16 + round)}`)
      expect(first.status, first.text).toBe(200)
      const { blockNumber } = JSON.parse(first.text) as { blockNumber: number }
      const kept = `${url}${quoteOf(10 ** 16 + round, `&blockNumber=${blockNumber}`)}`
      for (const { text } of await Promise.all([get(kept), get(kept), get(kept)])) {
        expect(text).toBe(first.text)
      }
    }
  })
})
