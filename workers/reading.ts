/** Entry of a process that reads what callers and strangers have written, which may be made to take hours or all memory. */
import { readingTasks } from '../src/operations/reading-tasks.js'
import { serveTasks } from '../src/processes/child-messages.js'

serveTasks(readingTasks)
