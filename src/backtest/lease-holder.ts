/** Names the process that works on a job: unique, and recognisably gone if it ended on this machine. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

/** Holders in this process: it may run several services, and may have the process id of one that died. */
const living = new Set<string>()

export interface LeaseHolder {
  readonly name: string
  /** True for an owner on this machine whose process, or whose service in it, has ended. */
  isGone(other: string): boolean
  retire(): void
}

export function createLeaseHolder(): LeaseHolder {
  const place = hostname().replaceAll('/', '-')
  const name = `${place}/${process.pid}/${randomBytes(4).toString('hex')}`
  living.add(name)
  return {
    name,
    isGone(other) {
      const [itsPlace, pid = ''] = other.split('/')
      if (itsPlace !== place) return false
      return Number(pid) === process.pid ? !living.has(other) : !isAlive(Number(pid))
    },
    retire: () => void living.delete(name),
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
