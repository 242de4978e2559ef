/**
 * Makes files of results in threads of their own: what is compared, sorted and drawn for one may be a million rows. A
 * thread has a bound on its memory, reads the results itself, and is ended when nobody wants the rest.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ResultFile, ResultOptions, ResultStream } from '../../domain/backtest.js'
import { ForkrouteError, fromWireError } from '../../domain/errors.js'
import { threadFile } from '../../platform/threads.js'
import { stored } from '../outputs/files.js'
import { resultStream } from '../outputs/index.js'
import type { StoreSettings } from '../stores/open-store.js'
import type { FileOrder, FileReply } from './messages.js'

/** The summary of a million rows takes half of it. */
const maxHeapMb = 768

export interface ResultFiles {
  /** Made while it is read. The body throws STORAGE_UNAVAILABLE, NOT_FOUND, THREAD_LOST. */
  stream(id: string, file: ResultFile, options: ResultOptions): ResultStream
  /** Ends what is being made. */
  close(): Promise<void>
}

export function createResultFiles(settings: StoreSettings): ResultFiles {
  const { dataDir, databaseUrl, serviceName } = settings
  const threads = new Set<Worker>()

  async function* made(order: FileOrder): AsyncIterable<Uint8Array> {
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
        const bytes = await next(thread)
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
    stream: (id, file, options) =>
      resultStream(
        file,
        made({ settings: { dataDir, databaseUrl, serviceName }, id, file, options }),
      ),
    async close() {
      await Promise.all([...threads].map((thread) => thread.terminate()))
    },
  }
}

/** Null after the last. */
async function next(thread: Worker): Promise<Uint8Array | null> {
  const over = new AbortController()
  const { signal } = over
  const reply = Promise.race([
    // An error of the thread, such as want of memory, makes it reject.
    once(thread, 'message', { signal }).then(([message]) => message as FileReply),
    once(thread, 'exit', { signal }).then(() => null),
  ])
  thread.postMessage('next')
  try {
    const told = await reply.catch((cause: unknown) => {
      throw lost(cause)
    })
    if (!told) throw lost(null)
    if (!told.ok) throw fromWireError(told.error)
    return told.bytes
  } finally {
    over.abort()
  }
}

function lost(cause: unknown): ForkrouteError {
  const options = cause === null ? undefined : { cause }
  return new ForkrouteError(
    'THREAD_LOST',
    'The thread that made the file of results ended, as for want of memory; ask for a part of it, or for another format.',
    undefined,
    options,
  )
}
