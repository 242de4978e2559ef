/** The OpenAPI 3.1 document, from the same definitions that validate. */
import { z } from 'zod'
import {
  createDocument,
  type oas31,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi'
import { type ErrorCode, errorCodes } from '../domain/errors.js'
import type { RouteDefinition } from './contract.js'
import { actionSchemas, type ProtocolActions } from './document/action-forms.js'
import { describeFields } from './document/field-words.js'
import { answers, refusals } from './generated/answers.js'
import { ErrorBody } from './records/records.js'

const description = `Every path under /api/v1 is also served under /v1.

Lists in a query may be written k=a&k=b, k[]=a&k[]=b or k=a,b. Addresses are accepted in any letter case
(mixed case must carry a correct EIP-55 checksum) and answered in lower case. Amounts are decimal strings in
the smallest unit. The native token is 0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee. Slippage, fees and price
impact are basis points (1/10000).

Every answer carries x-request-id (one that is sent is kept). Errors that may pass (429, 503, 504) carry
retry-after, in seconds.`

const tagWords: Readonly<Record<string, string>> = {
  Shortcuts: 'Routes, quotes and bundles, each as one unsigned transaction.',
  Bridges: 'Routes between chains in their own form, deliveries and messaging pools.',
  Metadata: 'Networks, prices, tokens, positions, protocols and actions.',
  Account: 'The account of an API key.',
  Wallet: 'Smart wallets, balances and approvals.',
  Opportunities: 'Positions to enter, the best first.',
  Backtests: 'Requests at many blocks, as jobs.',
  Hindsight: 'Mined swaps beside our own.',
  Pools: 'Pools that the service knows, and the index of all.',
  Cassettes: 'Recorded requests, suites of regression tests, and what runs of them found.',
  Keys: 'API keys and their scopes.',
  System: 'Whether the service works.',
}

/** Whether the endpoint needs no key. */
export function isPublic({ isOpen, path }: RouteDefinition): boolean {
  return isOpen ?? !path.startsWith('/api/')
}

function errorsOf(definition: RouteDefinition): ErrorCode[] {
  const common: ErrorCode[] = isPublic(definition)
    ? // A request without a Host header is refused with INVALID_REQUEST.
      ['INVALID_REQUEST', 'CALLER_NOT_ALLOWED', 'INTERNAL']
    : ['UNAUTHORIZED', 'KEY_DISABLED', 'CALLER_NOT_ALLOWED', 'RATE_LIMITED', 'INTERNAL']
  const body: ErrorCode[] =
    definition.method === 'post' ? ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] : []
  const scoped: ErrorCode[] = definition.scope ? ['SCOPE_MISSING'] : []
  return [...definition.errors, ...common, ...scoped, ...body]
}

function responsesOf(definition: RouteDefinition): ZodOpenApiResponsesObject {
  const responses: ZodOpenApiResponsesObject = {
    '200': {
      description: 'OK',
      content: definition.isStream
        ? { 'text/event-stream': { schema: eventsOf(definition) } }
        : {
            'application/json': {
              schema: definition.response,
              ...exampleAt(answers, definition.operationId),
            },
            ...Object.fromEntries(
              (definition.files ?? []).map((type) => [
                type,
                { schema: { type: 'string' as const } },
              ]),
            ),
          },
    },
  }
  const all = errorsOf(definition)
  for (const status of [...new Set(all.map((code) => errorCodes[code].status))].sort()) {
    const codes = all.filter((code) => errorCodes[code].status === status)
    responses[`${status}` as '400'] = {
      description: codes.map((code) => `${code}: ${errorCodes[code].title}`).join(' '),
      content: { 'application/json': { schema: ErrorBody, ...exampleAt(refusals, `${status}`) } },
    }
  }
  return responses
}

function exampleAt(examples: Readonly<Record<string, unknown>>, name: string) {
  return Object.hasOwn(examples, name) ? { example: examples[name] } : {}
}

const ErrorEvent = z
  .object({
    event: z.literal('error').meta({ description: 'Name of the event.' }),
    data: ErrorBody.meta({ description: 'Why there is no answer this time; the stream goes on.' }),
  })
  .meta({ id: 'ErrorEvent', description: 'Takes the place of an event that could not be made.' })

/** The events of the stream. */
function eventsOf(definition: RouteDefinition): z.ZodType {
  const { response, eventName = 'quotes', otherEvents = {} } = definition
  const others = Object.entries(otherEvents).map(([name, data]) => eventOf(name, data))
  return z
    .union([eventOf(eventName, response), ...others, ErrorEvent])
    .meta({ description: 'Server-sent events, one after the other.' })
}

/** One event: its name, and what its data line holds as JSON. */
function eventOf(name: string, data: z.ZodType): z.ZodType {
  const event = z.object({
    event: z.literal(name).meta({ description: 'Name of the event.' }),
    id: z.string().meta({ description: 'Block, blocks that are done, or what it says in short.' }),
    data,
  })
  const id = `${name.charAt(0).toUpperCase()}${name.slice(1)}Event`
  return eventSchemas.get(id) ?? named(id, event)
}

/** Two streams of the same events share a component. */
const eventSchemas = new Map<string, z.ZodType>()

function named(id: string, schema: z.ZodObject): z.ZodType {
  const own = schema.meta({ id })
  eventSchemas.set(id, own)
  return own
}

/** The fields that have to be given, and those with an example that have no default. */
function exampleOf(input: z.ZodObject): Record<string, unknown> {
  const fields = Object.entries(input.shape).map(([name, field]) => {
    const { success, data } = field.safeParse(undefined)
    const example = (field as z.ZodType).meta()?.example
    return { name, example, isGiven: !success || (data === undefined && example !== undefined) }
  })
  const given = fields.filter(({ isGiven }) => isGiven)
  return Object.fromEntries(given.map(({ name, example }) => [name, example]))
}

/** The list by itself, or as `actions` of an object that may hold the fields of the query, too. */
function listBodyOf(list: z.ZodType, { besideList, input }: RouteDefinition): z.ZodType {
  return besideList ? z.union([list, input.partial().extend({ actions: list })]) : list
}

/** Reference pages look for both next to a parameter's schema, not inside it. */
function hoist(parameter: oas31.ParameterObject | oas31.ReferenceObject): void {
  if (!('schema' in parameter) || !parameter.schema || '$ref' in parameter.schema) return
  const { schema } = parameter
  if (schema.description) parameter.description = schema.description
  if (schema.example !== undefined) parameter.example = schema.example
  delete schema.description
  delete schema.example
}

function operationOf(definition: RouteDefinition): ZodOpenApiOperationObject {
  const { params, method } = definition
  const input = definition.documentedInput ?? definition.input
  const path = Object.keys(params.shape).length > 0 ? { path: params } : {}
  const hasBody = method === 'post' && (definition.list || Object.keys(input.shape).length > 0)
  const query = method !== 'post' || definition.list ? { query: input } : {}
  return {
    operationId: definition.operationId,
    summary: definition.summary,
    description: definition.scope
      ? `${definition.description} Needs a key with the scope ${definition.scope}.`
      : definition.description,
    tags: [definition.tag],
    requestParams: { ...path, ...query },
    ...(hasBody && {
      requestBody: {
        required: true,
        content: {
          'application/json': definition.list
            ? {
                schema: listBodyOf(definition.list, definition),
                example: definition.list.meta()?.example,
              }
            : { schema: input, example: exampleOf(input) },
        },
      },
    }),
    responses: responsesOf(definition),
    ...(isPublic(definition) && { security: [] }),
  }
}

/**
 * The document of the given endpoints; deterministic, key order included.
 * @param actions - of bundles, with the protocols that have them.
 */
export function openApiDocument(
  definitions: readonly RouteDefinition[],
  actions: readonly ProtocolActions[],
  version: string,
): object {
  const paths: ZodOpenApiPathsObject = {}
  for (const definition of definitions) {
    paths[definition.path] = {
      ...paths[definition.path],
      [definition.method]: operationOf(definition),
    }
  }
  const tags = [...new Set(definitions.map((definition) => definition.tag))]
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'forkroute',
      version,
      description,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: tags.map((name) => ({ name, description: tagWords[name] ?? name })),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'forkroute keys create' },
      },
    },
  }
  const created = createDocument(document)
  for (const item of Object.values(created.paths ?? {})) {
    for (const operation of [item.get, item.post, item.delete])
      operation?.parameters?.forEach(hoist)
  }
  const schemas = { ...created.components?.schemas, ...actionSchemas(actions) }
  for (const [id, schema] of Object.entries(schemas)) describeFields(schema, id)
  describeFields(created.paths, '')
  return { ...created, components: { ...created.components, schemas } }
}
