/** Entry of the archive thread: receives requests, posts answers and notifications. */
import { parentPort, workerData } from 'node:worker_threads'
import { toWireError, type Wire } from '../src/domain/errors.js'
import { atBorder } from '../src/forks/faults.js'
import { lowerThread } from '../src/platform/priority.js'
import type {
  ArchiveThreadData,
  NumberedRequest,
  ThreadMessage,
} from '../src/rpc/archive/archive-messages.js'
import { startArchiveThread } from '../src/rpc/archive/archive-thread.js'
import { logIgnoredErrorsOfThread } from '../src/telemetry/quietly.js'
import { finishedSpans, inTraceOf, startThreadTracing } from '../src/telemetry/tracing.js'

const port = parentPort
if (!port) throw new Error('workers/archive runs as a thread only')
/** Time between two looks for spans that have ended. */
const spansMs = 250
const post = (message: ThreadMessage): void => port.postMessage(message)
// What it reads ahead at a new head would keep calculations at the block before from going on.
lowerThread()

try {
  const data = workerData as ArchiveThreadData
  if (data.isTraced) await startThreadTracing()
  if (data.logsIgnoredErrors) await logIgnoredErrorsOfThread()
  const archive = await startArchiveThread(data, post)
  const sendSpans = () => {
    const spans = finishedSpans()
    if (spans.length) post({ kind: 'spans', spans })
  }
  if (data.isTraced) setInterval(sendSpans, spansMs).unref()
  port.on('message', ({ id, request, traceparent }: NumberedRequest) => {
    if (request.kind === 'close') {
      sendSpans()
      void archive.close().finally(() => port.close())
      return
    }
    void inTraceOf(traceparent, `archive ${request.kind}`, () => archive.handle(request))
      .then(
        (value): Wire<unknown> => ({ ok: true, value }),
        (error): Wire<unknown> => ({ ok: false, error: toWireError(atBorder(error, null)) }),
      )
      .then((answer) => post({ kind: 'answer', id, answer }))
  })
  post({ kind: 'listening', port: archive.port })
} catch (error) {
  post({ kind: 'refused', error: toWireError(error) })
  port.close()
}
