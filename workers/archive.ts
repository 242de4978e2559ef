/** Entry of the archive thread: receives requests, posts answers and notifications. */
import { parentPort, workerData } from 'node:worker_threads'
import { toWireError, type Wire } from '../src/domain/errors.js'
import type {
  ArchiveRequest,
  ArchiveThreadData,
  ThreadMessage,
} from '../src/rpc/archive/archive-messages.js'
import { startArchiveThread } from '../src/rpc/archive/archive-thread.js'

const port = parentPort
if (!port) throw new Error('workers/archive runs as a thread only')
const post = (message: ThreadMessage): void => port.postMessage(message)

try {
  const archive = await startArchiveThread(workerData as ArchiveThreadData, post)
  port.on('message', ({ id, request }: { id: number; request: ArchiveRequest }) => {
    if (request.kind === 'close') {
      void archive.close().finally(() => port.close())
      return
    }
    void archive
      .handle(request)
      .then(
        (value): Wire<unknown> => ({ ok: true, value }),
        (error): Wire<unknown> => ({ ok: false, error: toWireError(error) }),
      )
      .then((answer) => post({ kind: 'answer', id, answer }))
  })
  post({ kind: 'listening', port: archive.port })
} catch (error) {
  post({ kind: 'refused', error: toWireError(error) })
  port.close()
}
