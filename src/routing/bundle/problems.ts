/** Turns the mistakes in the arguments of a bundle's actions into an error. Pure. */
import { ForkrouteError } from '../../domain/errors.js'

export interface Problem {
  readonly action: number
  readonly argument: string
  /** Completes the sentence "<argument> must be …". */
  readonly expected: string
}

/** Receives one mistake of an action. */
export type Report = (argument: string, expected: string) => void

/** One sentence for a single problem, else a list, none twice; `details.problems` has all. */
export function badArguments(all: readonly Problem[]): ForkrouteError {
  const by = new Map(
    all.map((problem) => {
      const { action, argument, expected } = problem
      return [`action ${action}, ${argument} must be ${expected}`, problem]
    }),
  )
  const [messages, problems] = [[...by.keys()], [...by.values()]]
  const [first] = problems
  return new ForkrouteError('INVALID_REQUEST', messages, { ...first, problems })
}

/** @throws ForkrouteError INVALID_REQUEST. */
export function refuse(action: number, argument: string, expected: string): never {
  throw badArguments([{ action, argument, expected }])
}
