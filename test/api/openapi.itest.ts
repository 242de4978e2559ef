import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { allEndpoints } from '../../src/api/endpoints.js'
import { answers, refusals } from '../../src/api/generated/answers.js'
import { dialectOf } from '../../src/api/records/dialect.js'
import { ErrorBody } from '../../src/api/records/records.js'
import { chains } from '../../src/chains/registry.js'
import { loadConfig } from '../../src/config/config.js'
import { errorCodes } from '../../src/domain/errors.js'
import type { ActionRecord } from '../../src/domain/metadata.js'
import { protocolRecords, serviceActionRecords } from '../../src/engine/protocol-records.js'
import { protocols } from '../../src/protocols/registry.js'
import { openStream } from '../support/event-stream.js'
import { bearer, read, sender, startTestApi, usdc, weth } from './test-api.js'

const methods = ['get', 'post', 'delete'] as const

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' ? [String(inner)] : refsIn(inner),
  )
}

interface Member {
  readonly title: string
  readonly properties: {
    readonly protocol: { readonly enum: string[] }
    readonly action: { readonly enum: string[] }
    readonly args: { readonly properties: Record<string, Record<string, unknown>> }
  }
}

/** Fields without a description, as paths. */
function undescribed(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties = {} } = value as { properties?: Record<string, { description?: string }> }
  const own = Object.entries(properties).flatMap(([name, { description }]) =>
    description === undefined ? [`${path}.${name}`] : [],
  )
  const inner = Object.entries(value).flatMap(([key, field]) =>
    key === 'example' ? [] : undescribed(field, `${path}.${key}`),
  )
  return [...own, ...inner]
}

interface Operation {
  readonly path: string
  readonly method: string
  readonly operationId: string
  readonly description?: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly description?: string
    readonly required?: boolean
    readonly example?: unknown
    readonly schema: { readonly default?: unknown }
  }[]
  readonly responses: { readonly '200': { readonly content: object } }
  readonly requestBody?: { readonly content: { 'application/json': { readonly example: unknown } } }
}

function operationsOf(document: {
  paths: Record<string, Record<string, Omit<Operation, 'path' | 'method'>>>
}): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
  )
}

describe('/openapi.json', () => {
  test('is the committed document', async () => {
    const api = await startTestApi()
    const { body } = await api.get('/openapi.json')
    const committed = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')
    expect(body).toEqual(JSON.parse(committed))
    expect(body.openapi).toBe('3.1.0')
  })

  test('has every endpoint once, each with its own id, and no reference into nothing', async () => {
    const api = await startTestApi()
    const { body } = await api.get('/openapi.json')
    const documented = Object.entries<Record<string, { operationId: string }>>(body.paths).flatMap(
      ([path, item]) =>
        methods.flatMap((method) => {
          const operation = item[method]
          return operation ? [`${method} ${path} ${operation.operationId}`] : []
        }),
    )
    const defined = allEndpoints(dialectOf(loadConfig({}))).map(
      ({ definition: { method, path, operationId } }) => `${method} ${path} ${operationId}`,
    )
    expect(documented.toSorted()).toEqual(defined.toSorted())
    expect(new Set(documented.map((line) => line.split(' ')[2])).size).toBe(documented.length)
    const schemas = body.components.schemas
    for (const ref of refsIn(body)) {
      expect(schemas).toHaveProperty([ref.replace('#/components/schemas/', '')])
    }
  })

  test('takes fees of a body as texts and as numbers, as clients send them', async () => {
    const api = await startTestApi()
    const { body } = await api.get('/openapi.json')
    const { schema } =
      body.paths['/api/v1/shortcuts/route'].post.requestBody.content['application/json']
    const [text, number] = schema.properties.fee.items.anyOf
    expect(text.type).toBe('string')
    expect(number).toEqual({ type: 'integer', minimum: 0, maximum: 100 })
    const trade = { fromAddress: sender, tokenIn: weth, amountIn: '1000', tokenOut: usdc }
    const fees = { fee: [5], feeReceiver: sender }
    expect((await api.post('/shortcuts/route', { ...trade, ...fees })).status).toBe(200)
    expect(api.asked.routes[0]?.inputs[0]?.feeBps).toBe(5n)
  })

  test('says of every parameter whether it is required, and of defaults what they are', async () => {
    const api = await startTestApi()
    const { body } = await api.get('/openapi.json')
    const parameters: { name: string; required?: boolean; schema: { default?: unknown } }[] =
      body.paths['/api/v1/shortcuts/route'].get.parameters
    const required = parameters.filter((one) => one.required).map((one) => one.name)
    expect(required.toSorted()).toEqual(['fromAddress', 'tokenIn', 'tokenOut'])
    const defaults = parameters
      .filter((one) => one.schema.default !== undefined)
      .map((one) => [one.name, one.schema.default])
    expect(Object.fromEntries(defaults)).toEqual({
      chainId: 1,
      routingStrategy: 'router',
      executionMode: 'user',
      includeTransactionCost: false,
      priceImpact: true,
      permit: false,
      trace: false,
      evidence: false,
      ignoreAggregators: [],
      ignoreStandards: [],
      ignoreBridges: [],
      crosschainRouteMode: 'full',
      blockPosition: 'any',
    })
  })

  test('describes every operation and parameter, with an example of every required one', async () => {
    const api = await startTestApi()
    const { body } = await api.get('/openapi.json')
    expect(operationsOf(body).length).toBeGreaterThan(20)
    for (const operation of operationsOf(body)) {
      expect(operation.description, operation.operationId).toMatch(/\.$/)
      for (const { name, description, required, example, schema } of operation.parameters) {
        const place = `${operation.operationId} ${name}`
        expect(description, place).toMatch(/\.$/)
        if (required) expect(example ?? schema.default, place).toBeDefined()
        // A page that fills in examples would ask for every optional thing at once. One of amountIn and amountOut
        // has to be given, and the sender of a bundle here or in its body.
        else if (!['amountIn', 'postBundle fromAddress'].some((one) => place.endsWith(one))) {
          expect(example, place).toBeUndefined()
        }
      }
    }
  })

  test('the examples make requests that are answered', async () => {
    const api = await startTestApi({ AUTH_MODE: 'key' })
    const headers = bearer(api.keys.createKey({ name: 'all', isAdmin: true }).key)
    const { body } = await api.get('/openapi.json')
    const plan =
      body.paths['/api/v1/backtests'].post.requestBody.content['application/json'].example
    for (const { path, method, parameters, requestBody, responses } of operationsOf(body)) {
      // A cassette has to be recorded first, and a check needs one or a node: operators/checks.itest.ts.
      if (/\/(cassettes\/|suites|checks\/)/.test(path)) continue
      // No example can name a job or a key that is there, and some of these remove it.
      const isOfJob = path.startsWith('/api/v1/backtests/')
      const id = isOfJob
        ? (await api.post('/backtests', plan, headers)).body.id
        : api.keys.createKey({ name: 'one' }).record.id
      let target = path.replace('{id}', id)
      const search = new URLSearchParams()
      for (const { name, in: place, example } of parameters) {
        if (place === 'path') target = target.replace(`{${name}}`, String(example))
        else for (const value of [example ?? []].flat()) search.append(name, String(value))
      }
      const isStream = 'text/event-stream' in responses['200'].content
      if (isStream) {
        const stream = await openStream(`${api.url}${target}?${search}`, {
          body: requestBody?.content['application/json'].example,
          headers,
        })
        const ofBridges = path === '/api/v1/bridge/events' ? 'transfers' : 'transfer'
        const name = isOfJob ? 'progress' : path.includes('/bridge/') ? ofBridges : 'quotes'
        expect((await stream.next()).event, `${method} ${path}`).toBe(name)
        stream.close()
        continue
      }
      const reply =
        method === 'post'
          ? await api.post(
              `${target}?${search}`,
              requestBody?.content['application/json'].example,
              headers,
            )
          : await read(await fetch(`${api.url}${target}?${search}`, { method, headers }))
      expect(reply.status, `${method} ${path}: ${reply.text}`).toBe(200)
    }
  })

  test('is beside the endpoints too, without a key', async () => {
    const api = await startTestApi({ AUTH_MODE: 'key' })
    const { text } = await api.get('/openapi.json')
    for (const path of ['/api/v1/openapi.json', '/v1/openapi.json']) {
      const reply = await read(await fetch(`${api.url}${path}`))
      expect({ status: reply.status, isSame: reply.text === text }).toEqual({
        status: 200,
        isSame: true,
      })
      expect((await fetch(`${api.url}${path}`, { method: 'POST' })).status).toBe(405)
    }
  })

  test('describes every field of every record', async () => {
    const api = await startTestApi()
    const { body } = await api.get('/openapi.json')
    expect(undescribed(body)).toEqual([])
  })

  test('code is one of the table; events are their own or the error', async () => {
    const api = await startTestApi()
    const { body } = await api.get('/openapi.json')
    const { schemas } = body.components
    expect(schemas.ErrorCode.enum).toEqual(Object.keys(errorCodes))
    expect(schemas.Error.properties.code.$ref).toBe('#/components/schemas/ErrorCode')
    const refs = operationsOf(body).flatMap(({ responses }) => {
      const content: Record<string, { schema: { anyOf: { $ref: string }[] } }> = {
        ...responses['200'].content,
      }
      const schema = content['text/event-stream']?.schema
      return schema ? [schema.anyOf.map(({ $ref }) => $ref.split('/').at(-1))] : []
    })
    expect(refs).toEqual([
      ['QuotesEvent', 'ErrorEvent'],
      ['QuotesEvent', 'ErrorEvent'],
      ['TransferEvent', 'EndEvent', 'ErrorEvent'],
      ['TransfersEvent', 'TransferEvent', 'EndEvent', 'ErrorEvent'],
      ['ProgressEvent', 'ErrorEvent'],
    ])
    expect(schemas.QuotesEvent.properties.data.$ref).toBe('#/components/schemas/QuoteBatch')
    expect(schemas.ErrorEvent.properties.data.$ref).toBe('#/components/schemas/Error')
  })

  test('every action of every protocol is a member of the union, with typed arguments', async () => {
    const api = await startTestApi()
    const { body } = await api.get('/openapi.json')
    const members: Member[] = body.components.schemas.BundleAction.anyOf
    const pairs = members.flatMap(({ properties: { protocol, action } }) =>
      protocol.enum.flatMap((slug) => action.enum.map((name) => `${slug} ${name}`)),
    )
    const own = ['svc', 'erc20', 'erc721', 'permit2']
    const named = (slug: string, { action, variants = [] }: ActionRecord) =>
      [action, ...variants].map((name) => `${slug} ${name}`)
    const expected = [
      ...serviceActionRecords.flatMap((record) => own.flatMap((slug) => named(slug, record))),
      ...protocolRecords(protocols, chains, []).flatMap(({ slug, actions }) =>
        actions.flatMap((record) => named(slug, record)),
      ),
    ]
    expect(pairs.toSorted()).toEqual(expected.toSorted())
    for (const { title, properties } of members) {
      for (const [name, field] of Object.entries(properties.args.properties)) {
        const forms = [field.type, field.anyOf, field.$ref].filter((form) => form !== undefined)
        expect(forms, `${title}, ${name}`).toHaveLength(1)
      }
    }
    const items = body.paths['/api/v1/shortcuts/bundle'].post.requestBody.content
    expect(JSON.stringify(items)).toContain('"$ref":"#/components/schemas/BundleAction"')
    expect(body.components.schemas.Bundle.properties.bundle.items.$ref).toBe(
      '#/components/schemas/BundleAction',
    )
  })

  test('every answer in JSON has an example, which is an answer of its form', async () => {
    for (const { definition } of allEndpoints(dialectOf(loadConfig({})))) {
      const { operationId, response, isStream } = definition
      if (isStream) continue
      expect(answers, operationId).toHaveProperty(operationId)
      const { error } = response.safeParse(answers[operationId])
      expect(error?.issues ?? [], operationId).toEqual([])
    }
    for (const [status, body] of Object.entries(refusals)) {
      const { error } = ErrorBody.safeParse(body)
      expect({ status, issues: error?.issues ?? [] }).toEqual({ status, issues: [] })
      expect(body).toMatchObject({ statusCode: Number(status) })
    }
    expect(Object.keys(refusals)).toEqual(['400', '404', '413', '422'])
  })

  test('carries the configured service name', async () => {
    const api = await startTestApi({ SERVICE_NAME: 'acme' })
    expect((await api.get('/openapi.json')).text).toContain('acmewallet-v2')
  })
})
