/**
 * Work on what callers and strangers have written, such as YAML and files of others, in a process of its own. Such text
 * can be made so that reading it takes hours or all memory, and only a process can be ended in the middle of native code
 * and with all that it holds. It starts with the first task, does one at a time, and ends when it was idle for a while.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ForkrouteError, fromWireError } from '../domain/errors.js'
import { lowerProcess } from '../platform/priority.js'
import { threadFile } from '../platform/threads.js'
import type { ChildAnswer, ChildQuestion, TaskFunctions } from './child-messages.js'

export interface ChildTasks<Tasks extends TaskFunctions> {
  /**
   * @param refusal - the error for a task that takes too long or too much memory, from the end of a sentence about what
   * was to be read, such as "takes longer than 10 seconds to read".
   * @throws ForkrouteError that the task threw; `refusal`; OVERLOADED where too many wait, or the service stops.
   */
  run<K extends keyof Tasks & string>(
    name: K,
    input: Parameters<Tasks[K]>[0],
    refusal: (why: string) => ForkrouteError,
  ): Promise<Awaited<ReturnType<Tasks[K]>>>
  /** Ends what runs. */
  close(): Promise<void>
}

/** Time to start, on a machine that is busy with other things. */
const startMs = 30_000
/** Beyond the heap there are buffers and SQLite's own memory. */
const maxHeapMb = 256
const idleMs = 30_000
const mostWaiting = 16

/** @param file - name of the entry in `workers/`, which calls `serveTasks`. @param longestMs - of one task. */
export function createChildTasks<Tasks extends TaskFunctions>(
  file: string,
  longestMs: number,
): ChildTasks<Tasks> {
  let child: ChildProcess | null = null
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let isClosed = false

  async function start(): Promise<ChildProcess> {
    const { PATH, HOME, TMPDIR } = process.env
    const started = fork(threadFile(file), [], {
      serialization: 'advanced',
      // The default, the arguments of this process, may load what only this process needs.
      execArgv: [`--max-old-space-size=${maxHeapMb}`],
      env: { PATH, HOME, TMPDIR },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child = started
    started.once('exit', () => {
      if (child === started) child = null
    })
    // The child could not be started, or a message went to one that has just ended: `outcome` sees both.
    started.on('error', () => undefined)
    if ((await outcome(started, startMs)) === 'answer') {
      if (started.pid !== undefined) lowerProcess(started.pid)
      return started
    }
    discard(started)
    throw notStarted()
  }

  async function perform(question: ChildQuestion, refusal: (why: string) => ForkrouteError) {
    clearTimeout(idle)
    if (isClosed) throw stopped()
    const own = child ?? (await start())
    let answer: ChildAnswer | null = null
    const receive = (message: ChildAnswer) => {
      answer = message
    }
    own.once('message', receive)
    own.ref()
    own.channel?.ref()
    try {
      own.send(question)
      const end = await outcome(own, longestMs)
      if (isClosed) throw stopped()
      if (end === 'late') throw refusal(`takes longer than ${longestMs / 1_000} seconds to read`)
      if (end === 'exit') throw refusal('ends the process that reads it, perhaps out of memory')
      return valueIn(answer, refusal)
    } finally {
      own.off('message', receive)
      if (answer === null) discard(own)
      else rest(own)
    }
  }

  function discard(own: ChildProcess): void {
    if (child === own) child = null
    own.kill('SIGKILL')
  }

  /** Neither the process nor its channel keeps this one alive while there is nothing to do. */
  function rest(own: ChildProcess): void {
    own.unref()
    own.channel?.unref()
    idle = setTimeout(() => discard(own), idleMs)
    idle.unref()
  }

  return {
    async run(name, input, refusal) {
      if (waiting >= mostWaiting) {
        throw new ForkrouteError('OVERLOADED', 'Too many files are waiting to be read; try again.')
      }
      waiting += 1
      const turn = last.then(() => perform({ name, input }, refusal))
      last = turn.then(
        () => undefined,
        () => undefined,
      )
      try {
        return (await turn) as never
      } finally {
        waiting -= 1
      }
    },
    async close() {
      isClosed = true
      clearTimeout(idle)
      const own = child
      if (!own) return
      const ended = once(own, 'exit')
      own.kill('SIGKILL')
      await ended
      await last
    },
  }
}

function notStarted(): ForkrouteError {
  const message = 'The process that reads files for the service did not start in time; try again.'
  return new ForkrouteError('OVERLOADED', message)
}

function stopped(): ForkrouteError {
  return new ForkrouteError('OVERLOADED', 'The service is shutting down; ask again in a moment.')
}

/** What comes first: a message, the end of the process, or the end of the time. */
async function outcome(own: ChildProcess, ms: number): Promise<'answer' | 'exit' | 'late'> {
  const over = new AbortController()
  const { signal } = over
  try {
    return await Promise.race([
      once(own, 'message', { signal }).then(() => 'answer' as const),
      once(own, 'exit', { signal }).then(() => 'exit' as const),
      sleep(ms, 'late' as const, { signal }),
    ])
  } catch {
    return 'exit'
  } finally {
    over.abort()
  }
}

function valueIn(answer: ChildAnswer | null, refusal: (why: string) => ForkrouteError): unknown {
  if (answer?.ok) return answer.value
  if (!answer || 'why' in answer) throw refusal(answer?.why ?? 'cannot be read')
  throw fromWireError(answer.error)
}
