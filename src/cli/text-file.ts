/** Files that commands are given by name. */
import { readFile } from 'node:fs/promises'
import { ConfigError } from '../config/config.js'

/** @throws ConfigError for a file that cannot be read. */
export function readTextFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([`${path} cannot be read (${error.code}).`], 'file')
  })
}
