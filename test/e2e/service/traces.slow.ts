/**
 * Traces of the whole service at a collector of the test's own, of a route from the HTTP request to the forks. The trace
 * that docs/how-to/telemetry.md shows is written here with UPDATE_DOCS=1.
 */
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { startService, type TestService } from '../../support/service/service.js'
import {
  named,
  type SinkSpan,
  startTraceSink,
  type TraceSink,
  treeOf,
  wayTo,
} from '../../support/service/trace-sink.js'

const [weth = '', usdc = ''] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
const settings = { WORKERS: '1', FORKS_PER_BLOCK: '1', SANDBOX_CHAINS: '1' }
const document = 'docs/how-to/telemetry.md'
const traceId = '0af7651916cd43dd8448eb211c80319c'
const clientSpan = 'b7ad6b7169203331'
const from = (flags: '00' | '01') => ({ traceparent: `00-${traceId}-${clientSpan}-${flags}` })
const quote = '/api/v1/shortcuts/quote'
/** Recognised in what was sent, should it be there. */
const amountIn = '1234567890123456789'
const trade = { tokenIn: weth, tokenOut: usdc, amountIn }

describe('a request', () => {
  let sink: TraceSink
  let service: TestService
  let traced: readonly SinkSpan[]
  const known: Record<string, number> = {}

  beforeAll(async () => {
    sink = await startTraceSink()
    service = await startService({
      ...settings,
      AUTH_MODE: 'key',
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_SERVICE_NAME: 'desk',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20desk',
    })
    const ask = async (query: Record<string, string>, headers = {}) =>
      (await service.get(quote, { ...trade, ...query }, headers)).status
    // Reads the market, so that the trace is that of a service at work.
    known.unsampled = await ask({}, from('00'))
    known.sampled = await ask({ amountIn: '2000000000000000000' }, from('01'))
    known.malformed = await ask({ amountIn: '0' }, { traceparent: 'nonsense' })
    known.unauthorized = (await fetch(`${service.url}${quote}`, { headers: from('01') })).status
    await service.get('/ready')
    const past = { blockNumber: '375', amountIn: '3000000000000000000' }
    known.past = await ask(past)
    await service.stop()
    traced = sink.spans.filter((span) => span.traceId === traceId)
  })
  afterAll(() => sink?.stop())

  test('is one trace that goes on with that of its client', () => {
    expect(known).toMatchObject({ unsampled: 200, sampled: 200, malformed: 400, past: 200 })
    const heads = traced.filter(({ parentSpanId }) => parentSpanId === clientSpan)
    expect(heads).toMatchObject([
      {
        name: `GET ${quote}`,
        kind: 2,
        isError: false,
        attributes: { 'http.route': quote, 'http.response.status_code': 200 },
        resource: { 'service.name': 'desk' },
      },
    ])
    const ids = new Set(traced.map(({ spanId }) => spanId))
    expect(ids.size).toBe(traced.length)
    expect(
      traced.filter(
        ({ parentSpanId }) => parentSpanId !== clientSpan && !ids.has(parentSpanId ?? ''),
      ),
    ).toEqual([])
    expect(sink.headers[0]).toMatchObject({ 'x-tenant': 'a desk' })
  })

  test('leads from HTTP over the thread to the calls of forks', () => {
    const way = [`GET ${quote}`, 'task route', 'thread route']
    const [measured] = named(traced, 'fork eth_simulateV1')
    expect(wayTo(measured, traced)).toEqual([...way, 'simulate', 'fork eth_simulateV1'])
    for (const stage of ['state', 'search', 'plan', 'simulate', 'finalise']) {
      expect(wayTo(named(traced, stage)[0], traced)).toEqual([...way, stage])
    }
    const [thread] = named(traced, 'thread route')
    expect(thread?.attributes).toMatchObject({ 'forkroute.chain_id': 1 })
    expect(Number(thread?.attributes['forkroute.simulated'])).toBeGreaterThan(1)
    for (const { start, end } of traced) expect(end).toBeGreaterThanOrEqual(start)
  })

  test('leads to the node where a block is read for the first time', () => {
    const other = sink.spans.filter((span) => span.traceId !== traceId)
    const asked = other.filter(({ name }) => name.startsWith('node '))
    const ways = asked.map((span) => wayTo(span, other).join(' > '))
    expect(ways).toContainEqual(
      expect.stringMatching(/^GET \S+ > pin > archive pin > node eth_getBlockByNumber$/),
    )
    expect(ways).toContainEqual(
      expect.stringMatching(
        /^GET \S+ > task route > thread route > state > archive \S+ > archive > /,
      ),
    )
  })

  test('that is refused says why and is no fault; one that is not admitted or not sampled is not there', () => {
    const requests = sink.spans.filter(({ kind, name }) => kind === 2 && name.startsWith('GET'))
    expect(requests).toHaveLength(3)
    expect(requests.find((span) => span.attributes['error.type'])).toMatchObject({
      parentSpanId: null,
      isError: false,
      attributes: { 'error.type': 'INVALID_REQUEST', 'http.response.status_code': 400 },
    })
  })

  test('leaves no address, amount, key or URL in what is sent', () => {
    const sent = sink.bodies.join('\n')
    expect(sent).toContain('eth_simulateV1')
    expect(sent).not.toMatch(/0x[0-9a-f]{8}/i)
    expect(sent).not.toMatch(/:\/\//)
    for (const secret of [service.key, 'fr_', amountIn, '127.0.0.1', service.accountId]) {
      expect(sent).not.toContain(secret)
    }
  })

  test('is shown in docs/how-to/telemetry.md', async () => {
    const page = await readFile(document, 'utf8')
    const form = /(<!-- trace -->\n\n).*?(<!-- end of trace -->)/s
    if (process.env.UPDATE_DOCS) {
      const tree = `\`\`\`\n${treeOf(traced)}\n\`\`\`\n\n`
      await writeFile(
        document,
        page.replace(form, (_all, a, b) => `${a}${tree}${b}`),
      )
    }
    const [shown = ''] = form.exec(await readFile(document, 'utf8')) ?? []
    const names = shown.split('\n').map((line) => line.trim().split(/ {2,}/)[1] ?? '')
    for (const name of [`GET ${quote}`, 'thread route', 'simulate', 'fork eth_simulateV1']) {
      expect(names).toContain(name)
    }
  })
})

/** Takes connections and never answers. */
async function silentUrl(): Promise<string> {
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

test('a collector that never answers fails no request, and a stop does not wait for it', async () => {
  const service = await startService({
    ...settings,
    AUTH_MODE: 'open',
    SHUTDOWN_TIMEOUT_MS: '1000',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: await silentUrl(),
  })
  for (let units = 1; units <= 20; units++) {
    const { status, text } = await service.get(quote, {
      ...trade,
      amountIn: `${units}${'0'.repeat(18)}`,
    })
    expect(status, text).toBe(200)
  }
  const begun = performance.now()
  await service.stop()
  expect(performance.now() - begun).toBeLessThan(5_000)
})
