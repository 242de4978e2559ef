/**
 * Starts programs by a small process of its own. A process that starts one itself stands still while the system copies
 * the map of its memory, and afterwards each page that it writes to is a fault: with 300 MB that was 40 ms, and up to a
 * second and a half later on (docs/explanation/speed.md). There is one such process for all, from the first program on.
 */
import { type ChildProcess, fork } from 'node:child_process'
import type { SpawnerOrder, SpawnerReport } from './spawner-messages.js'
import { threadFile } from './threads.js'

/** A program that was started, or is about to be. */
export interface Spawned {
  /** Null until it runs. */
  readonly pid: number | null
  /** Also before it runs. */
  isAlive(): boolean
  /** Does nothing where it has ended. */
  kill(signal: NodeJS.Signals): void
  /** Called once; at the next turn where it has ended already. */
  onceEnded(listener: (code: number | null, signal: NodeJS.Signals | null) => void): void
}

export interface SpawnOrder {
  readonly file: string
  readonly args: readonly string[]
  /** All of it. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onPid?: (pid: number) => void
  /** Of its standard error. */
  readonly onText?: (text: string) => void
  /** It could not be started; its end follows. */
  readonly onFailure?: (message: string) => void
}

/** It keeps nothing but what it was told of programs that run. */
const maxHeapMb = 32

class Program implements Spawned {
  pid: number | null = null
  #end: readonly [number | null, NodeJS.Signals | null] | null = null
  readonly #listeners: ((code: number | null, signal: NodeJS.Signals | null) => void)[] = []
  readonly #order: SpawnOrder
  readonly #send: (signal: NodeJS.Signals) => void

  constructor(order: SpawnOrder, send: (signal: NodeJS.Signals) => void) {
    this.#order = order
    this.#send = send
  }

  isAlive(): boolean {
    return this.#end === null
  }

  kill(signal: NodeJS.Signals): void {
    if (this.isAlive()) this.#send(signal)
  }

  onceEnded(listener: (code: number | null, signal: NodeJS.Signals | null) => void): void {
    const end = this.#end
    if (end) queueMicrotask(() => listener(...end))
    else this.#listeners.push(listener)
  }

  take(report: SpawnerReport): void {
    if ('pid' in report) {
      this.pid = report.pid
      this.#order.onPid?.(report.pid)
    } else if ('failure' in report) this.#order.onFailure?.(report.failure)
    else if ('text' in report) this.#order.onText?.(report.text)
    else this.end(report.code, report.signal)
  }

  end(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#end) return
    this.#end = [code, signal]
    for (const listener of this.#listeners.splice(0)) listener(code, signal)
  }
}

/** The process that starts them, and those that run. */
interface Running {
  readonly child: ChildProcess
  readonly programs: Map<number, Program>
}

class Spawner {
  #running: Running | null = null
  #lastId = 0

  /** Starts the process, so that the first program does not wait for it. */
  prepare(): void {
    this.#running ??= this.#start()
  }

  /** Never throws: what cannot be started says so, and has ended. */
  spawn(order: SpawnOrder): Spawned {
    this.#running ??= this.#start()
    const { child, programs } = this.#running
    this.#lastId += 1
    const id = this.#lastId
    const { file, args, env } = order
    const program = new Program(order, (signal) => send(child, { id, signal }))
    programs.set(id, program)
    hold(child, true)
    send(child, { id, file, args, env })
    return program
  }

  #start(): Running {
    const { PATH, HOME } = process.env
    const child = fork(threadFile('spawner'), [], {
      // The default, the arguments of this process, may load what only this process needs.
      execArgv: [`--max-old-space-size=${maxHeapMb}`],
      env: { PATH, HOME },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const programs = new Map<number, Program>()
    const own = { child, programs }
    child.on('message', (report: SpawnerReport) => {
      const program = programs.get(report.id)
      program?.take(report)
      if (program?.isAlive() !== false) return
      programs.delete(report.id)
      if (programs.size === 0) hold(child, false)
    })
    const onLost = (): void => {
      if (this.#running === own) this.#running = null
      // Nobody would hear of their ends.
      for (const program of programs.values()) {
        killNow(program.pid)
        program.end(null, 'SIGKILL')
      }
      programs.clear()
    }
    child.once('exit', onLost)
    child.once('error', onLost)
    child.unref()
    child.channel?.unref()
    return own
  }
}

/** The one of this process. */
export const spawner = new Spawner()

function send(child: ChildProcess, order: SpawnerOrder): void {
  // Where it has just ended, so have its programs: its exit tells them.
  child.send(order, () => undefined)
}

/** Programs that run keep this process alive, as they would if it had started them. */
function hold({ channel }: ChildProcess, isHeld: boolean): void {
  if (isHeld) channel?.ref()
  else channel?.unref()
}

function killNow(pid: number | null): void {
  if (pid === null) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
