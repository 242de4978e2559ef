/**
 * What calculates gives way to what answers: on a busy machine the threads and forks that use up the cores would else
 * make every request wait for a slice of time, health checks included.
 */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Niceness: a third of the usual weight; lower, and any other work on the machine would starve the forks. */
export const backgroundPriority = 5

/** @param pid - of a process that has just been started: what it starts itself inherits the priority. */
export function lowerProcess(pid: number): void {
  lower(pid)
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
