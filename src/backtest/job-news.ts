/** Notifies of changes to jobs in this process. Changes by other processes are not seen, so every wait is bounded. */
import { EventEmitter } from 'node:events'

export interface JobNews {
  notify(id: string): void
  /** Until something is known to have happened to the job, `longestMs` are over, or the signal is aborted. */
  next(id: string, longestMs: number, signal: AbortSignal): Promise<void>
}

export function createJobNews(): JobNews {
  const news = new EventEmitter().setMaxListeners(0)
  return {
    notify: (id) => void news.emit(id),
    next: (id, longestMs, signal) =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer)
          news.off(id, end)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const timer = setTimeout(end, longestMs)
        news.on(id, end)
        signal.addEventListener('abort', end, { once: true })
      }),
  }
}
