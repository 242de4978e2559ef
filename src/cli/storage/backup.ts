/** `forkroute backup`: a copy of the data folder of a service that runs, or does not. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, ConfigError, loadConfig } from '../../config/config.js'
import { storageUnavailable } from '../../domain/common-errors.js'
import { openSqlite } from '../../platform/sqlite.js'
import { type ConnectionOptions, refuseUrl } from '../client.js'
import { type OutputOptions, printJson, printTable } from '../output.js'

/** What nodes said, which they say again. */
const cacheFile = 'archive.sqlite'
const header = 'SQLite format 3\0'
/** Another process writes for milliseconds only. */
const lockTimeoutMs = 5_000

interface Copied {
  readonly file: string
  readonly bytes: number
}

/**
 * Every database of the data folder but the cache, also cassettes that lie there, each as it was at one moment. Readable
 * by their owner alone; on disk when this returns. The folder is there as a whole or not at all.
 *
 * @param to - absent or empty.
 * @throws ConfigError for a folder that is neither, or a data folder with nothing to copy.
 * @throws ForkrouteError STORAGE_UNAVAILABLE: a disk is full, a file is damaged, or locked as a cassette is while it is recorded.
 */
function backUp({ dataDir }: Pick<Config, 'dataDir'>, to: string): Copied[] {
  const files = existsSync(dataDir) ? databasesOf(dataDir) : []
  if (files.length === 0) {
    throw new ConfigError([`DATA_DIR: there is nothing to copy in ${dataDir}.`])
  }
  if (existsSync(to) && readdirSync(to).length > 0) {
    throw new ConfigError([`${to}: must be a new or an empty folder.`], 'command line')
  }
  const unfinished = `${to}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  try {
    mkdirSync(unfinished, { recursive: true, mode: 0o700 })
    const copied = files.map((file) => copy(join(dataDir, file), join(unfinished, file)))
    rmSync(to, { recursive: true, force: true })
    renameSync(unfinished, to)
    return copied.map((bytes, index) => ({ file: files[index] ?? '', bytes }))
  } catch (cause) {
    rmSync(unfinished, { recursive: true, force: true })
    throw storageUnavailable('The backup cannot be made', cause)
  }
}

function databasesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== cacheFile)
    .map(({ name }) => name)
    .filter((name) => startOf(join(folder, name)) === header)
    .sort()
}

function startOf(file: string): string {
  const handle = openSync(file, 'r')
  try {
    const start = Buffer.alloc(header.length)
    return start.toString('latin1', 0, readSync(handle, start))
  } finally {
    closeSync(handle)
  }
}

/** @returns the bytes of the copy. */
function copy(from: string, to: string): number {
  // Not opened to read only: in a folder without its -shm file SQLite then cannot read what the -wal file holds.
  const source = openSqlite(from, { fileMustExist: true, timeout: lockTimeoutMs })
  try {
    source.prepare('VACUUM INTO ?').run(to)
  } finally {
    source.close()
  }
  chmodSync(to, 0o600)
  const made = openSqlite(to, { readonly: true })
  try {
    const found = made.pragma('quick_check', { simple: true })
    if (found !== 'ok') throw new Error(`the copy of ${from} is damaged: ${found}`)
  } finally {
    made.close()
  }
  const handle = openSync(to, 'r+')
  fsyncSync(handle)
  closeSync(handle)
  return statSync(to).size
}

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('copy keys, pools, backtests and cassettes of DATA_DIR, while a service uses them')
    .argument('<folder>', 'new or empty; later a DATA_DIR itself')
    .action((folder: string, _local, command: Command) => {
      const options = command.optsWithGlobals<OutputOptions & ConnectionOptions>()
      refuseUrl(options, 'what is copied lies in the folder DATA_DIR')
      const config = loadConfig(process.env)
      const copied = backUp(config, resolve(folder))
      if (options.json) printJson(copied)
      else {
        printTable(
          ['file', 'bytes'],
          copied.map(({ file, bytes }) => [file, bytes]),
        )
      }
      if (config.databaseUrl) console.error('Backtests are in Postgres: copy them by pg_dump.')
    })
}
