/** Bounds work in time, even when the work ignores its signal. */
import { ForkrouteError } from '../domain/errors.js'

/**
 * @param outer - stops the work early; its reason is then thrown.
 * @param work - gets a signal that is aborted at the deadline or with `outer`. Its later result is discarded.
 * @throws ForkrouteError DEADLINE_EXCEEDED after `timeoutMs`.
 */
export function runWithin<T>(
  timeoutMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController()
  return new Promise((resolve, reject) => {
    const stop = (reason: unknown) => {
      inner.abort(reason)
      reject(reason)
    }
    const leave = () => stop(outer.reason)
    const timer = setTimeout(
      () =>
        stop(new ForkrouteError('DEADLINE_EXCEEDED', `No answer was ready in ${timeoutMs} ms.`)),
      timeoutMs,
    )
    outer.addEventListener('abort', leave, { once: true })
    const started = outer.aborted ? Promise.reject(outer.reason) : work(inner.signal)
    started.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      outer.removeEventListener('abort', leave)
    })
  })
}
