/** Waiting that ends when the caller is gone, or its time is over. */
import { ForkrouteError } from './errors.js'

/**
 * The result of the work, or the signal's reason as soon as it is aborted; the work itself goes on,
 * because others may share it.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/**
 * Bounds work in time, even where it ignores its signal.
 *
 * @param limit.timeoutMs - milliseconds from here on.
 * @param limit.outer - stops the work early; its reason is then thrown.
 * @param limit.late - what is thrown when the time is over. Default: ForkrouteError DEADLINE_EXCEEDED.
 * @param work - gets a signal that is aborted at the end of the time or with `outer`. Its later result is discarded.
 */
export function runWithin<T>(
  limit: {
    readonly timeoutMs: number
    readonly outer: AbortSignal
    readonly late?: () => ForkrouteError
  },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { timeoutMs, outer, late = () => notReady(timeoutMs) } = limit
  const inner = new AbortController()
  return new Promise((resolve, reject) => {
    const stop = (reason: unknown) => {
      inner.abort(reason)
      reject(reason)
    }
    const leave = () => stop(outer.reason)
    const timer = setTimeout(() => stop(late()), timeoutMs)
    outer.addEventListener('abort', leave, { once: true })
    const begin = async () => work(inner.signal)
    const started = outer.aborted ? Promise.reject(outer.reason) : begin()
    started.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      outer.removeEventListener('abort', leave)
    })
  })
}

function notReady(timeoutMs: number): ForkrouteError {
  return new ForkrouteError('DEADLINE_EXCEEDED', `No answer was ready in ${timeoutMs} ms.`)
}
