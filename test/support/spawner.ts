/** The process that starts forks for this one. */
import { execFileSync } from 'node:child_process'

export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly args: string
}

/** All processes of the machine. */
export function listProcesses(): ProcessRow[] {
  const listed = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return listed.split('\n').flatMap((row) => {
    const [, pid, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)/.exec(row) ?? []
    return args === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }]
  })
}

/** Undefined before anything was started. */
export function spawnerPid(rows: readonly ProcessRow[] = listProcesses()): number | undefined {
  const own = ({ parent, args }: ProcessRow) =>
    parent === process.pid && args.includes('workers/spawner.js')
  return rows.find(own)?.pid
}
