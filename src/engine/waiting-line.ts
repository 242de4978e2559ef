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
