/** Waiting that ends when the caller is gone. Pure. */

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
