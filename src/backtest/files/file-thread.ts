/** The half of a thread that makes one file of results: reads them from the store itself, and goes on when it is asked. */
import { notFound } from '../../domain/common-errors.js'
import { toWireError } from '../../domain/errors.js'
import { streamOutput } from '../outputs/index.js'
import { openStore } from '../stores/open-store.js'
import type { FileOrder, FileReply } from './messages.js'

/** @returns what answers each message of the service. */
export function makeFile(order: FileOrder, post: (reply: FileReply) => void): () => Promise<void> {
  const chunks = bytesOf(order)
  return async () => {
    try {
      const { done, value } = await chunks.next()
      post({ ok: true, bytes: done ? null : value })
    } catch (error) {
      post({ ok: false, error: toWireError(error) })
    }
  }
}

async function* bytesOf({ settings, id, file, options }: FileOrder): AsyncGenerator<Uint8Array> {
  const store = await openStore(settings)
  try {
    const job = await store.job(id)
    if (!job) throw notFound(`backtest ${id.slice(0, 64)}`)
    yield* streamOutput(file, job, store.results(id), options)
  } finally {
    await store.close()
  }
}
