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
  return { filename, execArgv: fromSource ? ['--import', 'tsx'] : [] }
}
