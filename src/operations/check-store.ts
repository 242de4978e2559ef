/** Checks and what they found, a file each in the data folder, so that every process of a service knows all of them. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { notFound, storageUnavailable } from '../domain/common-errors.js'
import type { Check } from '../domain/operations/checks.js'

/** Older ones are removed. */
const mostKept = 50

/** With the process that works on it. */
interface StoredCheck extends Check {
  readonly pid: number
}

export interface CheckStore {
  /** The newest first. */
  list(): Check[]
  /** @throws ForkrouteError NOT_FOUND. */
  get(id: string): Check
  add(check: Pick<Check, 'kind' | 'name'>): Check
  put(check: Check): void
}

/** @throws ForkrouteError STORAGE_UNAVAILABLE, of each method. */
export function checkStore(folder: string): CheckStore {
  const fileOf = (id: string) => join(folder, `${id}.json`)

  function ids(): string[] {
    const names = kept(() => readdirSync(folder), [])
    const checkIds = names.flatMap((name) => /^([0-9a-z]{10,40})\.json$/.exec(name)?.[1] ?? [])
    // They begin with the time.
    return checkIds.sort().reverse()
  }

  function read(id: string): Check | null {
    const text = kept(() => readFileSync(fileOf(id), 'utf8'), null)
    return text === null ? null : known(JSON.parse(text) as StoredCheck)
  }

  function put(check: Check): void {
    const stored: StoredCheck = { ...check, pid: process.pid }
    kept(() => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      // A reader sees one or the other, and nothing in between.
      const part = `${fileOf(check.id)}.part`
      writeFileSync(part, JSON.stringify(stored), { mode: 0o600 })
      renameSync(part, fileOf(check.id))
    })
  }

  return {
    list: () => ids().flatMap((id) => read(id) ?? []),
    get(id) {
      const check = ids().includes(id) ? read(id) : null
      if (!check) throw notFound(`check with the id ${id.slice(0, 64)}`)
      return check
    },
    add({ kind, name }) {
      for (const old of ids().slice(mostKept - 1)) kept(() => rmSync(fileOf(old)), undefined)
      const createdAt = Date.now()
      const check: Check = {
        id: `${createdAt.toString(36).padStart(9, '0')}${randomBytes(4).toString('hex')}`,
        kind,
        name,
        createdAt,
        state: 'running',
        problem: null,
        ok: null,
        finishedAt: null,
        cassette: null,
        suite: null,
      }
      put(check)
      return check
    },
    put,
  }
}

function known({ pid, ...check }: StoredCheck): Check {
  if (check.state !== 'running' || isAlive(pid)) return check
  const problem = 'The service ended before the check did.'
  return { ...check, state: 'failed', problem, finishedAt: check.createdAt }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** @param absent - where there is no such file; left out: that is an error, too. */
function kept<T, A = never>(work: () => T, absent?: A): T | A {
  try {
    return work()
  } catch (cause) {
    if (absent !== undefined && (cause as NodeJS.ErrnoException).code === 'ENOENT') return absent
    throw storageUnavailable('Checks cannot be read or written', cause)
  }
}
