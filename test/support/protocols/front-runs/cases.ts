/** What somebody does ahead of each listed action to take from it, and what must become of the action then. */
import { type Move, minimumReasons } from '../../front-run.js'
import { type ActionCase, actionCases } from '../action-cases.js'
import { exchangeMoves } from './exchanges.js'
import { lendingMoves } from './lending.js'
import type { Fact, Holding } from './parts.js'
import { stakeMoves } from './stakes.js'

export interface FrontRunCase extends ActionCase {
  readonly move: Move
  /** The other way; what becomes of the action then is judged by what it has promised. */
  readonly opposite: Move
  /** Absent: the transaction reverts. Else why nothing can be taken: then it gives what it has promised. */
  readonly keeps?: string
  /** True: it may give more, too. */
  readonly mayGain?: boolean
  /** What it reverts with. */
  readonly reason: RegExp
  /** True: a receiver that the action names gets what comes out. */
  readonly takesReceiver: boolean
  readonly after?: Fact
  /** Of whoever sends it. */
  readonly holdings: readonly Holding[]
}

/** Actions without an output that a receiver could get; gauges know their caller alone. */
const withoutReceiver = /( repay|^staking-rewards deposit)$/

/** One for each listed action. @param facts - as of `actionCases`. */
export function frontRunCases(facts: Parameters<typeof actionCases>[0]): FrontRunCase[] {
  const cases = new Map(
    actionCases(facts).map((each) => [`${each.protocol} ${each.actions.at(-1)?.action}`, each]),
  )
  const entries = [
    ...exchangeMoves(facts),
    ...lendingMoves(facts.anybody),
    ...stakeMoves(facts.anybody),
  ]
  return entries.map(([name, [move, opposite], own = {}]) => {
    const base = cases.get(name)
    if (!base) throw new RangeError(`There is no case of ${name}.`)
    return {
      ...base,
      reason: minimumReasons,
      holdings: [],
      ...own,
      move,
      opposite,
      takesReceiver: !withoutReceiver.test(name),
    }
  })
}
