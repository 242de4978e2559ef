/** Processor time and memory of a service and its forks, from /proc: Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks of /proc, milliseconds. */
const tickMs = 10
const pageMb = 4_096 / 2 ** 20

export interface Usage {
  /** Of the service's own threads, since it started. */
  readonly serviceMs: number
  /** Of its forks, those that have ended included. */
  readonly forksMs: number
  readonly serviceMb: number
  readonly forksMb: number
}

export function usageOf(pid: number): Usage {
  const own = statOf(pid)
  if (!own) throw new Error(`There is no process ${pid}.`)
  const forks = childrenOf(pid).filter((child) => isFork(child.pid))
  return {
    serviceMs: own.ms,
    forksMs: own.endedChildrenMs + forks.reduce((sum, { ms }) => sum + ms, 0),
    serviceMb: own.mb,
    forksMb: forks.reduce((sum, { mb }) => sum + mb, 0),
  }
}

/** Megabytes of all processes of a service together, and of their forks. */
export function memoryOf(primary: number): Pick<Usage, 'serviceMb' | 'forksMb'> {
  const members = childrenOf(primary).filter(({ pid }) => commandOf(pid).includes('main.js'))
  const all = [primary, ...members.map(({ pid }) => pid)].map(usageOf)
  return {
    serviceMb: all.reduce((sum, { serviceMb }) => sum + serviceMb, 0),
    forksMb: all.reduce((sum, { forksMb }) => sum + forksMb, 0),
  }
}

function childrenOf(pid: number) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])
    .filter((stat) => stat.parent === pid)
}

/** The sandbox's own chains are Anvils, too. */
function isFork(pid: number): boolean {
  return commandOf(pid).includes('--fork-url')
}

function commandOf(pid: number): string {
  return readOr(`/proc/${pid}/cmdline`)
}

function statOf(pid: number) {
  const text = readOr(`/proc/${pid}/stat`)
  // The name, in brackets, may hold anything.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  if (text === '') return null
  const [parent, user, system, childUser, childSystem, pages] = [1, 11, 12, 13, 14, 21].map(
    (index) => fields[index] ?? 0,
  )
  return {
    pid,
    parent,
    ms: ((user ?? 0) + (system ?? 0)) * tickMs,
    endedChildrenMs: ((childUser ?? 0) + (childSystem ?? 0)) * tickMs,
    mb: (pages ?? 0) * pageMb,
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
