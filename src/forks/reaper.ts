/**
 * Ends the forks when the service can no longer do it itself: one tiny shell per pool that reads
 * process ids on its standard input and, when the pipe closes (the kernel closes it even after a
 * SIGKILL of the service), kills those that are left. It sits in a session of its own and ignores
 * the signals that a terminal or a supervisor sends to the service.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'

/**
 * `+pid` remembers, `-pid` forgets; at the end of input the rest is killed. Where /proc shows a process's name,
 * only an `anvil` is killed, so that a reused process id does no harm.
 */
const script = `
trap '' HUP INT TERM
pids=' '
while read -r line; do
  pid=\${line#?}
  case $line in
    +*) pids="$pids$pid " ;;
    -*) case $pids in *" $pid "*) pids="\${pids%%" $pid "*} \${pids#*" $pid "}" ;; esac ;;
  esac
done
for pid in $pids; do
  name=anvil
  [ -r "/proc/$pid/comm" ] && read -r name < "/proc/$pid/comm"
  [ "$name" = anvil ] && kill -9 "$pid"
done
`

export interface Reaper {
  add(pid: number): void
  remove(pid: number): void
  /** Ends the shell; whatever it still remembers is killed. */
  close(): Promise<void>
}

export function createReaper(): Reaper {
  const pids = new Set<number>()
  let closed = false
  let shell = start()

  function start(): ChildProcess {
    const child = spawn('/bin/sh', ['-c', script], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {},
      cwd: '/',
    })
    // Writing to a shell that has just died; its exit starts the next one.
    child.stdin?.on('error', () => undefined)
    child.once('error', () => undefined)
    child.once('exit', (_code, signal) => {
      if (!closed && signal) shell = start()
    })
    // It must not keep an otherwise finished service alive.
    child.unref()
    if (child.stdin instanceof Socket) child.stdin.unref()
    for (const pid of pids) child.stdin?.write(`+${pid}\n`)
    return child
  }

  return {
    add(pid) {
      pids.add(pid)
      shell.stdin?.write(`+${pid}\n`)
    },
    remove(pid) {
      pids.delete(pid)
      shell.stdin?.write(`-${pid}\n`)
    },
    async close() {
      if (closed) return
      closed = true
      const ended = new Promise<void>((resolve) => shell.once('exit', () => resolve()))
      shell.stdin?.end()
      if (shell.exitCode === null && shell.signalCode === null && shell.pid) await ended
    },
  }
}
