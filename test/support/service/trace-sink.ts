/** A collector of traces on loopback: takes OTLP over HTTP as JSON and keeps the spans. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { listenOnLoopback } from '../nodes/loopback-server.js'

export interface SinkSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  /** As OTLP numbers it: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  /** Milliseconds since the epoch. */
  readonly start: number
  readonly end: number
  readonly isError: boolean
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  /** Of the process that sent it. */
  readonly resource: Readonly<Record<string, string | number | boolean>>
  readonly links: readonly string[]
}

export interface TraceSink {
  readonly url: string
  readonly spans: readonly SinkSpan[]
  /** Bodies as they came, for what must not be in them. */
  readonly bodies: readonly string[]
  readonly headers: readonly IncomingHttpHeaders[]
  stop(): Promise<void>
}

type Value = Readonly<Record<string, unknown>>
interface Attribute {
  readonly key: string
  readonly value: Value
}

/**
 * @param options.hold - resolves when requests may be answered; default: at once.
 * @param options.refuses - answers so while it is not empty, and takes the first number out.
 */
export async function startTraceSink(
  options: { readonly hold?: Promise<void>; readonly refuses?: number[] } = {},
): Promise<TraceSink> {
  const spans: SinkSpan[] = []
  const bodies: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer(async (request, response: ServerResponse) => {
    const parts: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
    const body = Buffer.concat(parts).toString()
    await options.hold
    const refusal = options.refuses?.shift()
    if (refusal !== undefined) {
      response.writeHead(refusal).end()
      return
    }
    if (request.method === 'POST' && request.url === '/v1/traces') {
      bodies.push(body)
      headers.push(request.headers)
      spans.push(...spansOf(JSON.parse(body)))
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  const { url, stop } = await listenOnLoopback(server)
  return {
    url,
    spans,
    bodies,
    headers,
    stop,
  }
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly Value[] }[]
  }[]
}

function spansOf({ resourceSpans }: Sent): SinkSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: String(span.name),
        traceId: String(span.traceId),
        spanId: String(span.spanId),
        parentSpanId: span.parentSpanId ? String(span.parentSpanId) : null,
        kind: Number(span.kind),
        start: Number(span.startTimeUnixNano) / 1e6,
        end: Number(span.endTimeUnixNano) / 1e6,
        isError: (span.status as { code?: number } | undefined)?.code === 2,
        attributes: factsOf(span.attributes as readonly Attribute[]),
        resource: factsOf(resource.attributes),
        links: ((span.links ?? []) as { spanId: string }[]).map(({ spanId }) => spanId),
      })),
    ),
  )
}

function factsOf(attributes: readonly Attribute[] = []) {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, Object.values(value)[0] as string | number | boolean]),
  )
}

/** One trace as an indented tree: name, milliseconds, facts. Equal neighbours without children are counted. */
export function treeOf(spans: readonly SinkSpan[]): string {
  const known = new Set(spans.map(({ spanId }) => spanId))
  const children = (of: SinkSpan | null) =>
    spans
      .filter(({ parentSpanId }) =>
        of ? parentSpanId === of.spanId : !parentSpanId || !known.has(parentSpanId),
      )
      .sort((a, b) => a.start - b.start)
  const lines: string[] = []
  const say = (span: SinkSpan, depth: number, times: number) => {
    const ms = (span.end - span.start).toFixed(1).padStart(8)
    const facts = Object.entries(span.attributes)
      .filter(([name]) => name.startsWith('forkroute.') || name === 'error.type')
      .map(([name, value]) => `${name.replace('forkroute.', '')}=${value}`)
    const more = times > 1 ? [`and ${times - 1} more`] : []
    lines.push([`${ms}  ${'  '.repeat(depth)}${span.name}`, ...facts, ...more].join('  '))
  }
  const walk = (parent: SinkSpan | null, depth: number) => {
    const own = children(parent)
    for (let at = 0; at < own.length; ) {
      const span = own[at] as SinkSpan
      let times = 1
      const isLeaf = (one: SinkSpan) => children(one).length === 0
      while (isLeaf(span)) {
        const next = own[at + times]
        if (next?.name !== span.name || !isLeaf(next)) break
        times += 1
      }
      say(span, depth, times)
      walk(span, depth + 1)
      at += times
    }
  }
  walk(null, 0)
  return lines.join('\n')
}

/** The span and all that it is a part of, from the outermost. */
export function wayTo(span: SinkSpan | undefined, spans: readonly SinkSpan[]): string[] {
  if (!span) return []
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return [...wayTo(parent, spans), span.name]
}

export const named = (spans: readonly SinkSpan[], name: string) =>
  spans.filter((one) => one.name === name)
