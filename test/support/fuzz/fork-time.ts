import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** Seconds of the processor that each Anvil of this process has used, by process id. Linux only. */
export function forkSeconds(): Map<string, number> {
  const seconds = new Map<string, number>()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
      const fields = rest.split(' ')
      const isFork = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--fork-url')
      if (Number(fields[1]) !== process.pid || !isFork) continue
      seconds.set(pid, (Number(fields[11]) + Number(fields[12])) / ticksPerSecond)
    } catch {
      // It has ended meanwhile.
    }
  }
  return seconds
}

/** The most that one of them has used since. */
export function busiestSince(before: ReadonlyMap<string, number>): number {
  const used = [...forkSeconds()].map(([pid, seconds]) => seconds - (before.get(pid) ?? 0))
  return Math.max(0, ...used)
}
