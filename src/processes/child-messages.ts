/** What a service and its processes for single tasks (`child-tasks.ts`) tell each other, and the half of those processes. */
import { toWireError, type WireError } from '../domain/errors.js'

/** The tasks of an entry by name. What they take and give is structured-clonable. */
export type TaskFunctions = Readonly<Record<string, (input: never) => unknown>>

export interface ChildQuestion {
  readonly name: string
  readonly input: unknown
}

/** `why`: the input has no end, as the end of a sentence about it. */
export type ChildAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly why: string }
  | { readonly ok: false; readonly error: WireError }

/** Does tasks until the service that asks has gone. Call once, when all is loaded. */
export function serveTasks(tasks: TaskFunctions): void {
  process.on('message', (question: ChildQuestion) => void answer(tasks, question))
  process.on('disconnect', () => process.exit())
  tell({ ok: true, value: null })
}

async function answer(tasks: TaskFunctions, { name, input }: ChildQuestion): Promise<void> {
  try {
    const task = tasks[name] as ((input: unknown) => unknown) | undefined
    if (!task) throw new Error(`There is no task ${name}.`)
    tell({ ok: true, value: await task(input) })
  } catch (error) {
    // The one fault that is the input's and not the code's: it is nested deeper than the stack.
    if (error instanceof RangeError) tell({ ok: false, why: 'is nested too deeply' })
    else tell({ ok: false, error: toWireError(error) })
  }
}

function tell(message: ChildAnswer): void {
  process.send?.(message)
}
