import type { Pool } from '../protocol.js'
import type { PositionAdapter } from '../positions.js'
import type { PairRules } from './liquidity.js'
export function pairPositions(_row: { slug: string; name: string }, _rulesOf: (pool: Pool) => PairRules): PositionAdapter {
  return { list: async () => ({ positions: [], unreadable: [] }), read: async () => [], actions: [] }
}
