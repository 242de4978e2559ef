/** Finds the folder of package.json, wherever the calling file was compiled or bundled to. */
import { accessSync, constants, existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

function findFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    if (dirname(folder) === folder) throw new Error('The folder of the package was not found.')
    folder = dirname(folder)
  }
  return folder
}

export const packageFolder = findFolder()

/**
 * Where things are kept that can be made again: beside the package, or in the user's folder for such things where the
 * package is somebody else's, as one that root has installed for all is.
 */
export function cacheFolder(): string {
  const own = join(packageFolder, '.cache')
  if (isWritable(existsSync(own) ? own : packageFolder)) return own
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'forkroute')
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
