/**
 * Lets so many pieces of work run at a time; the others wait, first come, first served. What waits has not begun: it
 * holds no block and no fork, and begins with the newest block.
 */
import { ForkrouteError } from '../domain/errors.js'
import { count } from '../telemetry/metrics.js'

export interface Turns {
  /** @throws ForkrouteError OVERLOADED at once when too many wait; the signal's reason when it is aborted. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** How many wait. */
  waiting(): number
}

export function createTurns(most: number, mostWaiting: number): Turns {
  const line = createWaitingLine()
  let running = 0

  function begin(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (running < most) {
      running += 1
      return Promise.resolve()
    }
    if (line.length() >= mostWaiting) {
      count('refused_total', { limit: 'queue' })
      throw new ForkrouteError('OVERLOADED', 'Too many calculations are waiting; try again.')
    }
    return line.join(signal)
  }
  /** The place goes to whoever waited longest. */
  function end(): void {
    if (!line.next()) running -= 1
  }

  return {
    async run(work, signal) {
      await begin(signal)
      try {
        return await work()
      } finally {
        end()
      }
    },
    waiting: line.length,
  }
}

/** Work that waits for its turn: first come, first served. No decisions about when. */
export interface WaitingLine {
  /** Resolves at its turn. @throws the signal's reason when it is aborted before. */
  join(signal: AbortSignal): Promise<void>
  /** Lets begin whoever waited longest. @returns false: nobody waits. */
  next(): boolean
  length(): number
}

export function createWaitingLine(): WaitingLine {
  const waiting = new Set<() => void>()
  return {
    join: (signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        const leave = () => {
          waiting.delete(start)
          reject(signal.reason)
        }
        const start = () => {
          signal.removeEventListener('abort', leave)
          resolve()
        }
        signal.addEventListener('abort', leave, { once: true })
        waiting.add(start)
      }),
    next() {
      const [start] = waiting
      if (!start) return false
      waiting.delete(start)
      start()
      return true
    },
    length: () => waiting.size,
  }
}
