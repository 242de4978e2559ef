/** Finds the folder of package.json, wherever the calling file was compiled or bundled to. */
import { existsSync } from 'node:fs'
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
