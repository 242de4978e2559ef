/** Each endpoint of the interface answers the statuses that any of them can: bodies are compared by the proxy in between. */
import pLimit from 'p-limit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openKeyStore } from '../../../src/api/key-store.js'
import { type FamilyEndpoint, familyEndpoints, nameOf } from '../../support/family/endpoints.js'
import { requestFor } from '../../support/family/requests-for.js'
import { fast, withFaultyNode } from '../../support/service/faulty-service.js'
import { startService, type TestService } from '../../support/service/service.js'

const context = withFaultyNode()
const nobody = `0x${'12'.repeat(20)}`

/** What mined transactions did is asked in e2e/crosschain and e2e/history: no example can name one that is there. */
const isOfTransaction = ({ path }: FamilyEndpoint) =>
  /\/(bridge\/(check|claim|events)|hindsight)$/.test(path)
const having = (status: number) =>
  familyEndpoints.filter(
    (one) => one.statuses.includes(status) && !(status === 200 && isOfTransaction(one)),
  )
/** Base tokens are known without a node, a stream waits for blocks, jobs are worked on later, the rest is files and rows. */
const needsNoNode = ({ path }: FamilyEndpoint) =>
  /baseTokens|stream|backtests|well-known|\/(pools|cassettes|suites|checks|keys|orders)\b/.test(
    path,
  )
const asking = (status: number) => having(status).filter((one) => !needsNoNode(one))

/** A name of nothing in the place of the last part that the path leaves open. */
function absentPart(path: string): string {
  if (path.includes('/prices/')) return nobody
  if (/\/bridge\/(check|events)$/.test(path)) return 'ccip'
  return path.endsWith('/requests/{}') ? '1' : 'nope'
}

async function ask(
  service: TestService,
  endpoint: FamilyEndpoint,
  more: {
    readonly change?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, string>>
    readonly text?: string
    /** In place of each part that the path leaves open. */
    readonly part?: string
  } = {},
): Promise<number> {
  const { method, target, body } = requestFor(endpoint, more.change, more.part)
  const controller = new AbortController()
  const isPost = method === 'POST'
  const response = await fetch(new URL(target, service.url), {
    method,
    signal: controller.signal,
    headers: {
      authorization: `Bearer ${service.key}`,
      ...(isPost && { 'content-type': 'application/json' }),
      ...more.headers,
    },
    ...(isPost && { body: more.text ?? JSON.stringify(body ?? {}) }),
  })
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) controller.abort()
  else await response.arrayBuffer()
  return response.status
}

/** The endpoints that answer something else, with what they answer. @param atOnce - requests in flight. */
async function others(
  service: TestService,
  status: number,
  more: (endpoint: FamilyEndpoint) => Parameters<typeof ask>[2] = () => ({}),
  endpoints = having(status),
  atOnce = 1,
): Promise<string[]> {
  const inTurn = pLimit(atOnce)
  const wrong = await Promise.all(
    endpoints.map((endpoint) =>
      inTurn(async () => {
        const answered = await ask(service, endpoint, more(endpoint))
        return answered === status ? [] : [`${nameOf(endpoint)} ${answered}`]
      }),
    ),
  )
  return wrong.flat()
}

describe('a service', () => {
  let service: TestService

  beforeAll(async () => {
    service = await startService({ RPC_URL_1: context().sandbox.url, OPPORTUNITIES: 'on' })
  })
  afterAll(() => service?.stop())

  test('401 without a key, and with one that is none', async () => {
    expect(await others(service, 401, () => ({ headers: { authorization: '' } }))).toEqual([])
    const headers = { authorization: 'Bearer fr_0000' }
    expect(await others(service, 401, () => ({ headers }))).toEqual([])
  })

  test('403 with a key that is disabled', async () => {
    const keys = openKeyStore(service.dataDir)
    const { key, record } = keys.createKey({ name: 'disabled' })
    keys.disableKey(record.id)
    keys.close()
    const headers = { authorization: `Bearer ${key}` }
    expect(await others(service, 403, () => ({ headers }))).toEqual([])
  })

  test('413 to a body over the limit, 415 to one that is no JSON', async () => {
    const text = `"${'x'.repeat(2_000_000)}"`
    expect(await others(service, 413, () => ({ text }))).toEqual([])
    const headers = { 'content-type': 'text/plain' }
    expect(await others(service, 415, () => ({ headers, text: 'x' }))).toEqual([])
  })

  test('400 to values that are none', async () => {
    const change = {
      chainId: 'x',
      destinationChainId: 'x',
      address: 'x',
      eoaAddress: 'x',
      addresses: 'x',
      page: 'x',
      blocks: 'x',
      in: 'x',
      name: '',
      suite: 'x',
      limit: 'x',
    }
    expect(await others(service, 400, () => ({ change, part: '%zz' }))).toEqual([])
  })

  test('422 to a trade of what is no token', async () => {
    const change = {
      tokenIn: nobody,
      executionMode: 'backend',
      in: { sourceChainId: 1, token: nobody },
    }
    // The others name their tokens elsewhere, or answer by item.
    const traded = having(422).filter(({ path }) => /(route|quote|tokenized)$/.test(path))
    expect(await others(service, 422, () => ({ change }), traded)).toEqual([])
  })

  test('404 to names of nothing', async () => {
    const named = ({ path }: FamilyEndpoint) => ({
      change: {
        positionOut: nobody,
        accountId: `0x${'12'.repeat(32)}`,
        suite:
          'cassette: none.cassette\ncases: [{ name: a, prices: {}, expect: { error: INVALID_REQUEST } }]',
      },
      part: absentPart(path),
    })
    expect(await others(service, 404, named)).toEqual([])
  })

  test('200 to what is right', async () => {
    const noJob = familyEndpoints.filter(
      ({ method, path }) => method === 'GET' || !/backtests/.test(path),
    )
    // Without a job, a transfer, a cassette, a check or another key there is nothing to ask about.
    const known = noJob.filter(
      (one) => !/\/(backtests|cassettes|checks|keys)\//.test(one.path) && !isOfTransaction(one),
    )
    const unlimited = await startService({
      RPC_URL_1: context().sandbox.url,
      OPPORTUNITIES: 'on',
      RATE_LIMIT_PER_MINUTE: '100000',
    })
    try {
      expect(await others(unlimited, 200, () => ({}), known)).toEqual([])
    } finally {
      await unlimited.stop()
    }
  })
})

test('429 over the rate of the key', async () => {
  const service = await startService({
    RPC_URL_1: context().sandbox.url,
    RATE_LIMIT_PER_MINUTE: '1',
  })
  try {
    await service.get('/api/v1/actions')
    expect(await others(service, 429)).toEqual([])
  } finally {
    await service.stop()
  }
})

test('503 while there is no block to calculate at', async () => {
  context().node.fail('broken')
  const service = await startService({
    RPC_URL_1: context().node.url,
    ...fast,
    FIRST_PIN_WAIT_MS: '0',
    OPPORTUNITIES: 'on',
  })
  try {
    expect(await others(service, 503, () => ({}), asking(503))).toEqual([])
  } finally {
    await service.stop()
  }
})

test('504 when the node is silent for longer than a request may take', async () => {
  const service = await startService({
    RPC_URL_1: context().node.url,
    ...fast,
    OPPORTUNITIES: 'on',
    REQUEST_TIMEOUT_MS: '1000',
    UPSTREAM_TIMEOUT_MS: '60000',
  })
  try {
    await expect.poll(async () => (await service.get('/ready')).status).toBe(200)
    context().node.fail('silent')
    // Several at once, since a fork that cannot start for 30 seconds is 503.
    expect(await others(service, 504, () => ({}), asking(504), 4)).toEqual([])
  } finally {
    await service.stop()
  }
})
