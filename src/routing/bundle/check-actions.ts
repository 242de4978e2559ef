/**
 * Checks across arguments that are valid by themselves: combinations that do not go together, and references to outputs
 * that an action will not have. Pure.
 */
import type { TypedAction } from '../../domain/bundle.js'
import { callbacksOf, type PerformableAction, referencesOf, toPerformable } from './performers.js'
import { nameIn, type Report } from './problems.js'
import type { CheckContext } from './service-action.js'
import { BadArgument, missingOutput } from './values.js'

type BundleFacts = Pick<CheckContext, 'chain' | 'isRunByAccount'>

/** What `CheckContext.refuse` throws. */
class Refused extends BadArgument {
  constructor(
    readonly argument: string,
    expected: string,
  ) {
    super(expected)
  }
}

/**
 * @param reportOf - of an action, by its index.
 * @param isNested - whether they are a callback's.
 */
export function checkActions(
  typed: readonly TypedAction[],
  facts: BundleFacts,
  reportOf: (index: number) => Report,
  isNested = false,
): void {
  const actions = toPerformable(typed, isNested)
  const references = actions.flatMap((action) =>
    referencesOf(action).map((reference) => ({ ...reference, from: action.index })),
  )
  for (const action of actions) {
    const report = reportOf(action.index)
    for (const { argument, useOutputOfCallAt, index, from } of references) {
      const count = from === action.index ? outputsOf(actions[useOutputOfCallAt]) : null
      if (count !== null && index >= count) {
        report(argument, missingOutput(nameIn(action, useOutputOfCallAt), count))
      }
    }
    const referred = references.filter((one) => one.useOutputOfCallAt === action.index)
    checkAction(action, report, {
      ...facts,
      isReferenced: (output) => referred.some(({ index }) => index === output),
    })
    for (const [name, callback] of callbacksOf(action)) {
      const inside =
        (index: number): Report =>
        (argument, expected) => {
          report(`${name}[${index}].${argument}`, expected)
        }
      checkActions(callback, facts, inside, true)
    }
  }
}

/** Null where the number is known only after planning. */
function outputsOf(action: PerformableAction | undefined): number | null {
  if (action?.performer.kind !== 'service') return null
  return action.performer.definition.outputs?.(action.values) ?? null
}

/** Reports only the first such mistake of an action. */
function checkAction(
  { performer, values }: PerformableAction,
  report: Report,
  context: Omit<CheckContext, 'refuse'>,
): void {
  if (performer.kind !== 'service') return
  try {
    performer.definition.check?.(values, {
      ...context,
      refuse: (argument, expected) => {
        throw new Refused(argument, expected)
      },
    })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    report(error.argument, error.message)
  }
}
