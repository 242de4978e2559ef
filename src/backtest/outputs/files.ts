/** Draft files, which have temporary names until they are complete. */
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BacktestBlock } from '../../domain/backtest.js'
import { storageUnavailable } from '../../domain/common-errors.js'
import { quietly } from '../../telemetry/quietly.js'
import type { Encoder } from './encoder.js'
import type { SqliteFile } from './sqlite.js'

/** Bytes gathered before they are written or handed on. */
export const chunkBytes = 64 * 1024

/** The methods throw ForkrouteError STORAGE_UNAVAILABLE. */
export interface DraftFile {
  add(block: BacktestBlock): Promise<void>
  /** Everything is on disk afterwards. */
  end(): Promise<void>
  /** Renames it to its final name, replacing any file there. Call after `end`. */
  publish(): Promise<string>
  /** Removes it; of a published file: nothing. */
  discard(): Promise<void>
}

export async function draftOf(folder: string, name: string, encoder: Encoder): Promise<DraftFile> {
  const path = draftPath(folder, name)
  const file = await stored(() => open(path, 'wx'))
  const chunks = createChunks()
  const write = async (part: Uint8Array | null) => {
    if (part) await stored(() => file.writeFile(part))
  }
  return {
    add: (block) => write(chunks.push(encoder.add(block))),
    async end() {
      await write(chunks.push(await encoder.end()))
      await write(chunks.rest())
      await stored(() => sync(file))
    },
    publish: () => publish(path, join(folder, name)),
    async discard() {
      await quietly(file.close(), 'The draft is removed, closed or not.')
      await rm(path, { force: true })
    },
  }
}

/** @param create - makes the file at the path. */
export async function draftOfSqlite(
  folder: string,
  name: string,
  create: (path: string) => SqliteFile,
): Promise<DraftFile> {
  const path = draftPath(folder, name)
  const file = await stored(async () => create(path))
  return {
    add: (block) => stored(async () => file.add(block)),
    end: () =>
      stored(async () => {
        await file.end()
        await sync(await open(path, 'r+'))
      }),
    publish: () => publish(path, join(folder, name)),
    async discard() {
      file.close()
      await rm(path, { force: true })
    },
  }
}

/** Parts put together until they are worth a write. */
export function createChunks() {
  let parts: Uint8Array[] = []
  let size = 0
  const rest = (): Uint8Array | null => {
    if (size === 0) return null
    const whole = Buffer.concat(parts)
    parts = []
    size = 0
    return whole
  }
  return {
    /** Null while there is too little. */
    push(part: Uint8Array): Uint8Array | null {
      parts.push(part)
      size += part.length
      return size >= chunkBytes ? rest() : null
    },
    rest,
  }
}

/** @throws ForkrouteError STORAGE_UNAVAILABLE in place of what a disk or a database throws. */
export async function stored<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw storageUnavailable('An output file cannot be written', cause)
  }
}

async function sync(file: FileHandle): Promise<void> {
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function publish(from: string, to: string): Promise<string> {
  await stored(() => rename(from, to))
  return to
}

const draftPath = (folder: string, name: string) =>
  join(folder, `.${name}.${randomBytes(6).toString('hex')}.part`)
