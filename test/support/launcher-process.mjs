// The process of `launcher.ts`: starts programs as it is told, and kills what is left when its parent has ended.
import { spawn } from 'node:child_process'

/** By the ids that the parent gives. */
const running = new Map()

process.on('message', ({ id, file, args, env, signal }) => {
  if (signal) {
    running.get(id)?.kill(signal)
    return
  }
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.set(id, child)
  process.send({ id, pid: child.pid })
  for (const stream of ['stdout', 'stderr']) {
    child[stream].setEncoding('utf8').on('data', (text) => process.send({ id, stream, text }))
  }
  child.on('error', ({ message }) => process.send({ id, stream: 'stderr', text: message }))
  child.on('close', (code, endedBy) => {
    running.delete(id)
    if (process.connected) process.send({ id, code, endedBy })
  })
})
process.on('disconnect', () => {
  for (const child of running.values()) child.kill('SIGKILL')
  process.exit()
})
