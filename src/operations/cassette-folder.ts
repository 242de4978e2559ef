/** The folder of cassettes that the interface shows: names of files in it, and nothing outside of it. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fromRequestText } from '../cassette/request-form.js'
import { readRecording, summarise } from '../cassette/summary.js'
import { notFound, storageUnavailable } from '../domain/common-errors.js'
import type { CassetteEntry, CassetteFacts, Recording } from '../domain/operations/checks.js'

const suffix = '.cassette'

/** A plain file name: no folder, nothing hidden. */
export function isCassetteName(name: string): boolean {
  return /^\w[\w.-]{0,127}$/.test(name) && name.endsWith(suffix)
}

export interface CassetteFolder {
  /** By name; none where there is no folder. */
  list(): CassetteEntry[]
  /** @throws ForkrouteError NOT_FOUND for what is no file of the folder, such as a link out of it. */
  fileOf(name: string): string
  facts(name: string, page: { readonly offset: number; readonly limit: number }): CassetteFacts
  recording(name: string, number: number): Recording
}

export function cassetteFolder(folder: string): CassetteFolder {
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
    facts(name, { offset, limit }) {
      const entry = known(name)
      const { versions, chains, requests } = summarise(join(folder, name))
      return {
        ...entry,
        versions: versions.map(({ forkroute, anvil }) => ({ forkroute, anvil })),
        chains,
        total: requests.length,
        requests: requests.slice(offset, offset + limit),
      }
    },
    recording(name, number) {
      const { summary, row } = readRecording(join(folder, known(name).name), number)
      const { body = null } = fromRequestText(row.request)
      return { ...summary, body, answer: JSON.parse(row.answer) as unknown }
    },
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw storageUnavailable('The folder of cassettes cannot be read', cause)
  }
}
