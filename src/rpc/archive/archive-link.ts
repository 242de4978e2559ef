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

export type ThreadEvent = Extract<ThreadMessage, { kind: 'head' | 'status' | 'answerTimes' }>

const restartPauseMs = 500
/** A recording is written at the end, and would be lost with the thread. */
const closeWaitMs = 30_000

export interface ArchiveLinkOptions {
  readonly data: Omit<ArchiveThreadData, 'port' | 'isTraced' | 'logsIgnoredErrors'>
  readonly logger: ArchiveLogger
  /** Called when a new thread listens in place of one that died. */
  readonly onRestart: () => void
  readonly onThreadEvent: (message: ThreadEvent) => void
}

export class ArchiveLink {
  readonly #options: ArchiveLinkOptions
  readonly #pending = new Map<number, (answer: Wire<unknown>) => void>()
  #nextId = 1
  #isClosing = false
  #port = 0
  /** The newest thread; below, the same thread once it listens. */
  #newest: Worker | null = null
  #listening: Worker | null = null
  #exited: Promise<void> = Promise.resolve()

  private constructor(options: ArchiveLinkOptions) {
    this.#options = options
  }

  /** @throws ForkrouteError when the first thread cannot start. */
  static async start(options: ArchiveLinkOptions): Promise<ArchiveLink> {
    const link = new ArchiveLink(options)
    await link.#startThread(0)
    return link
  }

  /** Stays the same for good. */
  get port(): number {
    return this.#port
  }

  /** @throws the error that the thread answers, or ForkrouteError UPSTREAM_UNAVAILABLE while no thread runs. */
  ask<T>(request: ArchiveRequest): Promise<T> {
    const thread = this.#listening
    if (!thread || this.#isClosing) return Promise.reject(this.#lost())
    const id = this.#nextId
    this.#nextId += 1
    return new Promise((resolve, reject) => {
      this.#pending.set(id, (answer) => {
        if (answer.ok) resolve(answer.value as never)
        else reject(fromWireError(answer.error))
      })
      const message = { id, request, traceparent: traceparent() }
      thread.postMessage(message satisfies NumberedRequest)
    })
  }

  async close(): Promise<void> {
    this.#isClosing = true
    const thread = this.#newest
    const isListening = this.#listening !== null
    this.#listening?.postMessage({ id: 0, request: { kind: 'close' } } satisfies NumberedRequest)
    const timer = setTimeout(() => void thread?.terminate(), isListening ? closeWaitMs : 0)
    await this.#exited
    clearTimeout(timer)
  }

  /** @param port - where it has to listen; 0: any. Resolves once the thread listens. */
  #startThread(port: number): Promise<void> {
    const { data, logger } = this.#options
    const flags = { isTraced: isTracing(), logsIgnoredErrors: logsIgnoredErrors() }
    const thread = new Worker(threadFile('archive'), {
      workerData: { ...data, ...flags, port } satisfies ArchiveThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    })
    this.#newest = thread
    return new Promise((resolve, reject) => {
      this.#exited = new Promise((done) => {
        thread.once('exit', () => {
          this.#onExit(thread)
          reject(this.#lost())
          done()
          // The forks know this port: if the thread has listened once, it must come back on the same one.
          if (!this.#isClosing && this.#port !== 0) void this.#restart()
        })
      })
      thread.on('error', (error) => logger.error({ err: error }, 'The archive thread failed.'))
      thread.on('message', (message: ThreadMessage) => {
        if (message.kind === 'listening') {
          this.#listening = thread
          this.#port = message.port
          resolve()
        } else if (message.kind === 'refused') reject(fromWireError(message.error))
        else this.#take(message)
      })
    })
  }

  #take(message: Exclude<ThreadMessage, { kind: 'listening' | 'refused' }>): void {
    const { logger, onThreadEvent } = this.#options
    if (message.kind === 'log') logger[message.level](message.message)
    else if (message.kind === 'answer') {
      this.#pending.get(message.id)?.(message.answer)
      this.#pending.delete(message.id)
    } else if (message.kind === 'spans') takeSpans(message.spans)
    else onThreadEvent(message)
  }

  /** Whoever waits for an answer of the thread is told that there will be none. */
  #onExit(thread: Worker): void {
    if (this.#listening === thread) this.#listening = null
    const { code, message } = this.#lost()
    for (const settle of this.#pending.values()) settle({ ok: false, error: { code, message } })
    this.#pending.clear()
  }

  async #restart(): Promise<void> {
    const { logger, onRestart } = this.#options
    await sleep(restartPauseMs)
    if (this.#isClosing) return
    await this.#startThread(this.#port).then(
      () => {
        logger.warn('The archive thread was started again.')
        onRestart()
      },
      () => logger.error('The archive thread could not be started again yet.'),
    )
  }

  #lost(): ForkrouteError {
    const text = this.#isClosing
      ? 'The archive is closed.'
      : 'The archive has failed and is being restarted.'
    return new ForkrouteError('UPSTREAM_UNAVAILABLE', text)
  }
}
