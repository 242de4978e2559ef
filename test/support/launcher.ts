/**
 * Starts programs from a small process. Where a process of Node starts one itself, the system marks all of its memory
 * as shared, and each page that it writes to afterwards is a fault: up to a second and a half of a worker of Vitest.
 * It is not the process that starts forks for the service: tests kill that one, and what it starts has a low priority.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface Program {
  readonly pid: number
  /** What it has written so far. */
  readonly stdout: string
  readonly stderr: string
  hasEnded(): boolean
  kill(signal: NodeJS.Signals): void
  /** Resolves when it has ended, and all that it wrote is there; null: a signal ended it. */
  readonly ended: Promise<number | null>
}

interface Started {
  readonly onPid: (pid: number) => void
  readonly onText: (stream: 'stdout' | 'stderr', text: string) => void
  readonly onEnd: (code: number | null) => void
}

type Message = { readonly id: number } & (
  | { readonly pid?: number }
  | { readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly code: number | null; readonly endedBy: NodeJS.Signals | null }
)

const entry = fileURLToPath(new URL('launcher-process.mjs', import.meta.url))
const started = new Map<number, Started>()
let launcher: { readonly process: ChildProcess; readonly gone: Promise<null> } | undefined
let lastId = 0

function theLauncher(): NonNullable<typeof launcher> {
  if (launcher) return launcher
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
  const child = fork(entry, [], { execArgv: [], stdio: [...stdio] })
  child.on('message', (message: Message) => {
    const one = started.get(message.id)
    if (!one) return
    if ('stream' in message) one.onText(message.stream, message.text)
    else if ('code' in message) one.onEnd(message.code)
    else one.onPid(message.pid ?? 0)
  })
  // It ends with this process, which what it started keeps alone.
  child.unref()
  launcher = { process: child, gone: once(child, 'exit').then(() => null) }
  return launcher
}

/** @param env - all of it; default: that of the test. */
export async function launch(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Program> {
  lastId += 1
  const id = lastId
  const written = { stdout: '', stderr: '' }
  let isEnded = false
  let onPid: Started['onPid'] = () => {}
  let onEnd: Started['onEnd'] = () => {}
  const pid = new Promise<number>((resolve) => {
    onPid = resolve
  })
  const ended = new Promise<number | null>((resolve) => {
    onEnd = resolve
  })
  const own = theLauncher()
  own.process.channel?.ref()
  started.set(id, {
    onPid,
    onText: (stream, text) => {
      written[stream] += text
    },
    onEnd(code) {
      isEnded = true
      started.delete(id)
      if (started.size === 0) own.process.channel?.unref()
      onEnd(code)
    },
  })
  own.process.send({ id, file, args, env })
  const known = await Promise.race([pid, own.gone])
  if (known === null) throw new Error('The process that starts programs has ended.')
  return {
    pid: known,
    get stdout() {
      return written.stdout
    },
    get stderr() {
      return written.stderr
    },
    hasEnded: () => isEnded,
    kill: (signal) => void own.process.send({ id, signal }),
    ended,
  }
}
