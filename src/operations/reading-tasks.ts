/** What is read of callers and strangers in a process of its own: `workers/reading.ts`. */
import { boundedSuite } from './bounded-suite.js'

export const readingTasks = { suite: boundedSuite }
export type ReadingTasks = typeof readingTasks
