/**
 * Writes src/api/generated/answers.ts: what a sandbox service answers to the examples of the contract. The answers are
 * the examples of docs/openapi.json. Long lists are cut to their first two entries.
 *
 *   npm run docs:answers, then npm run docs
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { allEndpoints } from '../src/api/endpoints.js'
import { answers as former } from '../src/api/generated/answers.js'
import { openKeyStore } from '../src/api/key-store.js'
import { openApiDocument } from '../src/api/openapi.js'
import { dialectOf } from '../src/api/records/dialect.js'
import { examples } from '../src/api/schemas.js'
import { createApiServer } from '../src/api/server.js'
import { serviceVersion } from '../src/api/version.js'
import { loadConfig } from '../src/config/config.js'
import { openLocalService } from '../src/service/local-service.js'
import { createService } from '../src/service/service.js'
import { createLogger } from '../src/telemetry/log.js'

const longest = 2

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { name: string; in: string; example?: unknown }[]
  readonly requestBody?: { content: { 'application/json': { example: unknown } } }
}

/** Lists of any depth, apart from those whose length means something. */
function cut(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    const isWhole = ['route', 'internalRoutes', 'tokenIn', 'tokenOut', 'inputs'].includes(name)
    return (isWhole ? value : value.slice(0, longest)).map((item) => cut(item))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, cut(field, key)]))
}

/** Pauses between two looks at a check. */
const lookMs = 200

async function ask(url: string, method: string, target: string, body?: unknown) {
  const answer = await fetch(`${url}${target}`, {
    method,
    headers: {
      'x-request-id': 'req-1',
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const { paths } = openApiDocument(
  allEndpoints(dialectOf(loadConfig({}))).map((one) => one.definition),
  // Examples of requests do not depend on the actions.
  [],
  serviceVersion,
) as { paths: Record<string, Record<string, Operation>> }

const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-answers-'))
const config = loadConfig({ DATA_DIR: dataDir, OPPORTUNITIES: 'on', LOG_LEVEL: 'error' })
const logger = createLogger('error')
await recordOne(join(config.cassettesDir, 'sandbox.cassette'))
const service = await createService(config, { logger })
const keys = openKeyStore(dataDir)
const { key } = keys.createKey({ name: 'first start', isAdmin: true })
const api = createApiServer({ ...service, keys, logger })
const answers: Record<string, unknown> = {}
const errors: Record<string, unknown> = {}
try {
  const { url } = await api.listen()
  let job = ''
  let check = ''
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
  // The job that is created is shown, followed and read, and removed at the end.
  const order = ({ method, path }: { method: string; path: string }) =>
    Number(method === 'delete') + Number(/\/(backtests\/|checks)/.test(path))
  for (const { path, method, operation } of all.sort((a, b) => order(a) - order(b))) {
    const { operationId, parameters = [], requestBody } = operation
    let target = path
      .replace('/backtests/{id}', `/backtests/${job}`)
      .replace('/checks/{id}', `/checks/${check}`)
      .replace('/keys/{id}', `/keys/${keys.createKey({ name: 'another' }).record.id}`)
    const search = new URLSearchParams()
    for (const { name, in: place, example } of parameters) {
      if (place === 'path') target = target.replace(`{${name}}`, String(example))
      else for (const value of [example ?? []].flat()) search.append(name, String(value))
    }
    if (path.includes('/stream/') || path.endsWith('/events')) continue
    const body = requestBody?.content['application/json'].example
    const answer = await ask(url, method.toUpperCase(), `${target}?${search}`, body)
    if (answer.status !== 200) {
      console.error(`${operationId}: ${answer.status} ${JSON.stringify(answer.body)}`)
      // Such as of a transfer: no example can name a transaction that is there. The present one stays.
      if (Object.hasOwn(former, operationId)) answers[operationId] = former[operationId]
      continue
    }
    if (operationId === 'createBacktest') job = String(answer.body.id)
    answers[operationId] = cut(
      operationId === 'createKey' ? { ...answer.body, key: 'fr_…' } : answer.body,
    )
    if (operationId === 'checkCassette' || operationId === 'runSuite') {
      check = String(answer.body.id)
      while ((await ask(url, 'GET', `/api/v1/checks/${check}`)).body.state === 'running') {
        await sleep(lookMs)
      }
    }
  }
  const quote = '/api/v1/shortcuts/quote'
  const trade = 'tokenIn=0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2&amountIn=1000000000000000000'
  const refused = await Promise.all([
    ask(url, 'GET', `${quote}?${trade}&deadlineMs=1`),
    ask(url, 'GET', '/api/v1/standards/nope'),
    ask(url, 'POST', '/api/v1/shortcuts/route', `"${'x'.repeat(2_000_000)}"`),
    ask(url, 'GET', `${quote}?${trade}&tokenOut=0x00000000000000000000000000000000000000aa`),
  ])
  for (const { status, body } of refused) errors[status] = body
} finally {
  await api.close()
  await service.close()
  keys.close()
  rmSync(dataDir, { recursive: true, force: true })
}

/** The quote of the contract's example, by a service that ends with it. */
async function recordOne(file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true })
  const mode = { kind: 'record', file } as const
  const recorder = await openLocalService(config, { logger, mode })
  const { usdc: tokenOut, weth: tokenIn, oneEther: amountIn } = examples
  await recorder.ask({ path: '/shortcuts/quote', query: { tokenIn, tokenOut, amountIn } })
  await recorder.close()
}

const text = (name: string, value: object) =>
  `export const ${name}: Readonly<Record<string, unknown>> = {\n${Object.entries(value)
    .map(([key, body]) => `${JSON.stringify(key)}: ${JSON.stringify(body)},\n`)
    .join('')}}\n`
writeFileSync(
  new URL('../src/api/generated/answers.ts', import.meta.url),
  `// Written by scripts/record-answers.ts from the answers of a sandbox service.\n${text('answers', answers)}${text('refusals', errors)}`,
)
