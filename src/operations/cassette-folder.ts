/** The folder of cassettes that the interface shows: names of files in it, and nothing outside of it. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { notFound, storageUnavailable } from '../domain/common-errors.js'
import { ForkrouteError } from '../domain/errors.js'
import type { CassetteEntry, CassetteFacts, Recording } from '../domain/operations/checks.js'
import type { ChildTasks } from '../processes/child-tasks.js'
import type { CassetteTasks } from './cassette-reading.js'

const suffix = '.cassette'

/** A plain file name: no folder, nothing hidden. */
export function isCassetteName(name: string): boolean {
  return /^\w[\w.-]{0,127}$/.test(name) && name.endsWith(suffix)
}

export interface CassetteFolder {
  /** Sorted by name; empty where there is no folder. */
  list(): CassetteEntry[]
  /** @throws ForkrouteError NOT_FOUND for what is no file of the folder, such as a link out of it. */
  fileOf(name: string): string
  facts(
    name: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<CassetteFacts>
  recording(name: string, number: number): Promise<Recording>
}

/** @param reading - a process that is ended when a file takes too long. */
export function cassetteFolder(
  folder: string,
  reading: Pick<ChildTasks<CassetteTasks>, 'run'>,
): CassetteFolder {
  function entryOf(name: string): CassetteEntry | null {
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false })
    // A link could lead anywhere.
    if (!stats?.isFile()) return null
    return { name, bytes: stats.size, changedAt: Math.floor(stats.mtimeMs) }
  }

  function known(name: string): CassetteEntry {
    const entry = isCassetteName(name) ? entryOf(name) : null
    if (!entry) throw notFound(`cassette ${name.slice(0, 128)}`)
    return entry
  }

  return {
    list: () =>
      entriesOf(folder)
        .flatMap(({ name }) => (isCassetteName(name) ? (entryOf(name) ?? []) : []))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    fileOf: (name) => join(folder, known(name).name),
    async facts(name, page) {
      const entry = known(name)
      const file = join(folder, entry.name)
      const { versions, ...facts } = await reading.run('cassetteFacts', { file, ...page }, unusable)
      const shown = versions.map(({ forkroute, anvil }) => ({ forkroute, anvil }))
      return { ...entry, ...facts, versions: shown }
    },
    async recording(name, number) {
      const file = join(folder, known(name).name)
      return reading.run('recording', { file, number }, unusable)
    },
  }
}

function unusable(why: string): ForkrouteError {
  return new ForkrouteError('STORAGE_UNAVAILABLE', `The cassette cannot be used: it ${why}.`)
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw storageUnavailable('The folder of cassettes cannot be read', cause)
  }
}
