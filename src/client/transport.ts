/** How requests reach the service: types and addresses by openapi-fetch, errors as classes, events as they come. */
import { EventSourceParserStream } from 'eventsource-parser/stream'
import createClient, { type Client, type Middleware } from 'openapi-fetch'
import { ConnectionError, toError, UnexpectedAnswerError } from './errors.js'
import { shapes } from './generated/endpoints.js'
import type { paths } from './generated/schema.js'
import { type Endpoint, withAmounts } from './shape.js'

export interface ClientOptions {
  /** URL of the service, such as http://127.0.0.1:3000; with or without /api/v1. */
  readonly url: string
  /** API key, where the service wants one. */
  readonly key?: string | undefined
  /** In place of the global one. */
  readonly fetch?: typeof globalThis.fetch
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface CallOptions {
  /** Ends the request, or the stream. */
  readonly signal?: AbortSignal
}

export interface Event {
  readonly name: string
  readonly id: string | null
  /** JSON. */
  readonly data: string
}

export type Input = Readonly<Record<string, unknown>>

export interface Transport {
  /** Every endpoint by its path; amounts are strings there, and errors are thrown. */
  readonly raw: Client<paths>
  ask(endpoint: Endpoint, input: Input, options?: CallOptions): Promise<unknown>
  /** Until the service ends the stream. @throws ConnectionError when the connection ends otherwise. */
  events(endpoint: Endpoint, input: Input, options: CallOptions): AsyncIterable<Event>
}

/** @throws TypeError when the url is none of http or https, or the key has characters that no header may have. */
export function createTransport({ url, key, fetch, headers }: ClientOptions): Transport {
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new TypeError('key: must be printable ASCII without blanks.')
  }
  const baseUrl = baseOf(url)
  const raw = createClient<paths>({
    baseUrl,
    fetch: reaching(fetch ?? globalThis.fetch, baseUrl),
    headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers },
    bodySerializer: (body) => JSON.stringify(body, bigintAsText),
  })
  raw.use(refusals)

  const open = async (
    endpoint: Endpoint,
    input: Input,
    options: CallOptions & { readonly parseAs: 'json' | 'stream' },
  ) => {
    const request = raw.request as (...args: readonly unknown[]) => Promise<{ data: unknown }>
    const { data } = await request(endpoint.method.toLowerCase(), endpoint.path, {
      ...parts(endpoint, input),
      ...options,
    })
    return data
  }

  return {
    raw,
    async ask(endpoint, input, options = {}) {
      const answer = await open(endpoint, input, { ...options, parseAs: 'json' }).catch(notWhole)
      return withAmounts(answer, endpoint.answer, shapes)
    },
    async *events(endpoint, input, options) {
      const body = await open(endpoint, input, { ...options, parseAs: 'stream' })
      const events = (body as ReadableStream<Uint8Array>)
        // The types of the two sides differ in what they take, not in what they give.
        .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
        .pipeThrough(new EventSourceParserStream())
      const reader = events.getReader()
      try {
        for (;;) {
          const { done, value } = await reader.read().catch(lost)
          if (done) return
          yield { name: value.event ?? 'message', id: value.id ?? null, data: value.data }
        }
      } finally {
        // Never rejects: a connection that is lost has told so already, and one that is left tells nobody.
        await Promise.allSettled([reader.cancel()])
      }
    },
  }
}

/** Inputs by where they go. */
function parts({ method, path, query = [] }: Endpoint, input: Input) {
  const ofPath: Record<string, unknown> = {}
  const ofQuery: Record<string, unknown> = {}
  const ofBody: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue
    if (path.includes(`{${name}}`)) ofPath[name] = value
    else if (method === 'POST' && !query.includes(name)) ofBody[name] = value
    else ofQuery[name] = value
  }
  const hasBody = Object.keys(ofBody).length > 0
  return { params: { path: ofPath, query: ofQuery }, ...(hasBody && { body: ofBody }) }
}

function baseOf(url: string): string {
  const base = URL.canParse(url) ? new URL(url) : null
  if (!base || !/^https?:$/.test(base.protocol)) {
    throw new TypeError('url: must be an http(s) URL, such as http://127.0.0.1:3000.')
  }
  return `${base.origin}${base.pathname.replace(/(\/api)?(\/v1)?\/*$/, '')}`
}

/** Says which service cannot be reached; what the caller aborted stays what it is. */
function reaching(fetch: typeof globalThis.fetch, baseUrl: string) {
  return (request: Request) =>
    fetch(request).catch((error: unknown) => {
      if (request.signal.aborted) throw error
      const reason = reasonOf(error)
      throw new ConnectionError(
        reason === 'bad port'
          ? `The service at ${baseUrl} cannot be asked: fetch refuses this port, which is kept for another protocol. Run the service on another one.`
          : `The service at ${baseUrl} does not answer (${reason}).`,
        { cause: error },
      )
    })
}

/** Throws for an answer whose status is a success and whose body is not whole. */
function notWhole(error: unknown): never {
  if (error instanceof SyntaxError) throw new UnexpectedAnswerError(200, 'HTTP 200 without JSON.')
  // What `fetch` rejects with where the connection ends before the body does.
  if (error instanceof TypeError) lost(error)
  throw error
}

function lost(error: unknown): never {
  if (error instanceof Error && error.name === 'AbortError') throw error
  throw new ConnectionError(`The connection was lost (${reasonOf(error)}).`, { cause: error })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return String(code ?? (cause instanceof Error ? cause.message : error.message))
}

const refusals: Middleware = {
  async onResponse({ response }) {
    if (response.ok) return undefined
    const { status, headers } = response
    const text = await response.text()
    const wait = Number(headers.get('retry-after') ?? Number.NaN)
    throw toError(parsed(text, status), status, Number.isFinite(wait) ? wait : null)
  },
}

function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnexpectedAnswerError(
      status,
      `HTTP ${status} without JSON: check that the URL is that of a forkroute service.`,
    )
  }
}

const bigintAsText = (_key: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : value
