/**
 * The Piscina pool of routing threads. Errors come back as data, and an abandoned task is told to stop. The reply of a
 * task whose fork died says so; `task-runner.ts` decides whether it runs again.
 */
import { MessageChannel } from 'node:worker_threads'
import { Piscina, queueOptionsSymbol } from 'piscina'
import { ForkrouteError, fromWireError } from '../domain/errors.js'
import { threadFile, youngGenerationMb } from '../platform/threads.js'
import type { WorkerSettings } from '../routing/block/worker-settings.js'
import type { TaskKind, TaskMessage, TaskReply, TaskTypes } from '../routing/dispatch.js'
import { count } from '../telemetry/metrics.js'
import { takeSpans, traceparent } from '../telemetry/tracing.js'
import { createThreadChoice } from './thread-choice.js'
import { createTurns, type Turns } from './turns.js'

/** A task mostly waits for forks, so one thread interleaves several. */
const tasksPerThread = 8
/** Waiting tasks per thread; more are refused. */
const queuePerThread = 64
/** Heap of one thread, megabytes: ten times what it takes. Beyond it the thread ends, and not the service. */
const maxThreadHeapMb = 1_024

export interface WorkerPool {
  readonly threads: number
  /** Lets live calculations begin as the threads have room for them. */
  readonly turns: Turns
  /** @throws ForkrouteError OVERLOADED, THREAD_LOST; the signal's reason when aborted. */
  run<K extends TaskKind>(
    message: Omit<TaskMessage<K>, 'cancel' | 'traceparent'>,
    signal: AbortSignal,
  ): Promise<TaskReply<K>>
  /** Tasks that threads work on or have waiting. */
  tasks(): number
  /** Time in which the present threads were not idle, all together. */
  busySeconds(): number
  /** Calculations that wait for their turn, and tasks that wait for a thread. */
  queueLength(): number
  close(): Promise<void>
}

export function createWorkerPool(options: {
  readonly threads: number
  readonly settings: WorkerSettings
  readonly maxHeapMb?: number
  /** Receives faults of the pool itself, which belong to no task. */
  onError(error: unknown): void
}): WorkerPool {
  const choose = createThreadChoice(tasksPerThread)
  const pool = new Piscina({
    filename: threadFile('route'),
    minThreads: options.threads,
    maxThreads: options.threads,
    concurrentTasksPerWorker: tasksPerThread,
    maxQueue: options.threads * queuePerThread,
    loadBalancer: (task, threads) => choose(chainOf(task), threads),
    // A thread that blocks between tasks could not finish reads that several tasks share.
    atomics: 'disabled',
    // Piscina tries `require` first, and a thread that is ended while that loads an ES module takes the process with it.
    execArgv: ['--no-experimental-require-module'],
    workerData: options.settings,
    resourceLimits: {
      maxOldGenerationSizeMb: options.maxHeapMb ?? maxThreadHeapMb,
      maxYoungGenerationSizeMb: youngGenerationMb,
    },
  })
  // Piscina emits `error` for faults outside tasks; without a listener the process would die.
  pool.on('error', options.onError)
  let tasks = 0
  const turns = createTurns(options.threads * tasksPerThread, options.threads * queuePerThread)
  return {
    threads: options.threads,
    turns,
    async run<K extends TaskKind>(
      message: Omit<TaskMessage<K>, 'cancel' | 'traceparent'>,
      signal: AbortSignal,
    ) {
      signal.throwIfAborted()
      const { port1, port2 } = new MessageChannel()
      const cancel = () => port1.postMessage(null)
      signal.addEventListener('abort', cancel, { once: true })
      tasks += 1
      try {
        const task: TaskMessage<K> = { ...message, traceparent: traceparent(), cancel: port2 }
        Object.assign(task, { [queueOptionsSymbol]: message.place.pin.chainId })
        const { forksToCome } = message.place
        const transferList = forksToCome ? [port2, forksToCome] : [port2]
        const reply = (await pool.run(task, { transferList })) as TaskReply<K>
        takeSpans(reply.trace.spans)
        if (!reply.ok) signal.throwIfAborted()
        return reply
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof Error && /queue is at limit/i.test(error.message)) {
          count('refused_total', { limit: 'queue' })
          throw new ForkrouteError('OVERLOADED', 'Too many calculations are waiting; try again.')
        }
        // A message that cannot be sent is a bug. Errors of the task itself are data, so its thread has ended.
        if (error instanceof Error && error.name === 'DataCloneError') throw error
        const text = 'The thread of the calculation has ended; another has taken its place.'
        throw new ForkrouteError('THREAD_LOST', text, undefined, { cause: error })
      } finally {
        tasks -= 1
        signal.removeEventListener('abort', cancel)
        port1.close()
      }
    },
    tasks: () => tasks,
    busySeconds: () =>
      pool.threads.reduce(
        (sum, thread) => sum + thread.performance.eventLoopUtilization().active / 1_000,
        0,
      ),
    queueLength: () => turns.waiting() + pool.queueSize,
    close: () => pool.close({ force: true }),
  }
}

/** The chain of a task, which `run` has noted. */
function chainOf(task: object): number | undefined {
  const noted: unknown = Reflect.get(task, queueOptionsSymbol)
  return typeof noted === 'number' ? noted : undefined
}

/** The value of a reply. @throws the error that it carries. */
export function unwrap<K extends TaskKind>(reply: TaskReply<K>): TaskTypes[K]['result'] {
  if (reply.ok) return reply.value
  throw fromWireError(reply.error)
}
