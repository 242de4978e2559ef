/**
 * Locates the compiled code of a worker thread. Even when the service runs from its sources (tests, benches), its
 * threads run the files in `dist/` that production runs: TypeScript loaders do not reach into threads of Node 20,
 * and the tests cover what is shipped.
 */
import { join } from 'node:path'
import { packageFolder } from './package-folder.js'

/**
 * @param name - file name without extension inside the top-level folder `workers/`.
 * @returns Path of the compiled file.
 */
export function threadFile(name: string): string {
  return join(packageFolder, 'dist', 'workers', `${name}.js`)
}
