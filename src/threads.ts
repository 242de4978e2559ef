/**
 * Where the code of a worker thread lies: compiled JavaScript in production,
 * TypeScript through tsx when the service itself runs from its sources (tests, development).
 */
import { fileURLToPath } from 'node:url'

export interface ThreadEntry {
  readonly filename: string
  readonly execArgv: string[]
}

/** @param name - file name without extension inside the top-level folder `workers/`. */
export function threadEntry(name: string): ThreadEntry {
  const fromSource = import.meta.url.endsWith('.ts')
  const filename = fileURLToPath(
    new URL(`../workers/${name}${fromSource ? '.ts' : '.js'}`, import.meta.url),
  )
  return { filename, execArgv: fromSource ? ['--import', typescriptLoader()] : [] }
}

/** A module that registers tsx: `--import tsx` itself does nothing in a thread of Node 20. */
function typescriptLoader(): string {
  const api = import.meta.resolve('tsx/esm/api')
  return `data:text/javascript,${encodeURIComponent(`import { register } from '${api}'; register()`)}`
}
