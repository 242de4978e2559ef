/**
 * Loaded into each thread of a service that is measured: every second it writes how many megabytes the thread's own
 * heap and buffers take into a file of the folder in THREAD_MEMORY_FOLDER, named by what runs in the thread.
 */
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isMainThread, threadId } from 'node:worker_threads'

const folder = process.env.THREAD_MEMORY_FOLDER
const name = isMainThread ? 'main' : basename(process.argv[1] ?? 'thread', '.js')

setInterval(() => {
  const { heapTotal, external } = process.memoryUsage()
  writeFileSync(join(folder, `${name}-${threadId}`), String((heapTotal + external) / 2 ** 20))
}, 1_000).unref()
