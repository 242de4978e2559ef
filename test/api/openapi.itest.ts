import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { allEndpoints } from '../../src/api/endpoints.js'
import { startScene } from './scene.js'

const methods = ['get', 'post'] as const

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' ? [String(inner)] : refsIn(inner),
  )
}

describe('/openapi.json', () => {
  test('is the committed document', async () => {
    const scene = await startScene()
    const { body } = await scene.get('/openapi.json')
    const committed = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')
    expect(body).toEqual(JSON.parse(committed))
    expect(body.openapi).toBe('3.1.0')
  })

  test('has every endpoint once, each with its own id, and no reference into nothing', async () => {
    const scene = await startScene()
    const { body } = await scene.get('/openapi.json')
    const documented = Object.entries<Record<string, { operationId: string }>>(body.paths).flatMap(
      ([path, item]) =>
        methods.flatMap((method) => {
          const operation = item[method]
          return operation ? [`${method} ${path} ${operation.operationId}`] : []
        }),
    )
    const defined = allEndpoints('svc').map(
      ({ definition: { method, path, operationId } }) => `${method} ${path} ${operationId}`,
    )
    expect(documented.toSorted()).toEqual(defined.toSorted())
    expect(new Set(documented.map((line) => line.split(' ')[2])).size).toBe(documented.length)
    const schemas = body.components.schemas
    for (const ref of refsIn(body)) {
      expect(schemas).toHaveProperty([ref.replace('#/components/schemas/', '')])
    }
  })

  test('says of every parameter whether it is required, and of defaults what they are', async () => {
    const scene = await startScene()
    const { body } = await scene.get('/openapi.json')
    const parameters: { name: string; required?: boolean; schema: { default?: unknown } }[] =
      body.paths['/api/v1/shortcuts/route'].get.parameters
    const required = parameters.filter((one) => one.required).map((one) => one.name)
    expect(required.toSorted()).toEqual(['amountIn', 'fromAddress', 'tokenIn', 'tokenOut'])
    const defaults = parameters
      .filter((one) => one.schema.default !== undefined)
      .map((one) => [one.name, one.schema.default])
    expect(Object.fromEntries(defaults)).toEqual({
      chainId: 1,
      routingStrategy: 'router',
      executionMode: 'user',
      includeTransactionCost: false,
      ignoreAggregators: [],
      ignoreStandards: [],
      ignoreBridges: [],
      crosschainRouteMode: 'full',
    })
  })

  test('carries the configured service name', async () => {
    const scene = await startScene({ SERVICE_NAME: 'acme' })
    expect((await scene.get('/openapi.json')).text).toContain('acmewallet-v2')
  })
})
