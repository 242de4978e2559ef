/** The form of a tracer: what `tracing.ts` calls and `opentelemetry.ts` gives. */

/** Attributes of a span: sizes, counts, chain ids, block numbers, codes. Never a URL, a key, an address or an amount. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  readonly kind?: 'server' | 'client' | 'producer' | 'consumer'
  readonly facts?: SpanFacts
}

export interface TraceOptions extends SpanOptions {
  /** W3C traceparent of whoever asked; absent or malformed: a trace of its own, linked to the current span if there is one. */
  readonly parent?: string | undefined
  /** Milliseconds since the epoch; default: now. */
  readonly startedAt?: number
}

/** A finished span as data that threads exchange. */
export type SpanData = Readonly<Record<string, unknown>>

export interface Tracer {
  inSpan<T>(name: string, work: () => Promise<T>, options: SpanOptions): Promise<T>
  inTrace<T>(name: string, work: () => Promise<T>, options: TraceOptions): Promise<T>
  note(facts: SpanFacts): void
  traceparent(): string | undefined
  traceId(): string | undefined
  finished(): readonly SpanData[]
  take(spans: readonly SpanData[]): void
  close(): Promise<void>
}

export interface TracingOptions {
  /** Endpoint of OTLP over HTTP, with its path. May carry secrets. */
  readonly url: string
  /** For a collector that asks who sends. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly version: string
  /** How long `close` waits for the last spans, milliseconds. */
  readonly closeMs: number
  /** Told the code of the first failure, and null when the collector takes spans again. */
  onProblem(reason: string | null): void
}
