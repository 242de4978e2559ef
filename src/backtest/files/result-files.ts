/**
 * Makes files of results in threads of their own: what is compared, sorted and drawn for one may be a million rows. A
 * thread has a bound on its memory, reads the results itself, and is ended when nobody wants the rest.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { filesPerAccount, type ResultStream } from '../../domain/backtest.js'
import { ForkrouteError, fromWireError } from '../../domain/errors.js'
import { threadFile } from '../../platform/threads.js'
import { stored } from '../outputs/files.js'
import { resultStream } from '../outputs/index.js'
import type { StoreSettings } from '../stores/open-store.js'
import { FilePlaces } from './file-places.js'
import type { FileOrder, FileReply } from './messages.js'

/** The summary of a million rows takes half of it. */
const maxHeapMb = 768
/** Each is made by a thread of its own. */
const mostFiles = 4
/** Most small files are made in a second. */
const longestWaitMs = 20_000

export interface ResultFiles {
  /** Made while it is read. */
  open(order: OrderedFile): ResultStream
  /** Ends what is being made. */
  close(): Promise<void>
}

/** A file of a job, and who asks for it. */
export interface OrderedFile extends Omit<FileOrder, 'settings'> {
  readonly account: string
}

export function createResultFiles(settings: StoreSettings): ResultFiles {
  const { dataDir, databaseUrl, serviceName } = settings
  const places = new FilePlaces({ most: mostFiles, perAccount: filesPerAccount, longestWaitMs })
  const threads = new Set<Worker>()

  /** A thread keeps its place until it has ended, whoever has left before. */
  async function* made(
    { account, ...order }: OrderedFile,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const leave = await places.take(account, signal)
    try {
      yield* madeInThread({ settings: { dataDir, databaseUrl, serviceName }, ...order }, signal)
    } finally {
      leave()
    }
  }

  async function* madeInThread(order: FileOrder, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    // What a thread that is ended leaves behind has a place that can be removed.
    const folder = await stored(() => mkdtemp(join(tmpdir(), 'forkroute-results-')))
    const thread = new Worker(threadFile('results'), {
      workerData: order,
      env: { ...process.env, TMPDIR: folder },
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    })
    threads.add(thread)
    try {
      for (;;) {
        const bytes = await next(thread, signal)
        if (!bytes) return
        yield bytes
      }
    } finally {
      threads.delete(thread)
      await thread.terminate()
      await rm(folder, { recursive: true, force: true })
    }
  }

  return {
    open: (order) => resultStream(order.file, (signal) => made(order, signal)),
    async close() {
      await Promise.all([...threads].map((thread) => thread.terminate()))
    },
  }
}

/** Null after the last. @throws the signal's reason as soon as it is aborted. */
async function next(thread: Worker, signal: AbortSignal): Promise<Uint8Array | null> {
  signal.throwIfAborted()
  const over = new AbortController()
  const until = { signal: AbortSignal.any([over.signal, signal]) }
  const reply = Promise.race([
    // An error of the thread, such as want of memory, makes it reject.
    once(thread, 'message', until).then(([message]) => message as FileReply),
    once(thread, 'exit', until).then(() => null),
  ])
  thread.postMessage('next')
  try {
    const answer = await reply.catch((cause: unknown) => {
      throw signal.aborted ? signal.reason : lost(cause)
    })
    if (!answer) throw lost(null)
    if (!answer.ok) throw fromWireError(answer.error)
    return answer.bytes
  } finally {
    over.abort()
  }
}

function lost(cause: unknown): ForkrouteError {
  const options = cause === null ? undefined : { cause }
  return new ForkrouteError(
    'THREAD_LOST',
    'The thread that wrote the file of results ended, for example because memory ran out. Ask for a part of the results, or for another format.',
    undefined,
    options,
  )
}
