/** Entry of a thread that makes one file of the results of a backtest. */
import { parentPort, workerData } from 'node:worker_threads'
import { makeFile } from '../src/backtest/files/file-thread.js'
import type { FileOrder, FileReply } from '../src/backtest/files/messages.js'
import { lowerThread } from '../src/platform/priority.js'

const port = parentPort
if (!port) throw new Error('workers/results runs as a thread only')
lowerThread()
const goOn = makeFile(workerData as FileOrder, (reply: FileReply) => port.postMessage(reply))
port.on('message', () => void goOn())
