/** The explanation of an answer on the wire: docs/explain.md. */
import type { CandidateRecord, Explanation } from '../../domain/explanation.js'
import { described, oneOf } from '../schemas.js'

/** Absent: none. */
export const Explain = described(
  oneOf(['true', 'false', 'timed']).optional(),
  'true: adds what the search looked at, see candidates and pools of the answer; timed: with the times of its stages.',
)

export function toExplain(
  explain: 'true' | 'false' | 'timed' | undefined,
): 'plain' | 'timed' | undefined {
  if (explain === undefined || explain === 'false') return undefined
  return explain === 'timed' ? 'timed' : 'plain'
}

/** One value for one tokenOut, a list for several. */
export function oneOrList(amounts: readonly bigint[]): string | string[] {
  const all = amounts.map(String)
  return all.length === 1 ? all.join() : all
}

/** Fields of the answer itself. */
export function explanationFields(explanation: Explanation | undefined) {
  if (!explanation) return {}
  const { candidates, omittedCandidates, pools, times } = explanation
  return {
    candidates: candidates.map(toCandidate),
    candidatesOmitted: omittedCandidates,
    pools: {
      considered: pools.considered.length,
      refused: pools.refused.map((one) => ({ ...one })),
      omitted: pools.omitted,
    },
    ...(times && { times: { ...times } }),
  }
}

function toCandidate(one: CandidateRecord) {
  return {
    ...(one.action !== undefined && { action: one.action }),
    path: one.path.map((hop) => ({ ...hop })),
    estimatedAmountOut: one.estimatedAmountOut.toString(),
    amountOut: one.amountsOut && oneOrList(one.amountsOut),
    gas: one.gas === null ? null : one.gas.toString(),
    valueAfterGas: one.valueAfterGas === null ? null : one.valueAfterGas.toString(),
    status: one.status,
    ...(one.step && { step: one.step }),
    ...(one.reason !== undefined && { reason: one.reason }),
  }
}
