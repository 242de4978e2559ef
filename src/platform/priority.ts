/**
 * Calculations run at a lower priority than the thread that answers requests. Otherwise, on a busy machine, worker threads,
 * forks and the archive they read would occupy all cores and every request would wait for a time slice, health checks
 * included.
 */
import { readdirSync, readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Niceness: a ninth of the usual weight. At 19 any other work on the machine would starve the forks. */
export const backgroundPriority = 10

/** All current threads of a process; threads that these start later inherit the priority. */
export function lowerProcess(pid: number): void {
  for (const thread of threadsOf(pid)) lower(thread)
}

/** Only Linux lists them, and has a priority per thread. */
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

/** Best effort: where the system refuses, everything works at the normal priority. */
function lower(id: number): void {
  try {
    setPriority(id, backgroundPriority)
  } catch {
    return
  }
}
