/** Turns the mistakes in the arguments of a bundle's actions into an error. Pure. */
import { defined } from '../../domain/defined.js'
import { type ErrorCode, type ErrorDetails, ForkrouteError } from '../../domain/errors.js'
import type { NextStep } from '../../domain/next-step.js'
import type { NamedAction } from './failures/named-action.js'

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
  const next = problems.map(({ action, argument }) => ({ parameter: argument, action }))
  return new ForkrouteError('INVALID_REQUEST', messages, { ...first, problems, next })
}

/** @throws ForkrouteError INVALID_REQUEST. */
export function refuse(action: number, argument: string, expected: string): never {
  throw badArguments([{ action, argument, expected }])
}

/** An action's place in its list. */
type Placed = Pick<NamedAction, 'index' | 'isNested'>

/** How messages name an action of the same list. */
export function nameIn({ isNested }: Pick<Placed, 'isNested'>, index: number): string {
  return isNested ? `callback[${index}]` : `action ${index}`
}

/** What is wrong with one action: the message begins with its name, and `details.action` is its index in its list. */
export class ActionError extends ForkrouteError {
  readonly isNested: boolean
  constructor(
    code: ErrorCode,
    { index, isNested }: Placed,
    message: string,
    details: ErrorDetails,
  ) {
    super(code, `${nameIn({ isNested }, index)}${message}`, { ...details, action: index })
    this.isNested = isNested
  }

  /** With the names that the bundle has for the actions of a callback. @param index - of the action that holds it. */
  within(index: number): ForkrouteError {
    const { code, message, details } = this
    const named = {
      ...details,
      ...defined({ next: details?.next?.map((step) => inCallback(step, index)) }),
      action: index,
      callbackAction: details?.action,
    }
    return new ForkrouteError(code, `action ${index}, ${message}`, named)
  }
}

/** A step about an action of a callback, as the bundle names it. */
function inCallback(step: NextStep, index: number): NextStep {
  if (!('parameter' in step) || step.action === undefined) return step
  return { ...step, parameter: `callback[${step.action}].${step.parameter}`, action: index }
}

/**
 * What went wrong with the actions of a callback, with the names that the bundle has for them.
 *
 * @param index - of the action that holds the callback.
 */
export function fromCallback(error: unknown, index: number): unknown {
  if (error instanceof ActionError) return error.isNested ? error.within(index) : error
  const problems = error instanceof ForkrouteError && error.details?.problems
  if (!problems) return error
  return badArguments(
    (problems as readonly Problem[]).map(({ action, argument, expected }) => ({
      action: index,
      expected,
      argument: `callback[${action}].${argument}`,
    })),
  )
}
