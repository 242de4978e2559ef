/**
 * Lets so many pieces of work run at a time; the others wait, first come, first served. What waits has not begun: it
 * holds no block and no fork, and begins with the newest block.
 */
import { ForkrouteError } from '../domain/errors.js'

export interface Turns {
  /** @throws ForkrouteError OVERLOADED at once when too many wait; the signal's reason when it is aborted. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** How many wait. */
  waiting(): number
}

export function createTurns(most: number, mostWaiting: number): Turns {
  const waiting = new Set<() => void>()
  let running = 0

  function begin(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (running < most) {
      running += 1
      return Promise.resolve()
    }
    if (waiting.size >= mostWaiting) {
      throw new ForkrouteError('OVERLOADED', 'Too many calculations are waiting; try again.')
    }
    return new Promise((resolve, reject) => {
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
    })
  }

  /** The place goes to whoever waited longest. */
  function end(): void {
    const [next] = waiting
    if (!next) {
      running -= 1
      return
    }
    waiting.delete(next)
    next()
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
    waiting: () => waiting.size,
  }
}
