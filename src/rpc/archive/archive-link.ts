/**
 * The main thread's handle on the archive thread: starts it, sends it requests as messages, and restarts it on the same
 * port when it dies, so that the forks that read from it keep working. Owned by `archive.ts`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { ForkrouteError, fromWireError, type Wire } from '../../domain/errors.js'
import { threadFile, youngGenerationMb } from '../../platform/threads.js'
import { logsIgnoredErrors } from '../../telemetry/quietly.js'
import { isTracing, takeSpans, traceparent } from '../../telemetry/tracing.js'
import type {
  ArchiveRequest,
  ArchiveThreadData,
  NumberedRequest,
  ThreadMessage,
} from './archive-messages.js'

export type ArchiveLogger = Pick<Logger, 'info' | 'warn' | 'error'>

export interface ArchiveLink {
  readonly port: number
  /** @throws the error that the thread answers, or ForkrouteError UPSTREAM_UNAVAILABLE while no thread runs. */
  ask<T>(request: ArchiveRequest): Promise<T>
  close(): Promise<void>
}

type ThreadEvent = Extract<ThreadMessage, { kind: 'head' | 'status' | 'answerTimes' }>

const restartPauseMs = 500
const closeWaitMs = 5_000

/**
 * @param onRestart - called when a new thread listens in place of one that died.
 * @param onNews - head and status messages.
 * @throws ForkrouteError when the first thread cannot start.
 */
export async function startArchiveLink(
  data: Omit<ArchiveThreadData, 'port' | 'isTraced' | 'logsIgnoredErrors'>,
  logger: ArchiveLogger,
  onRestart: () => void,
  onThreadEvent: (message: ThreadEvent) => void,
): Promise<ArchiveLink> {
  const pending = new Map<number, (answer: Wire<unknown>) => void>()
  let nextId = 1
  let closing = false
  /** The newest thread; below, the same thread once it listens. */
  let current: Worker | null = null
  let worker: Worker | null = null
  let exited: Promise<void> = Promise.resolve()

  function lost(): ForkrouteError {
    const text = closing
      ? 'The archive is closed.'
      : 'The archive has failed and is being restarted.'
    return new ForkrouteError('UPSTREAM_UNAVAILABLE', text)
  }

  /** Resolves with the port once the thread listens. */
  function start(port: number): Promise<number> {
    const thread = new Worker(threadFile('archive'), {
      workerData: {
        ...data,
        port,
        isTraced: isTracing(),
        logsIgnoredErrors: logsIgnoredErrors(),
      } satisfies ArchiveThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    })
    current = thread
    return new Promise((resolve, reject) => {
      exited = new Promise((done) => {
        thread.once('exit', () => {
          if (worker === thread) worker = null
          const { code, message } = lost()
          for (const settle of pending.values()) settle({ ok: false, error: { code, message } })
          pending.clear()
          reject(lost())
          done()
          if (!closing && port !== 0) void restart(port)
        })
      })
      thread.on('error', (error) => logger.error({ err: error }, 'The archive thread failed.'))
      thread.on('message', (message: ThreadMessage) => {
        if (message.kind === 'listening') {
          worker = thread
          // The forks know this port: if the thread dies after this, it must come back on the same one.
          port = message.port
          resolve(message.port)
        } else if (message.kind === 'refused') reject(fromWireError(message.error))
        else if (message.kind === 'log') logger[message.level](message.message)
        else if (message.kind === 'answer') {
          pending.get(message.id)?.(message.answer)
          pending.delete(message.id)
        } else if (message.kind === 'spans') takeSpans(message.spans)
        else onThreadEvent(message)
      })
    })
  }

  async function restart(port: number): Promise<void> {
    await sleep(restartPauseMs)
    if (closing) return
    await start(port).then(
      () => {
        logger.warn('The archive thread was started again.')
        onRestart()
      },
      () => logger.error('The archive thread could not be started again yet.'),
    )
  }

  const port = await start(0)

  return {
    port,
    ask(request) {
      const thread = worker
      if (!thread || closing) return Promise.reject(lost())
      const id = nextId
      nextId += 1
      return new Promise((resolve, reject) => {
        pending.set(id, (answer) => {
          if (answer.ok) resolve(answer.value as never)
          else reject(fromWireError(answer.error))
        })
        thread.postMessage({
          id,
          request,
          traceparent: traceparent(),
        } satisfies NumberedRequest)
      })
    },
    async close() {
      closing = true
      const thread = current
      worker?.postMessage({ id: 0, request: { kind: 'close' } } satisfies NumberedRequest)
      const timer = setTimeout(() => void thread?.terminate(), worker ? closeWaitMs : 0)
      await exited
      clearTimeout(timer)
    },
  }
}
