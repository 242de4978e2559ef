/** Entry of the process that starts programs for another one, which is too large to do so itself (src/platform/spawner.ts). */
import { type ChildProcess, spawn } from 'node:child_process'
import { lowerProcess } from '../src/platform/priority.js'
import type { SpawnerOrder, SpawnerReport } from '../src/platform/spawner-messages.js'

const running = new Map<number, ChildProcess>()
const report = (message: SpawnerReport): void => {
  if (process.connected) process.send?.(message)
}

process.on('message', (order: SpawnerOrder) => {
  const { id } = order
  if ('signal' in order) running.get(id)?.kill(order.signal)
  else start(order)
})

function start({ id, file, args, env }: Extract<SpawnerOrder, { readonly file: string }>): void {
  const end = (code: number | null, signal: NodeJS.Signals | null): void => {
    if (running.delete(id)) report({ id, code, signal })
  }
  const fail = ({ message }: { readonly message: string }): void => {
    report({ id, failure: message })
    if (running.get(id)?.pid === undefined) end(null, null)
  }
  let child: ChildProcess
  try {
    child = spawn(file, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (error) {
    report({ id, failure: String(error) })
    report({ id, code: null, signal: null })
    return
  }
  running.set(id, child)
  child.once('error', fail)
  // Rather than its exit: all that it wrote has been reported then.
  child.once('close', end)
  if (child.pid === undefined) return
  lowerProcess(child.pid)
  report({ id, pid: child.pid })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => report({ id, text }))
}

// A terminal or a supervisor sends these to the whole group: who started this process decides when it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.once('disconnect', () => {
  for (const child of running.values()) child.kill('SIGKILL')
  process.exit()
})
