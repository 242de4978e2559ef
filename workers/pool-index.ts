/** Entry of the thread that keeps the pool index up to date. */
import { parentPort, workerData } from 'node:worker_threads'
import type { FollowData } from '../src/pool-index/follow.js'
import { followInThread } from '../src/pool-index/follow-thread.js'

const port = parentPort
if (!port) throw new Error('workers/pool-index runs as a thread only')
await followInThread(workerData as FollowData, (message) => port.postMessage(message))
