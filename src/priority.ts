/**
 * What calculates gives way to what answers: on a busy machine the threads and forks that use up the cores would else
 * make every request wait for a slice of time, health checks included.
 */
import { readdirSync, readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Niceness: a ninth of the usual weight. At 19 any other work on the machine would starve the forks. */
export const backgroundPriority = 10

/** All threads that a process has by now; those that they start inherit the priority. */
export function lowerProcess(pid: number): void {
  for (const thread of threadsOf(pid)) lower(thread)
}

/** Only Linux exposes them, and gives each a priority of its own. */
function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return [pid]
  }
}

/** The calling thread alone. Only Linux gives threads priorities of their own. */
export function lowerThread(): void {
  if (process.platform !== 'linux') return
  const [thread] = readlinkSync('/proc/thread-self').split('/').slice(-1)
  lower(Number(thread))
}

/** A wish: where the system refuses it, everything works all the same. */
function lower(id: number): void {
  try {
    setPriority(id, backgroundPriority)
  } catch {
    return
  }
}
