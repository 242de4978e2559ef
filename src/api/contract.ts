/**
 * One definition of an endpoint validates, types and documents it.
 * Handlers get parsed input and a call context; they never see `req` or `res`.
 */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Backtests } from '../domain/backtest.js'
import { invalidRequest, unknownChainId } from '../domain/common-errors.js'
import type { CallContext, Engine } from '../domain/engine.js'
import type { ErrorCode } from '../domain/errors.js'
import type { NextStep } from '../domain/next-step.js'
import type { Scope } from '../domain/operations/keys.js'
import type { Operations } from '../domain/operations/operations.js'
import type { FileAnswer } from './file-answer.js'
import { cutTo, fromBody, fromQuery, type Given, type RawQuery } from './input.js'
import type { KeyStore } from './key-store.js'
import { asGiven, hintsOf, type Mistakes, stepsFor } from './mistakes.js'

export interface RouteDefinition<
  Params extends z.ZodObject = z.ZodObject,
  Input extends z.ZodObject = z.ZodObject,
  Response extends z.ZodType = z.ZodType,
> {
  readonly method: 'get' | 'post' | 'delete'
  /** In OpenAPI form, `{name}` for a path parameter; below /api/v1 where it begins with that. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  /** What a caller should know before the first use. */
  readonly description: string
  readonly tag: string
  readonly params: Params
  /** Form of the query (GET, DELETE) or of the JSON body (POST). */
  readonly input: Input
  readonly response: Response
  readonly errors: readonly ErrorCode[]
  /**
   * Rules across fields. Receives every field as given, even when other fields are invalid. A sentence begins with the
   * name of its field.
   */
  readonly rules?: (given: Given) => readonly string[]
  /** Whether it needs no key, though its path is below /api. */
  readonly isOpen?: boolean
  /** That the key must have; absent: any key will do. */
  readonly scope?: Scope
  /** Counts against MAX_IN_FLIGHT. */
  readonly isCalculation?: boolean
  /** The answer depends on the latest listing, not on its block alone, so no cassette keeps it. */
  readonly readsListings?: boolean
  /** Quotes that a call asks for, where there may be several: it counts as that many requests. */
  readonly cost?: (input: z.output<Input>) => number
  /** Content types of answers other than JSON: the handler returns a FileAnswer. */
  readonly files?: readonly string[]
  /** The answer is a stream of server-sent events whose data has the form of the response. */
  readonly isStream?: boolean
  /** Name of the events of a stream; absent: `quotes`. */
  readonly eventName?: string
  /** Data of the stream's other events, by their names. */
  readonly otherEvents?: Readonly<Record<string, z.ZodType>>
  /** For a POST whose body is a list: the form of the list. `input` then describes the query. */
  readonly list?: z.ZodType
  /**
   * With `list`: the body may be an object, too, with the list as `actions` and fields of `input` beside it. These are
   * the ones that only such a body takes.
   */
  readonly besideList?: z.ZodObject
  /** Replaces `input` in the document where `input` checks parts of the body only. */
  readonly documentedInput?: z.ZodObject
}

export function defineRoute<
  Params extends z.ZodObject,
  Input extends z.ZodObject,
  Response extends z.ZodType,
>(
  definition: Omit<RouteDefinition<Params, Input, Response>, 'params' | 'input'> & {
    readonly params?: Params
    readonly input?: Input
  },
): RouteDefinition<Params, Input, Response> {
  const none = z.object({})
  return {
    ...definition,
    params: definition.params ?? (none as unknown as Params),
    input: definition.input ?? (none as unknown as Input),
  }
}

export interface HandlerArgs<Params, Input> {
  readonly engine: Engine
  readonly params: Params
  readonly input: Input
  /** The body, where it is a list. */
  readonly items: readonly unknown[]
  /** The JSON body as received, for an endpoint that checks it itself. */
  readonly body: unknown
  readonly backtests: Backtests
  readonly operations: Operations
  /** Null in open mode. */
  readonly keys: KeyStore | null
  /** Id of the key that asks; its address in open mode. */
  readonly caller: string
  /** Scopes of the key; `use` alone in open mode, where nobody has a key. */
  readonly scopes: readonly Scope[]
  readonly context: CallContext
}

export interface StreamArgs<Params, Input> extends HandlerArgs<Params, Input> {
  /** A stream that would otherwise go on ends after so long. */
  readonly maxSeconds: number
  /** Runs one calculation of the stream under the limits of a request, and checks the key again. */
  calculate<T>(work: (context: CallContext) => Promise<T>): Promise<T>
}

/** One event, named `quotes` by default, or the error in its place. */
export type StreamEvent<Body = unknown> =
  | { readonly name?: string; readonly id: string; readonly body: Body }
  | { readonly error: unknown }

type Events<Body = unknown> = AsyncIterable<StreamEvent<Body>>

export interface Endpoint {
  readonly definition: RouteDefinition
  readonly handle: (args: HandlerArgs<unknown, unknown>) => unknown
  /** In place of `handle` where the definition says `isStream`. */
  readonly stream?: (args: StreamArgs<unknown, unknown>) => Events | Promise<Events>
}

/** Binds a handler to its definition; the types of both must agree. */
export function endpoint<
  Params extends z.ZodObject,
  Input extends z.ZodObject,
  Response extends z.ZodType,
>(
  definition: RouteDefinition<Params, Input, Response>,
  handle: (
    args: HandlerArgs<z.output<Params>, z.output<Input>>,
  ) => Promise<z.output<Response> | FileAnswer> | z.output<Response>,
): Endpoint {
  return {
    definition: definition as unknown as RouteDefinition,
    handle: handle as Endpoint['handle'],
  }
}

/**
 * Like `endpoint`, for a definition with `isStream`. The events end with the context's signal; an error before the
 * first event becomes an ordinary error answer. Events of other names than the definition's first have other bodies.
 */
export function streamEndpoint<
  Params extends z.ZodObject,
  Input extends z.ZodObject,
  Response extends z.ZodType,
  Other = never,
>(
  definition: RouteDefinition<Params, Input, Response>,
  stream: (
    args: StreamArgs<z.output<Params>, z.output<Input>>,
  ) => Events<z.output<Response> | Other> | Promise<Events<z.output<Response> | Other>>,
): Endpoint {
  return {
    definition: { ...(definition as unknown as RouteDefinition), isStream: true },
    handle: () => undefined,
    stream: stream as NonNullable<Endpoint['stream']>,
  }
}

function placeOf({ path }: z.core.$ZodIssue): string {
  const [field, ...rest] = path
  return rest.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`),
    String(field),
  )
}

function sentence(issue: z.core.$ZodIssue, given: Given = {}): string {
  return `${asGiven(placeOf(issue), given)} ${issue.message}`
}

/**
 * Adds a sentence for every invalid field; the values may be used only when there is none.
 *
 * @param next - receives the steps whose value the schema knows.
 */
export function checkFields<T extends z.ZodObject>(
  schema: T,
  given: Given,
  problems: string[],
  next: NextStep[] = [],
): z.output<T> {
  const parsed = schema.safeParse(given)
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0])
    if (name in given) {
      problems.push(sentence(issue, given))
      if (issue.code === 'custom' && issue.params?.instead !== undefined) {
        next.push({ parameter: asGiven(placeOf(issue), given), value: issue.params.instead })
      }
    } else if (!problems.includes(`${name} must be given once`)) {
      problems.push(`${name} is required`)
    }
  }
  return parsed.data as z.output<T>
}

/**
 * @throws ForkrouteError INVALID_REQUEST that lists every wrong field;
 * UNKNOWN_CHAIN when an unknown chain is the only mistake.
 */
export function parseRequest(
  definition: RouteDefinition,
  request: {
    readonly params: Readonly<Record<string, unknown>>
    readonly query: RawQuery
    readonly body: unknown
  },
  engine: Engine,
): { readonly params: unknown; readonly input: unknown; readonly items: readonly unknown[] } {
  const problems: string[] = []
  const next: NextStep[] = []
  const givenParams = fromBody(request.params, definition.params.shape)
  const wrapper = wrapperOf(definition, request.body)
  const given =
    definition.method !== 'post' || definition.list
      ? agreed(
          fromQuery(request.query, queryShapeOf(definition), problems),
          fromBody(wrapper ?? {}, definition.input.shape),
          definition.input,
          problems,
        )
      : fromBody(jsonObject(request.body), definition.input.shape)
  const params = checkFields(definition.params, givenParams, problems, next)
  const input = checkFields(definition.input, given, problems, next)
  problems.push(...(definition.rules?.(given) ?? []))
  const items = definition.list
    ? checkList(definition.list, wrapper?.actions ?? request.body, problems)
    : []
  const hints = problems.length > 0 ? hintsOf(definition, request) : []
  const fields = { ...definition.input.shape, ...definition.params.shape }
  refuse({ problems, next, hints, fields }, definition, { ...given, ...givenParams }, engine)
  return { params, input, items }
}

/** Fields of a query and a body that both may hold them; adds a sentence for each that says something else in each. */
function agreed(inQuery: Given, inBody: Given, { shape }: z.ZodObject, problems: string[]): Given {
  for (const [name, schema] of Object.entries(shape)) {
    if (!(name in inQuery && name in inBody)) continue
    const read = (value: unknown) => z.safeParse(schema, value)
    const [query, body] = [read(inQuery[name]), read(inBody[name])]
    const isSame = query.success && body.success && isDeepStrictEqual(query.data, body.data)
    if (!isSame) problems.push(`${name} must be the same in the query and in the body`)
  }
  return { ...inQuery, ...inBody }
}

/** The fields of `input` that a query may hold. */
export function queryShapeOf({
  input,
  besideList,
}: Pick<RouteDefinition, 'input' | 'besideList'>): z.core.$ZodShape {
  const inBody = besideList?.shape ?? {}
  return Object.fromEntries(
    Object.entries(input.shape).filter(([name]) => !Object.hasOwn(inBody, name)),
  )
}

/** The body where it is an object around the list. */
export function wrapperOf(
  { besideList }: Pick<RouteDefinition, 'besideList'>,
  body: unknown,
): Readonly<Record<string, unknown>> | null {
  const isWrapper = typeof body === 'object' && body !== null && 'actions' in body
  return besideList && isWrapper ? (body as Record<string, unknown>) : null
}

/** Adds a sentence for every mistake in the list. */
function checkList(schema: z.ZodType, body: unknown, problems: string[]): readonly unknown[] {
  const parsed = schema.safeParse(Array.isArray(body) ? cutTo(schema, body) : body)
  for (const issue of parsed.error?.issues ?? []) {
    problems.push(
      issue.path.length ? `item ${sentence(issue)}` : `the request body ${issue.message}`,
    )
  }
  return (parsed.data ?? []) as readonly unknown[]
}

/** What checks one JSON object: part of a body or a whole one. */
export type InputContract<Input extends z.ZodObject = z.ZodObject> = Pick<
  RouteDefinition<z.ZodObject, Input>,
  'input' | 'rules' | 'errors'
>

/** One JSON object inside a body, checked like a body of its own. @throws as parseRequest. */
export function parseObject<Input extends z.ZodObject>(
  contract: InputContract<Input>,
  value: Readonly<Record<string, unknown>>,
  engine: Engine,
): z.output<Input> {
  const problems: string[] = []
  const next: NextStep[] = []
  const given = fromBody(value, contract.input.shape)
  const input = checkFields(contract.input, given, problems, next)
  problems.push(...(contract.rules?.(given) ?? []))
  const fields = contract.input.shape
  refuse({ problems, next, hints: [], fields }, contract, given, engine)
  return input
}

/** Throws when there is any problem. */
function refuse(
  mistakes: Mistakes,
  definition: Pick<RouteDefinition, 'errors'>,
  given: Given,
  engine: Engine,
): void {
  const { problems, hints } = mistakes
  const chainId = unknownChain(definition, given, engine)
  if (problems.length === 0 && chainId === null) return
  const unknown = chainId === null ? null : unknownChainId(chainId, engine.networks())
  if (unknown && problems.length === 0) throw unknown
  const next = [...stepsFor(mistakes), ...(unknown?.details?.next ?? [])]
  throw invalidRequest(
    [...problems, ...(unknown ? [unknown.message] : []), ...hints],
    next.length ? { next } : undefined,
  )
}

function jsonObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    return body as Record<string, unknown>
  }
  if (body === undefined) return {}
  throw invalidRequest(['The request body must be a JSON object.'])
}

/** Null when the chain is known, absent or malformed, or the endpoint takes none. */
function unknownChain(
  definition: Pick<RouteDefinition, 'errors'>,
  given: Given,
  engine: Engine,
): string | null {
  if (!definition.errors.includes('UNKNOWN_CHAIN')) return null
  const text = given.chainId
  if (typeof text !== 'string' || !/^[1-9]\d{0,15}$/.test(text)) return null
  if (!Number.isSafeInteger(Number(text))) return null
  return engine.networks().some((network) => network.id === Number(text)) ? null : text
}
