/**
 * Locates the compiled code of a worker thread. Even when the service runs from its sources (tests, benches), its
 * threads run the files in `dist/` that production runs: TypeScript loaders do not reach into threads of Node 20,
 * and the tests cover what is shipped.
 */
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
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
 * 10 to 15 MB less of the machine for each thread and no more time (docs/how-to/scaling.md).
 */
export const youngGenerationMb = 24

/**
 * Bytes of bytecode that a function runs between two looks whether it is worth optimising. A new service runs thousands
 * of functions for the first time, in each thread anew, and compiling them well takes more than they save: at V8's own
 * 132 kB a third of the processor time of the first hundred requests (docs/explanation/speed.md).
 */
const optimisationBudget = 540_672

/**
 * How far a heap may grow beyond what lives in it before all of it is cleared up, percent. V8 drops the machine code of
 * functions that are made anew for each request when nothing holds one just then, and compiles it again. Twice of what
 * lives is where most of that is spared; at 300 % it is little less, for 200 MB more (docs/explanation/speed.md).
 */
const heapGrowthPercent = 100

/** Has all threads of the process compile only what they run often, and keep what is compiled. Call before threads start. */
export function compileLess(): void {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`)
  // Later ones have a compiler in between, and other defaults.
  if (process.versions.node.startsWith('20.')) {
    setFlagsFromString(`--interrupt-budget=${optimisationBudget}`)
  }
}
