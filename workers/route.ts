/** Entry of a routing thread: routes, quotes and every other task at a pinned block. */
import { setMaxListeners } from 'node:events'
import { workerData } from 'node:worker_threads'
import '../src/forks/promise-with-resolvers.js'
import { lowerThread } from '../src/platform/priority.js'
import { WorkerContext } from '../src/routing/block/worker-context.js'
import type { WorkerSettings } from '../src/routing/block/worker-settings.js'
import { runTask, type TaskMessage, type TaskReply } from '../src/routing/dispatch.js'
import { logIgnoredErrorsOfThread } from '../src/telemetry/quietly.js'
import { startThreadTracing } from '../src/telemetry/tracing.js'

// All parallel requests of a task listen to its one signal; more than ten listeners are no leak here.
setMaxListeners(512)

lowerThread()

const settings = workerData as WorkerSettings
if (settings.isTraced) await startThreadTracing()
if (settings.logsIgnoredErrors) await logIgnoredErrorsOfThread()

let context: WorkerContext | undefined

export default function route(message: TaskMessage): Promise<TaskReply> {
  context ??= new WorkerContext(settings)
  return runTask(context, message)
}
