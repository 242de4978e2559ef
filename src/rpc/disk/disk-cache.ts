/**
 * The archive's cache on disk: `AnswerDb` with batched writes, a bound on its size, and failures turned into warnings.
 * Without a folder, or after a failure, it holds nothing: the archive then asks the nodes, which is slower but never
 * wrong.
 *
 * The folder owns `archive.sqlite`. In and out: texts by scope and item. It throws nothing: a fault is a warning.
 */
import { join } from 'node:path'
import { type AnswerDb, type AnswerRow, openAnswerDb } from './answer-db.js'

export interface DiskCache {
  get(scope: string, item: string): string | null
  all(scope: string): { item: string; value: string }[]
  put(row: AnswerRow): void
  remove(scope: string, item: string): void
  dropScope(scope: string): void
  close(): void
}

const maxBytes = 512 * 1024 * 1024
const flushAfterMs = 200
const flushAtRows = 2_000
/** Flushes between two checks of the file's size. */
const shrinkEvery = 50
/** Pause after a failed write: a full disk may have room again later. */
const pauseAfterFailureMs = 10_000

/** @param keep - scopes that go last when the file is over its bound (used by every block). */
export function openDiskCache(
  dataDir: string | null,
  keep: (scope: string) => boolean,
  warn: (message: string) => void,
): DiskCache {
  let db: AnswerDb | null = null
  let pending: AnswerRow[] = []
  let timer: NodeJS.Timeout | null = null
  let flushes = 0
  let pausedUntil = 0

  if (dataDir !== null) {
    try {
      db = openAnswerDb(join(dataDir, 'archive.sqlite'))
    } catch (error) {
      warn(`The state cache on disk is not used: ${reasonOf(error)}.`)
    }
  }

  /** Runs one use of the file; a failure costs the cache, not the caller. */
  function attempt<T>(fallback: T, use: (open: AnswerDb) => T): T {
    if (!db || Date.now() < pausedUntil) return fallback
    try {
      return use(db)
    } catch (error) {
      const reason = reasonOf(error)
      if (/CORRUPT|NOTADB/.test(reason)) {
        db.close()
        db = null
        warn(`The state cache on disk is damaged and no longer used: ${reason}.`)
      } else {
        pausedUntil = Date.now() + pauseAfterFailureMs
        warn(`The state cache on disk is not used for a while: ${reason}.`)
      }
      return fallback
    }
  }

  function flush(): void {
    timer = null
    const rows = pending
    pending = []
    attempt(undefined, (open) => {
      open.put(rows)
      flushes += 1
      if (flushes % shrinkEvery === 0) open.shrink(maxBytes, keep)
    })
  }

  return {
    get: (scope, item) =>
      attempt(null, (open) => {
        const found = open.get(scope, item)
        if (found.kind === 'found') return found.value
        if (found.kind === 'damaged') {
          warn('The state cache on disk held a damaged row; it is read from the node again.')
          open.remove(scope, item)
        }
        return null
      }),
    all: (scope) => attempt([], (open) => open.all(scope)),
    put(row) {
      if (!db) return
      pending.push(row)
      if (pending.length >= flushAtRows) flush()
      else timer ??= setTimeout(flush, flushAfterMs)
    },
    remove(scope, item) {
      pending = pending.filter((row) => row.scope !== scope || row.item !== item)
      attempt(undefined, (open) => open.remove(scope, item))
    },
    dropScope(scope) {
      pending = pending.filter((row) => row.scope !== scope)
      attempt(undefined, (open) => open.dropScope(scope))
    },
    close() {
      if (timer) clearTimeout(timer)
      flush()
      db?.close()
      db = null
    },
  }
}

/** The same file with scopes of their own: what is written by one is not read by the other. */
export function withScopesOfItsOwn(disk: DiskCache, prefix: string): DiskCache {
  const own = (scope: string): string => `${prefix} ${scope}`
  return {
    get: (scope, item) => disk.get(own(scope), item),
    all: (scope) => disk.all(own(scope)),
    put: (row) => disk.put({ scope: own(row.scope), item: row.item, value: row.value }),
    remove: (scope, item) => disk.remove(own(scope), item),
    dropScope: (scope) => disk.dropScope(own(scope)),
    close: () => disk.close(),
  }
}

/** SQLite's code, without the path of the file. */
function reasonOf(error: unknown): string {
  return (error as { code?: string }).code ?? 'it cannot be opened'
}
