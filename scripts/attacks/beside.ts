/** An attack, and what others notice of it meanwhile. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Target } from './target.js'
import type { Noticed, Watched } from './watch.js'

/** @param leastMs - also where the work is done earlier, so that there are quotes to compare. */
export async function beside<T>(
  { url, pid, quotePath, keys }: Target,
  work: () => Promise<T>,
  leastMs = 5_000,
): Promise<[T, Noticed]> {
  const watcher = fork(fileURLToPath(new URL('watcher.ts', import.meta.url)), [], {
    serialization: 'advanced',
  })
  try {
    const watched: Watched = { url, pid, quotePath, keys: keys.quotes }
    watcher.send(watched)
    await once(watcher, 'message')
    const [result] = await Promise.all([work(), sleep(leastMs)])
    const told = once(watcher, 'message')
    watcher.send('end')
    const [noticed] = (await told) as [Noticed]
    return [result, noticed]
  } finally {
    watcher.kill('SIGKILL')
  }
}
