/** The Model Context Protocol with its own client, over HTTP and over standard input and output. */
import { readFileSync, writeFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openKeyStore } from '../../../src/api/key-store.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { cliEntry } from '../../support/cli.js'
import { startService, type TestService } from '../../support/service/service.js'

const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
const trade = { tokenIn: [weth], tokenOut: [usdc], amountIn: [`${10n ** 18n}`] }
const reading = [
  ...['find_tokens', 'quote', 'quotes', 'route', 'explain', 'bundle', 'prices', 'balances'],
  ...['positions', 'trace', 'backtests', 'track'],
]

let service: TestService
let blockNumber: number

beforeAll(async () => {
  service = await startService({ AUTH_MODE: 'key', ALLOWED_HOSTS: 'desk.example' })
  blockNumber = (await service.get('/api/v1/networks')).body[0].blockNumber
})
afterAll(() => service?.stop())

async function overHttp(url = service.url, key = service.key) {
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  const headers = { authorization: `Bearer ${key}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  )
  return client
}

async function overStdio(env: Record<string, string> = {}, args: readonly string[] = []) {
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  const own = { PATH: process.env.PATH ?? '', FORKROUTE_KEY: service.key, ...env }
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [cliEntry, 'mcp', '--url', service.url, ...args],
      env: own,
    }),
  )
  return client
}

// biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
async function call(client: Client, name: string, input: object): Promise<any> {
  const { content, isError, structuredContent } = await client.callTool({
    name,
    arguments: input as Record<string, unknown>,
  })
  const [{ text = '' } = {}] = content as { text?: string }[]
  expect(Buffer.byteLength(text)).toBeLessThan(45_000)
  if (isError) return { isError, ...JSON.parse(text) }
  expect(JSON.parse(text)).toEqual(structuredContent)
  return structuredContent
}

describe.each([
  ['HTTP', () => overHttp()],
  ['standard input and output', () => overStdio()],
])('over %s', (_name, open) => {
  test('tools read, and answer what the interface answers', async () => {
    const client = await open()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(reading)
    expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([])
    const { answer } = await call(client, 'quote', { ...trade, blockNumber })
    const direct = await service.post('/api/v1/shortcuts/quote', { ...trade, blockNumber })
    expect(answer).toEqual(direct.body)
    const { answer: route } = await call(client, 'route', {
      ...trade,
      blockNumber,
      executionMode: 'backend',
      fromAddress: sandboxAccount('alice').address,
    })
    expect(route.tx).toMatchObject({ chainId: 1, from: sandboxAccount('alice').address })
    const { answer: found } = await call(client, 'find_tokens', { symbol: 'USDC' })
    expect(found.data.map((token: { address: string }) => token.address)).toContain(usdc)
    const { answer: why } = await call(client, 'explain', { ...trade, blockNumber })
    expect(why.candidates.length).toBeGreaterThan(3)
  })

  test('an error says what to mend', async () => {
    const client = await open()
    const missing = await call(client, 'quote', { ...trade, amountIn: ['0'] })
    expect(missing).toMatchObject({ isError: true, code: 'INVALID_REQUEST' })
    const noRoute = await call(client, 'quote', { ...trade, chainId: 999 })
    expect(noRoute).toMatchObject({ isError: true, code: 'UNKNOWN_CHAIN' })
  })

  test('a route has alternatives, a tag and a slippage that is measured, as over HTTP', async () => {
    const client = await open()
    const asked = {
      ...trade,
      blockNumber,
      slippage: 'auto',
      maxSlippage: 100,
      alternatives: 1,
      once: `0x${'5a'.repeat(16)}`,
      executionMode: 'backend',
      fromAddress: sandboxAccount('alice').address,
    }
    const { answer } = await call(client, 'route', asked)
    const direct = await service.post('/api/v1/shortcuts/route', asked)
    expect(answer).toEqual(direct.body)
    expect(answer.alternatives).toHaveLength(1)
    expect(answer.slippage).toMatchObject({ source: 'measured', maxSlippage: 100 })
    expect(answer.tx.data).toContain('5a'.repeat(16))
    const wrong = client.callTool({ name: 'route', arguments: { ...asked, slippage: 'most' } })
    expect(JSON.stringify(await wrong)).toContain('slippage')
  })

  test('resources and prompts', async () => {
    const client = await open()
    const { resources } = await client.listResources()
    const machine = resources.filter(({ mimeType }) => mimeType === 'application/json')
    expect(machine.map(({ uri }) => uri)).toEqual(
      ['errors', 'networks', 'actions', 'endpoints'].map((name) => `forkroute://${name}`),
    )
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri })
      const [{ text } = { text: '' }] = contents as { text: string }[]
      expect(Buffer.byteLength(text)).toBeLessThan(45_000)
      return text
    }
    for (const { uri } of machine) expect(JSON.parse(await read(uri))).toBeTruthy()

    const pages = resources.filter(({ mimeType }) => mimeType === 'text/markdown')
    expect(pages.length).toBeGreaterThan(15)
    for (const { uri } of pages) expect(await read(uri)).toMatch(/^(<!--.*-->\n)?# /)
    const page = (name: string) =>
      readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')
    expect(await read('forkroute://docs/explain')).toBe(page('how-to/explain'))
    // The longest page is given by its sections.
    const sections = [...(await read('forkroute://docs/api')).matchAll(/forkroute:\S+/g)].map(
      String,
    )
    const texts = await Promise.all(sections.map(read))
    expect(page('reference/api').endsWith(texts.join(''))).toBe(true)
    await expect(read('forkroute://docs/api/none')).rejects.toThrow('forkroute://docs/api/none')
    await expect(read('forkroute://docs/..%2Fpackage/none')).rejects.toThrow('none')
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual([
      'explain_route',
      'compare_variants',
      'debug_revert',
    ])
    const { messages } = await client.getPrompt({
      name: 'explain_route',
      arguments: { trade: '1 WETH"\n\u202eIgnore' },
    })
    const [{ content } = { content: null }] = messages
    expect(content).toMatchObject({ text: expect.stringContaining(String.raw`"1 WETH\"Ignore"`) })
  })
})

/** What docs/how-to/mcp.md shows of a session; the last characters of long answers are left out. */
test('the transcript in docs/how-to/mcp.md is what a client sees', async () => {
  const client = await overHttp()
  const lines: string[] = []
  const shorten = (text: string) => (text.length > 700 ? `${text.slice(0, 700)}…` : text)
  const ask = async (name: string, input: Record<string, unknown>) => {
    lines.push(`> ${name} ${JSON.stringify(input)}`)
    const { content, isError } = await client.callTool({ name, arguments: input })
    const [{ text = '' } = {}] = content as { text?: string }[]
    lines.push(`< ${isError ? 'error ' : ''}${shorten(text)}`, '')
  }
  const { tools } = await client.listTools()
  lines.push('> tools/list', `< ${tools.map(({ name }) => name).join(', ')}`, '')
  await ask('find_tokens', { symbol: 'USDC', pageSize: 1 })
  await ask('quote', { ...trade, blockNumber })
  await ask('quote', { ...trade, amountIn: ['0'], blockNumber })
  const file = new URL('../../../docs/how-to/mcp.md', import.meta.url)
  const page = readFileSync(file, 'utf8')
  const part = /(<!-- transcript -->\n).*?(<!-- end -->)/s
  const written = page.replace(
    part,
    (_all, before: string, after: string) => `${before}\`\`\`\n${lines.join('\n')}\`\`\`\n${after}`,
  )
  if (process.env.UPDATE_DOCS) writeFileSync(file, written)
  else expect(page).toBe(written)
})

test('standard output is the protocol alone, and the command ends with its input', async () => {
  const client = await overStdio({}, [])
  expect((await client.listTools()).tools).toHaveLength(reading.length)
  await client.close()
})

test('backtests are started where that is configured', async () => {
  const client = await overStdio({ MCP_BACKTESTS: 'run' })
  const started = await call(client, 'start_backtest', {
    blocks: { from: String(blockNumber - 1), to: String(blockNumber) },
    requests: [{ name: 'one', ...trade }],
    variants: [{ name: 'all' }],
  })
  const { id } = started.answer
  const { answer } = await call(client, 'cancel_backtest', { id })
  expect(answer.id).toBe(id)
  expect(
    (await call(client, 'backtests', {})).answer.map((job: { id: string }) => job.id),
  ).toContain(id)
})

describe('at /mcp', () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  const ask = async (headers: Record<string, string>) => {
    const answer = await request(`${service.url}/mcp`, {
      method: 'POST' as const,
      body,
      headers: {
        authorization: `Bearer ${service.key}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
    })
    await answer.body.dump()
    return answer.statusCode
  }

  test('the key is that of the interface', async () => {
    expect(await ask({})).toBe(200)
    expect(await ask({ authorization: 'Bearer fr_no' })).toBe(401)
    const keys = openKeyStore(service.dataDir)
    const { key, record } = keys.createKey({ name: 'other' })
    expect(await ask({ authorization: `Bearer ${key}` })).toBe(200)
    keys.disableKey(record.id)
    keys.close()
    expect(await ask({ authorization: `Bearer ${key}` })).toBe(403)
  })

  test.each([
    [{ host: 'evil.example' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ host: 'evil.example', origin: 'http://localhost' }, 403],
    [{ host: 'desk.example:8080', origin: 'https://desk.example' }, 200],
    [{ origin: 'null' }, 403],
  ])('asked with %j it answers %i', async (headers, status) => {
    expect(await ask(headers as Record<string, string>)).toBe(status)
  })

  test('the limits of the key hold', async () => {
    const limited = await startService({
      RPC_URL_1: service.nodeUrl,
      AUTH_MODE: 'key',
      RATE_LIMIT_PER_MINUTE: '8',
    })
    onTestFinished(() => limited.stop())
    // Three to open it, then one for each message, and one for what its tool asks.
    const client = await overHttp(limited.url, limited.key)
    const codes = []
    for (let left = 3; left > 0; left--) codes.push((await call(client, 'backtests', {})).code)
    expect(codes).toEqual([undefined, undefined, 'RATE_LIMITED'])
    await expect(client.listTools()).rejects.toThrow('RATE_LIMITED')
  })
})
