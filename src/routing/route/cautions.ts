/**
 * What may move in the pools of a transaction before it lands, in one list: what each protocol says of its pool, and what
 * holds for every pool with a token whose balances change by themselves.
 */
import { type Caution, cautionsWhere, type PoolCaution } from '../../domain/caution.js'
import type { Address } from '../../domain/primitives.js'
import { type Pool, poolName } from '../../protocols/pool.js'
import type { Task } from '../block/task.js'
import { rebasingTokens } from '../market/rebasing-tokens.js'
import { type Flow, swapsOf } from '../search/flow.js'

/** In the order of the swaps; none where the service leaves them out. */
export function cautionsOf(
  { settings, chain }: Pick<Task, 'settings' | 'chain'>,
  flow: Pick<Flow, 'edges'>,
): Caution[] {
  if (settings.cautions === false) return []
  const rebasing = rebasingTokens(chain)
  return swapsOf(flow).flatMap(({ adapter, loaded: { pool, state } }) => {
    const own = adapter.swaps.cautions?.(pool, state) ?? []
    const saysSo = own.some(({ kind }) => kind === 'rebase')
    const found = saysSo ? own : [...own, ...rebaseCautions(pool, rebasing)]
    return found.map(({ kind, message }) => {
      return { pool: poolName(pool), protocol: adapter.slug, kind, message }
    })
  })
}

function rebaseCautions({ tokens }: Pool, rebasing: ReadonlySet<Address>): readonly PoolCaution[] {
  return cautionsWhere([
    tokens.some((token) => rebasing.has(token)),
    'rebase',
    'The pool holds a token whose balances change by themselves.',
  ])
}
