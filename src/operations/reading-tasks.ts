/** What is read of callers and strangers in a process of its own: `workers/reading.ts`. */
import { boundedSuite } from './bounded-suite.js'
import { cassetteTasks } from './cassette-reading.js'

export const readingTasks = { suite: boundedSuite, ...cassetteTasks }
export type ReadingTasks = typeof readingTasks
