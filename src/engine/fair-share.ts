/**
 * Who may calculate: live calls at once, background ones in the room that these leave. While no live call is under
 * way so many run as keep the threads busy; beside live ones a single one goes on at a time, so that it comes to its
 * end and hardly disturbs. Those that wait hold no thread, no fork and no place in the queue of the threads.
 */
export interface FairShare {
  live<T>(work: () => Promise<T>): Promise<T>
  /** First come, first served. @throws the signal's reason when it is aborted before its turn. */
  background<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

/** @param most - background calculations at a time when nobody else calculates. */
export function createFairShare(most: number): FairShare {
  const waiting = new Set<() => void>()
  let lives = 0
  let backgrounds = 0

  function startWaiting(): void {
    for (const start of waiting) {
      if (backgrounds >= (lives ? 1 : most)) return
      waiting.delete(start)
      backgrounds += 1
      start()
    }
  }

  function turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
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
      startWaiting()
    })
  }

  return {
    async live(work) {
      lives += 1
      try {
        return await work()
      } finally {
        lives -= 1
        startWaiting()
      }
    },
    async background(work, signal) {
      await turn(signal)
      try {
        return await work()
      } finally {
        backgrounds -= 1
        startWaiting()
      }
    },
  }
}
