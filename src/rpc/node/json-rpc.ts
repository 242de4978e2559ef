/**
 * JSON-RPC over HTTP with keep-alive, for everything that talks to a node or a fork.
 * Uses undici's Pool: the global fetch costs three times the CPU. No retries here: `upstream.ts` retries.
 */
import { type Dispatcher, Pool } from 'undici'
import type { SpanFacts } from '../../telemetry/tracer.js'
import { inSpan, isTracing, traceparent } from '../../telemetry/tracing.js'

/** The node answered, and its answer is an error. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError'
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

/** A batch was answered without this call. */
export class MissingAnswer extends JsonRpcError {
  constructor() {
    super(-32603, 'The node left out an answer of a batch.')
  }
}

/** No usable answer: connection refused or lost, timeout, HTTP status, not JSON. Never contains the URL. */
export class TransportError extends Error {
  override readonly name: string = 'TransportError'
  constructor(
    message: string,
    /** HTTP status when there was one. */
    readonly status: number | null,
    /** Seconds that the server asked the client to wait. */
    readonly retryAfterSeconds: number | null = null,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

/** One error in place of the answers to a batch. */
export class BatchRefused extends TransportError {
  override readonly name = 'BatchRefused'
  constructor(readonly reason: JsonRpcError) {
    super(`The node refused a batch: ${reason.message}`, 200)
  }
}

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export type RpcResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: JsonRpcError }

export interface RpcClient {
  /** @throws JsonRpcError or TransportError. */
  request<T = unknown>(
    method: string,
    params?: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<T>
  /** One HTTP request for all calls; results in their order, MissingAnswer among them. @throws TransportError. */
  batch(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcResult[]>
  close(): Promise<void>
}

interface Reply {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: number; readonly message?: string; readonly data?: unknown }
}

export interface Peer {
  readonly name: 'fork' | 'archive' | 'node'
  readonly facts?: SpanFacts
}

/**
 * @param url - http(s) URL; credentials and path are kept, and never printed.
 * @param options.timeoutMs - of one HTTP request; absent: that of the connections.
 * @param options.connections - sockets at most; further requests wait for one.
 */
export function createRpcClient(
  url: string,
  options: {
    readonly timeoutMs?: number
    readonly connections?: number
    /** Connections to the host that are shared with other clients and stay open; absent: the client opens its own. */
    readonly shared?: Pool
    /** Bytes of the answer to the calls of one HTTP request at most; absent: any. A longer one is a TransportError. */
    readonly mostBytes?: (calls: readonly RpcCall[]) => number
    /** Who is asked, for traces: one of ours is told of the trace, a node is not. Absent: requests are not traced. */
    readonly peer?: Peer
  } = {},
): RpcClient {
  const { shared, peer, mostBytes, timeoutMs = null } = options
  const parsed = new URL(url)
  const path = `${parsed.pathname}${parsed.search}`
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (parsed.username || parsed.password) {
    const pair = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  }
  const pool = shared ?? connectionsTo(url, options)
  let nextId = 1

  function post(body: string, calls: readonly RpcCall[], signal?: AbortSignal): Promise<unknown> {
    const most = mostBytes?.(calls) ?? null
    if (!peer || !isTracing())
      return exchange(pool, { path, body, headers, most, timeoutMs }, signal)
    const method = calls[0]?.method ?? ''
    const facts = { ...peer.facts, 'rpc.method': method, 'forkroute.calls': calls.length }
    // The header names the span that it is made in, so it is made inside.
    const told = () => (peer.name === 'node' ? headers : traced(headers))
    const send = () => exchange(pool, { path, body, headers: told(), most, timeoutMs }, signal)
    return inSpan(`${peer.name} ${method}`, send, { kind: 'client', facts })
  }

  return {
    async request<T>(method: string, params: readonly unknown[] = [], signal?: AbortSignal) {
      const id = nextId++
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
      const reply = await post(body, [{ method, params }], signal)
      if (!isReply(reply)) throw new TransportError('The node answered without a result.', 200)
      const result = toResult(reply)
      // Errors may come without an id, where the node did not read the request that far.
      if (!result.ok) throw result.error
      if (reply.id !== id) throw new TransportError('The node answered another request.', 200)
      return result.value as T
    },
    async batch(calls, signal) {
      if (calls.length === 0) return []
      const first = nextId
      nextId += calls.length
      const body = calls.map((call, index) => ({ jsonrpc: '2.0', id: first + index, ...call }))
      const replies = await post(JSON.stringify(body), calls, signal)
      const list = [replies].flat().filter(isReply)
      const [single] = list
      // One error for all: as an object, or as geth does in a list, with the id of the first call or none.
      if (single?.error && list.length === 1 && calls.length > 1) {
        throw new BatchRefused(toError(single))
      }
      const byId = new Map(list.map((reply) => [reply.id, reply]))
      const own = calls.map((_call, index) => byId.get(first + index))
      if (!own.some(Boolean)) throw new TransportError('The node answered no call of a batch.', 200)
      return own.map((reply) =>
        reply ? toResult(reply) : { ok: false, error: new MissingAnswer() },
      )
    },
    close: async () => {
      if (!shared) await pool.destroy()
    },
  }
}

interface Exchange {
  readonly path: string
  readonly body: string
  readonly headers: Record<string, string>
  /** Bytes of the answer at most; null: any. */
  readonly most: number | null
  /** Null: that of the connections. */
  readonly timeoutMs: number | null
}

/** One HTTP request. @returns the JSON of its answer. @throws TransportError. */
async function exchange(
  pool: Pool,
  { path, body, headers, most, timeoutMs }: Exchange,
  signal?: AbortSignal,
): Promise<unknown> {
  let status: number
  let text: string
  let retryAfter: number | null = null
  try {
    const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
    const request = { method: 'POST', path, headers, body, signal, ...timeouts } as const
    const response = await pool.request(request)
    status = response.statusCode
    retryAfter = toRetryAfter(response.headers['retry-after'])
    text = most === null ? await response.body.text() : await textUpTo(most, response)
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    if (cause instanceof TransportError) throw cause
    const code = (cause as { code?: string }).code ?? 'no answer'
    throw new TransportError(`The node gave no answer (${code}).`, null, null, { cause })
  }
  try {
    const value: unknown = JSON.parse(text)
    // Some nodes send a JSON-RPC error body with an HTTP error status; 429 and 5xx are retryable all the same.
    if (status >= 400 && (status === 429 || status >= 500 || !isReply(value))) {
      throw new TransportError(`The node answered HTTP ${status}.`, status, retryAfter)
    }
    return value
  } catch (error) {
    if (error instanceof TransportError) throw error
    throw new TransportError(`The node answered HTTP ${status} without JSON.`, status, retryAfter)
  }
}

function traced(headers: Record<string, string>): Record<string, string> {
  const parent = traceparent()
  return parent === undefined ? headers : { ...headers, traceparent: parent }
}

/** Kept-alive connections to the host of the URL. */
export function connectionsTo(
  url: string,
  options: { readonly timeoutMs?: number; readonly connections?: number } = {},
): Pool {
  const { timeoutMs = 30_000, connections = 32 } = options
  return new Pool(new URL(url).origin, {
    connections,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: Math.min(timeoutMs, 10_000) },
  })
}

/** Leaves the connection where the body is longer than so many bytes, so that no more of it comes. */
async function textUpTo(most: number, response: Dispatcher.ResponseData): Promise<string> {
  const { body, headers, statusCode } = response
  const tooLong = () => new TransportError(`The node sent more than ${most} bytes.`, statusCode)
  const parts: Buffer[] = []
  let length = Number(headers['content-length'] ?? 0)
  let read = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    read += part.length
    length = Math.max(length, read)
    if (length > most) throw tooLong()
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** Seconds to wait from a `retry-after` header, which holds seconds or an HTTP date (RFC 9110, 10.2.3). */
function toRetryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string' || header.trim() === '') return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000)
}

function isReply(value: unknown): value is Reply {
  return typeof value === 'object' && value !== null && ('result' in value || 'error' in value)
}

function toResult(reply: Reply): RpcResult {
  return reply.error
    ? { ok: false, error: toError(reply) }
    : { ok: true, value: reply.result ?? null }
}

function toError({ error }: Reply): JsonRpcError {
  const { code = -32603, message = 'unknown error', data } = error ?? {}
  return new JsonRpcError(code, String(message), data)
}
