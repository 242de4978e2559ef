/** What the service has: every endpoint, and where its documents are. Without a key, as /openapi.json is. */
import { z } from 'zod'
import { defineRoute, type Endpoint, endpoint, type RouteDefinition } from '../contract.js'
import { consoleFolder } from '../pages/console-page.js'
import { serviceVersion } from '../version.js'

const EndpointEntry = z
  .object({
    method: z.enum(['GET', 'POST', 'DELETE']).meta({ description: 'HTTP method.' }),
    path: z.string().meta({ description: 'Path; {name} stands for one part.' }),
    operationId: z.string().meta({ description: 'Its name in the OpenAPI document.' }),
    summary: z.string().meta({ description: 'One sentence about it.' }),
    scope: z
      .string()
      .nullable()
      .meta({ description: 'Scope that the key needs; null: any key will do, or none.' }),
  })
  .meta({ id: 'EndpointEntry', description: 'One endpoint of the service.' })

const Contents = z
  .object({
    name: z.literal('forkroute'),
    version: z.string().meta({ description: 'Of forkroute.' }),
    reference: z.string().meta({ description: 'Path of the reference, a page for people.' }),
    openapi: z.string().meta({ description: 'Path of the OpenAPI document.' }),
    console: z
      .string()
      .nullable()
      .meta({ description: 'Path of the console; null where it is not installed.' }),
    endpoints: z.array(EndpointEntry).meta({ description: 'In the order of the document.' }),
  })
  .meta({ id: 'Contents', description: 'What the service has.' })

const getContents = defineRoute({
  method: 'get',
  path: '/api/v1',
  tag: 'System',
  operationId: 'getContents',
  summary: 'Lists the endpoints, and where reference and console are.',
  description: 'Needs no key.',
  isOpen: true,
  response: Contents,
  errors: [],
})

/** @param definitions - of all other endpoints, in the order of the document. */
export function contentsEndpoint(definitions: readonly RouteDefinition[]): Endpoint {
  const endpoints = definitions.map(({ method, path, operationId, summary, scope }) => ({
    method: method.toUpperCase() as 'GET' | 'POST' | 'DELETE',
    path,
    operationId,
    summary,
    scope: scope ?? null,
  }))
  return endpoint(getContents, () => ({
    name: 'forkroute' as const,
    version: serviceVersion,
    reference: '/docs',
    openapi: '/openapi.json',
    console: consoleFolder() && '/console',
    endpoints,
  }))
}
