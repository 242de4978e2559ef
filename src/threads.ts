/**
 * Where the code of a worker thread lies: always compiled. Started from its sources (tests, benches) the
 * service uses the same files of `dist/` that production runs, so what is tested is what is shipped;
 * loaders for TypeScript do not reach into threads of Node 20.
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
