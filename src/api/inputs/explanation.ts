/** Asking for an explanation: docs/how-to/explain.md. */
import { described, oneOf } from '../schemas.js'

/** Absent: none. */
export const Explain = described(
  oneOf(['true', 'false', 'timed']).optional(),
  'true: adds what the search looked at, see candidates and pools of the answer; timed: with the times of its stages.',
)

/** Absent: as the service is configured. */
export const Proof = described(
  oneOf(['all', 'adaptive']).optional(),
  'all: every candidate is simulated; adaptive: the most promising ones, and others only while native math lets them ' +
    'be worth more than the best of these. Default: the setting PROOF, which is all unless the operator says otherwise.',
)

export function toExplain(
  explain: 'true' | 'false' | 'timed' | undefined,
): 'plain' | 'timed' | undefined {
  if (explain === undefined || explain === 'false') return undefined
  return explain === 'timed' ? 'timed' : 'plain'
}
