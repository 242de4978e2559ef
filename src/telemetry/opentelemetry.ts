/**
 * The tracer by OpenTelemetry's SDK. Loaded by `tracing.ts` alone and only where an endpoint is set; imports nothing of
 * the service, since it is bundled into a file of its own.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { quietly } from './quietly.js'
import type { SpanData, SpanFacts, SpanOptions, Tracer, TracingOptions } from './tracer.js'

/** Finished spans that a thread keeps until the main thread takes them; further ones are lost. */
const mostCollected = 4_096
/** The least time for one request to the collector, repetitions included. */
const leastTimeoutMs = 1_000
const scope = { name: 'forkroute' }

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const

/** In memory at most 2,048 spans wait and 512 are on their way, which are the SDK's own bounds; further ones are lost. */
export function createExportingTracer(options: TracingOptions): Tracer {
  const { url, headers, serviceName, version } = options
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }))
  // Also how long an unanswered request keeps the process alive after `close`.
  const timeoutMillis = Math.max(leastTimeoutMs, options.closeMs)
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis })
  const processor = new BatchSpanProcessor(watched(exporter, options.onProblem))
  return createTracer(processor, resource, {
    finished: () => [],
    take: (spans) => {
      for (const span of spans) processor.onEnd(toReadable(span, resource))
    },
    async close() {
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, options.closeMs)
      })
      const shutDown = quietly(processor.shutdown(), 'Spans that a collector refuses are lost.')
      await Promise.race([shutDown, patience])
      clearTimeout(timer)
    },
  })
}

export function createCollectingTracer(): Tracer {
  let collected: SpanData[] = []
  const processor: SpanProcessor = {
    onStart() {},
    onEnd(span) {
      if (collected.length < mostCollected) collected.push(toData(span))
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  return createTracer(processor, defaultResource(), {
    finished() {
      const spans = collected
      collected = []
      return spans
    },
    take() {},
    close: async () => {},
  })
}

function createTracer(
  processor: SpanProcessor,
  resource: Resource,
  ends: Pick<Tracer, 'finished' | 'take' | 'close'>,
): Tracer {
  // Its sampler is that of OTEL_TRACES_SAMPLER, by default what the caller's header says, else all.
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] })
  const tracer = provider.getTracer(scope.name)
  const current = new AsyncLocalStorage<Span>()

  async function run<T>(
    name: string,
    work: () => Promise<T>,
    parent: Context,
    { kind, facts, links, startedAt }: SpanOptions & { links?: Link[]; startedAt?: number },
  ): Promise<T> {
    const options = {
      ...(kind && { kind: kinds[kind] }),
      ...(facts && { attributes: facts }),
      ...(links && { links }),
      ...(startedAt !== undefined && { startTime: startedAt }),
    }
    const span = tracer.startSpan(name, options, parent)
    try {
      return await current.run(span, work)
    } catch (error) {
      fail(span, error)
      throw error
    } finally {
      span.end()
    }
  }

  return {
    ...ends,
    inSpan(name, work, options) {
      const parent = current.getStore()
      if (!parent || !isSampled(parent.spanContext())) return work()
      return run(name, work, trace.setSpan(ROOT_CONTEXT, parent), options)
    },
    inTrace(name, work, { parent, ...options }) {
      const from = parent === undefined ? null : parseTraceParent(parent)
      if (from) {
        const remote = trace.setSpanContext(ROOT_CONTEXT, { ...from, isRemote: true })
        return run(name, work, remote, options)
      }
      const cause = current.getStore()?.spanContext()
      const links = cause && isSampled(cause) && { links: [{ context: cause }] }
      return run(name, work, ROOT_CONTEXT, { ...options, ...links })
    },
    note: (facts: SpanFacts) => void current.getStore()?.setAttributes(facts),
    traceparent() {
      const context = current.getStore()?.spanContext()
      if (!context) return undefined
      const flags = isSampled(context) ? '01' : '00'
      return `00-${context.traceId}-${context.spanId}-${flags}`
    },
    traceId() {
      const context = current.getStore()?.spanContext()
      return context && isSampled(context) ? context.traceId : undefined
    },
  }
}

function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0
}

/**
 * Names the error by its code alone, since a message may have an address. What the caller is to blame for is no fault
 * of the span.
 */
function fail(span: Span, error: unknown): void {
  const { code, name, status } = (error ?? {}) as Partial<
    Record<'code' | 'name' | 'status', unknown>
  >
  span.setAttribute('error.type', String(typeof code === 'string' ? code : (name ?? 'unknown')))
  if (typeof code === 'string' && typeof status === 'number' && status < 500) return
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Tells of the first failed export, and of the first after it that succeeds. */
function watched(exporter: SpanExporter, onProblem: TracingOptions['onProblem']): SpanExporter {
  let isFailing = false
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== ExportResultCode.SUCCESS
        if (hasFailed !== isFailing) onProblem(hasFailed ? reasonOf(result.error) : null)
        isFailing = hasFailed
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
}

/** Without the URL, which messages may have. */
function reasonOf(error: Error | undefined): string {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return code === undefined ? (error?.name ?? 'unknown') : String(code)
}

interface Plain {
  readonly name: string
  readonly kind: SpanKind
  readonly context: SpanContext
  readonly parent: SpanContext | undefined
  readonly times: Pick<ReadableSpan, 'startTime' | 'endTime' | 'duration'>
  readonly status: ReadableSpan['status']
  readonly attributes: ReadableSpan['attributes']
}

function toData(span: ReadableSpan): SpanData {
  const { name, kind, parentSpanContext, startTime, endTime, duration, status, attributes } = span
  const plain: Plain = {
    name,
    kind,
    status,
    attributes,
    context: toPlainContext(span.spanContext()),
    parent: parentSpanContext && toPlainContext(parentSpanContext),
    times: { startTime, endTime, duration },
  }
  return { ...plain }
}

/** Without the trace state, which no thread takes. */
function toPlainContext({ traceId, spanId, traceFlags, isRemote }: SpanContext): SpanContext {
  return { traceId, spanId, traceFlags, ...(isRemote !== undefined && { isRemote }) }
}

function toReadable(data: SpanData, resource: Resource): ReadableSpan {
  const { name, kind, context, parent, times, status, attributes } = data as unknown as Plain
  return {
    name,
    kind,
    status,
    attributes,
    ...times,
    resource,
    spanContext: () => context,
    ...(parent && { parentSpanContext: parent }),
    links: [],
    events: [],
    ended: true,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}
