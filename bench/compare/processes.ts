/** Processor time and memory of a service and its forks, from /proc: Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks of /proc, milliseconds. */
const tickMs = 10
const pageMb = 4_096 / 2 ** 20

export interface Usage {
  /** Of the service's own threads and of what starts its forks, since it started. */
  readonly serviceMs: number
  /** Of its forks, those that have ended included. */
  readonly forksMs: number
  readonly serviceMb: number
  readonly forksMb: number
}

export function usageOf(pid: number): Usage {
  const own = statOf(pid)
  if (!own) throw new Error(`There is no process ${pid}.`)
  const children = childrenOf(pid)
  // A process of its own starts the forks.
  const service = [own, ...children.filter((child) => isSpawner(child.pid))]
  const forks = [
    ...children,
    ...service.slice(1).flatMap((spawner) => childrenOf(spawner.pid)),
  ].filter((child) => isFork(child.pid))
  return {
    serviceMs: sumOf(service, 'ms'),
    forksMs: sumOf(service, 'endedChildrenMs') + sumOf(forks, 'ms'),
    serviceMb: sumOf(service, 'mb'),
    forksMb: sumOf(forks, 'mb'),
  }
}

type Stat = NonNullable<ReturnType<typeof statOf>>

function sumOf(processes: readonly Stat[], figure: 'ms' | 'endedChildrenMs' | 'mb'): number {
  return processes.reduce((sum, stat) => sum + stat[figure], 0)
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

function isSpawner(pid: number): boolean {
  return /workers\/spawner\.\w+/.test(commandOf(pid))
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
