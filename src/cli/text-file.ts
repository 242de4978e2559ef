/** Files that commands are given by name. */
import { readFile } from 'node:fs/promises'
import { ConfigError } from '../config/config.js'

/** @throws ConfigError for a file that cannot be read; `hint` is a sentence for who did not mean a file. */
export function readTextFile(path: string, hint?: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const message = `${path} cannot be read (${error.code}).`
    throw new ConfigError([hint === undefined ? message : `${message} ${hint}`], 'file')
  })
}

/** @param what - its entries. @throws ConfigError for anything but a JSON array; what is in it is not looked at. */
export function jsonListIn(text: string, what: string): unknown[] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    throw new ConfigError(['it is not JSON.'], 'file')
  }
  if (!Array.isArray(list)) throw new ConfigError([`it must hold a JSON array of ${what}.`], 'file')
  return list
}
