/** The description of the interface that answers of end-to-end tests are checked against, and the proxy that does it. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { answers } from '../../src/api/generated/answers.js'
import { checkAnswer } from '../support/family/check-answer.js'
import { familyEndpoints, nameOf } from '../support/family/endpoints.js'
import { startValidatingProxy, takeUnfit } from '../support/family/validating-proxy.js'

const doc = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const trade = `tokenIn=${weth}&tokenOut=${usdc}&amountIn=1000000000000000000`

/** @param text - of the body; JSON when it is no text. */
function problems(target: string, body: unknown, more: { status?: number; id?: string } = {}) {
  const { status = 200, id = 'req-1' } = more
  return checkAnswer({
    method: 'GET',
    target,
    sent: '',
    sentHeaders: {},
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': id },
    text: typeof body === 'string' ? body : JSON.stringify(body),
  }).problems
}

const quoteTarget = `/api/v1/shortcuts/quote?${trade}`
const quote = answers.getQuote as Record<string, unknown>
const refusal = {
  statusCode: 422,
  error: 'Unprocessable Entity',
  message: 'No route.',
  code: 'NO_ROUTE',
  requestId: 'req-1',
}

describe('checkAnswer', () => {
  test('finds nothing in an answer of the service', () => {
    expect(problems(quoteTarget, quote)).toEqual([])
    expect(problems(`/v1/shortcuts/quote?${trade}`, quote)).toEqual([])
    expect(problems(quoteTarget, refusal, { status: 422 })).toEqual([])
  })

  test.each([
    ['an amount as a number', { ...quote, amountOut: 5 }, /^amountOut: /],
    ['an amount in hexadecimal digits', { ...quote, gas: '0x5208' }, /^gas: /],
    ['a field that is missing', { ...quote, blockNumber: undefined }, /^blockNumber: /],
    ['a fee that nobody asked for', { ...quote, feeAmount: ['1'] }, /^feeAmount was not asked/],
    ['candidates that nobody asked for', { ...quote, candidates: [] }, /^candidates was not/],
    ['another block', { ...quote, blockNumber: 9 }, /^blockNumber is 9/],
    ['no JSON', 'null?', /expected object/],
  ])('%s', (_, body, problem) => {
    const target = `${quoteTarget}&blockNumber=${quote.blockNumber}`
    expect(problems(target, quote)).toEqual([])
    expect(problems(target, body).join('\n')).toMatch(problem)
  })

  test.each([
    ['an address with a wrong checksum', trade.replace('0xc02aaa', '0xC02aaa')],
    ['a number given twice', `${trade}&chainId=1&chainId=1`],
    ['no tokenOut', trade.replace('tokenOut', 'tokenOff')],
  ])('an answer to %s', (_, query) => {
    const [problem] = problems(`/api/v1/shortcuts/quote?${query}`, quote)
    expect(problem).toMatch(/^answered, but /)
  })

  test('a minimum that is not amountOut less the slippage', () => {
    const route = answers.getRoute as Record<string, unknown>
    const target = (slippage: string) =>
      `/api/v1/shortcuts/route?fromAddress=${sender}&slippage=${slippage}&${trade}`
    const found = problems(target('51'), route)
    expect(found.some((one) => one.startsWith('minAmountOut is '))).toBe(true)
    expect(problems(target('50'), route).filter((one) => one.includes('minAmountOut'))).toEqual([])
  })

  test.each([
    ['another status in the body', { ...refusal, statusCode: 400 }, 'statusCode is 400'],
    ['an id of another request', { ...refusal, requestId: 'x' }, 'requestId is not x-request-id'],
    ['a list of one message', { ...refusal, message: ['No route.'] }, 'message: '],
    ['a field that is not for clients', { ...refusal, stack: 'x' }, 'Unrecognized key'],
    [
      'a place in the source',
      { ...refusal, message: 'x at f (/srv/a.js:1:2)' },
      'something internal',
    ],
  ])('an error with %s', (_, body, problem) => {
    expect(problems(quoteTarget, body, { status: 422 }).join('\n')).toContain(problem)
  })

  test('a limit that the endpoint does not have', () => {
    const body = { ...refusal, statusCode: 429, code: 'TOO_MANY_BACKTESTS' }
    const found = problems(quoteTarget, body, { status: 429 })
    expect(found).toContain('429 TOO_MANY_BACKTESTS is not described')
    const post = checkAnswer({
      method: 'POST',
      target: '/api/v1/backtests',
      sent: '',
      sentHeaders: {},
      status: 429,
      headers: { 'x-request-id': 'req-1' },
      text: JSON.stringify(body),
    })
    expect(post.problems.filter((text) => text.includes('TOO_MANY'))).toEqual([])
  })

  test('a list of backtests that is longer, or newer, than it was asked for', () => {
    const job = (id: string) => ({ id, state: 'queued', name: 'x' })
    const list = (query: string, ids: readonly string[]) =>
      problems(`/api/v1/backtests?${query}`, ids.map(job))
    expect(list('limit=2&before=d', ['c', 'b'])).toEqual([])
    expect(list('limit=1', ['c', 'b'])).toEqual(['more backtests than the page has'])
    expect(list('', ['b', 'c'])).toEqual(['not the newest first'])
    expect(list('before=c', ['c', 'b'])).toEqual(['a backtest that is not older than c'])
  })

  test('a status that the endpoint does not have', () => {
    const body = { ...refusal, statusCode: 500, code: 'INTERNAL' }
    expect(problems(quoteTarget, body, { status: 500 })).toEqual(['status 500 is not described'])
    const found = problems('/api/v1/nothing', {}, { status: 200 })
    expect(found).toEqual(['200 of a path that is not described'])
  })
})

describe('the validating proxy', () => {
  async function proxied(listener: RequestListener): Promise<string> {
    const upstream = createServer(listener).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const { port } = upstream.address() as AddressInfo
    const proxy = await startValidatingProxy(`http://127.0.0.1:${port}`)
    onTestFinished(async () => {
      await proxy.stop()
      upstream.close()
      upstream.closeAllConnections()
    })
    return proxy.url
  }

  test('passes what does not fit on as it is, and tells of it once', async () => {
    const url = await proxied((asked, answer) => {
      answer.writeHead(200, {
        'content-type': 'application/json',
        'x-a': `${asked.headers['x-b']}`,
      })
      asked.pipe(answer)
    })
    const response = await fetch(`${url}/api/v1/shortcuts/bundle?fromAddress=${sender}`, {
      method: 'POST',
      body: '[ 1 ]',
      headers: { 'x-b': 'c' },
    })
    expect([response.status, response.headers.get('x-a')]).toEqual([200, 'c'])
    expect(await response.text()).toBe('[ 1 ]')
    const told = takeUnfit()
    expect(told).toHaveLength(1)
    expect(told[0]).toContain('POST /api/v1/shortcuts/bundle?fromAddress=0xf39f')
    expect(told[0]).toContain('x-request-id is missing')
    expect(takeUnfit()).toEqual([])
  })

  test('checks each event of a stream as it comes', async () => {
    let end: () => void = () => undefined
    const url = await proxied((_asked, answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'a' })
      answer.write('event: quotes\nid: 1\ndata: {"quotes":[]}\n\n')
      end = () => answer.end()
    })
    const response = await fetch(`${url}/api/v1/stream/quotes?${trade}`)
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    expect(new TextDecoder().decode(value)).toContain('event: quotes')
    expect(takeUnfit().join()).toContain('event quotes: blockNumber')
    end()
    expect((await reader?.read())?.done).toBe(true)
  })

  test('what a client breaks off is broken off behind it', async () => {
    let left: Promise<unknown> = Promise.resolve()
    const controller = new AbortController()
    const url = await proxied((asked, answer) => {
      left = once(asked.socket, 'close')
      answer.flushHeaders()
      controller.abort()
    })
    await expect(fetch(`${url}/api/v1/networks`, { signal: controller.signal })).rejects.toThrow()
    await left
  })
})

describe('docs/reference/endpoints.md', () => {
  const rows = new Map(
    [...doc('reference/endpoints.md').matchAll(/^\| `(\S+ \S+)` \| (.*) \|$/gm)].map(
      ([, name, cells = '']) => [name, cells.split('|').map((cell) => cell.trim())],
    ),
  )
  const statuses = [...new Set(familyEndpoints.flatMap((one) => one.statuses))].toSorted(
    (a, b) => a - b,
  )

  test('has every endpoint and status of the description', () => {
    expect([...rows.keys()]).toEqual(familyEndpoints.map(nameOf))
    for (const endpoint of familyEndpoints) {
      const cells = rows.get(nameOf(endpoint)) ?? []
      const met = statuses.filter((_, index) => cells[index])
      expect(met, nameOf(endpoint)).toEqual(endpoint.statuses)
    }
  })
})

const isOpen = (name: string) =>
  !name.includes(' /api/') || /(\/openapi\.json| \/api\/v1)$/.test(name)

test('the description and docs/openapi.json name the same endpoints and statuses', () => {
  const { paths } = JSON.parse(doc('openapi.json')) as {
    paths: Record<string, Record<string, { responses: object }>>
  }
  // 500 is no answer that anybody may expect; 400 of the others is a header or a body that cannot be read. Paths that need
  // no key answer 403 to pages of other sites in open mode, which test/api/foreign-pages.itest.ts asks.
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses }]) => ({
      name: `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`,
      statuses: Object.keys(responses).map(Number),
    })),
  )
  for (const { name, statuses } of described) {
    const own = familyEndpoints.find((one) => nameOf(one) === name)
    const extra = statuses.filter((status) => !own?.statuses.includes(status))
    expect(
      own?.statuses.filter((status) => !statuses.includes(status)),
      name,
    ).toEqual([])
    expect(
      extra.filter((status) => ![400, 500, ...(isOpen(name) ? [403] : [])].includes(status)),
      name,
    ).toEqual([])
  }
})
