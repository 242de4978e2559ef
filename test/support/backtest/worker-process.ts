/** A process of `forkroute worker`, with what it says. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { cliEntry } from '../cli.js'

export interface WorkerProcess {
  readonly child: ChildProcess
  readonly ready: Promise<unknown>
  /** When it has done its first block. */
  readonly firstBlock: Promise<WorkerProcess>
  /** Everything that it wrote. */
  readonly said: string[]
}

/** @param env - its whole environment, but for the path. */
export function startWorkerProcess(env: Readonly<Record<string, string>>): WorkerProcess {
  const flags = ['worker', '--concurrency', '1', '--lost-after', '2']
  const child = spawn(process.execPath, [cliEntry, ...flags], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  const until = (output: NodeJS.ReadableStream, text: string) =>
    new Promise<void>((resolve) => {
      createInterface({ input: output }).on('line', (line) => {
        said.push(line)
        if (line.includes(text)) resolve()
      })
    })
  const worker: WorkerProcess = {
    child,
    ready: until(child.stdout, 'results   '),
    firstBlock: until(child.stderr, 'block done').then(() => worker),
    said,
  }
  return worker
}
