/** Asking for an explanation: docs/explain.md. */
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
