/** nginx in front of the service, by the file of deploy/nginx: TLS, streams as they are sent, what stays inside. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, fetch, type RequestInit } from 'undici'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createRpcClient, type RpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { startService, type TestService } from '../../support/service/service.js'

const [weth = '', usdc = ''] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${10n ** 18n}` }

let folder: string
let service: TestService
let node: RpcClient
let client: Agent
let url: string
let stopProxy: () => Promise<void>

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Each of the texts stands once in the file of deploy/nginx. */
function adapted(replacements: Readonly<Record<string, string>>): string {
  let text = readFileSync('deploy/nginx/forkroute.conf', 'utf8')
  for (const [from, to] of Object.entries(replacements)) {
    expect(text.split(from), from).toHaveLength(2)
    text = text.replace(from, to)
  }
  return text
}

async function startProxy(): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await freePort()
  const [certificate, key] = [join(folder, 'forkroute.crt'), join(folder, 'forkroute.key')]
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-keyout', key, '-out', certificate, '-days', '1', '-subj', '/CN=forkroute.example'],
      ...['-addext', 'subjectAltName=DNS:forkroute.example'],
    ],
    { stdio: 'ignore' },
  )
  const site = adapted({
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    'server 127.0.0.1:3000': `server ${new URL(service.url).host}`,
    '/etc/nginx/tls/forkroute.crt': certificate,
    '/etc/nginx/tls/forkroute.key': key,
  })
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  const file = join(folder, 'nginx.conf')
  const isRoot = process.getuid?.() === 0
  writeFileSync(
    file,
    `${isRoot ? 'user root;' : ''} daemon off; pid ${join(folder, 'pid')};
    error_log ${join(folder, 'error.log')}; events {}
    http { access_log off; ${paths.join(' ')} ${site} }`,
  )
  // Debian keeps it where the PATH of an ordinary user does not look.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
  execFileSync('nginx', ['-t', '-q', '-c', file], { env })
  const child = spawn('nginx', ['-c', file], { env, stdio: 'inherit' })
  const ended = once(child, 'exit')
  await vi.waitFor(async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.destroy()
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  client = new Agent({
    connect: {
      ca: readFileSync(certificate),
      lookup: (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
    },
  })
  return { port, stop }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forkroute-proxy-'))
  service = await startService({
    SANDBOX_CHAINS: '1',
    HEAD_POLL_MS: '50',
    TRUST_PROXY_HOPS: '1',
    RATE_LIMIT_PER_MINUTE: '1000',
  })
  node = createRpcClient(service.nodeUrl)
  const proxy = await startProxy()
  stopProxy = proxy.stop
  url = `https://forkroute.example:${proxy.port}`
})
afterAll(async () => {
  await client?.close()
  await stopProxy?.()
  await node?.close()
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
})

function ask(path: string, options: RequestInit = {}) {
  const headers = { authorization: `Bearer ${service.key}`, ...options.headers }
  return fetch(`${url}${path}`, { ...options, headers, dispatcher: client })
}

test('answers by TLS what the service answers, with the header that keeps browsers at it', async () => {
  const path = `/api/v1/shortcuts/quote?${new URLSearchParams(trade)}`
  const answer = await ask(path)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('strict-transport-security')).toContain('max-age')
  const direct = await service.get(path)
  expect(await answer.json()).toEqual(direct.body)
})

test('every event of a stream arrives while nothing follows it', async () => {
  const head = async () => Number(await node.request('eth_blockNumber', []))
  const answer = await ask(`/api/v1/stream/quotes?${new URLSearchParams(trade)}`)
  expect(answer.status).toBe(200)
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  /** Comes back once the stream has shown it; what lay in a buffer would never come, since the next block waits for it. */
  const until = async (block: number) => {
    while (!text.includes(`"blockNumber":${block}`)) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done) throw new Error(`The stream ended after ${text}`)
      text += value
    }
  }
  await until(await head())
  for (const _ of [1, 2, 3]) {
    await node.request('evm_mine', [])
    await until(await head())
  }
  await reader?.cancel()
})

test('events of a backtest arrive until its end', async () => {
  const body = JSON.stringify({
    blocks: { from: 'latest-1' },
    requests: [{ name: 'one', ...trade }],
  })
  const headers = { 'content-type': 'application/json' }
  const made = await ask('/api/v1/backtests', { method: 'POST', body, headers })
  const { id } = (await made.json()) as { id: string }
  const events = await ask(`/api/v1/backtests/${id}/events`)
  expect(events.headers.get('content-type')).toContain('text/event-stream')
  expect(await events.text()).toContain('"state":"finished"')
})

test('figures and probes stay inside, also under other spellings', async () => {
  for (const path of ['/metrics', '/ready', '/health', '/%6detrics', '//metrics']) {
    expect((await ask(path)).status, path).toBe(404)
  }
  expect((await fetch(new URL('/metrics', service.url))).status).toBe(200)
})

test('a body over the limit is refused, and a long query is not', async () => {
  const body = 'x'.repeat(300_000)
  const headers = { 'content-type': 'application/json' }
  const refused = await ask('/api/v1/shortcuts/bundle', { method: 'POST', body, headers })
  expect(refused.status).toBe(413)
  const long = `/api/v1/shortcuts/quote?${new URLSearchParams(trade)}${`&excludePools=0x${'ab'.repeat(20)}`.repeat(200)}`
  const taken = await ask(long)
  expect(taken.status, await taken.text()).toBe(200)
})
