/**
 * What the main thread and routing threads say to each other. Structured-clonable values only.
 */
import type { MessagePort } from 'node:worker_threads'
import type { WireError } from '../domain/errors.js'
import type { ArchivedBlock, ForkUrls } from '../forks/block-source.js'
import type { Pool } from '../protocols/pool.js'
import type { SpanData } from '../telemetry/tracer.js'
import type { TaskReport } from './block/task-report.js'
import type { handlers } from './handlers.js'

export type TaskKind = keyof typeof handlers

/** Arguments and result of each kind of task. */
export type TaskTypes = {
  readonly [K in TaskKind]: {
    readonly args: Parameters<(typeof handlers)[K]>[1]
    readonly result: Awaited<ReturnType<(typeof handlers)[K]>>
  }
}

/** Where the state of the pinned block is read. */
export interface TaskPlace extends ArchivedBlock, ForkUrls {
  /** Brings the forks once they have started, in place of those above; closed without a message: there will be none. */
  readonly forksToCome?: MessagePort
}

export interface TaskMessage<K extends TaskKind = TaskKind> {
  readonly kind: K
  readonly args: TaskTypes[K]['args']
  readonly place: TaskPlace
  /** The same as in `CallContext`: does not evict what is cached for other blocks. */
  readonly isBackground?: boolean
  /** Milliseconds that are left of the caller's time; absent: no limit. */
  readonly deadlineMs?: number
  /** Trace context (W3C) of the span that the task belongs to; absent: it is not traced. */
  readonly traceparent?: string | undefined
  /** Any message on it means: stop, the caller is gone. */
  readonly cancel: MessagePort
}

/** Facts about the work done, for metrics and the catalog. */
export interface TaskTrace extends Readonly<TaskReport> {
  /** Seconds by the name of the stage. */
  readonly stages: Readonly<Record<string, number>>
  readonly discovered: readonly Pool[]
  /** That have ended since the last reply of the thread. */
  readonly spans: readonly SpanData[]
}

export type TaskReply<K extends TaskKind = TaskKind> = { readonly trace: TaskTrace } & (
  | { readonly ok: true; readonly value: TaskTypes[K]['result'] }
  /** `lostFork`: a fork did not answer; the same task may succeed on its replacement. */
  | { readonly ok: false; readonly error: WireError; readonly lostFork?: string }
)
