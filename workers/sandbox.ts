/** Entry of the sandbox thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { toWireError } from '../src/domain/errors.js'
import { createOwnMethods } from '../src/sandbox/chain/own-methods.js'
import {
  type SandboxMessage,
  type SandboxNodeOptions,
  type SandboxOrder,
  startSandboxNode,
} from '../src/sandbox/chain/sandbox-node.js'

const port = parentPort
if (!port) throw new Error('workers/sandbox runs as a thread only')
const post = (message: SandboxMessage): void => port.postMessage(message)

try {
  const { ask, answer } = createOwnMethods((question) => post({ kind: 'question', question }))
  const on = {
    chain: (pid: number) => post({ kind: 'chain', pid }),
    head: (blockNumber: number) => post({ kind: 'head', blockNumber }),
  }
  const node = await startSandboxNode(workerData as SandboxNodeOptions, on, ask)
  port.on('message', (order: SandboxOrder) => {
    if (order.kind === 'answer') answer(order.answer)
    else void node.close().finally(() => port.close())
  })
  post({ kind: 'listening', port: node.port })
} catch (error) {
  post({ kind: 'refused', error: toWireError(error) })
  port.close()
}
