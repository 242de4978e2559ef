/** Entry of the sandbox thread: any message makes it shut down in order. */
import { parentPort, workerData } from 'node:worker_threads'
import { toWireError } from '../src/domain/errors.js'
import {
  type SandboxMessage,
  type SandboxNodeOptions,
  startSandboxNode,
} from '../src/sandbox/chain/sandbox-node.js'

const port = parentPort
if (!port) throw new Error('workers/sandbox runs as a thread only')
const post = (message: SandboxMessage): void => port.postMessage(message)

try {
  const onChain = (pid: number) => post({ kind: 'chain', pid })
  const node = await startSandboxNode(workerData as SandboxNodeOptions, onChain)
  port.once('message', () => void node.close().finally(() => port.close()))
  post({ kind: 'listening', port: node.port })
} catch (error) {
  post({ kind: 'refused', error: toWireError(error) })
  port.close()
}
