/**
 * Spans of what a process does, for OpenTelemetry (docs/how-to/telemetry.md). Off unless `startTracing` was called: a place that
 * could make a span then compares a variable with null, and no module of OpenTelemetry is loaded.
 *
 * The main thread exports. Other threads collect what has ended (`finishedSpans`), and the main thread takes it over
 * (`takeSpans`), so there is one queue with one bound.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageFolder } from '../platform/package-folder.js'
import type {
  SpanData,
  SpanFacts,
  SpanOptions,
  TraceOptions,
  Tracer,
  TracingOptions,
} from './tracer.js'

let tracer: Tracer | null = null

/** The work as a part of the current span. Where there is none, it is not traced. */
export function inSpan<T>(
  name: string,
  work: () => Promise<T>,
  options: SpanOptions = {},
): Promise<T> {
  return tracer === null ? work() : tracer.inSpan(name, work, options)
}

/** The work as the first span of this thread, process or request. */
export function inTrace<T>(
  name: string,
  work: () => Promise<T>,
  options: TraceOptions = {},
): Promise<T> {
  return tracer === null ? work() : tracer.inTrace(name, work, options)
}

/** Goes on with a trace that began elsewhere; without one, the work is not traced. */
export function inTraceOf<T>(
  parent: string | undefined,
  name: string,
  work: () => Promise<T>,
  options: SpanOptions = {},
): Promise<T> {
  if (tracer === null || parent === undefined) return work()
  return tracer.inTrace(name, work, { ...options, parent })
}

/** Adds to the current span, if there is one. */
export function noteSpan(facts: SpanFacts): void {
  tracer?.note(facts)
}

/** The current span as a header, for those who go on with its trace. */
export function traceparent(): string | undefined {
  return tracer?.traceparent()
}

/** Id of the current trace, for log lines; undefined also where it is not sampled. */
export function traceId(): string | undefined {
  return tracer?.traceId()
}

export function isTracing(): boolean {
  return tracer !== null
}

/** In a thread: what has ended since it was last asked. */
export function finishedSpans(): readonly SpanData[] {
  return tracer?.finished() ?? []
}

/** In the main thread: exports what a thread has finished. */
export function takeSpans(spans: readonly SpanData[] | undefined): void {
  if (spans?.length) tracer?.take(spans)
}

/**
 * Loads OpenTelemetry and starts to export, in the main thread.
 * @returns ends it: sends what is left, for `closeMs` at most.
 */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  const { createExportingTracer } = await load()
  const started = createExportingTracer(options)
  tracer = started
  return async () => {
    if (tracer === started) tracer = null
    await started.close()
  }
}

/** Starts to collect, in a thread whose main thread exports. */
export async function startThreadTracing(): Promise<void> {
  const { createCollectingTracer } = await load()
  tracer = createCollectingTracer()
}

/** The compiled file, in which `scripts/bundle.mjs` joins OpenTelemetry: no package has to be there. */
function load(): Promise<typeof import('./opentelemetry.js')> {
  return import(
    pathToFileURL(join(packageFolder, 'dist', 'src', 'telemetry', 'opentelemetry.js')).href
  )
}
