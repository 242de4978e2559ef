/**
 * Work whose failure changes no answer: a hint to the archive, the end of a process that is dead already. The error is
 * kept from whoever waits, and is a line of the log at level debug, in every thread of the service.
 */
import { channel } from 'node:diagnostics_channel'
import type { Logger } from 'pino'

interface IgnoredError {
  readonly why: string
  readonly error: unknown
}

const ignored = channel('forkroute:ignored-error')

/**
 * Never rejects: a failure is undefined.
 *
 * @param why - a sentence that says why nobody needs to know, as the log shows it.
 */
export async function quietly<T>(work: Promise<T>, why: string): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (ignored.hasSubscribers) ignored.publish({ why, error } satisfies IgnoredError)
    return undefined
  }
}

/**
 * Logs what `quietly` ignores in this thread, where the logger takes lines at level debug.
 *
 * @returns how to stop.
 */
export function logIgnoredErrors(logger: Logger): () => void {
  if (!logger.isLevelEnabled('debug')) return () => undefined
  const write = (message: unknown): void => {
    const { why, error } = message as IgnoredError
    logger.debug({ err: error }, why)
  }
  ignored.subscribe(write)
  return () => ignored.unsubscribe(write)
}

/** Whether this thread logs them, so that threads which it starts are to do so, too. */
export function logsIgnoredErrors(): boolean {
  return ignored.hasSubscribers
}

/** Does what `logIgnoredErrors` does for a thread, which has no logger of its own. */
export async function logIgnoredErrorsOfThread(): Promise<void> {
  const { createLogger } = await import('./log.js')
  logIgnoredErrors(createLogger('debug'))
}
