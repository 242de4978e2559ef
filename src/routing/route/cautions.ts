/** What may move in the pools of a transaction before it lands: what each protocol says of its pool, in one list. */
import type { Caution } from '../../domain/caution.js'
import { poolName } from '../../protocols/pool.js'
import type { Task } from '../block/task.js'
import { type Flow, swapsOf } from '../search/flow.js'

/** In the order of the swaps; none where the service leaves them out. */
export function cautionsOf(
  { settings }: Pick<Task, 'settings'>,
  flow: Pick<Flow, 'edges'>,
): Caution[] {
  if (settings.cautions === false) return []
  return swapsOf(flow).flatMap(({ adapter, loaded: { pool, state } }) => {
    const found = adapter.swaps.cautions?.(pool, state) ?? []
    return found.map(({ kind, message }) => {
      return { pool: poolName(pool), protocol: adapter.slug, kind, message }
    })
  })
}
