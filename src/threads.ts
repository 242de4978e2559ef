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

/**
 * Megabytes of what a thread has just made, of which V8 lets it collect 48 before it clears up. Half of that takes
 * 10 to 15 MB less of the machine for each thread and no more time (docs/scaling.md).
 */
export const youngGenerationMb = 24
