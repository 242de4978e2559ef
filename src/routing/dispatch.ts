/**
 * The entry of a routing thread: one message in, one reply out. Errors are returned as data, never thrown.
 */
import { performance } from 'node:perf_hooks'
import { untilAborted } from '../domain/abort.js'
import { ForkrouteError, toWireError } from '../domain/errors.js'
import type { ForkUrls } from '../forks/block-source.js'
import { atBorder, ForkLostError } from '../forks/faults.js'
import { ForkReader } from '../forks/reader.js'
import { finishedSpans, inTraceOf, noteSpan } from '../telemetry/tracing.js'
import { openTask, type Task } from './block/task.js'
import { emptyReport } from './block/task-report.js'
import type { WorkerContext } from './block/worker-context.js'
import { handlers } from './handlers.js'
import type { TaskKind, TaskMessage, TaskPlace, TaskReply, TaskTypes } from './messages.js'

/** The handlers in the form in which TypeScript relates the arguments of a kind to its result. */
const byKind: {
  readonly [K in TaskKind]: (
    task: Task,
    args: TaskTypes[K]['args'],
  ) => Promise<TaskTypes[K]['result']>
} = handlers

export async function runTask<K extends TaskKind>(
  worker: WorkerContext,
  message: TaskMessage<K>,
): Promise<TaskReply<K>> {
  const { kind, traceparent } = message
  const reply = await inTraceOf(traceparent, `thread ${kind}`, () => answer(worker, message))
  const spans = finishedSpans()
  return spans.length ? { ...reply, trace: { ...reply.trace, spans } } : reply
}

async function answer<K extends TaskKind>(
  worker: WorkerContext,
  message: TaskMessage<K>,
): Promise<TaskReply<K>> {
  const started = performance.now()
  const abort = new AbortController()
  message.cancel.once('message', () => abort.abort())
  const { pin, archiveUrl } = message.place
  const forks = forksOf(message.place)
  const source = { pin, archiveUrl, forks }
  const { deadlineMs } = message
  let task: Task | undefined
  const trace = () => ({
    ...(task?.report ?? emptyReport()),
    stages: { ...task?.clock.stages, total: (performance.now() - started) / 1_000 },
    discovered: task?.facts.takeDiscovered() ?? [],
    spans: [],
  })
  try {
    task = openTask({
      settings: worker.settings,
      facts: worker.block(pin, message.isBackground),
      reader: new ForkReader(source),
      source,
      signal: abort.signal,
      deadline: deadlineMs === undefined ? null : started + deadlineMs,
    })
    const value = await untilAborted(byKind[message.kind](task, message.args), abort.signal)
    return { ok: true, value, trace: trace() }
  } catch (thrown) {
    const fault = atBorder(thrown, pin)
    const error = toWireError(fault)
    noteSpan({ 'error.type': error.code })
    const isLost = fault instanceof ForkLostError
    return { ok: false, error, ...(isLost && { lostFork: fault.url }), trace: trace() }
  } finally {
    if (task) noteWork(task)
    message.cancel.close()
  }
}

/** @returns rejects with ForkrouteError FORK_UNAVAILABLE when no forks come. */
function forksOf(place: TaskPlace): Promise<ForkUrls> {
  const { forksToCome, pin } = place
  if (!forksToCome) return Promise.resolve(place)
  const forks = new Promise<ForkUrls>((resolve, reject) => {
    forksToCome.once('message', resolve)
    forksToCome.once('close', () => {
      reject(new ForkrouteError('FORK_UNAVAILABLE', `Block ${pin.number} has no fork just now.`))
    })
  })
  forks.catch(() => undefined)
  return forks
}

/** Into the span of the thread. */
function noteWork({ pin, report: { simulations } }: Task): void {
  noteSpan({
    'forkroute.chain_id': pin.chainId,
    'forkroute.block': Number(pin.number),
    'forkroute.simulated': simulations.success,
    'forkroute.reverted': simulations.reverted,
    'forkroute.unreadable': simulations.unreadable,
  })
}
