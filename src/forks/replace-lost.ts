/** Tries work again on another fork where the one that it ran on does not answer any more. */
import { ForkrouteError } from '../domain/errors.js'
import type { ForkUrls } from './block-source.js'
import type { ForkLease } from './lease.js'

/**
 * Forks that one piece of work may lose and have replaced. Where forks die every few seconds, as on a machine without memory,
 * work of some seconds meets two or three of them now and then; work that itself kills forks ends with the fifth.
 */
const mostReplacements = 4
/**
 * Further attempts on one fork, where those that are replaced already have failed one: what a thread reads for a block is
 * shared, and the attempt joined reads that the one before had begun.
 */
const mostJoined = 3

/**
 * @param first - what the first attempt came to.
 * @param work.lostIn - URL of the fork that an attempt has lost; undefined: none, and the attempt is the result.
 * @param work.replace - has that fork replaced.
 * @returns what the last attempt came to.
 */
export async function replacingLost<T>(
  first: T,
  work: {
    readonly lostIn: (attempt: T) => string | undefined
    readonly replace: (url: string) => Promise<unknown>
    readonly again: () => Promise<T>
  },
): Promise<T> {
  let attempt = first
  const replaced = new Set<string>()
  let joined = 0
  for (;;) {
    const lost = work.lostIn(attempt)
    if (lost === undefined) return attempt
    joined = replaced.has(lost) ? joined + 1 : 0
    replaced.add(lost)
    if (replaced.size > mostReplacements || joined > mostJoined) return attempt
    // Also where it is replaced already: the one in its place may have died since.
    await work.replace(lost)
    attempt = await work.again()
  }
}

/** The forks that the lease holds at present. @throws ForkrouteError FORK_UNAVAILABLE: none. */
export function forksOf({ pin, urls: forkUrls, isFilled }: ForkLease): ForkUrls {
  if (forkUrls.length) return { forkUrls, isFilled }
  throw new ForkrouteError(
    'FORK_UNAVAILABLE',
    `Block ${pin.number} has no fork at the moment; try again.`,
  )
}
